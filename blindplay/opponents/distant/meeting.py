"""How two tables find each other: one waits at a port, the other calls it.

At the first time both know six digits, and exchange certificates with them. The connection is then
encrypted with TLS, and each table lets in only the other. Later the certificates are enough.
"""

import contextlib
import json
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from blindplay.six_digits import DigitsSide, WrongDigitsError, six_digits

from .keys import Keys
from .wire import Lifeline

PORT = 16464
"""Where a table waits, if nothing else is said."""
TRIES = 3
"""So often digits may be guessed wrong before there are new ones."""
PATIENCE_S = 10.0
_AGAIN_S = 1.0  # between two calls
_MOST_BYTES = 16384
_NAMES = b"blindplay caller 1", b"blindplay waiting 1"
_CALLER, _WAITING = 1, 2  # numbers of sealed messages
_TLS = b"\x16"


class NotReachedError(ValueError):
    """There is no table at this address."""


class Waiting:
    """A table that waits at ``port`` of all addresses of this machine; 0: any that is free.

    Without ``keys`` whoever knows :attr:`digits` may come; :meth:`only` lets one in from then on.
    ``came`` gets each connection, with its keys. ``changed`` is called when there are new digits.

    :raises OSError: if the port is taken.
    """

    def __init__(
        self,
        port: int,
        came: Callable[[ssl.SSLSocket, Keys], object],
        keys: Keys | None = None,
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        both = socket.has_dualstack_ipv6()
        self._door = socket.create_server(
            ("", port),
            family=socket.AF_INET6 if both else socket.AF_INET,
            dualstack_ipv6=both,
        )
        self.port: int = self._door.getsockname()[1]
        self.digits = six_digits()
        self._tries = TRIES
        self._keys, self._only = keys, keys is not None
        self._came, self._changed = came, changed
        self._exchanging = threading.Lock()
        self._guests = threading.BoundedSemaphore(8)
        threading.Thread(target=self._wait, name="waiting", daemon=True).start()

    def only(self, keys: Keys) -> None:
        """From now on let in only the table with these keys; the digits are used up."""
        self._keys, self._only = keys, True

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits
        self._door.close()

    def _wait(self) -> None:
        with contextlib.suppress(OSError):  # it is closed
            while True:
                guest, _ = self._door.accept()
                if self._guests.acquire(blocking=False):
                    threading.Thread(target=self._receive, args=(guest,), daemon=True).start()
                else:
                    guest.close()

    def _receive(self, guest: socket.socket) -> None:
        try:
            guest.settimeout(PATIENCE_S)
            if guest.recv(1, socket.MSG_PEEK) != _TLS:
                if self._only:
                    raise WrongDigitsError
                with self._exchanging:
                    self._keys = self._exchange(guest)
            if (keys := self._keys) is None:
                raise WrongDigitsError
            self._came(_encrypted(guest, keys, server=True), keys)
        except (OSError, ValueError, KeyError, TypeError):
            guest.close()
        finally:
            self._guests.release()

    def _exchange(self, guest: socket.socket) -> Keys:
        """Exchange certificates with a guest who knows the digits. Each exchange that was begun and
        does not end well is one of the tries."""
        side = DigitsSide(self.digits, _NAMES, b"".join(_NAMES), first=False)
        side.agree(bytes.fromhex(read(guest)["message"]))
        self._tries -= 1
        try:
            write(guest, message=side.message.hex())
            keys = Keys.new()
            other = side.unseal(bytes.fromhex(read(guest)["sealed"]), _NAMES[0], _CALLER)
            sealed = side.seal(keys.own.encode(), _NAMES[1], _WAITING)
            write(guest, sealed=sealed.hex())
        except BaseException:
            if not self._tries:
                self.digits, self._tries = six_digits(), TRIES
                self._changed()
            raise
        self._tries = TRIES
        return keys.knowing(other.decode())


def call(host: str, port: int, digits: str) -> tuple[ssl.SSLSocket, Keys]:
    """Call the table that waits at this address, with the digits that it shows.

    :raises NotReachedError: if nothing answers there.
    :raises WrongDigitsError: if the digits are wrong.
    """
    try:
        sock = socket.create_connection((host, port), PATIENCE_S)
    except OSError:
        raise NotReachedError from None
    try:
        side = DigitsSide(digits, _NAMES, b"".join(_NAMES), first=True)
        write(sock, message=side.message.hex())
        side.agree(bytes.fromhex(read(sock)["message"]))
        keys = Keys.new()
        write(sock, sealed=side.seal(keys.own.encode(), _NAMES[0], _CALLER).hex())
        other = side.unseal(bytes.fromhex(read(sock)["sealed"]), _NAMES[1], _WAITING)
        keys = keys.knowing(other.decode())
        return _encrypted(sock, keys, server=False), keys
    except (OSError, ValueError, KeyError, TypeError):
        sock.close()
        raise WrongDigitsError from None


class Calling:
    """Calls the table of a game at its address whenever ``lifeline`` has no connection."""

    def __init__(self, host: str, port: int, keys: Keys, lifeline: Lifeline) -> None:
        self._address, self._keys, self._lifeline = (host, port), keys, lifeline
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="calling", daemon=True).start()

    def close(self) -> None:
        self._closed.set()
        self._lifeline.idle.set()

    def _run(self) -> None:
        while self._lifeline.idle.wait() and not self._closed.is_set():
            try:
                sock = socket.create_connection(self._address, PATIENCE_S)
                self._lifeline.offer(_encrypted(sock, self._keys, server=False))
            except (OSError, ValueError):
                self._closed.wait(_AGAIN_S)


def _encrypted(sock: socket.socket, keys: Keys, *, server: bool) -> ssl.SSLSocket:
    """The connection, encrypted, with nobody but the other table at its end."""
    try:
        sock.settimeout(PATIENCE_S)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
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


def read(sock: socket.socket) -> dict[str, Any]:
    """The next line of the other side, and nothing of what follows it.

    :raises OSError, ValueError: if there is none, or it is no message.
    """
    line = bytearray()
    while not line.endswith(b"\n"):
        if len(line) > _MOST_BYTES or not (one := sock.recv(1)):
            raise ConnectionError
        line += one
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError
    return found
