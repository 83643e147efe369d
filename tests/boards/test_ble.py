"""The line by Bluetooth LE, on bleak's interface in software, and on bleak itself where it is
installed, with a device in software."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from blindplay.boards.wireless import NORDIC_UART, BleProfile
from tests.coroutines import apart
from tests.modules import imported_anew

PROFILE = BleProfile(("Board",), *NORDIC_UART)
(NOTIFY,), WRITE = NORDIC_UART


class FakeClient:
    """A device that answers each command with itself, and is gone after 'bye'."""

    def __init__(self, address: str, disconnected_callback: Callable[[Any], None]) -> None:
        self._there, self._gone = address == "here", disconnected_callback
        self._listeners: list[Callable[[object, bytearray], None]] = []

    async def connect(self) -> None:
        if not self._there:
            raise FakeError("not found")

    async def start_notify(self, characteristic: str, heard: Any) -> None:
        assert characteristic == NOTIFY
        self._listeners.append(heard)

    async def write_gatt_char(self, characteristic: str, data: bytes) -> None:
        assert characteristic == WRITE
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


@pytest.fixture(params=["interface", "bleak"])
def ble(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    if request.param == "bleak":
        bleak = pytest.importorskip("bleak")
        client, scanner = (device_in_software(bleak), "fake"), (scanner_in_software(bleak), "fake")
        monkeypatch.setattr(bleak, "get_platform_client_backend_type", lambda: client)
        monkeypatch.setattr(bleak, "get_platform_scanner_backend_type", lambda: scanner)
    else:
        fake = ModuleType("bleak")
        fake.BleakClient = FakeClient  # type: ignore[attr-defined]
        fake.BleakScanner = SimpleNamespace(discover=discover)  # type: ignore[attr-defined]
        fake.exc = SimpleNamespace(BleakError=FakeError)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "bleak", fake)
    return imported_anew("blindplay.boards.ble", monkeypatch)


def device_in_software(bleak: Any) -> type[Any]:
    """A backend of bleak's client with the same device."""
    service = import_module("bleak.backends.service")
    characteristic = import_module("bleak.backends.characteristic").BleakGATTCharacteristic

    async def nothing(self: Any, *arguments: Any, **named: Any) -> None:
        return None

    async def connect(self: Any, *arguments: Any, **named: Any) -> None:
        if self.address != "here":
            raise bleak.exc.BleakError("not found")
        uart = service.BleakGATTService(None, 1, "6e400001-b5a3-f393-e0a9-e50e24dcca9e")
        self.services, self.heard = service.BleakGATTServiceCollection(), []
        self.services.add_service(uart)
        for handle, uuid in enumerate((NOTIFY, WRITE), 2):
            one = characteristic(None, handle, uuid, ["notify", "write"], lambda: 20, uart)
            self.services.add_characteristic(one)

    async def start_notify(self: Any, characteristic: Any, heard: Any, **named: Any) -> None:
        assert characteristic.uuid == NOTIFY
        self.heard.append(heard)

    async def write_gatt_char(self: Any, characteristic: Any, data: bytes, *_: Any) -> None:
        assert characteristic.uuid == WRITE
        if data == b"bye":
            self._disconnected_callback()
        for heard in self.heard:
            heard(bytearray(data))

    base = import_module("bleak.backends.client").BaseBleakClient
    own = dict.fromkeys(base.__abstractmethods__, nothing)
    own |= {"connect": connect, "start_notify": start_notify, "write_gatt_char": write_gatt_char}
    return type("Device", (base,), own | {"is_connected": True, "mtu_size": 23})


def scanner_in_software(bleak: Any) -> type[Any]:
    """A backend of bleak's scanner that sees two devices."""
    module = import_module("bleak.backends.scanner")

    async def start(self: Any) -> None:
        for address, name in (("here", "Board\n"), ("x", None)):
            seen = module.AdvertisementData(name, {}, {}, [], None, -50, ())
            device = self.create_or_update_device(address, address, name, None, seen)
            self.call_detection_callbacks(device, seen)

    async def stop(self: Any) -> None:
        return None

    def begin(self: Any, *arguments: Any, **named: Any) -> None:
        module.BaseBleakScanner.__init__(self, None, None)

    own = {"__init__": begin, "start": start, "stop": stop}
    return type("Scanner", (module.BaseBleakScanner,), own)


def test_devices_nearby_have_addresses_and_names(ble: ModuleType) -> None:
    assert apart(lambda: ble.scan(0.1)) == [("here", "Board"), ("x", "")]


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
