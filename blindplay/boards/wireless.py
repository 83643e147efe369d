"""Boards without a serial port: Bluetooth LE and USB HID, as ``ble://`` and ``hid://`` URLs.

The packages for both are optional; without one, its URLs are refused with the remedy.
"""

from dataclasses import dataclass
from importlib.util import find_spec

from .ports import BoardNotFoundError, Port

SCAN_SECONDS = 5.0
"""Boards say that they are there about once a second."""


@dataclass(frozen=True)
class BleProfile:
    """The way to boards of one kind by Bluetooth LE: the beginnings of their ``names``, the
    characteristics that ``notify``, and the one to ``write`` to. UUIDs are in lower case."""

    names: tuple[str, ...]
    notify: tuple[str, ...]
    write: str

    def fits(self, name: str) -> bool:
        """Return whether such a board may have this name."""
        return name.lower().startswith(tuple(one.lower() for one in self.names))


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

    Raises :class:`BoardNotFoundError` if the package is missing, else OSError.
    """
    scheme, _, where = url.partition("://")
    check_wireless(url)
    if scheme == "ble" and ble is not None:
        from .ble import BlePort

        return BlePort(where, ble)
    if scheme == "hid" and hid is not None:
        from .hid import HidPort

        return HidPort(where)
    return None


def nearby() -> list[tuple[str, str]]:
    """The URL and name of each Bluetooth LE device nearby. Takes some seconds.

    Raises :class:`BoardNotFoundError` if the package is missing, OSError without Bluetooth.
    """
    check_wireless("ble://")
    from .ble import scan

    return [(f"ble://{address}", name) for address, name in scan(SCAN_SECONDS)]


def plugged_in(profile: HidProfile) -> list[tuple[str, str]]:
    """The URL and name of each such HID device. Raises as :func:`nearby` does."""
    check_wireless("hid://")
    from .hid import devices

    return [(f"hid://{path}", name) for path, name in devices(profile)]


def _need(module: str, extra: str, what: str) -> None:
    if find_spec(module) is None:
        raise BoardNotFoundError(
            f"Boards with {what} need a package that is not installed: run "
            f"pip install 'blindplay[{extra}]'."
        )
