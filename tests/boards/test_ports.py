"""Serial ports: which are likely boards, and why one cannot be opened."""

from __future__ import annotations

import sys
from typing import NoReturn

import pytest
import serial
from serial.tools import list_ports

from blindplay.boards import ports


def test_discovery_lists_likely_boards_first(monkeypatch: pytest.MonkeyPatch) -> None:
    class Port:
        def __init__(self, device: str, vid: int | None) -> None:
            self.device, self.vid, self.pid = device, vid, 1
            self.description, self.serial_number = device, None

    present = [Port("A", None), Port("B", 0x1234), Port("C", 0x1A86)]
    monkeypatch.setattr(list_ports, "comports", lambda: present)
    assert [(p.url, p.likely) for p in ports.discover()] == [("C", True), ("B", False)]


@pytest.mark.skipif(sys.platform != "linux", reason="dialout is a Linux group")
def test_a_denied_port_is_explained_with_the_remedy() -> None:
    sentence = ports.explain("/dev/ttyUSB0", serial.SerialException(13, "Permission denied"))
    assert "dialout" in sentence
    assert "log in again" in sentence


def test_brltty_is_named_where_it_took_the_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "brltty_runs", lambda: True)
    error = serial.SerialException(2, "No such file or directory")
    assert "brltty" in ports.explain("/dev/ttyUSB0", error)


def test_a_port_in_use_is_explained() -> None:
    error = serial.SerialException(11, "Could not exclusively lock port")
    assert "another program" in ports.explain("/dev/ttyUSB0", error)


def test_a_scan_during_which_a_device_vanishes_finds_no_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def vanishing() -> NoReturn:
        raise TypeError("expected str, bytes or os.PathLike object, not NoneType")

    monkeypatch.setattr(list_ports, "comports", vanishing)
    assert ports.discover() == []
