"""The board's end of a serial line, for boards in software."""

import contextlib
import os
import select
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol


class _SerialLine(Protocol):
    url: str

    def read(self, timeout: float) -> bytes | None: ...
    def write(self, data: bytes) -> None: ...
    def close(self) -> None: ...


def _readable(source: int | socket.socket, timeout: float) -> bool:
    return bool(select.select([source], [], [], timeout)[0])


def _received(read: Callable[[], bytes]) -> bytes | None:
    """The bytes that have come. None if the host has closed its end."""
    try:
        return read() or None
    except BlockingIOError:
        return b""
    except OSError:
        return None


if sys.platform != "win32":

    class _PtyLine:
        def __init__(self, link: Path) -> None:
            import tty

            self._fd, slave = os.openpty()
            try:
                tty.setraw(slave)  # before a host opens it, or the first bytes would be echoed
                link.unlink(missing_ok=True)
                link.symlink_to(os.ttyname(slave))
            finally:
                os.close(slave)
            os.set_blocking(self._fd, False)
            self._link = link
            self.url = str(link)

        def read(self, timeout: float) -> bytes | None:
            if not _readable(self._fd, timeout):
                return b""
            data = _received(lambda: os.read(self._fd, 4096))
            if data is None:  # no host has the other end open
                time.sleep(timeout)
            return data

        def write(self, data: bytes) -> None:
            with contextlib.suppress(OSError):
                os.write(self._fd, data)

        def close(self) -> None:
            self._link.unlink(missing_ok=True)
            os.close(self._fd)


class _SocketLine:
    def __init__(self, port: int) -> None:
        self._listener = socket.socket()
        if os.name == "posix":  # On Windows it would let two programs share the port.
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", port))
        self._listener.listen(1)
        self._host: socket.socket | None = None
        self.port: int = self._listener.getsockname()[1]
        self.url = f"socket://127.0.0.1:{self.port}"

    def read(self, timeout: float) -> bytes | None:
        if self._host is None:
            if not _readable(self._listener, timeout):
                return None
            self._host, _ = self._listener.accept()
            self._host.setblocking(False)
            self._host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return b""
        host = self._host
        if not _readable(host, timeout):
            return b""
        data = _received(lambda: host.recv(4096))
        if data is None:
            host.close()
            self._host = None
        return data

    def write(self, data: bytes) -> None:
        if self._host is not None:
            with contextlib.suppress(OSError):
                self._host.send(data)

    def close(self) -> None:
        if self._host is not None:
            self._host.close()
        self._listener.close()


class Cable:
    """A serial line that can be unplugged and plugged in again, under the same ``url``.

    It is a pseudo terminal if the system has them. Otherwise, or with ``force_socket``, it is a
    TCP port on the loopback interface, opened as ``socket://127.0.0.1:PORT``. One thread reads;
    any thread may call the other methods. ``plugged`` is True while the line exists.
    """

    def __init__(self, *, force_socket: bool = False) -> None:
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        if sys.platform != "win32" and not force_socket:
            self._directory = tempfile.TemporaryDirectory(prefix="blindplay-board-")
        self._port = 0
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._line: _SerialLine | None = self._new_line()
        self.url = self._line.url

    @property
    def plugged(self) -> bool:
        return self._line is not None

    def read(self, timeout: float) -> bytes | None:
        """Wait up to ``timeout`` seconds for bytes. None while no host has the line open."""
        with self._reading:
            if (line := self._line) is not None:
                return line.read(timeout)
        time.sleep(timeout)
        return None

    def write(self, data: bytes) -> None:
        """Send to the host. Without one, the bytes are lost."""
        with self._lock:
            if self._line is not None:
                self._line.write(data)

    def unplug(self) -> None:
        """Remove the port."""
        with self._lock:
            line, self._line = self._line, None
            if line is not None:
                # The reader must have let go of the file: the system may give its number to the
                # next file that anybody opens.
                with self._reading:
                    line.close()

    def plug(self) -> None:
        """Bring the port back."""
        with self._lock:
            if self._line is None:
                self._line = self._new_line()

    def close(self) -> None:
        """Unplug for good. Closing twice is harmless."""
        self.unplug()
        if self._directory is not None:
            self._directory.cleanup()

    def _new_line(self) -> _SerialLine:
        if sys.platform != "win32" and self._directory is not None:
            return _PtyLine(Path(self._directory.name) / "board")
        line = _SocketLine(self._port)
        self._port = line.port
        return line
