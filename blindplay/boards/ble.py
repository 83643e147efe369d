"""A line to a board by Bluetooth LE, through the optional package bleak.

bleak works in an event loop, which runs in a thread of its own; the driver reads and writes as on
a serial port. Was never tried on hardware.
"""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

import bleak

from .ports import READ_SECONDS
from .wireless import BleProfile

_PATIENCE = 15.0
Result = TypeVar("Result")


def scan(seconds: float) -> list[tuple[str, str]]:
    """The address and name of each device that makes itself known within ``seconds``. Raises
    OSError if this computer has no Bluetooth, or it is switched off."""
    try:
        found = asyncio.run(bleak.BleakScanner.discover(timeout=seconds))
    except (bleak.exc.BleakError, OSError) as error:
        sentence = "Bluetooth cannot be used: switch it on, and check that its service runs."
        raise OSError(sentence) from error
    return [(device.address, (device.name or "").strip()) for device in found]


class BlePort:
    """An open connection to the device at ``address``. Raises OSError if there is none."""

    def __init__(self, address: str, profile: BleProfile) -> None:
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
        """Wait a twentieth of a second at most for so many bytes."""
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
            await self._client.start_notify(characteristic, self._heard)

    def _heard(self, sender: object, data: bytearray) -> None:
        with self._news:
            self._received += data
            self._news.notify_all()

    def _gone(self, client: object) -> None:
        with self._news:
            self._lost = True
            self._news.notify_all()

    def _do(self, work: Coroutine[Any, Any, Result]) -> Result:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(_PATIENCE)
        except (bleak.exc.BleakError, TimeoutError, EOFError) as error:
            future.cancel()
            raise ConnectionError from error
