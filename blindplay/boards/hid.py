"""A line to a board by USB HID, through the optional package hidapi. Never tried on hardware."""

import hid

from .ports import READ_SECONDS
from .wireless import HidProfile

_REPORT = 64
"""Longest report of a USB HID device at full speed, in bytes."""


def devices(profile: HidProfile) -> list[tuple[str, str]]:
    """The path and name of each device that fits ``profile``."""
    return [
        (device["path"].decode(), (device["product_string"] or "").strip())
        for device in hid.enumerate(profile.vendor, 0)
        if device["product_id"] & 0xFF00 in profile.products
        # Some systems do not tell the usage page.
        and device["usage_page"] in (0, profile.usage_page)
    ]


class HidPort:
    """An open device. Raises OSError if it is not there or may not be used."""

    def __init__(self, path: str) -> None:
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
