"""Drives a pegged board over a serial line, and keeps the line up.

Whatever happens to the cable, a lost link never looks like lifted pieces: the driver asks for the
whole board after each connect, each gap in the sequence, each wrong checksum of the board's state
and each restart of the board, and reports what it then finds as one :class:`events.Position`.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Literal

import serial

from .. import events
from ..driver import (
    BACKOFF,
    BAUD,
    BoardNotFoundError,
    FoundPort,
    LineBoard,
    NoAnswerError,
    UnfitBoardError,
    check_url,
    close_port,
    discover,
    explain_open_error,
    is_missing,
    link_errors,
    open_port,
    read_port,
)
from ..events import BoardEvent
from . import protocol as peg

HELLO_EVERY = 0.3
HELLO_SECONDS = 3.0
"""How long a hello is repeated: opening the port resets an Arduino for about 1.5 s."""
_DUMP_EVERY = 0.5
_KEEP_ALIVE = 2.0
"""A hello, not a ping: its nonce shows a restart that nothing else would."""
_SILENCE = 2.5
"""The board pings each second; after this silence it may have restarted: greet it again."""

_WHITE: Literal["white"] = "white"
_BLACK: Literal["black"] = "black"

_log = logging.getLogger(__name__)


def describe(hello: peg.Hello) -> str:
    """Say what kind of board sent this hello, in one phrase."""
    able = peg.Capability(hello.capabilities)
    parts = [
        "pegged board",
        f"firmware {hello.firmware >> 8}.{hello.firmware & 255}",
        "knows each piece"
        if able & peg.Capability.IDENTITY
        else "knows only which holes are occupied",
    ]
    if able & peg.Capability.LEVERS:
        parts.append("clock levers")
    if able & peg.Capability.BUZZER:
        parts.append("buzzer")
    return ", ".join(parts)


def probe(url: str, *, baud: int = BAUD, seconds: float = HELLO_SECONDS) -> str:
    """Open ``url`` once, greet the board, close, and return its description.

    Raises :class:`BoardNotFoundError` if there is no such port, :class:`NoAnswerError` if nothing
    answers within ``seconds``, :class:`UnfitBoardError` for a board of another version, and
    :class:`OSError` with a clear sentence for all else that prevents opening.
    """
    check_url(url)
    lost = link_errors()
    try:
        port = open_port(url, baud)
    except lost as error:
        sentence = explain_open_error(url, error)
        if "://" not in url and is_missing(error):
            raise BoardNotFoundError(sentence) from error
        raise OSError(sentence) from error
    try:
        return describe(_greet(port, url, baud, seconds))
    except NoAnswerError:
        raise
    except lost as error:
        raise OSError(explain_open_error(url, error)) from error
    finally:
        close_port(port)


def _greet(port: serial.Serial, url: str, baud: int, seconds: float) -> peg.Hello:
    decoder, heard = peg.Decoder(), False
    end = time.monotonic() + seconds
    next_hello = 0.0
    while (now := time.monotonic()) < end:
        if now >= next_hello:
            port.write(peg.encode(peg.AskHello()))
            next_hello = now + HELLO_EVERY
        data = read_port(port)
        heard = heard or bool(data)
        for message in decoder.feed(data):
            if isinstance(message, peg.Hello):
                _check_fit(message)
                return message
    raise NoAnswerError(_no_answer(url, baud, decoder, heard))


def _no_answer(url: str, baud: int, decoder: peg.Decoder, heard: bool) -> str:
    if heard and decoder.frames == 0:
        return (
            f"What is at {url} sends, but nothing a board would say at {baud} baud: "
            "check the baud rate, or give the port of the board."
        )
    return f"The board at {url} does not answer: check that it is the board's port, replug it."


def _check_fit(hello: peg.Hello) -> None:
    if hello.version != peg.PROTOCOL_VERSION:
        raise UnfitBoardError(
            f"The board speaks protocol {hello.version} and this program "
            f"{peg.PROTOCOL_VERSION}: update whichever is older."
        )
    if hello.squares != peg.SQUARES:
        raise UnfitBoardError(
            f"The board says it has {hello.squares} squares instead of 64: update its firmware."
        )


class _Clock:
    """Converts the board's uptime to host time.

    Transport only ever delays, so the smallest difference seen is the best. A ceramic resonator
    may be 0.5 % off, hence only the last few seconds count.
    """

    def __init__(self) -> None:
        self._base = 0  # multiples of 2**32 ms that have passed
        self._last: int | None = None
        self._seen: deque[tuple[float, float]] = deque(maxlen=8)

    def set(self, uptime: int, now: float) -> None:
        """A message was sent at ``uptime`` and heard ``now``."""
        # Each message's uptime is close to the last one's; a much smaller one has wrapped round.
        if self._last is not None and uptime < self._last:
            self._base += 1 << 32
        self._last = uptime
        self._seen.append((now, now - (self._base + uptime) / 1000))

    def time(self, uptime: int, now: float) -> float:
        """Return the host time at which the board's clock showed ``uptime``."""
        if not self._seen or self._last is None:
            return now
        # The difference from the last message, over the wrap in either direction.
        ahead = (uptime - self._last + (1 << 31)) % (1 << 32) - (1 << 31)
        offset = min(difference for _, difference in self._seen)
        return min(now, (self._base + self._last + ahead) / 1000 + offset)


class BoardState:
    """The host's picture of the board: messages in, events out, without any input or output.

    ``before`` is the mirror of the last connection: what stood on the board then is what a fault
    hides now, and presses of the levers are counted on unless the board has restarted.
    """

    def __init__(self, url: str, before: BoardState | None = None) -> None:
        self._url = url
        self._clock = _Clock()
        self._nonce: int | None = before._nonce if before else None
        self._uptime: int = before._uptime if before else 0
        self._known_at: float | None = before._known_at if before else None
        self._presses: list[int | None] = before._presses if before else [None, None]
        self._pressed_at: list[int | None] = before._pressed_at if before else [None, None]
        self._since: int = before._since if before else 0
        # What was in each hole when last it was known: a fault does not change it.
        self.codes: tuple[int, ...] | None = before.codes if before else None
        self._sequence: int | None = None
        self._faulty: set[int] = set()
        self.identity = True
        self._state: list[int] | None = None
        self.greeted = False
        self.wants_hello = True
        self.wants_dump = False
        self._heard_last = 0.0
        self._next_hello = self._next_dump = self._next_keep_alive = 0.0

    def hear(self, message: peg.Message, now: float) -> list[BoardEvent]:
        """Take one message, heard at ``now``; raise UnfitBoardError for a foreign board."""
        self._heard_last = now
        match message:
            case peg.Hello():
                return self._hello(message, now)
            case _ if not self.greeted:
                return []  # An older connection's leftovers.
            case peg.Dump():
                return self._dump(message, now)
            case peg.Ping():
                return self._ping(message, now)
            case peg.HoleChanged():
                return self._event(message, now)
            case peg.LeverMoved():
                return self._lever(message, now)
            case peg.Presses():
                return self._count_presses(message, now)
            case _:
                return []

    def asks(self, now: float) -> list[peg.HostCommand]:
        """What to ask the board at ``now``, in seconds; to be called many times a second."""
        silent = self.greeted and self.silence(now) > _SILENCE
        if silent or now >= self._next_keep_alive:
            self.wants_hello = True
        commands: list[peg.HostCommand] = []
        if self.wants_hello and now >= self._next_hello:
            commands.append(peg.AskHello())
            self._next_hello = now + HELLO_EVERY
            self._next_keep_alive = now + _KEEP_ALIVE
        if self.wants_dump and now >= self._next_dump:
            commands.append(peg.AskDump())
            self._next_dump = now + _DUMP_EVERY
        return commands

    def silence(self, now: float) -> float:
        """For how many seconds no whole message has come from the board."""
        return now - self._heard_last

    def _hello(self, hello: peg.Hello, now: float) -> list[BoardEvent]:
        _check_fit(hello)
        self.wants_hello = False
        restarted = hello.nonce != self._nonce or hello.uptime < self._uptime
        if restarted:
            # If it booted after we last heard it, we missed every press that it has counted.
            foreign = self._known_at is None or hello.uptime / 1000 > now - self._known_at + 0.1
            self._presses = [None, None] if foreign else [0, 0]
            self._pressed_at = [None, None]
            self._since = hello.uptime
        if restarted or not self.greeted:
            self._clock = _Clock()
            self._sequence = self._state = None
            self.wants_dump = True
        self._nonce = hello.nonce
        self._heard_at(hello.uptime, now)
        self.identity = bool(hello.capabilities & peg.Capability.IDENTITY)
        if self.greeted:
            return []
        self.greeted = True
        return [events.Connected(self._url, describe(hello), now)]

    def _heard_at(self, uptime: int, now: float) -> None:
        self._uptime, self._known_at = uptime, now
        self._clock.set(uptime, now)

    def _restarted(self, uptime: int) -> bool:
        # Backwards by less than half the range: a restart; by more: the counter wrapped.
        if 0 < (self._uptime - uptime) % (1 << 32) < 1 << 31:
            self.wants_hello = self.wants_dump = True
            return True
        return False

    def _dump(self, dump: peg.Dump, now: float) -> list[BoardEvent]:
        if self._restarted(dump.uptime):
            return []
        self._heard_at(dump.uptime, now)
        self.wants_dump = False
        self._sequence = dump.sequence
        self._state = list(dump.codes)
        before = self.codes or (peg.EMPTY,) * peg.SQUARES
        self.codes = tuple(
            old if new == peg.FAULT else new for old, new in zip(before, dump.codes, strict=True)
        )
        faulty = {square for square, code in enumerate(dump.codes) if code == peg.FAULT}
        at = self._clock.time(dump.uptime, now)
        fresh = sorted(faulty - self._faulty)
        self._faulty = faulty
        return [
            self._position(at),
            *(events.ContactFault(peg.square_name(square), at) for square in fresh),
        ]

    def _ping(self, ping: peg.Ping, now: float) -> list[BoardEvent]:
        if self._restarted(ping.uptime):
            return []
        self._heard_at(ping.uptime, now)
        if self._state is not None and (
            ping.sequence != self._sequence or ping.state_crc != peg.state_crc(self._state)
        ):
            self.wants_dump = True
        return []

    def _follows(self, sequence: int) -> bool:
        """Note an event's number; False if it was heard before."""
        if self._sequence is not None:
            if sequence == self._sequence:
                return False
            if sequence != (self._sequence + 1) & 0xFFFF:
                self.wants_dump = True
            self._sequence = sequence
        return True

    def _event(self, event: peg.HoleChanged, now: float) -> list[BoardEvent]:
        if not self._follows(event.sequence):
            return []
        square, name = event.square, peg.square_name(event.square)
        at = self._clock.time(event.uptime, now)
        if self._state is not None:
            if self._state[square] != event.old:
                self.wants_dump = True
            self._state[square] = event.new
        if event.new == peg.FAULT:
            self._faulty.add(square)
            return [events.ContactFault(name, at)]
        self._faulty.discard(square)
        known = self.codes[square] if self.codes is not None else None
        if self.codes is not None:
            self.codes = (*self.codes[:square], event.new, *self.codes[square + 1 :])
        piece = peg.PIECES[event.new] if self.identity else None
        if event.old == peg.FAULT:
            # Nobody saw what happened behind the fault. Only a piece that now stands where there
            # was none has certainly been placed; a lift is never derived from a fault.
            if known == peg.EMPTY and event.new != peg.EMPTY:
                return [events.Placed(name, piece, at)]
            return [self._position(at)] if self.codes is not None else []
        if event.new == peg.EMPTY:
            return [events.Lifted(name, at)]
        if event.old == peg.EMPTY:
            return [events.Placed(name, piece, at)]
        # Exchanged faster than a lift is believed.
        return [events.Lifted(name, at), events.Placed(name, piece, at)]

    def _lever(self, lever: peg.LeverMoved, now: float) -> list[BoardEvent]:
        # A press is told at once; one from long before was made after a restart that we missed.
        if self._restarted(lever.uptime + 1000):
            return []
        if not self._follows(lever.sequence) or not lever.down:
            return []
        known = self._presses[lever.lever]
        if known is not None:
            self._presses[lever.lever] = (known + 1) % 256
        self._pressed_at[lever.lever] = lever.uptime
        at = self._clock.time(lever.uptime, now)
        return [events.LeverPressed("black" if lever.lever else "white", at)]

    def _count_presses(self, told: peg.Presses, now: float) -> list[BoardEvent]:
        """Find presses whose frames got lost; several of one lever get the last one's time."""
        if self._restarted(told.uptime):
            return []
        self._heard_at(told.uptime, now)
        found: list[BoardEvent] = []
        for lever, side, count, at in (
            (0, _WHITE, told.white, told.white_at),
            (1, _BLACK, told.black, told.black_at),
        ):
            known = self._presses[lever]
            if known is not None:
                missed = (count - known) % 256
                if missed > 127:  # Not counted since the boot that we know of.
                    self.wants_hello = True
                    missed = 0
            else:
                # The first count since the board's boot: only the last press can be judged.
                fresh = (at - self._since) % (1 << 32) < 1 << 31
                missed = int(count > 0 and fresh and at != self._pressed_at[lever])
            self._presses[lever] = count
            if missed:
                self._pressed_at[lever] = at
                found += [events.LeverPressed(side, self._clock.time(at, now))] * missed
        return sorted(found, key=lambda press: press.at)

    def _position(self, at: float) -> events.BoardPosition:
        return events.BoardPosition(self.placement() or "", at)

    def placement(self) -> str | None:
        """The board as it was last known, None before the first dump."""
        if self.codes is None:
            return None
        return peg.placement_of(self.codes, identity=self.identity)


class PegBoard(LineBoard):
    """A pegged board at ``url``: a device (``/dev/ttyUSB0``, ``COM3``) or any pyserial URL.

    ``on_event`` is called in a thread for that alone, one event at a time; what it raises is
    logged and does not stop the driver. The connection is made and remade until :meth:`close`;
    :class:`~blindplay.boards.events.Connected` and ``Disconnected`` tell each change, and the
    first failure too. ``ports`` lists the USB ports among which a board that was plugged in
    again under another name is found; it is :func:`discover` unless given.
    """

    def __init__(
        self,
        url: str,
        on_event: Callable[[BoardEvent], None],
        *,
        baud: int = BAUD,
        backoff: tuple[float, float] = BACKOFF,
        hello_seconds: float = HELLO_SECONDS,
        ports: Callable[[], Iterable[FoundPort]] = discover,
    ) -> None:
        super().__init__(url, on_event, name="pegged board", backoff=backoff, ports=ports)
        self._baud = baud
        self._hello_seconds = hello_seconds
        self._mirror: BoardState | None = None
        self._placement: str | None = None
        self._outbox: deque[bytes] = deque(maxlen=16)
        self._rejected = 0
        self._decoder: peg.Decoder | None = None

    @property
    def rejected(self) -> int:
        """How many damaged frames have been thrown away on all connections so far."""
        return self._rejected + (self._decoder.rejected if self._decoder else 0)

    def placement(self) -> str | None:
        """The board as last known, as FEN's first field; None before the first dump."""
        return self._placement

    def buzz(self, pattern: int) -> None:
        """Sound the buzzer with pattern 0–255, if there is a connection and a buzzer."""
        if self._connected:
            self._outbox.append(peg.encode(peg.Buzz(pattern)))

    def _session(self, url: str) -> None:
        port = open_port(url, self._baud)
        self._decoder = peg.Decoder()
        self._mirror = mirror = BoardState(url, self._mirror)
        try:
            self._talk(port, mirror, url)
        finally:
            self._rejected += self._decoder.rejected
            self._decoder = None
            close_port(port)

    def _talk(self, port: serial.Serial, mirror: BoardState, url: str) -> None:
        decoder = self._decoder
        assert decoder is not None
        start = time.monotonic()
        any_bytes = False
        while not self._stop.is_set():
            data = read_port(port)
            now = time.monotonic()
            any_bytes = any_bytes or bool(data)
            for message in decoder.feed(data):
                told = mirror.hear(message, now)
                if mirror.greeted and not self._connected:
                    self._found(url)
                self._placement = mirror.placement() or self._placement
                for event in told:
                    self._emit(event)
            if mirror.greeted:
                gone = mirror.silence(now) > _SILENCE + self._hello_seconds
            else:
                gone = now - start > self._hello_seconds
            if gone:
                raise NoAnswerError(_no_answer(url, self._baud, decoder, any_bytes))
            for command in mirror.asks(now):
                port.write(peg.encode(command))
            while self._outbox:
                port.write(self._outbox.popleft())

    def _found(self, url: str) -> None:
        super()._found(url)
        self._outbox.clear()
