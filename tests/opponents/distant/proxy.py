"""A bad line between two real tables: it delays, cuts, stalls, and spoils what passes."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time


class Proxy:
    """Passes connections on to ``port`` of this machine, each byte ``delay_s`` later."""

    def __init__(self, port: int, delay_s: float) -> None:
        self._to, self._delay_s = port, delay_s
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self.parted = False
        """Whether nothing passes, and nobody is told."""
        self.spoils = False
        """Whether the next bytes are lost or doubled, which no encrypted connection survives."""
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End all connections."""
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self._to))
                except OSError:
                    near.close()
                    continue
                self._open += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        waiting: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()

        def give() -> None:
            with contextlib.suppress(OSError):
                while True:
                    due, data = waiting.get()
                    time.sleep(max(0.0, due - time.monotonic()))
                    while self.parted:
                        time.sleep(0.01)
                    if not data:
                        sink.shutdown(socket.SHUT_WR)
                        return
                    if self.spoils:
                        self.spoils = False
                        data = data[1:] if len(data) % 2 else data + data
                    sink.sendall(data)

        threading.Thread(target=give, daemon=True).start()
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                waiting.put((time.monotonic() + self._delay_s, data))
        waiting.put((time.monotonic() + self._delay_s, b""))
