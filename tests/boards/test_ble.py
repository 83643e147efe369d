"""The line by Bluetooth LE, on bleak's interface in software."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from blindplay.boards.wireless import BleProfile

PROFILE = BleProfile(("Board",), ("notify",), "write")


class FakeClient:
    """A device that answers each command with itself, and is gone after 'bye'."""

    def __init__(self, address: str, disconnected_callback: Callable[[Any], None]) -> None:
        self._there, self._gone = address == "here", disconnected_callback
        self._listeners: list[Callable[[object, bytearray], None]] = []

    async def connect(self) -> None:
        if not self._there:
            raise FakeError("not found")

    async def start_notify(self, characteristic: str, heard: Any) -> None:
        assert characteristic == "notify"
        self._listeners.append(heard)

    async def write_gatt_char(self, characteristic: str, data: bytes) -> None:
        assert characteristic == "write"
        if data == b"bye":
            self._gone(self)
        for heard in self._listeners:
            heard(None, bytearray(data))

    async def disconnect(self) -> None:
        self._listeners.clear()


class FakeError(Exception):
    pass


async def discover(timeout: float) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(address="here", name="Board\n"),
        SimpleNamespace(address="x", name=None),
    ]


@pytest.fixture
def ble(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    fake = ModuleType("bleak")
    fake.BleakClient = FakeClient  # type: ignore[attr-defined]
    fake.BleakScanner = SimpleNamespace(discover=discover)  # type: ignore[attr-defined]
    fake.exc = SimpleNamespace(BleakError=FakeError)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "bleak", fake)
    monkeypatch.delitem(sys.modules, "blindplay.boards.ble", raising=False)
    return import_module("blindplay.boards.ble")


def test_devices_nearby_have_addresses_and_names(ble: ModuleType) -> None:
    assert ble.scan(0.1) == [("here", "Board"), ("x", "")]


def test_bytes_go_both_ways_until_the_board_is_gone(ble: ModuleType) -> None:
    port = ble.BlePort("here", PROFILE)
    port.write(b"hello")
    assert port.read(2) == b"he" and port.in_waiting == 3
    assert port.read(99) == b"llo" and port.read(1) == b""
    port.write(b"bye")
    assert port.read(3) == b"bye"
    with pytest.raises(OSError):
        port.read(1)
    port.close()


def test_a_board_that_is_not_there_is_an_error(ble: ModuleType) -> None:
    with pytest.raises(OSError):
        ble.BlePort("nowhere", PROFILE)
