"""An encrypted connection between two tables that comes back after each break."""

import contextlib
import queue
import select
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable

MOST_BYTES = 1 << 22
"""Limit of the bytes that wait to be sent or to become a whole message."""
_WAITING_VOICE = 4  # messages; older ones are dropped
_LAST_S = 1.0  # a wire that is closed sends what it has for at most so long


class Wire:
    """Whole messages, each a line, over ``sock``. All calls of the socket are made in the thread
    of :meth:`run`; messages may be sent from any."""

    def __init__(self, sock: ssl.SSLSocket) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._bell, self._ringer = socket.socketpair()
        self._bell.setblocking(False)
        self._ringer.setblocking(False)
        self._lock = threading.Lock()
        self._out = bytearray()
        self._voice: deque[bytes] = deque(maxlen=_WAITING_VOICE)
        self._ends: float | None = None

    def send(self, message: bytes) -> None:
        """Send a message without a line feed, if there is still a connection."""
        with self._lock:
            if len(self._out) < MOST_BYTES:
                self._out += message + b"\n"
        self._ring()

    def send_voice(self, message: bytes) -> None:
        """Send a message when no other waits, or drop it for a later one."""
        with self._lock:
            self._voice.append(message)
        self._ring()

    def close(self) -> None:
        """Send what was given, and end."""
        self._ends = time.monotonic() + _LAST_S
        self._ring()

    def run(self, came: Callable[[bytes], object]) -> None:
        """Give each message to ``came`` until there is no connection any more."""
        rest = b""
        try:
            while len(rest) < MOST_BYTES and not self._is_over:
                self._wait()
                data = self._received()
                if data == b"":
                    return
                *whole, rest = (rest + (data or b"")).split(b"\n")
                for one in whole:
                    came(one)
                self._flush()
        except OSError:
            return  # it is cut
        finally:
            self._sock.close()
            with self._lock:
                self._bell.close()
                self._ringer.close()

    @property
    def _is_over(self) -> bool:
        return self._ends is not None and (not self._out or time.monotonic() > self._ends)

    def _ring(self) -> None:
        with self._lock, contextlib.suppress(OSError):
            self._ringer.send(b"!")

    def _wait(self) -> None:
        if not self._sock.pending():
            writers = [self._sock] if self._out or self._voice else []
            select.select([self._sock, self._bell], writers, [], _LAST_S)
        with contextlib.suppress(BlockingIOError):
            self._bell.recv(4096)

    def _received(self) -> bytes | None:
        """The bytes that have come; None if none have, empty at the end."""
        try:
            return self._sock.recv(65536)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return None

    def _flush(self) -> None:
        with self._lock, contextlib.suppress(ssl.SSLWantReadError, ssl.SSLWantWriteError):
            while self._out or self._voice:
                if not self._out:
                    self._out += self._voice.popleft() + b"\n"
                del self._out[: self._sock.send(self._out)]


class Lifeline:
    """The :class:`~.player.Line` over one connection after the other. The latest counts."""

    def __init__(self, release: Callable[[], object] = lambda: None) -> None:
        """``release`` gives back what brings the connections."""
        self._release = release
        self._fresh: queue.SimpleQueue[ssl.SSLSocket | None] = queue.SimpleQueue()
        self._wire: Wire | None = None
        self._closed = False
        self.idle = threading.Event()
        """Set while there is no connection."""
        self.idle.set()
        self._thread = threading.Thread(target=self._run, name="distant table", daemon=True)

    def offer(self, sock: ssl.SSLSocket) -> None:
        """Use this connection from now on."""
        self.idle.clear()
        self._fresh.put(sock)
        self._hang_up()

    def open(self, came: Callable[[bytes], object], begun: Callable[[], object]) -> None:
        self._came, self._begun = came, begun
        self._thread.start()

    def send(self, message: bytes) -> None:
        if (wire := self._wire) is not None:
            wire.send(message)

    def send_voice(self, message: bytes) -> None:
        if (wire := self._wire) is not None:
            wire.send_voice(message)

    def close(self) -> None:
        self._closed = True
        self._fresh.put(None)
        self._hang_up()
        if self._thread.is_alive():
            self._thread.join(2 * _LAST_S)
        self._release()

    def _hang_up(self) -> None:
        if (wire := self._wire) is not None:
            wire.close()

    def _run(self) -> None:
        while (sock := self._fresh.get()) is not None and not self._closed:
            self._wire = wire = Wire(sock)
            if self._fresh.empty():
                self._begun()
                wire.run(self._came)
            else:
                wire.close()
                wire.run(self._came)
            self._wire = None
            if self._fresh.empty():
                self.idle.set()
