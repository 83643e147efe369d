"""Serial ports: which are likely boards, and why one cannot be opened."""

from __future__ import annotations

import re
import sys
from pathlib import Path
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


DENIED = serial.SerialException(13, "Permission denied")


@pytest.mark.skipif(sys.platform != "linux", reason="udev and groups are Linux's")
def test_a_denied_port_is_explained_with_the_rule_that_comes_with_the_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ports, "_RULES", [str(tmp_path)])
    sentence = ports.explain("/dev/ttyUSB0", DENIED)
    named = re.search(r"'sudo cp (\S+) /etc/udev/rules.d/'", sentence)
    assert named is not None and "idVendor" in Path(named[1]).read_text()
    assert "sudo udevadm control --reload" in sentence and "plug the board in again" in sentence
    assert "sudo usermod -aG dialout" in sentence  # for a computer that is used remotely


@pytest.mark.skipif(sys.platform != "linux", reason="udev and groups are Linux's")
def test_where_the_rule_is_installed_nobody_is_sent_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ports, "_RULES", [str(tmp_path)])
    (tmp_path / ports.RULE).touch()
    sentence = ports.explain("/dev/ttyUSB0", DENIED)
    assert "sudo cp" not in sentence
    assert "plug the board in again" in sentence and "log in again" in sentence


@pytest.mark.parametrize(
    ("system", "remedy"),
    [("win32", "close the other program"), ("darwin", "under privacy and security")],
)
def test_a_denied_port_is_explained_on_other_systems(
    system: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    sentence = ports.explain("COM3", DENIED)
    assert remedy in sentence and "plug the board in again" in sentence
    assert "sudo" not in sentence and sentence.endswith(".")


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
