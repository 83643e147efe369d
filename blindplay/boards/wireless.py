"""Boards without a serial port: Bluetooth LE and USB HID, as ``ble://`` and ``hid://`` URLs.

The packages for both, bleak and hidapi, are optional: they are imported where they are used, and
without one its URLs are refused with the remedy. bleak works in an event loop, which runs in a
thread of its own; a driver reads and writes as on a serial port. Never tried on hardware.
"""

import asyncio
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeVar

from blindplay.extras import install_command
from blindplay.translation import _

from .ports import READ_SECONDS, BoardNotFoundError, Port

SCAN_SECONDS = 5.0
"""Boards say that they are there about once a second."""
_PATIENCE = 15.0
_REPORT = 64
"""Longest report of a USB HID device at full speed, in bytes."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class BleProfile:
    """The way to boards of one kind by Bluetooth LE: the beginnings of their ``names``, the
    characteristics that ``notify``, and the one to ``write`` to. UUIDs are in lower case."""

    names: tuple[str, ...]
    notify: tuple[str, ...]
    write: str

    def fits(self, name: str) -> bool:
        """Return whether such a board may have this name."""
        return name.lower().startswith(tuple(beginning.lower() for beginning in self.names))


NORDIC_UART = (("6e400003-b5a3-f393-e0a9-e50e24dcca9e",), "6e400002-b5a3-f393-e0a9-e50e24dcca9e")
"""The characteristics of Nordic's serial line, which several makers use: notify and write."""


@dataclass(frozen=True)
class HidProfile:
    """The way to boards of one kind by USB HID: the ``vendor``, the high bytes of the
    ``products``, and the usage page of the right interface."""

    vendor: int
    products: frozenset[int]
    usage_page: int


def check_wireless(url: str) -> None:
    """Raise :class:`BoardNotFoundError` if the package that ``url`` needs is missing."""
    scheme = url.partition("://")[0]
    if scheme == "ble":
        _need("bleak", "ble", "Bluetooth")
    elif scheme == "hid":
        _need("hid", "hid", "USB-HID")


def open_wireless(url: str, ble: BleProfile | None, hid: HidProfile | None) -> Port | None:
    """Open ``url``, ``ble://ADDRESS`` or ``hid://PATH``. None if it is another URL or the kind of
    board cannot be reached so.

    :raises BoardNotFoundError: if the package is missing.
    :raises OSError: for anything else.
    """
    scheme, _rest, where = url.partition("://")
    check_wireless(url)
    if scheme == "ble" and ble is not None:
        return BlePort(where, ble)
    if scheme == "hid" and hid is not None:
        return HidPort(where)
    return None


def _need(module: str, extra: str, what: str) -> None:
    if find_spec(module) is None:
        raise BoardNotFoundError(
            "Boards with {what} need a package that is not installed; install it with: {command}",
            what=what,
            command=install_command(extra),
        )


# --- Bluetooth LE -----------------------------------------------------------------------------


def nearby(seconds: float = SCAN_SECONDS) -> list[tuple[str, str]]:
    """The URL and name of each Bluetooth LE device that makes itself known within ``seconds``.

    :raises BoardNotFoundError: if the package is missing.
    :raises OSError: if this computer has no Bluetooth, or it is switched off.
    """
    check_wireless("ble://")
    import bleak

    try:
        devices = asyncio.run(bleak.BleakScanner.discover(timeout=seconds))
    except (bleak.exc.BleakError, OSError) as error:
        sentence = _("Bluetooth cannot be used: switch it on, and check that its service runs.")
        raise OSError(sentence) from error
    return [(f"ble://{device.address}", (device.name or "").strip()) for device in devices]


class BlePort:
    """An open connection to the device at ``address``.

    :raises OSError: if there is none.
    """

    def __init__(self, address: str, profile: BleProfile) -> None:
        import bleak

        self._profile = profile
        self._received = bytearray()
        self._news = threading.Condition()
        self._lost = False
        self._loop = asyncio.new_event_loop()
        run = self._loop.run_forever
        self._thread = threading.Thread(target=run, name="Bluetooth", daemon=True)
        self._thread.start()
        self._client = bleak.BleakClient(address, disconnected_callback=self._gone)
        try:
            self._do(self._connect())
        except Exception:
            self.close()
            raise

    @property
    def in_waiting(self) -> int:
        """The number of bytes that have arrived."""
        return len(self._received)

    def read(self, size: int = 1, /) -> bytes:
        """Read up to ``size`` bytes; wait a twentieth of a second at most."""
        with self._news:
            self._news.wait_for(lambda: len(self._received) >= size or self._lost, READ_SECONDS)
            if self._lost and not self._received:
                raise ConnectionResetError
            data = bytes(self._received[:size])
            del self._received[:size]
            return data

    def write(self, data: bytes, /) -> None:
        """Send one command."""
        self._do(self._client.write_gatt_char(self._profile.write, data))

    def close(self) -> None:
        """Disconnect. A connection that is lost already is closed as well."""
        try:
            self._do(self._client.disconnect())
        except OSError:
            pass
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_PATIENCE)
            if not self._thread.is_alive():
                self._loop.close()

    async def _connect(self) -> None:
        await self._client.connect()
        for characteristic in self._profile.notify:
            await self._client.start_notify(characteristic, self._receive)

    def _receive(self, sender: object, data: bytearray) -> None:
        with self._news:
            self._received += data
            self._news.notify_all()

    def _gone(self, client: object) -> None:
        with self._news:
            self._lost = True
            self._news.notify_all()

    def _do(self, work: Coroutine[Any, Any, Result]) -> Result:
        import bleak

        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(_PATIENCE)
        except (bleak.exc.BleakError, TimeoutError, EOFError) as error:
            future.cancel()
            raise ConnectionError from error


# --- USB HID ----------------------------------------------------------------------------------


def plugged_in(profile: HidProfile) -> list[tuple[str, str]]:
    """The URL and name of each device that fits ``profile``.

    :raises BoardNotFoundError: if the package is missing.
    """
    check_wireless("hid://")
    import hid

    return [
        (f"hid://{device['path'].decode()}", (device["product_string"] or "").strip())
        for device in hid.enumerate(profile.vendor, 0)
        if device["product_id"] & 0xFF00 in profile.products
        # Some systems do not tell the usage page.
        and device["usage_page"] in (0, profile.usage_page)
    ]


class HidPort:
    """An open device.

    :raises OSError: if it is not there or may not be used.
    """

    def __init__(self, path: str) -> None:
        import hid

        self._device = hid.device()
        self._device.open_path(path.encode())
        self._received = bytearray()

    @property
    def in_waiting(self) -> int:
        """The number of bytes left of the last report."""
        return len(self._received)

    def read(self, size: int = 1, /) -> bytes:
        """Wait a twentieth of a second at most for a report. The number of its kind comes first."""
        if not self._received:
            self._received += bytes(self._device.read(_REPORT, round(READ_SECONDS * 1000)))
        data = bytes(self._received[:size])
        del self._received[:size]
        return data

    def write(self, data: bytes, /) -> None:
        """Send one report. Its first byte is the number of its kind."""
        if self._device.write(data) < 0:
            raise ConnectionResetError

    def close(self) -> None:
        """Free the device."""
        self._device.close()
