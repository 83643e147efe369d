"""A network between a client and a broker that loses, doubles, reorders and cuts messages."""

from __future__ import annotations

import contextlib
import random
import socket
import threading

from blindplay.broker import Broker

_PUBLISH, _PUBACK = 3, 4
FATES = ("lost", "doubled", "late", "cut", "broken")
"""What becomes of a message: swallowed, while its sender believes that it has come; sent twice;
sent after the next one; cut off; sent in part, and the connection is lost."""


class ClosedError(Exception):
    """One end of a connection has gone."""


class Proxy:
    """Passes MQTT on, packet by packet. ``spoil`` is the chance that a message meets a fate."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.broker = Broker("127.0.0.1", self._listener.getsockname()[1])
        self.chance = random.Random(19)
        self.spoil = 0.0
        self.met: dict[str, int] = dict.fromkeys(FATES, 0)
        """How often messages have met each fate."""
        self._flowing = threading.Event()
        self._flowing.set()
        self._reachable = True
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End all connections, and let none begin."""
        self._reachable = False
        for one in list(self._open):
            _end(one)

    def mend(self) -> None:
        self._reachable = True
        self._flowing.set()

    def hold(self) -> None:
        """Let nothing through, and keep what is sent."""
        self._flowing.clear()

    def close(self) -> None:
        self._flowing.set()
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if not self._reachable:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._port))
                self._open |= {client, server}
                for one, other in ((client, server), (server, client)):
                    threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        late = b""
        with contextlib.suppress(OSError, ClosedError):
            while True:
                head, body = _packet(source)
                self._flowing.wait()
                fate = self._fate(head)
                if fate == "late":
                    late += _joined(head, body)
                    continue
                target.sendall(self._spoilt(fate, head, body, source) + late)
                late = b""
                if fate == "broken":
                    break
        for one in (source, target):
            self._open.discard(one)
            _end(one)

    def _fate(self, head: int) -> str:
        at_least_once = head >> 4 == _PUBLISH and head & 6 == 2
        if not at_least_once or self.chance.random() >= self.spoil:
            return "come"
        fate = self.chance.choice(FATES)
        self.met[fate] += 1
        return fate

    def _spoilt(self, fate: str, head: int, body: bytes, source: socket.socket) -> bytes:
        whole = _joined(head, body)
        payload_at = 4 + int.from_bytes(body[:2], "big")  # after the topic and the packet's number
        if fate == "lost":
            source.sendall(_joined(_PUBACK << 4, body[payload_at - 2 : payload_at]))
            return b""
        if fate == "doubled":
            return whole + whole
        if fate == "cut":
            return _joined(head, body[: self.chance.randint(payload_at, len(body))])
        return whole[: len(whole) // 2] if fate == "broken" else whole


def _packet(source: socket.socket) -> tuple[int, bytes]:
    (head,) = _read(source, 1)
    length = shift = 0
    while True:
        (part,) = _read(source, 1)
        length |= (part & 127) << shift
        shift += 7
        if part < 128:
            return head, _read(source, length)


def _read(source: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        more = source.recv(size - len(content))
        if not more:
            raise ClosedError
        content += more
    return content


def _joined(head: int, body: bytes) -> bytes:
    length, rest = bytearray(), len(body)
    while True:
        rest, part = rest >> 7, rest & 127
        length.append(part | (128 if rest else 0))
        if not rest:
            return bytes([head, *length]) + body


def _end(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
