"""Boards without a serial port."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from blindplay.boards import wireless
from blindplay.boards.makers import located
from blindplay.boards.ports import BoardNotFoundError
from blindplay.boards.wireless import (
    NORDIC_UART,
    BlePort,
    BleProfile,
    HidPort,
    HidProfile,
    nearby,
    open_wireless,
    plugged_in,
)
from tests.coroutines import apart

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
        with pytest.raises(BoardNotFoundError, match=r'install "(bleak|hidapi)[<>]'):
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


# --- Bluetooth LE: bleak's interface in software, and bleak itself with a device in software ---

UART = BleProfile(("Board",), *NORDIC_UART)
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
def bluetooth(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wireless, "find_spec", lambda name: name)
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


@pytest.mark.usefixtures("bluetooth")
def test_devices_nearby_have_addresses_and_names() -> None:
    assert apart(lambda: nearby(0.1)) == [("ble://here", "Board"), ("ble://x", "")]


@pytest.mark.usefixtures("bluetooth")
def test_bytes_go_both_ways_until_the_board_is_gone() -> None:
    port = BlePort("here", UART)
    port.write(b"hello")
    assert port.read(2) == b"he" and port.in_waiting == 3
    assert port.read(99) == b"llo" and port.read(1) == b""
    port.write(b"bye")
    assert port.read(3) == b"bye"
    with pytest.raises(OSError):
        port.read(1)
    port.close()


@pytest.mark.usefixtures("bluetooth")
def test_a_board_that_is_not_there_is_an_error() -> None:
    with pytest.raises(OSError):
        BlePort("nowhere", UART)


# --- USB HID: hidapi's interface in software ----------------------------------------------------

USB = HidProfile(0x2D80, frozenset({0x8100}), 0xFF00)


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
def usb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wireless, "find_spec", lambda name: name)
    fake = ModuleType("hid")
    fake.device = FakeDevice  # type: ignore[attr-defined]
    fake.enumerate = enumerate_devices  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hid", fake)


@pytest.mark.usefixtures("usb")
def test_the_board_is_told_from_other_devices_of_its_maker() -> None:
    assert plugged_in(USB) == [("hid:///1", "Pro")]


@pytest.mark.usefixtures("usb")
def test_reports_go_both_ways() -> None:
    port = HidPort("/1")
    port.write(b"\x21\x01\x00")
    assert port.read(1) == b"\x21" and port.in_waiting == 2
    assert port.read(9) == b"\x01\x00" and port.read(1) == b""
    with pytest.raises(OSError):
        port.write(b"broken")
    port.close()
    with pytest.raises(OSError):
        HidPort("/2")
