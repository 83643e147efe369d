"""The board's end of a serial line: it goes and comes back."""

from __future__ import annotations

import sys

import pytest
import serial

from blindplay.boards.cable import Cable
from tests.waiting import PATIENCE_S, until

LINES = [
    pytest.param(
        False,
        id="pty",
        marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows has no ptys"),
    ),
    pytest.param(True, id="socket"),
]


def read(cable: Cable) -> bytes:
    data = until(lambda: cable.read(0.01))
    assert data, "nothing came"
    return data


@pytest.mark.parametrize("force_socket", LINES)
def test_a_host_finds_the_line_at_the_same_url_after_each_plug(force_socket: bool) -> None:
    cable = Cable(force_socket=force_socket)
    for _ in range(3):
        with serial.serial_for_url(cable.url, timeout=PATIENCE_S) as host:
            host.write(b"hello")
            assert read(cable) == b"hello"
            cable.write(b"board")
            assert host.read(5) == b"board"
        cable.unplug()
        assert not cable.plugged
        assert cable.read(0.01) is None
        cable.plug()
        assert cable.plugged
    cable.close()
    cable.close()


def test_bytes_written_without_a_host_are_lost() -> None:
    cable = Cable(force_socket=True)
    cable.write(b"nobody listens")
    with serial.serial_for_url(cable.url, timeout=0.2) as host:
        assert host.read(1) == b""
    cable.close()
