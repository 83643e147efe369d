"""The meeting of two tables: one waits at a door, the other calls it.

At the first time both know six digits, and exchange certificates with them. The connection is then
encrypted with TLS, and each table lets in only the other. Later the certificates are enough.
"""

import contextlib
import json
import socket
import ssl
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from blindplay.six_digits import DigitsSide, WrongDigitsError, six_digits

from .keys import Keys
from .places import PATIENCE_S, Door, Way
from .wire import Lifeline

PORT = 16464
"""The port at which a table waits by default."""
TRIES = 3
"""Number of wrong guesses of the digits before there are new ones."""
_AGAIN_S = 1.0  # between two calls
_ACCEPT_AGAIN_S = 0.1  # after a guest who was gone at once, or too many open files
_TURN_S = 3 * PATIENCE_S  # a caller's: others may be before it
_MOST_BYTES = 16384
_NAMES = b"blindplay caller 1", b"blindplay waiting 1"
_CALLER, _WAITING = 1, 2  # numbers of sealed messages
_TLS = b"\x16"


class NotReachedError(ValueError):
    """There is no table at this address."""


class NoMeetingError(ValueError):
    """What answers at this address is cut off, too slow, or no table."""


class Waiting:
    """A table that waits at ``door``.

    Without ``keys`` any table that knows the :attr:`ticket` may come; :meth:`only` lets one in from
    then on. ``came`` gets each connection, with its keys. ``changed`` is called when there is a new
    ticket.
    """

    def __init__(
        self,
        door: Door,
        came: Callable[[ssl.SSLSocket, Keys], object],
        keys: Keys | None = None,
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        self._door = door
        self.place = door.place
        self.digits = six_digits()
        self._tries = TRIES
        self._keys, self._only = keys, keys is not None
        self._came, self._changed = came, changed
        self._exchanging = threading.Lock()
        self._guests = threading.BoundedSemaphore(8)
        self._closed = threading.Event()
        threading.Thread(target=self._wait, name="waiting", daemon=True).start()

    @property
    def ticket(self) -> str:
        """The digits that another table needs: those of the room, and the six secret ones."""
        return self._door.room + self.digits

    def only(self, keys: Keys) -> None:
        """From now on let in only the table with these keys; the ticket is used up."""
        self._keys, self._only = keys, True
        self._door.hide()

    def close(self) -> None:
        self._closed.set()
        self._door.close()

    def _wait(self) -> None:
        while not self._closed.is_set():
            try:
                guest = self._door.accept()
            except OSError:
                self._closed.wait(_ACCEPT_AGAIN_S)
                continue
            if self._guests.acquire(blocking=False):
                threading.Thread(target=self._receive, args=(guest,), daemon=True).start()
            else:
                guest.close()

    def _receive(self, guest: socket.socket) -> None:
        try:
            guest.settimeout(PATIENCE_S)
            if guest.recv(1, socket.MSG_PEEK) != _TLS:
                first = read(guest, PATIENCE_S)  # a guest who says nothing is in nobody's way
                with self._exchanging:
                    self._keys = self._exchange(guest, first)
            if (keys := self._keys) is None:
                raise WrongDigitsError
            self._came(_encrypted(guest, keys, server=True), keys)
        except WrongDigitsError:
            with contextlib.suppress(OSError), guest:
                write(guest, wrong=True)
        except (OSError, ValueError, KeyError, TypeError):
            guest.close()
        finally:
            self._guests.release()

    def _exchange(self, guest: socket.socket, first: dict[str, Any]) -> Keys:
        """Exchange certificates with a guest who knows the digits. Each exchange that was begun and
        does not end well is one of the tries."""
        if self._only:
            raise WrongDigitsError
        side = DigitsSide(self.digits, _NAMES, b"".join(_NAMES), first=False)
        side.agree(bytes.fromhex(first["message"]))
        self._tries -= 1
        try:
            write(guest, message=side.message.hex())
            keys = Keys.new()
            told = read(guest, PATIENCE_S)
            other = side.unseal(bytes.fromhex(told["sealed"]), _NAMES[0], _CALLER)
            sealed = side.seal(keys.own.encode(), _NAMES[1], _WAITING)
            write(guest, sealed=sealed.hex())
        except BaseException:
            if not self._tries:
                self.digits, self._tries = six_digits(), TRIES
                self._changed()
            raise
        self._tries = TRIES
        return keys.knowing(other.decode())


def call(way: Way, digits: str) -> tuple[ssl.SSLSocket, Keys]:
    """Call the table that waits at the end of this way, with the six digits that it shows.

    :raises NotReachedError: if nothing answers there.
    :raises WrongDigitsError: if the digits are wrong.
    :raises NoMeetingError: if what answers is cut off, too slow, or no table.
    """
    try:
        sock = way.connect()
    except OSError:
        raise NotReachedError from None
    try:
        side = DigitsSide(digits, _NAMES, b"".join(_NAMES), first=True)
        write(sock, message=side.message.hex())
        side.agree(bytes.fromhex(_told(sock)["message"]))
        keys = Keys.new()
        write(sock, sealed=side.seal(keys.own.encode(), _NAMES[0], _CALLER).hex())
        other = side.unseal(bytes.fromhex(_told(sock)["sealed"]), _NAMES[1], _WAITING)
        keys = keys.knowing(other.decode())
        return _encrypted(sock, keys, server=False), keys
    except WrongDigitsError:
        sock.close()
        raise
    except (OSError, ValueError, KeyError, TypeError):
        sock.close()
        raise NoMeetingError from None


def _told(sock: socket.socket) -> dict[str, Any]:
    """The next message of the table that waits. It says so if the digits are wrong."""
    told = read(sock, _TURN_S)
    if told.get("wrong"):
        raise WrongDigitsError
    return told


class Calling:
    """Calls the table of a game whenever ``lifeline`` has no connection."""

    def __init__(self, way: Way, keys: Keys, lifeline: Lifeline) -> None:
        self._way, self._keys, self._lifeline = way, keys, lifeline
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="calling", daemon=True).start()

    def close(self) -> None:
        self._closed.set()
        self._lifeline.idle.set()
        self._way.close()

    def _run(self) -> None:
        while self._lifeline.idle.wait() and not self._closed.is_set():
            try:
                sock = _encrypted(self._way.connect(), self._keys, server=False)
                self._lifeline.offer(sock)
            except (OSError, ValueError):
                self._closed.wait(_AGAIN_S)


def _encrypted(sock: socket.socket, keys: Keys, *, server: bool) -> ssl.SSLSocket:
    """The connection, encrypted, with nobody but the other table at its end."""
    try:
        sock.settimeout(PATIENCE_S)
        with tempfile.TemporaryDirectory() as folder:
            context = keys.context(Path(folder), server=server)
        return context.wrap_socket(sock, server_side=server)
    except BaseException:
        sock.close()
        raise


def write(sock: socket.socket, **message: Any) -> None:
    """Send one line.

    :raises OSError: if the connection is cut.
    """
    sock.sendall(json.dumps(message).encode() + b"\n")


def read(sock: socket.socket, within_s: float | None = None) -> dict[str, Any]:
    """The next line of the other side, and nothing of what follows it. All of it must come
    ``within_s`` seconds; None: each byte within the timeout of ``sock``.

    :raises OSError, ValueError: if there is none, or it is not a message.
    """
    ends = time.monotonic() + (within_s or 0)
    line = bytearray()
    while not line.endswith(b"\n"):
        if within_s is not None:
            left = ends - time.monotonic()
            if left <= 0:
                raise TimeoutError
            sock.settimeout(left)
        if len(line) > _MOST_BYTES or not (one := sock.recv(1)):
            raise ConnectionError
        line += one
    try:
        found = json.loads(line)
    except RecursionError:
        raise ValueError from None
    if not isinstance(found, dict):
        raise ValueError
    return found
