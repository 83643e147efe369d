"""The line by USB HID, on hidapi's interface in software."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from blindplay.boards.wireless import HidProfile
from tests.modules import imported_anew

PROFILE = HidProfile(0x2D80, frozenset({0x8100}), 0xFF00)


class FakeDevice:
    """A device that answers each report with itself."""

    def __init__(self) -> None:
        self._reports: list[bytes] = []

    def open_path(self, path: bytes) -> None:
        if path != b"/1":
            raise OSError("open failed")

    def read(self, size: int, timeout_ms: int) -> list[int]:
        return list(self._reports.pop(0)) if self._reports else []

    def write(self, data: bytes) -> int:
        self._reports.append(data)
        return len(data) if data != b"broken" else -1

    def close(self) -> None:
        self._reports.clear()


def enumerate_devices(vendor: int, product: int) -> list[dict[str, Any]]:
    assert (vendor, product) == (0x2D80, 0)
    usable = {"path": b"/1", "product_id": 0x8107, "usage_page": 0xFF00, "product_string": "Pro"}
    return [usable, {**usable, "usage_page": 1}, {**usable, "product_id": 0x9000}]


@pytest.fixture
def hid(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    fake = ModuleType("hid")
    fake.device = FakeDevice  # type: ignore[attr-defined]
    fake.enumerate = enumerate_devices  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hid", fake)
    return imported_anew("blindplay.boards.hid", monkeypatch)


def test_the_board_is_told_from_other_devices_of_its_maker(hid: ModuleType) -> None:
    assert hid.devices(PROFILE) == [("/1", "Pro")]


def test_reports_go_both_ways(hid: ModuleType) -> None:
    port = hid.HidPort("/1")
    port.write(b"\x21\x01\x00")
    assert port.read(1) == b"\x21" and port.in_waiting == 2
    assert port.read(9) == b"\x01\x00" and port.read(1) == b""
    with pytest.raises(OSError):
        port.write(b"broken")
    port.close()
    with pytest.raises(OSError):
        hid.HidPort("/2")
