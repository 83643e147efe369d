"""Serial ports: list, check and open them, and explain in one sentence why one cannot be used."""

import contextlib
import errno
import logging
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import serial
from serial.tools import list_ports

from blindplay.shipped import shipped
from blindplay.translation import SentenceError, UserError, _

BAUD = 9600
READ_SECONDS = 0.05
"""Seconds that a reading waits for bytes."""

VENDORS = {
    0x2341: "Arduino",
    0x2A03: "Arduino",
    0x1A86: "CH340",
    0x10C4: "CP210x",
    0x0403: "FTDI",
    0x067B: "Prolific",
}
"""USB vendors of the controllers and adapters that boards are built with."""

_MISSING = (errno.ENOENT, errno.ENODEV, errno.ENXIO)

_log = logging.getLogger(__name__)


class BoardNotFoundError(UserError):
    """The URL cannot name a board: the device does not exist or the kind of URL is unknown."""


class NoAnswerError(SentenceError, TimeoutError):
    """The port opened, but the device behind it does not answer as the board does."""


class UnfitBoardError(UserError):
    """The board answered, but this version of the program cannot work with it."""


@dataclass(frozen=True)
class FoundPort:
    """A serial port with a USB device behind it that may be a board.

    ``likely`` is True if the vendor is one of :data:`VENDORS`.
    """

    url: str
    description: str
    vid: int | None
    pid: int | None
    serial_number: str | None
    likely: bool


def discover() -> list[FoundPort]:
    """List the USB serial ports of this computer, likely boards first. Opens none of them. A scan
    that fails finds none: pyserial raises TypeError and others if a device vanishes meanwhile."""
    try:
        present = list_ports.comports()
    except Exception:
        _log.warning("the USB ports could not be listed", exc_info=True)
        return []
    ports = [
        FoundPort(
            url=port.device,
            description=port.description or port.device,
            vid=port.vid,
            pid=port.pid,
            serial_number=port.serial_number,
            likely=port.vid in VENDORS,
        )
        for port in present
        if port.vid is not None
    ]
    return sorted(ports, key=lambda port: (not port.likely, port.url))


class Port(Protocol):
    """An open line to a board."""

    @property
    def in_waiting(self) -> int:
        """The number of bytes that have arrived."""

    def read(self, size: int = 1, /) -> bytes:
        """Read up to ``size`` bytes; wait a twentieth of a second at most."""

    def write(self, data: bytes, /) -> object:
        """Send bytes."""

    def close(self) -> None:
        """Free the line."""


def check_url(url: str, schemes: Sequence[str] = ()) -> None:
    """Raise :class:`BoardNotFoundError` unless ``url`` can name a serial port or something of
    these ``schemes``. Opens nothing."""
    scheme, separator, _rest = url.partition("://")
    if not url:
        raise BoardNotFoundError("The board's port is empty: give a device such as /dev/ttyUSB0.")
    if separator and scheme in schemes:
        return
    if separator:
        try:
            serial.serial_for_url(url, do_not_open=True)
        except ValueError as error:
            raise BoardNotFoundError(
                "{url} is not a board's address, because {scheme}:// is unknown: give "
                "a device or socket://HOST:PORT.",
                url=url,
                scheme=scheme,
            ) from error
        except (serial.SerialException, OSError):
            pass  # The kind of URL is known. Opening it shows whether a board is there.
        try:
            has_port = scheme != "socket" or urlsplit(url).port is not None
        except ValueError:  # a port above 65535
            has_port = False
        if not has_port:
            raise BoardNotFoundError("{url} has no valid port: give socket://HOST:PORT.", url=url)
    elif sys.platform != "win32":
        if not Path(url).exists():
            raise BoardNotFoundError(explain(url, FileNotFoundError(errno.ENOENT, url)))
        if not Path(url).is_char_device():
            raise BoardNotFoundError(
                "{url} is not a serial port: give the port of the board.", url=url
            )


def open_port(url: str, baud: int = BAUD, *, dtr: bool = True) -> serial.Serial:
    """Open the port; ``dtr`` is the level of its DTR line. Other errors are :data:`LINK_ERRORS`.

    :raises BoardNotFoundError: if the URL makes no sense.
    """
    options: dict[str, Any] = {"baudrate": baud, "timeout": READ_SECONDS, "write_timeout": 1.0}
    if "://" not in url:
        options["exclusive"] = True  # Sockets and the like do not accept this.
    try:
        port = serial.serial_for_url(url, do_not_open=True, **options)
        port.dtr = dtr
        port.open()
        return port
    except OSError:
        raise
    except (ValueError, TypeError) as error:  # pyserial: TypeError for socket://host, no port
        raise BoardNotFoundError(
            "{url} is not a board's address: give a device or socket://HOST:PORT.", url=url
        ) from error


def read_port(port: Port) -> bytes:
    """Return the bytes that have arrived, or that arrive within a twentieth of a second."""
    return bytes(port.read(max(1, port.in_waiting)))


def close_port(port: Port) -> None:
    """Close a port that may be dead already."""
    try:
        port.close()
    except LINK_ERRORS:
        _log.debug("closing a lost port failed", exc_info=True)


LINK_ERRORS: tuple[type[Exception], ...] = (OSError,)
"""The exceptions of pyserial when a serial line dies."""
if sys.platform != "win32":
    import termios

    LINK_ERRORS += (termios.error,)  # not an OSError


@contextlib.contextmanager
def explained(url: str) -> Iterator[None]:
    """Turn each of :data:`LINK_ERRORS` into a :class:`BoardNotFoundError` or an :class:`OSError`
    with one sentence for a person."""
    try:
        yield
    except NoAnswerError:
        raise
    except LINK_ERRORS as error:
        missing = "://" not in url and _number(error) in _MISSING
        raise (BoardNotFoundError if missing else OSError)(explain(url, error)) from error


def explain(url: str, error: BaseException) -> str:
    """Say in one sentence why ``url`` could not be opened or kept open, and what to do."""
    number, text = _number(error), str(error)
    if isinstance(error, NoAnswerError | UnfitBoardError):
        return text
    if url.startswith(("ble://", "hid://")):
        return _(
            "The board at {url} cannot be reached: switch it on, and close other programs.", url=url
        )
    if "://" in url:
        return _("Nothing answers at {url}: start the board there or correct the address.", url=url)
    if number in _MISSING:
        if brltty_runs():
            return _(
                "There is no port {url}, and brltty is running, which takes over the "
                "adapters that boards use: add your adapter to brltty's exceptions or "
                "stop brltty, then plug the board in again.",
                url=url,
            )
        return _("There is no port {url}: plug the board in, or give the port it is at.", url=url)
    if number == errno.ENOTTY or f"({errno.ENOTTY}, " in text:  # pyserial: only in its text
        return _("{url} is not a serial port: give the port of the board.", url=url)
    if number in (errno.EACCES, errno.EPERM):
        return _denied(url)
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in text:
        return _("Port {url} is in use by another program: close that program.", url=url)
    _log.debug("the line to %s was lost: %s", url, text)  # this text does not help a person
    return _("The line to the board at {url} was lost: check the cable.", url=url)


RULE = "99-blindplay.rules"
"""The udev rule that gives the right to use a board."""
_RULES = ("/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d")


def rule_installed() -> bool:
    """Return whether udev has the rule for boards."""
    return any((Path(folder) / RULE).exists() for folder in _RULES)


def remedy_without_right() -> str:
    """What gives a user of Linux the right to use serial ports, to end a sentence."""
    if rule_installed():
        return _(
            "plug the board in again, so that the rule {rule} counts for it; on a computer that is "
            "used remotely, run 'sudo usermod -aG {group} $USER', then log out and log in again",
            rule=RULE,
            group=group_of_ports(),
        )
    return _(
        "run 'sudo cp {rule} /etc/udev/rules.d/' and 'sudo udevadm control --reload', then plug "
        "the board in again; on a computer that is used remotely, run 'sudo usermod -aG {group} "
        "$USER', then log out and log in again",
        rule=shlex.quote(str(shipped(f"firmware/{RULE}", f"hardware/{RULE}"))),
        group=group_of_ports(),
    )


def group_of_ports() -> str:
    """The group that may use serial ports: ``uucp`` on Arch and its relatives, else dialout."""
    if sys.platform != "win32":
        import grp

        for name in ("dialout", "uucp"):
            with contextlib.suppress(KeyError):
                return grp.getgrnam(name).gr_name
    return "dialout"


def _denied(url: str) -> str:
    """Say what the system demands of a user whom it refuses a port."""
    if sys.platform == "linux":
        return _("You may not use port {url}: {remedy}.", url=url, remedy=remedy_without_right())
    if sys.platform == "win32":
        return _(
            "Windows refuses port {url}, for which it asks no right: close the other program that "
            "uses it, or, if there is none, plug the board in again.",
            url=url,
        )
    return _(
        "You may not use port {url}: allow the board and the driver of its adapter in the system "
        "settings under privacy and security, then plug the board in again.",
        url=url,
    )


def _number(error: BaseException) -> int | None:
    number = getattr(error, "errno", None)
    if isinstance(number, int):
        return number
    # On Windows, pyserial puts the error only into its text.
    text = str(error)
    if "FileNotFoundError" in text:
        return errno.ENOENT
    return errno.EACCES if "PermissionError" in text else None


def brltty_runs() -> bool:
    """Return whether brltty runs, which takes the USB adapters (CH340, CP210x) of boards."""
    if sys.platform != "linux":
        return False
    for name in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):  # the process has ended
            if name.read_text().strip() == "brltty":
                return True
    return False
