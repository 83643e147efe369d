"""A TCP line that can be cut, held, slowed, halved and doubled."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress


class Line:
    """Pass connections to ``port`` of this machine on, until told otherwise.

    ``mood`` is one of ``""`` (passes everything), ``"held"`` (passes nothing and closes nothing),
    ``"late"`` (each piece comes 0.3 s late), ``"halved"`` (the second half of a piece is lost, then
    the connection breaks), ``"doubled"`` (a piece comes twice) and ``"shut"`` (no connection).
    """

    MOODS = ("held", "late", "halved", "doubled", "shut")

    def __init__(self, port: int) -> None:
        self.target = port
        self.mood = ""
        self.connections = 0
        self._open: set[socket.socket] = set()
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break every connection, now."""
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the line for good."""
        self.mood = "shut"
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near = self._server.accept()[0]
            except OSError:
                return
            self.connections += 1
            try:
                if self.mood == "shut":
                    raise ConnectionRefusedError
                far = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            self._open |= {near, far}
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                while self.mood == "held":
                    time.sleep(0.02)
                mood = self.mood
                if mood == "shut":
                    break
                if mood == "late":
                    time.sleep(0.3)
                sink.sendall(piece[: len(piece) // 2] if mood == "halved" else piece)
                if mood == "halved":
                    break
                if mood == "doubled":
                    sink.sendall(piece)
        for one in (source, sink):
            self._open.discard(one)
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
