"""Serial lines to boards of any kind: finding, opening, and keeping one up that is pulled out."""

from __future__ import annotations

import contextlib
import errno
import logging
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import serial
from serial.tools import list_ports

from . import events
from .events import BoardEvent

BAUD = 9600
BACKOFF = (0.5, 10.0)
"""First and longest pause between attempts to reach the board, in seconds."""

# USB vendors of the boards and adapters that a pegged board is built from.
VENDORS = {
    0x2341: "Arduino",
    0x2A03: "Arduino",
    0x1A86: "CH340",
    0x10C4: "CP210x",
    0x0403: "FTDI",
    0x067B: "Prolific",
}

_MOST_WAITING = 10_000
"""So many events wait for who is told of them, more than hands make in hours; then the line waits,
so that a board that babbles does not fill the memory."""

_MISSING = (errno.ENOENT, errno.ENODEV, errno.ENXIO)

_log = logging.getLogger(__name__)


class BoardNotFoundError(ValueError):
    """The URL can name no board: there is no such device or no such kind of URL."""


class NoAnswerError(TimeoutError):
    """The port opened, but what is behind it does not answer as a board does."""


class UnfitBoardError(ValueError):
    """The board answered, but this version of the program cannot work with it."""


@dataclass(frozen=True)
class FoundPort:
    """A serial port with a USB device behind it that may be a board.

    ``likely`` is True where the vendor is one whose adapters the board is built with.
    """

    url: str
    description: str
    vid: int | None
    pid: int | None
    serial_number: str | None
    likely: bool


def discover() -> list[FoundPort]:
    """List the USB serial ports of this computer, likely boards first. Opens none of them."""
    found = [
        FoundPort(
            url=port.device,
            description=port.description or port.device,
            vid=port.vid,
            pid=port.pid,
            serial_number=port.serial_number,
            likely=port.vid in VENDORS,
        )
        for port in list_ports.comports()
        if port.vid is not None
    ]
    return sorted(found, key=lambda port: (not port.likely, port.url))


def check_url(url: str) -> None:
    """Raise :class:`BoardNotFoundError` if ``url`` cannot name a serial port. Opens nothing."""
    scheme, separator, _ = url.partition("://")
    if not url:
        raise BoardNotFoundError("The board's port is empty: give a device such as /dev/ttyUSB0.")
    if separator:
        try:
            serial.serial_for_url(url, do_not_open=True)
        except ValueError as error:
            raise BoardNotFoundError(
                f"{url} is no board's address, because {scheme}:// is unknown: "
                "give a device or socket://HOST:PORT."
            ) from error
        except (serial.SerialException, OSError):
            pass  # The kind of URL is known; whether anything is there, opening will tell.
        try:
            addressed = scheme != "socket" or urlsplit(url).port is not None
        except ValueError:  # a port above 65535
            addressed = False
        if not addressed:
            raise BoardNotFoundError(f"{url} has no valid port: give socket://HOST:PORT.")
    elif sys.platform != "win32":
        if not Path(url).exists():
            raise BoardNotFoundError(explain_open_error(url, FileNotFoundError(errno.ENOENT, url)))
        if not Path(url).is_char_device():
            raise BoardNotFoundError(f"{url} is no serial port: give the port the board is at.")


def explain_open_error(url: str, exc: BaseException) -> str:
    """Say in one sentence why ``url`` could not be opened or kept open, and what to do."""
    number, text = _errno(exc), str(exc)
    if isinstance(exc, NoAnswerError | UnfitBoardError):
        return text
    if "://" in url:
        return f"Nothing answers at {url}: start the board there or correct the address."
    if number in _MISSING:
        if _brltty_runs():
            return (
                f"There is no port {url}, and brltty is running, which takes over the adapters "
                "that boards use: add your adapter to brltty's exceptions or stop brltty, then "
                "plug the board in again."
            )
        return f"There is no port {url}: plug the board in, or give the port it is at."
    if number in (errno.EACCES, errno.EPERM):
        if sys.platform == "win32":
            return f"Port {url} is in use by another program: close that program."
        if sys.platform == "linux":
            return (
                f"You may not use port {url}: run 'sudo usermod -aG dialout $USER', "
                "then log out and log in again."
            )
        return f"You may not use port {url}: ask who looks after this computer for the right."
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in text:
        return f"Port {url} is in use by another program: close that program."
    _log.debug("the line to %s was lost: %s", url, text)  # no sentence for a person
    return f"The line to the board at {url} was lost: check the cable."


def _errno(exc: BaseException) -> int | None:
    number = getattr(exc, "errno", None)
    if isinstance(number, int):
        return number
    # On Windows, pyserial puts the error only into its text.
    text = str(exc)
    if "FileNotFoundError" in text:
        return errno.ENOENT
    return errno.EACCES if "PermissionError" in text else None


def is_missing(exc: BaseException) -> bool:
    """Whether opening a port failed because there is no such device."""
    return _errno(exc) in _MISSING


def _brltty_runs() -> bool:
    if sys.platform != "linux":
        return False
    try:
        return any(
            name.read_text().strip() == "brltty" for name in Path("/proc").glob("[0-9]*/comm")
        )
    except OSError:
        return False  # A process ended while we looked; the plain sentence will do.


def link_errors() -> tuple[type[Exception], ...]:
    """What a dying serial line raises; termios.error is not an OSError."""
    if sys.platform != "win32":
        import termios

        return (OSError, termios.error)
    return (OSError,)  # serial.SerialException is one


def open_port(url: str, baud: int) -> serial.Serial:
    """Open the port; raise BoardNotFoundError for a URL that makes no sense."""
    try:
        if "://" in url:
            return serial.serial_for_url(url, baudrate=baud, timeout=0.05, write_timeout=1.0)
        # Only local ports can be locked; sockets and the like do not take the argument.
        return serial.serial_for_url(
            url, baudrate=baud, timeout=0.05, write_timeout=1.0, exclusive=True
        )
    except OSError:
        raise
    except (ValueError, TypeError) as error:  # pyserial: TypeError for socket://host, no port
        raise BoardNotFoundError(
            f"{url} is no board's address: give a device or socket://HOST:PORT."
        ) from error


def read_port(port: serial.Serial) -> bytes:
    """What has come, or what comes within the port's timeout."""
    return bytes(port.read(max(1, port.in_waiting)))


def close_port(port: serial.Serial) -> None:
    """Close a port that may be dead already."""
    lost = link_errors()
    try:
        port.close()
    except lost:
        _log.debug("closing a lost port failed", exc_info=True)


@dataclass(frozen=True)
class _Usb:
    vid: int
    pid: int
    serial_number: str | None


class LineBoard:
    """A board behind a serial line, as a life: connected, lost, found again, until closed.

    A driver of one kind of board says in :meth:`_session` what is spoken on an open line. ``url``
    is a device (``/dev/ttyUSB0``, ``COM3``) or any pyserial URL. ``on_event`` is called in a
    thread for that alone, one event at a time; what it raises is logged and stops nothing, and
    however long it takes, the board is listened to: one that thinks nobody hears it falls silent,
    and what is touched meanwhile would be lost. ``ports`` lists the USB ports among which a board
    that was plugged in again under another name is found.
    """

    def __init__(
        self,
        url: str,
        on_event: Callable[[BoardEvent], None],
        *,
        name: str,
        backoff: tuple[float, float] = BACKOFF,
        ports: Callable[[], Iterable[FoundPort]] = discover,
    ) -> None:
        if not url:
            raise BoardNotFoundError("The board's port is empty: give a device or a URL.")
        self.url = url
        self._on_event = on_event
        self._name = name
        self._backoff = backoff
        self._ports = ports
        self._usb: _Usb | None = None
        self._connected = False
        self._told_gone = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._teller: threading.Thread | None = None
        self._waiting: queue.Queue[BoardEvent | None] = queue.Queue(_MOST_WAITING)

    @property
    def connected(self) -> bool:
        """Whether the board has answered and is still being heard."""
        return self._connected

    def start(self) -> None:
        """Begin to connect, in the background. Raises :class:`RuntimeError` if begun already."""
        if self._thread is not None:
            kind = type(self).__name__
            raise RuntimeError(f"This board was started before: make a new {kind}.")
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._teller = threading.Thread(target=self._tell, name=f"{self._name}: told", daemon=True)
        self._thread.start()
        self._teller.start()

    def close(self) -> None:
        """Stop and free the port. No event comes after this returns; closing twice is harmless."""
        self._stop.set()
        with contextlib.suppress(queue.Full):
            self._waiting.put_nowait(None)
        for thread in (self._thread, self._teller):
            if thread is not None and thread is not threading.current_thread():
                thread.join(timeout=5)

    def _is_ours(self, thread: threading.Thread) -> bool:
        """Whether it is one of the driver's own threads."""
        return thread in (self._thread, self._teller)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _session(self, url: str) -> None:
        """Open ``url``, tell :meth:`_found` once the board has answered, and speak with it until
        ``_stop`` is set; raise what ends it otherwise."""
        raise NotImplementedError

    def _run(self) -> None:
        first, longest = self._backoff
        pause = first
        while not self._stop.is_set():
            for url in self._candidates():
                try:
                    self._session(url)
                except ValueError as error:
                    why = str(error)
                except link_errors() as error:
                    why = explain_open_error(url, error)
                else:
                    self._connected = False
                    return  # closed
                if self._connected:
                    pause = first
                self._gone(why)
                if self._stop.is_set():
                    return
            self._stop.wait(pause)
            pause = min(longest, pause * 2)

    def _candidates(self) -> list[str]:
        """Where the board may be: its port, unless that is another device now, then its USB id."""
        if self._usb is None:
            return [self.url]
        ports = list(self._ports())
        same = [port.url for port in ports if _Usb(*_ids(port)) == self._usb]
        foreign = [port.url for port in ports if port.url not in same]
        here = [] if _real(self.url) in map(_real, foreign) else [self.url]
        return here + [url for url in same if _real(url) != _real(self.url)]

    def _found(self, url: str) -> None:
        self._connected = True
        self._told_gone = False
        self.url = url
        for port in self._ports():
            if port.vid is not None and _real(port.url) == _real(url):
                self._usb = _Usb(*_ids(port))

    def _gone(self, why: str) -> None:
        self._connected = False
        if not self._told_gone and not self._stop.is_set():
            self._told_gone = True
            self._emit(events.Disconnected(why, time.monotonic()))

    def _emit(self, event: BoardEvent) -> None:
        while not self._stop.is_set():
            with contextlib.suppress(queue.Full):
                self._waiting.put(event, timeout=0.5)
                return

    def _tell(self) -> None:
        while (event := self._waiting.get()) is not None and not self._stop.is_set():
            try:
                self._on_event(event)
            except Exception:
                _log.exception("the receiver of board events failed on %s", event)


def _ids(port: FoundPort) -> tuple[int, int, str | None]:
    return port.vid or 0, port.pid or 0, port.serial_number


def _real(url: str) -> str:
    return url if "://" in url or sys.platform == "win32" else str(Path(url).resolve())
