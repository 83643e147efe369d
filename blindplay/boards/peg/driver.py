"""Drives a pegged board over a serial line, and its vibration motor and lamp. Its state is without
I/O: messages in, events and requests out.

The state doubts the board after each connect, gap in the sequence numbers, damaged frame, wrong
checksum and restart. It asks for the whole board then, and holds back what it hears until the
answer comes. It reports the position from before what it held, as one
:class:`~blindplay.boards.events.BoardPosition`, never as lifts and placings, and then what it held.
So no press is judged by an unknown position.

It also doubts a hole that reads as one piece and then as another, and was not empty in between. 1
kΩ more in a contact makes a white pawn read as a black one. A hand can hardly do it: the firmware
reads each hole every 4 ms (8 while the motor runs) and reports a piece after 25 ms, and a hole as
empty after 150 ms. In that time, one peg would have to leave its hole, 14 mm deep, and another one
be aimed at it and pushed in. An aimed movement of a hand takes some 200 ms. With a lift time of 300
ms, the longest that can be set, quick hands that work together may be fast enough. So neither a
lift nor a placing is reported, and the piece from before counts. The hole becomes certain when it
reads as before, or when it has been empty.

It doubts a piece in a hole that was empty, too, and takes the hole for empty: a piece that would be
one too many, as a pawn with a bad contact that reads as a ninth one of the other colour; one that a
piece lifted just before reads as in a bad contact; and one that no hand was seen to bring, after a
fault that lasted longer than a hand takes, as damp makes it (:mod:`.hands`). It waits until a lift
by a quicker hand would have been told, reads the whole board, and then decides. When a hand takes
the piece out and puts it back, it counts: the hole then reads as piece, empty, the same piece, with
no fault between, which damp does not do. So a real piece is accepted at its second coming, in a
position that no game can reach, too.

The driver does this and not the firmware, because it knows the position from before a restart and a
lost line, and people hear of it. The firmware reports what it reads, to each program alike.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import chess

from blindplay.translation import _, join_texts

from .. import events
from ..driver import BoardDriver, BoardState, Notice
from ..events import BoardEvent
from ..ports import NoAnswerError, UnfitBoardError
from . import protocol as peg
from .calibration import kept
from .firmware import version_text
from .hands import HALF_RANGE_S, LATEST_LIFT_MS, Hands, passed, too_many
from .naming import new_id

_REPEAT = 0.3
"""Seconds until a signal that was not answered is sent again."""

MOTOR: Mapping[Notice, int] = {Notice.YOUR_MOVE: 0b111111, Notice.QUESTION: 0b11_0011_0011}
"""One long buzz, or three short ones, in tenths of a second."""
LAMP: Mapping[Notice, int] = {Notice.YOUR_MOVE: 0b11111111, Notice.QUESTION: 0b1111}
"""Steady, or blinking slowly."""
_ORDER = (Notice.QUESTION, Notice.YOUR_MOVE)
"""The order of preference if there are two notices."""


class Signals:
    """The signal that the board should show, until the board has heard it, from any thread. It does
    no input or output; ``now`` is host monotonic time in seconds.

    The motor shows only new notices, the lamp all that hold.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._able = False
        self._notices: frozenset[Notice] = frozenset()
        # A board that an earlier host has left may still remember that one's last number.
        self._number = random.randint(1, 255)
        self._motor = 0
        self._heard = True
        self._next = 0.0

    def show(self, notices: Collection[Notice]) -> None:
        """These notices hold now, and no others."""
        with self._lock:
            if (shown := frozenset(notices)) != self._notices:
                new, self._notices = shown - self._notices, shown
                self._send(new)

    def begin(self, *, able: bool) -> None:
        """A board has just been connected or restarted, and may show something else. ``able``: it
        has a motor or a lamp."""
        with self._lock:
            self._able = able
            self._send(self._notices)

    def heard(self, number: int) -> None:
        """The board has heard the signal of this number."""
        with self._lock:
            self._heard = self._heard or number == self._number

    def request(self, now: float) -> bytes:
        """The frame to send now, empty if there is none."""
        with self._lock:
            if not self._able or self._heard or now < self._next:
                return b""
            self._next = now + _REPEAT
            lamp = _first(LAMP, self._notices)
            return peg.encode(peg.Signal(self._number, self._motor, lamp))

    def _send(self, new: frozenset[Notice]) -> None:
        self._number = self._number % 255 + 1
        self._motor = _first(MOTOR, new)
        self._heard, self._next = False, 0.0


def _first(patterns: Mapping[Notice, int], notices: frozenset[Notice]) -> int:
    return next((patterns[notice] for notice in _ORDER if notice in notices), 0)


_HELLO_EVERY = 0.3
_DUMP_EVERY = 0.5  # A dump takes 46 ms on the line. No line is believed to delay it by more.
_UNREAD_AFTER = 2.0
"""Seconds of doubt after which people are asked to look at the board."""
_START = peg.codes_of(chess.STARTING_BOARD_FEN)
_KEEP_ALIVE = 2.0
"""Seconds between hellos. A ping would keep the board awake as well, but only the nonce of a hello
shows each restart."""

_SIDES: tuple[Literal["white"], Literal["black"]] = ("white", "black")


class _UptimeClock:
    """Converts the board's uptime to host time.

    The line only ever delays messages, so the smallest difference seen is the best one. A ceramic
    resonator may be wrong by 0.5 %, so only the last few seconds count.
    """

    def __init__(self) -> None:
        self._base = 0  # multiples of 2**32 ms that have passed
        self._last: int | None = None
        self._differences: deque[float] = deque(maxlen=8)

    def set(self, uptime: int, now: float) -> None:
        """A message that the board sent at ``uptime`` arrived ``now``."""
        # Messages are seconds apart, so a smaller uptime means that the counter wrapped.
        if self._last is not None and uptime < self._last:
            self._base += 1 << 32
        self._last = uptime
        self._differences.append(now - (self._base + uptime) / 1000)

    def time(self, uptime: int, now: float) -> float:
        """Return the host time at which the board's clock showed ``uptime``, ``now`` at most."""
        if self._last is None:
            return now
        # The difference from the last message, over the wrap in either direction.
        ahead = (uptime - self._last + (1 << 31)) % (1 << 32) - (1 << 31)
        return min(now, (self._base + self._last + ahead) / 1000 + min(self._differences))


@dataclass(frozen=True)
class _Held:
    """Events that wait until the position is known, and the change of a hole that made them.
    ``doubted`` is the piece that counted there before the change, if it was doubted."""

    events: list[BoardEvent]
    change: peg.HoleChanged | None = None
    doubted: int | None = None


class PegBoardState(BoardState):
    """The state of one connection to a pegged board.

    ``before`` is the state of the last connection. A hole with a fault keeps its piece from
    then, and the count of lever presses goes on unless the board has restarted. ``codes`` are the
    64 piece codes as last known; neither a fault nor a doubted piece changes them. ``signals`` are
    what the board should show.
    """

    SILENCE = 2.5  # A working board pings each second.

    def __init__(
        self,
        url: str,
        before: PegBoardState | None = None,
        signals: Signals | None = None,
    ) -> None:
        self._url = url
        self._decoder = peg.Decoder()
        self._clock = _UptimeClock()
        self._nonce: int | None = before._nonce if before else None
        self._uptime: int = before._uptime if before else 0
        self._uptime_at: float | None = before._uptime_at if before else None
        # By lever: presses counted so far, and the uptime of the last one that was reported.
        self._presses: list[int | None] = list(before._presses) if before else [None, None]
        self._pressed_at: list[int | None] = list(before._pressed_at) if before else [None, None]
        self._greeted_at: int = before._greeted_at if before else 0  # uptime of the first hello
        self.codes: tuple[int, ...] | None = before.codes if before else None
        self._identity: bool = before._identity if before else True
        self.signals = signals or Signals()
        # The id and the name from before the next hello, and what a board without an id is given.
        self._introduced: peg.Identity | None = None
        self._gift: peg.Identify | None = None
        self._gift_refused = False
        self.which = before.which if before else None
        self._name = ""
        self._sequence: int | None = None
        self._board: list[int] | None = None  # the codes that the board has now, faults included
        self._faulty: set[int] = set()
        # The codes that count instead of what is read, EMPTY where a piece is doubted in an empty
        # hole, and the pieces that hands have taken out of such holes.
        self._doubted: dict[int, int] = dict(before._doubted) if before else {}
        self._taken_out: dict[int, int] = dict(before._taken_out) if before else {}
        self._hands = Hands()
        self._fault_since: dict[int, int] = {}  # uptimes
        self._codes_before_reading = self.codes
        self._settled_at: int | None = None  # an older board does not show each quick lift
        self._greeted = False
        self.wants_hello = True
        self.wants_dump = False
        # A press that waited when the line broke waits on.
        self._held = [_Held(before._waiting_presses())] if before else []
        self._readings: list[events.Read] = []
        self._whole_from = len(self._held)  # nothing was lost between the held events from here on
        self._lost = True
        self._too_early = False  # the next dump was asked for before somebody wanted to read
        self._doubted_at: float | None = None
        self._next_hello = self._next_dump = self._next_keep_alive = 0.0

    def receive(self, data: bytes, now: float) -> list[BoardEvent]:
        rejected = self._decoder.rejected
        messages = self._decoder.feed(data)
        if self._decoder.rejected > rejected and self._greeted:
            self._doubt(now)  # the damaged frame may have been a change
            self._next_dump = now  # or the answer that is waited for
        heard = [event for message in messages for event in self.hear(message, now)]
        if self._doubted_at is not None and now - self._doubted_at > _UNREAD_AFTER:
            self._doubted_at = None
            heard.append(events.PositionUnknown(now))
        return heard

    def hear(self, message: peg.Message, now: float) -> list[BoardEvent]:
        """Take one message.

        :raises UnfitBoardError: if the board has another version.
        """
        self.heard_at = now
        match message:
            case peg.Hello():
                return self._hear_hello(message, now)
            case peg.Identity():
                self._introduced = message
            case peg.Nak() if self._gift is not None:
                self._gift_refused = True
            case _ if not self._greeted:
                return []  # left over from an older connection
            case peg.Dump():
                return self._hear_dump(message, now)
            case peg.Ping():
                return self._hear_ping(message, now)
            case peg.HoleChanged() if self._is_new(message.sequence, now):
                doubted = self._doubted.get(message.square)
                told = self._hold(self._hear_hole(message, now), message, doubted)
                if message.square in self._doubted and doubted is None:
                    self._read_again(now)
                return told
            case peg.Signalled(number):
                self.signals.heard(number)
            case peg.LeverMoved():
                return self._hold(self._hear_lever(message, now))
            case peg.Presses():
                return [*self._hold(self._hear_presses(message, now)), *self._end_readings()]
        return []

    def requests(self, now: float) -> bytes:
        silent = self._greeted and self.heard_at is not None and now - self.heard_at > self.SILENCE
        if silent or now >= self._next_keep_alive:
            self.wants_hello = True
        frames = b""
        if self.wants_hello and now >= self._next_hello:
            if self._gift is not None:
                frames += peg.encode(self._gift)
            frames += peg.encode(peg.AskHello())
            self._next_hello = now + _HELLO_EVERY
            self._next_keep_alive = now + _KEEP_ALIVE
        if self.wants_dump and now >= self._next_dump:
            frames += peg.encode(peg.AskDump())
            self._next_dump = now + _DUMP_EVERY
        if self._greeted:
            frames += self.signals.request(now)
        return frames

    def placement(self) -> str | None:
        if self.codes is None:
            return None
        return peg.placement_of(self.codes, identity=self._identity)

    # --- doubt ---------------------------------------------------------------------------------

    def _doubt(self, now: float) -> None:
        """Note a loss: hold the following events until the position is known."""
        self._lost = True
        self._whole_from = len(self._held)
        self._read_again(now)

    def read(self, number: int, now: float) -> None:
        """Ask for the whole board. :class:`~blindplay.boards.events.Read` tells when it came."""
        if self.wants_dump and now < self._next_dump:
            self._too_early = True  # the answer to the last request may lack the latest changes
        self._read_again(now)
        self._readings.append(events.Read(number, now))

    def _read_again(self, now: float) -> None:
        if not self.wants_dump:
            self.wants_dump = True
            self._doubted_at = now
            self._codes_before_reading = self.codes

    def _hold(
        self,
        heard: list[BoardEvent],
        change: peg.HoleChanged | None = None,
        doubted: int | None = None,
    ) -> list[BoardEvent]:
        """Keep events that need a known position; give those that may be told."""
        if not self.wants_dump:
            return heard
        faults: list[BoardEvent] = [
            event for event in heard if isinstance(event, events.ContactFault)
        ]
        rest = [event for event in heard if event not in faults]
        if rest or change is not None:
            self._held.append(_Held(rest, change, doubted))
        return faults

    def _release(self, codes: list[int], *, lost: bool) -> tuple[list[int], list[BoardEvent]]:
        """Return the position before the held events, and these events; ``codes`` is the board now.

        Of the changes before a gap, if something was ``lost``, only the result is known.
        """
        doubted: dict[int, int | None] = dict(self._doubted)
        first = len(self._held)
        while first > (self._whole_from if lost else 0):
            change = self._held[first - 1].change
            if change is not None:
                unknown = peg.FAULT in (change.old, change.new)
                if lost and (unknown or codes[change.square] != change.new):
                    break
                codes[change.square] = change.old
                doubted[change.square] = self._held[first - 1].doubted
            first -= 1
        presses = self._waiting_presses(first)
        after = [event for held in self._held[first:] for event in held.events]
        self._held, self._whole_from, self._lost, self._doubted_at = [], 0, False, None
        return _with(codes, doubted), [*presses, *after]

    def _waiting_presses(self, first: int | None = None) -> list[BoardEvent]:
        held = [event for waiting in self._held[:first] for event in waiting.events]
        return [event for event in held if isinstance(event, events.LeverPressed)]

    def _end_readings(self) -> list[BoardEvent]:
        """The position and the count of presses, which follows it, have been told."""
        if self.wants_dump:
            return []
        ended, self._readings = self._readings, []
        return list(ended)

    # --- the whole board -----------------------------------------------------------------------

    def _identify(self, hello: peg.Hello) -> bool:
        """Note which board has said ``hello``. False if that is not known yet: what the board says
        before its hello got lost, or it has no id and is given one first.

        :raises NoAnswerError: if another board has come to the same line.
        """
        introduced, self._introduced = self._introduced, None
        if not hello.capabilities & peg.Capability.NAME:
            introduced = peg.NO_IDENTITY
        elif introduced is None:
            return False
        elif introduced.id == 0 and not (self._greeted or self._gift_refused):
            if self._gift is None:
                self._gift, self._next_hello = peg.Identify(new_id(), introduced.name), 0.0
            return False
        self._gift = None
        if introduced.text != self.which:
            if self._greeted:
                raise NoAnswerError(
                    "Another board has come to {url}: it is read anew.", url=self._url
                )
            self._forget()
        self.which, self._name = introduced.text, introduced.name
        return True

    def _forget(self) -> None:
        """Another board than on the last connection answers."""
        self.codes = None
        self._doubted, self._taken_out = {}, {}
        self._nonce, self._uptime, self._uptime_at = None, 0, None

    def _hear_hello(self, hello: peg.Hello, now: float) -> list[BoardEvent]:
        _check_fit(hello)
        if not self._identify(hello):
            self.wants_hello = True
            return []
        self.wants_hello = False
        restarted = hello.nonce != self._nonce or hello.uptime < self._uptime
        if restarted:
            # A board that booted before its last message came is another board: its presses so
            # far are unknown. One that booted later has counted only presses that were missed.
            foreign = self._uptime_at is None or hello.uptime / 1000 > now - self._uptime_at + 0.1
            self._presses = [None, None] if foreign else [0, 0]
            self._pressed_at = [None, None]
            self._greeted_at = hello.uptime
        if restarted or not self._greeted:
            self._clock = _UptimeClock()
            self._sequence = self._board = None
            self._hands, self._fault_since, self._settled_at = Hands(), {}, None
            self._doubt(now)
        self._nonce = hello.nonce
        self._note_uptime(hello.uptime, now)
        self._identity = bool(hello.capabilities & peg.Capability.IDENTITY)
        if restarted or not self._greeted:
            able = peg.Capability.MOTOR | peg.Capability.LAMP
            self.signals.begin(able=bool(hello.capabilities & able))
        if self._greeted:
            return []
        self._greeted = True
        about = _describe(hello, self._name)
        advice = _advice(hello, self._url)
        return [events.Connected(self._url, about, now, self.which, advice)]

    def _hear_dump(self, dump: peg.Dump, now: float) -> list[BoardEvent]:
        if self._shows_restart(dump.uptime, now):
            return []
        self._note_uptime(dump.uptime, now)
        self._next_dump = now
        if self._too_early:
            self._too_early = False
            return []
        if self._settled_at is not None and passed(self._settled_at, dump.uptime) > HALF_RANGE_S:
            self._next_dump = now + _HELLO_EVERY / 3
            return []
        self._settled_at = None
        if dump.sequence != self._sequence:
            self._doubt(now)  # a change was lost after all that was heard
        self.wants_dump = False
        self._sequence = dump.sequence
        surprising = self._lost or self._board != list(dump.codes)
        self._board = list(dump.codes)
        self._doubted = {
            square: code
            for square, code in self._doubted.items()
            if dump.codes[square] not in (peg.EMPTY, code) or square in self._taken_out
        }
        known = self.codes or (peg.EMPTY,) * peg.SQUARES
        if self._identity:
            codes = _with(_without_faults(dump.codes, known), self._doubted)
            self._doubt_come(codes, dump.uptime if surprising else None)
        self.codes = tuple(_with(_without_faults(dump.codes, known), self._doubted))
        before, held = self._release(list(dump.codes), lost=surprising)
        shown = peg.placement_of(_without_faults(before, known), identity=self._identity)
        faulty = {square for square, code in enumerate(dump.codes) if code == peg.FAULT}
        at = self._clock.time(dump.uptime, now)
        new_faults = sorted(faulty - self._faulty)
        self._fault_since = {
            square: self._fault_since.get(square, dump.uptime) for square in faulty
        }
        self._faulty = faulty
        faults = [events.ContactFault(chess.square_name(square), at) for square in new_faults]
        position = [events.BoardPosition(shown, at, self._doubted_squares())] if surprising else []
        return [*position, *faults, *held]

    def _doubt_come(self, codes: list[int], lost: int | None) -> None:
        """Doubt each piece that has come since the reading was asked for and is one too many, or
        that no hand can have brought. ``codes`` is the board now; a change was ``lost`` before that
        uptime."""
        before = self._codes_before_reading or (peg.EMPTY,) * peg.SQUARES
        unlikely = self._hands.unlikely()
        if lost is not None:
            gone = {old for old, new in zip(before, codes, strict=True) if new == peg.EMPTY}
            unlikely = {square for square in unlikely if codes[square] not in gone}
            for piece in (Counter(before) - Counter(codes)).elements():
                self._hands.lift(piece, lost)
        come = {
            square: new
            for square, (old, new) in enumerate(zip(before, codes, strict=True))
            if new not in (old, peg.EMPTY)
        }
        for square in come:
            codes[square] = peg.EMPTY
        # Of two alike, the one that stands where a game begins is the likelier.
        for square in sorted(come, key=lambda square: come[square] != _START[square]):
            piece = come[square]
            doubtful = square in unlikely or too_many(codes, square, piece)
            if not doubtful or self._taken_out.get(square) == piece:
                codes[square] = piece
            elif self._doubt_placed(square):
                self._doubted[square] = peg.EMPTY
            else:
                self._doubted[square] = codes[square] = before[square]

    def _doubt_placed(self, square: int) -> bool:
        """Doubt the last placing on ``square`` that was heard since the loss. False if there is
        none."""
        name = chess.square_name(square)
        for index in range(len(self._held) - 1, self._whole_from - 1, -1):
            for event in self._held[index].events:
                if isinstance(event, events.Placed) and event.square == name:
                    doubt = events.PieceDoubted(name, event.at, empty=True)
                    self._held[index] = replace(self._held[index], events=[doubt])
                    return True
        return False

    def _hear_ping(self, ping: peg.Ping, now: float) -> list[BoardEvent]:
        if self._shows_restart(ping.uptime, now):
            return []
        self._note_uptime(ping.uptime, now)
        if self._board is not None and (
            ping.sequence != self._sequence or ping.state_crc != peg.state_crc(self._board)
        ):
            self._doubt(now)
        return []

    def _position(self, at: float) -> events.BoardPosition:
        return events.BoardPosition(self.placement() or "", at, self._doubted_squares())

    def _doubted_squares(self) -> tuple[str, ...]:
        return tuple(chess.square_name(square) for square in sorted(self._doubted))

    def _note_uptime(self, uptime: int, now: float) -> None:
        self._uptime, self._uptime_at = uptime, now
        self._clock.set(uptime, now)

    def _shows_restart(self, uptime: int, now: float) -> bool:
        # Backwards by less than half the range: a restart. By more: the counter wrapped.
        if 0 < (self._uptime - uptime) % (1 << 32) < 1 << 31:
            self.wants_hello = True
            self._doubt(now)
            return True
        return False

    # --- single changes ------------------------------------------------------------------------

    def _is_new(self, sequence: int, now: float) -> bool:
        """Note the number of a change. False if the change was heard before."""
        if self._sequence is not None:
            if sequence == self._sequence:
                return False
            if sequence != (self._sequence + 1) & 0xFFFF:
                self._doubt(now)
            self._sequence = sequence
        return True

    def _hear_hole(self, change: peg.HoleChanged, now: float) -> list[BoardEvent]:
        square, name = change.square, chess.square_name(change.square)
        at = self._clock.time(change.uptime, now)
        if self._board is not None:
            if self._board[square] != change.old:
                self._doubt(now)
            self._board[square] = change.new
        if change.new == peg.FAULT:
            self._faulty.add(square)
            self._fault_since.setdefault(square, change.uptime)
            return [events.ContactFault(name, at)]
        self._faulty.discard(square)
        since = self._fault_since.pop(square, None)
        known = self.codes[square] if self.codes is not None else None
        before = self._doubted.get(square, known if known is not None else change.old)
        if not {peg.EMPTY, peg.FAULT} & {before, change.new} and change.old != peg.EMPTY:
            return self._hear_unlifted(square, before, change.new, at)
        empty = before == peg.EMPTY and square in self._doubted
        if empty and change.new == peg.EMPTY:
            if change.old != peg.FAULT:
                self._taken_out[square] = change.old  # and a hand is about to put it back
                return []
            self._taken_out.pop(square, None)
            del self._doubted[square]
            return [events.PieceCertain(name, at)]
        held = self._hands.holds(change.new, change.uptime)
        if empty and square not in self._taken_out and not held:
            return []
        self._doubted.pop(square, None)
        if before == peg.EMPTY:
            self._suspect(change, since, now)
        if self.codes is not None:
            self.codes = (*self.codes[:square], change.new, *self.codes[square + 1 :])
        placed = events.Placed(name, peg.PIECES[change.new] if self._identity else None, at)
        if change.old == peg.FAULT:
            # The fault hid the change. Only a piece in a hole that was empty before has certainly
            # been placed. A fault never shows a lift.
            if known == peg.EMPTY and change.new != peg.EMPTY:
                return [placed]
            return [self._position(at)] if self.codes is not None else []
        if change.new == peg.EMPTY:
            self._taken_out.pop(square, None)
            self._hands.lift(before, change.uptime)
            return [events.Lifted(name, at)]
        certain = [name] if empty else []
        for other in [at for at, code in self._doubted.items() if code == peg.EMPTY]:
            if self._board is not None and self._board[other] == peg.EMPTY:  # put elsewhere
                del self._doubted[other]
                certain.append(chess.square_name(other))
        return [placed, *(events.PieceCertain(one, at) for one in certain)]

    def _suspect(self, change: peg.HoleChanged, since: int | None, now: float) -> None:
        """A piece has come into a hole that was empty, after a fault ``since``. If it cannot be,
        hold it until every lift of a hand that was quicker has been told, and read the whole
        board."""
        square, piece = change.square, change.new
        if not self._identity:
            return
        unlikely = self._hands.place(square, piece, change.uptime, since)
        if self.codes is not None and (unlikely or too_many(self.codes, square, piece)):
            self._read_again(now)
            self._settled_at = (change.uptime + LATEST_LIFT_MS) % (1 << 32)
            self._next_dump = now + LATEST_LIFT_MS / 1000

    def _hear_unlifted(self, square: int, before: int, now: int, at: float) -> list[BoardEvent]:
        """A hole with the piece ``before`` reads as the piece ``now``, without a lift."""
        name = chess.square_name(square)
        if now != before:
            doubted, self._doubted[square] = square in self._doubted, before
            return [] if doubted else [events.PieceDoubted(name, at)]
        if self._doubted.pop(square, None) is not None:
            return [events.PieceCertain(name, at)]
        return [self._position(at)] if self.codes is not None else []  # there was a fault

    def _hear_lever(self, lever: peg.LeverMoved, now: float) -> list[BoardEvent]:
        # The board sends a press at once. If the press lies more than a second before the last
        # known uptime, the board has restarted.
        if self._shows_restart(lever.uptime + 1000, now):
            return []
        if not self._is_new(lever.sequence, now) or not lever.down:
            return []
        counted = self._presses[lever.lever]
        if counted is not None:
            self._presses[lever.lever] = (counted + 1) % 256
        self._pressed_at[lever.lever] = lever.uptime
        at = self._clock.time(lever.uptime, now)
        return [events.LeverPressed(_SIDES[lever.lever], at)]

    def _hear_presses(self, count: peg.Presses, now: float) -> list[BoardEvent]:
        """Find presses whose frames got lost. Several of one lever get the time of the last."""
        if self._shows_restart(count.uptime, now):
            return []
        self._note_uptime(count.uptime, now)
        presses: list[BoardEvent] = []
        totals = (count.white, count.white_at), (count.black, count.black_at)
        for lever, (total, last_at) in enumerate(totals):
            counted = self._presses[lever]
            if counted is None:
                # The first count since the hello: only the last press can be judged.
                later = (last_at - self._greeted_at) % (1 << 32) < 1 << 31
                missed = int(total > 0 and later and last_at != self._pressed_at[lever])
            else:
                missed = (total - counted) % 256
                if missed > 127:  # the count went back: the board has restarted
                    self.wants_hello = True
                    missed = 0
            self._presses[lever] = total
            if missed:
                self._pressed_at[lever] = last_at
                at = self._clock.time(last_at, now)
                presses += [events.LeverPressed(_SIDES[lever], at)] * missed
        return sorted(presses, key=lambda press: press.at)


def _without_faults(codes: Iterable[int], known: Iterable[int]) -> list[int]:
    """Return ``codes`` with each fault replaced by the code that was known before."""
    return [old if new == peg.FAULT else new for old, new in zip(known, codes, strict=True)]


def _with(codes: Iterable[int], pieces: Mapping[int, int | None]) -> list[int]:
    """Return ``codes`` with these pieces by square; None changes nothing."""
    return [
        code if (piece := pieces.get(square)) is None else piece
        for square, code in enumerate(codes)
    ]


def _check_fit(hello: peg.Hello) -> None:
    if hello.version != peg.PROTOCOL_VERSION:
        raise UnfitBoardError(
            "The board speaks protocol {version} and this program {protocol_version}: "
            "update whichever is older.",
            version=hello.version,
            protocol_version=peg.PROTOCOL_VERSION,
        )
    if hello.squares != peg.SQUARES:
        raise UnfitBoardError(
            "The board says it has {squares} squares instead of 64: update its firmware.",
            squares=hello.squares,
        )


def _describe(hello: peg.Hello, name: str) -> str:
    able = peg.Capability(hello.capabilities)
    parts = [
        _("pegged board {name}", name=name) if name else _("pegged board"),
        _("firmware {version}", version=version_text(hello.firmware))
        if hello.firmware >= peg.FIRMWARE_VERSION
        else _(
            "firmware {version}, instead of which 'blindplay board flash' writes {newer}",
            version=version_text(hello.firmware),
            newer=version_text(peg.FIRMWARE_VERSION),
        ),
        _("knows each piece")
        if able & peg.Capability.IDENTITY
        else _("knows only which holes are occupied"),
    ]
    if able & peg.Capability.LEVERS:
        parts.append(_("clock levers"))
    if able & peg.Capability.BUZZER:
        parts.append(_("buzzer"))
    if able & peg.Capability.MOTOR:
        parts.append(_("vibration motor"))
    if able & peg.Capability.LAMP:
        parts.append(_("signal lamp"))
    return join_texts(", ", parts)


def _advice(hello: peg.Hello, url: str) -> str:
    """Advise people whose board has an older firmware than this program."""
    if hello.firmware >= peg.FIRMWARE_VERSION:
        return ""
    return _(
        "The board at {url} has firmware {version}, and this program brings {newer}: run "
        "'blindplay board flash' when no game is on.",
        url=url,
        version=version_text(hello.firmware),
        newer=version_text(peg.FIRMWARE_VERSION),
    )


class PegBoard(BoardDriver[PegBoardState]):
    """A pegged board. It knows which pieces are touched, and damaged bytes never look like a touch.

    A lost link never looks like lifted pieces: after each connect the board reports its whole
    position.
    """

    KIND = _("pegged board")

    @cached_property
    def _signals(self) -> Signals:
        return Signals()

    def light(
        self, squares: Collection[chess.Square], notices: Collection[Notice] = frozenset()
    ) -> None:
        del squares
        self._signals.show(notices)

    def read(self, number: int) -> None:
        """Ask for the whole board. Without a connection, no answer comes."""

        def ask(state: PegBoardState) -> None:
            state.read(number, time.monotonic())

        self._enqueue(ask)

    def known_faults(self, which: str | None) -> Collection[str]:
        known = kept(which or "", self.url)
        return sorted(known.bad) if known is not None else ()

    def new_state(self, url: str, before: PegBoardState | None) -> PegBoardState:
        return PegBoardState(url, before, self._signals)
