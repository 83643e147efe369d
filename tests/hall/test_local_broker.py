"""A broker on this machine, or the one command that installs it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from blindplay.hall import local_broker
from blindplay.hall.link import Link
from tests.waiting import until

from .broker import RealBroker


def test_it_can_be_killed_and_started_again(tmp_path: Path) -> None:
    broker = RealBroker(tmp_path)
    link = Link(broker.broker, ["a"], lambda *one: None, lambda: None)
    link.start()
    assert until(lambda: link.online)
    broker.kill()
    assert until(lambda: not link.online)
    broker.start()
    assert until(lambda: link.online)
    link.close()
    broker.kill()


@pytest.mark.parametrize(
    ("system", "command"),
    [("linux", "sudo apt install mosquitto"), ("darwin", "brew install mosquitto"),
     ("win32", "winget install EclipseFoundation.Mosquitto")],
)  # fmt: skip
def test_where_it_is_missing_one_command_installs_it(
    system: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *one, **more: None)
    monkeypatch.setattr(sys, "platform", system)
    with pytest.raises(ValueError, match=command):
        local_broker.program()
