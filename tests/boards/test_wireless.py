"""Boards without a serial port."""

from __future__ import annotations

import sys

import pytest

from blindplay.boards import wireless
from blindplay.boards.makers import located
from blindplay.boards.ports import BoardNotFoundError
from blindplay.boards.wireless import BleProfile, HidProfile, open_wireless

BLE = BleProfile(("Chess", "Other"), ("notify",), "write")
HID = HidProfile(1, frozenset({0x100}), 2)


def test_a_board_is_known_by_the_beginning_of_its_name() -> None:
    assert BLE.fits("chessboard 7") and not BLE.fits("My chess")


def test_a_missing_package_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wireless, "find_spec", lambda name: None)
    for search in (
        lambda: open_wireless("ble://A1", BLE, None),
        lambda: open_wireless("hid://1", None, HID),
        wireless.nearby,
        lambda: located("millennium:ble://A1"),
        lambda: wireless.plugged_in(HID),
    ):
        with pytest.raises(BoardNotFoundError, match=r"pip install 'blindplay\[(ble|hid)\]'"):
            search()


def test_a_board_is_opened_only_as_its_maker_built_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wireless, "find_spec", lambda name: name)
    monkeypatch.delitem(sys.modules, "bleak", raising=False)
    assert open_wireless("ble://A1", None, HID) is None
    assert open_wireless("socket://h:1", BLE, HID) is None
    assert located("millennium:ble://A1") == "millennium:ble://A1"
    with pytest.raises(BoardNotFoundError):
        located("dgt:ble://A1")
    assert "bleak" not in sys.modules
