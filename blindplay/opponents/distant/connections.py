"""Connections between two tables, over a TCP port of the one that waits or through an MQTT broker.

A table waits at a listener, the other calls it with a connector; both give sockets. Both connect to
the broker where neither can be reached. There a table that waits has a room, whose number is
public, and an inbox that only it can read. A connection is a numbered stream of messages between
two inboxes. A message that is lost, doubled or late ends its stream, as a cut does. The tables
encrypt what passes; the broker is not trusted with anything.

A lifeline goes over one such connection after the other, so that it comes back after each break.
"""

import contextlib
import queue
import secrets
import select
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from blindplay.broker import Broker, Link

PATIENCE_S = 10.0
"""Seconds that one side of a connection waits for the other."""


@dataclass(frozen=True)
class Venue:
    """The table that waits has no ``host``, unless both meet at a broker there. Then ``inbox`` is
    the name of the waiting table's inbox."""

    port: int
    host: str = ""
    inbox: str = ""


class TableListener(Protocol):
    """The place where a table waits for others."""

    @property
    def place(self) -> Venue: ...

    @property
    def room(self) -> str:
        """The digits before the six secret ones, by which another table finds this one."""

    def accept(self) -> socket.socket:
        """Wait for a connection.

        :raises OSError: if the listener is closed, or the caller was gone at once.
        """

    def hide(self) -> None:
        """Be found only by the table that knows the place."""

    def close(self) -> None: ...


class TableConnector(Protocol):
    """The means by which a table calls another."""

    @property
    def place(self) -> Venue: ...

    def connect(self) -> socket.socket:
        """A new connection.

        :raises OSError: if there is none.
        """

    def close(self) -> None: ...


class PortListener:
    """A TCP port of all addresses of this machine; 0: any that is free.

    :raises OSError: if the port is taken.
    """

    room = ""

    def __init__(self, port: int) -> None:
        both = socket.has_dualstack_ipv6()
        self._listener = socket.create_server(
            ("", port),
            family=socket.AF_INET6 if both else socket.AF_INET,
            dualstack_ipv6=both,
        )
        self.place = Venue(self._listener.getsockname()[1])

    def accept(self) -> socket.socket:
        guest, _ = self._listener.accept()
        return _at_once(guest)

    def hide(self) -> None:
        """A port has no other name."""

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread in accept()
        self._listener.close()


class PortConnector:
    """A TCP port of another machine."""

    def __init__(self, host: str, port: int) -> None:
        self.place = Venue(port, host)

    def connect(self) -> socket.socket:
        address = self.place.host, self.place.port
        return _at_once(socket.create_connection(address, PATIENCE_S))

    def close(self) -> None:
        """Nothing stays open."""


def _at_once(sock: socket.socket) -> socket.socket:
    """A connection whose small messages do not wait for more."""
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:  # the other side is gone already
        sock.close()
        raise
    return sock


BROKER_PORT = 8884
"""The port at which such a broker listens by default."""
ROOMS = [str(number) for number in range(10, 100)]
INBOXES = "blindplay/meeting/1/to/+"
INBOX_TOPIC = "blindplay/meeting/1/to/table-{}-in"
"""The name of an inbox is that of its client, which alone reads it. With letters on both sides no
client's name makes a wildcard of it."""
ROOM_TOPIC = "blindplay/meeting/1/room/{}"
MOST_STREAMS = 16
"""Limit of the connections of one table."""
_MOST_CALLERS = 1000  # that have said nothing yet
_LAST_S = 1.0  # a relay that is closed waits so long for each connection
_CHUNK = 16384
_WAITING = 256  # messages that came and were not read yet
_NAME_BYTES = 16
_STREAM_BYTES = 8
_NUMBER_BYTES = 4
_END = (1 << 8 * _NUMBER_BYTES) - 1
"""The number of the message that ends a stream."""
_ROOM_TRIES = 20
_Key = tuple[str, bytes]


class NoRoomError(OSError):
    """All rooms at this broker are taken."""


class _RelayedStream:
    """One connection: gives ``send`` what comes out of ``sock``, with numbers, and writes into it
    what comes in their order."""

    def __init__(
        self,
        sock: socket.socket,
        send: Callable[[int, bytes], bool],
        forget: Callable[[], object],
    ) -> None:
        self._sock, self._send, self._forget = sock, send, forget
        self._sent = self._expected = 0
        self._inbox: queue.Queue[bytes] = queue.Queue(_WAITING)
        self._end_sent = threading.Event()

    def start(self) -> None:
        for run in (self._read, self._write):
            threading.Thread(target=run, name="relay", daemon=True).start()

    def wait(self, seconds: float) -> None:
        """Wait until the other table has been told of the end. The stream may start only now."""
        self._end_sent.wait(seconds)

    def send(self, data: bytes) -> None:
        if not self._send(self._sent, data):
            self.end()
        self._sent += 1

    def take(self, number: int, data: bytes) -> None:
        """Take a message. It does not wait."""
        try:
            if number == _END:
                self._inbox.put_nowait(b"")
                return
            if number != self._expected:
                raise queue.Full
            self._expected += 1
            if data:
                self._inbox.put_nowait(data)
        except queue.Full:
            self.end()

    def end(self) -> None:
        """Cut the connection; both threads notice."""
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while data := self._sock.recv(_CHUNK):
                self.send(data)
        self._send(_END, b"")
        self._end_sent.set()
        self._forget()  # only now: a relay that is closed waits for the ends of those it knows
        with contextlib.suppress(queue.Full):
            self._inbox.put_nowait(b"")  # wakes the other thread

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            while data := self._inbox.get():
                self._sock.sendall(data)
        self.end()
        self._end_sent.wait()
        self._sock.close()


class Relay:
    """One table's client of the broker at ``host`` and ``port``. It comes back by itself.

    As a :class:`TableListener` it has an ``inbox``, a new one if none is given, and with ``shows``
    the ``room`` is its own until :meth:`hide`. As a :class:`TableConnector` it calls the ``other``
    inbox, or the table that has the ``room``.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        inbox: str = "",
        room: str = "",
        shows: bool = False,
        other: str = "",
    ) -> None:
        self.inbox = inbox or secrets.token_hex(_NAME_BYTES // 2)
        self.room = room
        self._host, self._port, self._other = host, port, other
        self._shows = shows
        self._room_topic = ROOM_TOPIC.format(room)
        self._holder = ""  # the inbox of the table that had the room already
        self._known = threading.Event()  # the broker has told that, or shows the own room
        self._streams: dict[_Key, _RelayedStream] = {}
        self._lock = threading.Lock()
        # Those who have said nothing yet cost nothing: a flood of them keeps nobody waiting.
        self._callers: deque[_Key] = deque(maxlen=_MOST_CALLERS)
        self._guests: queue.Queue[socket.socket | None] = queue.Queue(MOST_STREAMS)
        self._closed = False
        own = INBOX_TOPIC.format(self.inbox)
        self._link = Link(
            Broker(host, port, unknown=True),
            [own, *([self._room_topic] if room else [])],
            self._receive,
            self._connected,
            (self._room_topic, b"") if shows else None,
            name=self.inbox,
        )
        self._link.start()

    @property
    def place(self) -> Venue:
        return Venue(self._port, self._host, self._other or self._holder or self.inbox)

    # --- rooms ------------------------------------------------------------------------------------

    def holder(self) -> str:
        """The inbox of another table that has the room; empty if none has it.

        :raises OSError: if the broker does not answer.
        """
        if not self._known.wait(PATIENCE_S):
            raise ConnectionError
        return self._holder

    def hide(self) -> None:
        """Give the room back: the tables know each other."""
        if self._shows:
            self._shows = False
            self._link.publish(self._room_topic, b"", retain=True)

    def _connected(self) -> None:
        for stream in self._all():
            stream.end()  # some of its messages may be lost
        # It comes back after everything that the broker has kept.
        self._publish(self.inbox, b"")

    def _receive(self, topic: str, payload: bytes, kept: bool) -> None:
        if topic == self._room_topic:
            if payload == self.inbox.encode():
                self._known.set()  # another table that asks the broker now finds this one
            elif not self._known.is_set():
                other = kept and _is_inbox(payload)
                self._holder = payload.decode() if other else self._holder
            elif not payload:
                self._show()  # the table that had it before has gone only now
        elif payload:
            self._take(payload)
        elif not self._show():
            self._known.set()

    def _show(self) -> bool:
        """Show the room as this table's own; return whether it is."""
        own = self._shows and not self._holder
        if own:
            self._link.publish(self._room_topic, self.inbox.encode(), retain=True)
        return own

    # --- streams ----------------------------------------------------------------------------------

    def connect(self) -> socket.socket:
        """A connection to the other table, which may not be there.

        :raises OSError: if the broker does not answer, or nobody has the room.
        """
        inbox = self._other or self.holder()
        if not (inbox and self._link.online):
            raise ConnectionError
        stream, near = self._new_stream((inbox, secrets.token_bytes(_STREAM_BYTES)))
        near.settimeout(PATIENCE_S)
        stream.send(b"")
        stream.start()
        return near

    def accept(self) -> socket.socket:
        """Wait for a connection.

        :raises OSError: if this is closed.
        """
        guest = self._guests.get()
        if guest is None or self._closed:
            raise ConnectionAbortedError
        return guest

    def close(self) -> None:
        self._closed = True
        with contextlib.suppress(queue.Full):
            self._guests.put_nowait(None)
        for stream in self._all():
            stream.end()
            stream.wait(_LAST_S)
        is_shown = self._shows and not self._holder
        self._shows = False  # giving the room back comes here, too, and is no reason to show it
        self._link.close(*([(self._room_topic, b"")] if is_shown else []))

    def _all(self) -> list[_RelayedStream]:
        with self._lock:
            return list(self._streams.values())

    def _new_stream(self, key: _Key) -> tuple[_RelayedStream, socket.socket]:
        near, far = socket.socketpair()

        def send(number: int, data: bytes) -> bool:
            return self._publish(key[0], self._head(key, number) + data)

        def forget() -> None:
            with self._lock:
                if self._streams.get(key) is stream:
                    del self._streams[key]

        stream = _RelayedStream(far, send, forget)
        with self._lock:
            self._streams[key] = stream
        return stream, near

    def _head(self, key: _Key, number: int) -> bytes:
        return self.inbox.encode() + key[1] + number.to_bytes(_NUMBER_BYTES)

    def _publish(self, inbox: str, message: bytes) -> bool:
        return self._link.publish(INBOX_TOPIC.format(inbox), message)

    def _take(self, payload: bytes) -> None:
        """Take a message that somebody has put into the inbox."""
        name, rest = payload[:_NAME_BYTES], payload[_NAME_BYTES:]
        head, data = rest[: _STREAM_BYTES + _NUMBER_BYTES], rest[_STREAM_BYTES + _NUMBER_BYTES :]
        if len(head) < _STREAM_BYTES + _NUMBER_BYTES or not _is_inbox(name):
            return
        key = name.decode(), head[:_STREAM_BYTES]
        number = int.from_bytes(head[_STREAM_BYTES:])
        if (stream := self._streams.get(key)) is not None:
            stream.take(number, data)
        elif number == 0 and not data:
            self._callers.append(key)
        elif number == 1 and key in self._callers and self._has_place:
            self._callers.remove(key)
            self._welcome(key, data)
        elif number != _END:
            self._publish(key[0], self._head(key, _END))

    @property
    def _has_place(self) -> bool:
        return len(self._streams) < MOST_STREAMS and not self._closed

    def _welcome(self, key: _Key, data: bytes) -> None:
        """Let a caller in who has begun to speak."""
        stream, near = self._new_stream(key)
        for number, words in enumerate((b"", data)):
            stream.take(number, words)
        stream.start()
        while True:
            try:
                self._guests.put_nowait(near)
                return
            except queue.Full:  # nobody accepts them quickly enough: the latest are welcome
                with contextlib.suppress(queue.Empty):
                    if (late := self._guests.get_nowait()) is not None:
                        late.close()


def _is_inbox(name: bytes) -> bool:
    return len(name) == _NAME_BYTES and all(letter in b"0123456789abcdef" for letter in name)


def waiting_at(host: str, port: int) -> Relay:
    """A table with a room of its own at this broker.

    :raises NoRoomError: if all are taken.
    :raises OSError: if the broker does not answer.
    """
    for room in secrets.SystemRandom().sample(ROOMS, _ROOM_TRIES):
        relay = Relay(host, port, room=room, shows=True)
        try:
            if not relay.holder():
                return relay
        except OSError:
            relay.close()
            raise
        relay.close()
    raise NoRoomError


MOST_BYTES = 1 << 22
"""Limit of the bytes that wait to be sent or to become a whole message."""
_WAITING_VOICE = 4  # messages; older ones are dropped
_FLUSH_S = 1.0  # most time for which a closed wire still sends


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
        self._ends = time.monotonic() + _FLUSH_S
        self._ring()

    def run(self, on_message: Callable[[bytes], object]) -> None:
        """Give each message to ``on_message`` until there is no connection any more."""
        rest = b""
        try:
            while len(rest) < MOST_BYTES and not self._is_over:
                self._wait()
                data = self._received()
                if data == b"":
                    return
                *whole, rest = (rest + (data or b"")).split(b"\n")
                for message in whole:
                    on_message(message)
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
            select.select([self._sock, self._bell], writers, [], _FLUSH_S)
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
    """A :class:`~.player.Line` over one connection after the other. The latest counts."""

    def __init__(self, release: Callable[[], object] = lambda: None) -> None:
        """``release`` gives back what brings the connections."""
        self._release = release
        self._fresh: queue.Queue[ssl.SSLSocket | None] = queue.Queue()
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
        self.renew()

    def open(self, on_message: Callable[[bytes], object], on_connect: Callable[[], object]) -> None:
        self._on_message, self._on_connect = on_message, on_connect
        self._thread.start()

    def send(self, message: bytes) -> None:
        if (wire := self._wire) is not None:
            wire.send(message)

    def send_voice(self, message: bytes) -> None:
        if (wire := self._wire) is not None:
            wire.send_voice(message)

    def renew(self) -> None:
        if (wire := self._wire) is not None:
            wire.close()

    def close(self) -> None:
        self._closed = True
        self._fresh.put(None)
        self.renew()
        if self._thread.is_alive():
            self._thread.join(2 * _FLUSH_S)
        self._release()

    def _run(self) -> None:
        while (sock := self._fresh.get()) is not None and not self._closed:
            self._wire = wire = Wire(sock)
            if self._fresh.empty():
                self._on_connect()
                wire.run(self._on_message)
            else:
                wire.close()
                wire.run(self._on_message)
            self._wire = None
            if self._fresh.empty():
                self.idle.set()
