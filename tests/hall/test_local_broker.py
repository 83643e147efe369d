"""A broker on this machine, or the one command that installs it."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from blindplay.broker import Link
from blindplay.hall import local_broker
from blindplay.hall.broker_files import CONFIGURATION
from blindplay.hall.new_event import BROKER_FOLDER
from tests.programs import need
from tests.waiting import PATIENCE_S, until

from .broker import LOCAL, RealBroker


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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows stops no service with a signal")
def test_a_service_that_is_stopped_leaves_no_broker_behind(tmp_path: Path) -> None:
    need("Mosquitto")
    with socket.create_server((LOCAL, 0)) as free:
        address = free.getsockname()
    folder = tmp_path / BROKER_FOLDER
    folder.mkdir()
    (folder / CONFIGURATION).write_text(f"listener {address[1]} {LOCAL}\nallow_anonymous true\n")
    command = [sys.executable, "-m", "blindplay", "hall", "broker", str(tmp_path / "hall.toml")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as service:
        assert until(lambda: _answers(address))
        service.terminate()
        assert service.wait(PATIENCE_S) == 130
    assert not _answers(address)


def _answers(address: tuple[str, int]) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(address) == 0


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
