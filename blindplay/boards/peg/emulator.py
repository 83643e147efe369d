"""A pegged board in software, for tests, measurements and practice without hardware.

:class:`EmulatedBoard` works in real time behind a serial line. The effects of a contact follow from
the time at which it changed, so a busy computer does not change the events. It contains
:class:`SimulatedFirmware`, a model of the board's firmware: contacts and bytes in, messages out.
:func:`practise` is the emulated board as a command: typed words are its hands.
"""

import heapq
import itertools
import math
import random
import re
import threading
import time
from collections.abc import Callable, Iterable
from typing import Literal, Self, TextIO

import chess

from blindplay.translation import UserError, _, join_texts

from ..cable import Cable
from . import ladder
from . import protocol as peg

_SHORT = 1e-3
"""Ohms of a short circuit."""
_LEVER_MS = 80.0
"""Milliseconds that a pressed lever stays down."""
_FAULT_MS = 200.0
_HOST_SILENCE_MS = 10_000.0
"""After so long without a command from the host, the board falls silent."""
_PING_MS = 1000.0


class SimulatedFirmware:
    """The firmware as a model, without thread, serial line and clock.

    ``now`` and ``at`` are milliseconds since boot and never decrease. ``holes`` are the real
    pieces, ``contact`` the readings of the contacts, and ``state`` the confirmed state, each as 64
    piece codes. ``native`` is True while the board sends unasked. ``which`` is its id and name; a
    ``firmware`` older than 1.2 has none and does not know the command.

    :raises ValueError: for a wrong placement.
    """

    def __init__(
        self,
        placement: str,
        *,
        lift_ms: float = 150.0,
        place_ms: float = 25.0,
        identity: bool,
        signals: bool = False,
        which: peg.Identity = peg.NO_IDENTITY,
        firmware: int = peg.FIRMWARE_VERSION,
    ) -> None:
        self.which = which
        self.keeps = True  # False: its memory is worn out
        self._firmware = firmware
        self.holes = list(peg.codes_of(placement))
        self.buzzed: list[int] = []
        self.signalled: list[peg.Signal] = []
        self._lift_ms, self._place_ms = lift_ms, place_ms
        self._identity = identity
        self._signals = signals
        self._order = itertools.count()
        # Ohms by hole: more in its contact, and from its tip to ground.
        self._worn: dict[int, float] = {}
        self._damp: dict[int, float] = {}
        self.boot(0)

    def boot(self, nonce: int) -> None:
        """Start, as after a loss of power, with the pieces that are in the holes now."""
        self._nonce = nonce
        self._signal = 0
        self._sequence = self._wobbles = 0
        self.contact = list(self.holes)
        self.state = [self._read(index) for index in range(peg.SQUARES)]
        self._presses, self._pressed_at = [0, 0], [0.0, 0.0]
        # Holes with an unconfirmed change: code, time of the first change, time of confirmation.
        self._pending: dict[int, tuple[int, float, float]] = {}
        self._changes: list[tuple[float, int, Callable[[float], None]]] = []
        self._decoder = peg.FrameDecoder()
        self._sent: list[peg.Message] = []
        self.native = False
        self._host_heard = self._next_ping = 0.0

    def put(self, square: int, code: int, at: float) -> None:
        """A hand puts something into a hole now, and its contact is steady from ``at`` on."""
        self.holes[square] = code
        self.read_as(square, code, at)

    def read_as(self, square: int, code: int, at: float) -> None:
        """The contact of a hole has ``code`` from ``at`` on, with any piece or none."""
        self._schedule(at, lambda t: self._contact_changes(square, code, t))

    def spoil(
        self, square: int, at: float, *, worn: float | None = None, damp: float | None = None
    ) -> None:
        """From ``at`` on the contact of a hole has ``worn`` ohms more, and its tip ``damp`` ohms to
        ground; None changes nothing."""

        def change(now: float) -> None:
            if worn is not None:
                self._worn[square] = worn
            if damp is not None:
                self._damp[square] = damp
            self._contact_changes(square, self.contact[square], now)

        self._schedule(at, change)

    def feel(self, square: int, at: float, ms: float) -> None:
        """A hand feels a piece, so that its contact opens ``at`` and closes after ``ms``."""
        self.read_as(square, peg.EMPTY, at)
        self.read_as(square, self.holes[square], at + ms)

    def press(self, side: Literal["white", "black"], at: float) -> None:
        """A hand presses a lever, which springs back by itself."""
        lever = ("white", "black").index(side)
        self._schedule(at, lambda t: self._lever_moves(lever, 1, t))
        self._schedule(at + _LEVER_MS, lambda t: self._lever_moves(lever, 0, t))

    def settled(self, square: int) -> bool:
        """Return whether every change of this hole is confirmed."""
        return square not in self._pending

    def due(self, now: float) -> bool:
        """Return whether a change that should have happened by now has yet to be made."""
        return bool(self._changes) and self._changes[0][0] <= now

    def _schedule(self, when: float, change: Callable[[float], None]) -> None:
        heapq.heappush(self._changes, (when, next(self._order), change))

    def _level(self, index: int) -> int:
        """The converter's reading of a hole."""
        code = self.contact[index]
        contact = _SHORT if code == peg.FAULT else ladder.OHMS[code] + self._worn.get(index, 0.0)
        siemens = 1 / contact + 1 / self._damp.get(index, math.inf)
        if not siemens:
            return ladder.TOP
        ohms = ladder.USUAL + 1 / siemens
        return round(ladder.TOP * ohms / (ohms + ladder.PULL_UP))

    def _read(self, index: int) -> int:
        """The code that the board reads in a hole."""
        level = self._level(index)
        return next((code for low, high, code in ladder.WINDOWS if low <= level <= high), peg.FAULT)

    def _contact_changes(self, index: int, contact: int, now: float) -> None:
        self.contact[index] = contact
        code = self._read(index)
        pending = self._pending.pop(index, None)
        if code == self.state[index]:
            if pending is not None:
                self._wobbles += 1
            return
        need = {peg.EMPTY: self._lift_ms, peg.FAULT: _FAULT_MS}.get(code, self._place_ms)
        self._pending[index] = (code, pending[1] if pending else now, now + need)

    def _confirm(self, index: int) -> None:
        code, first, _rest = self._pending.pop(index)
        old, self.state[index] = self.state[index], code
        old, new = self._seen(old), self._seen(code)
        if old != new:
            self._sequence = (self._sequence + 1) & 0xFFFF
            self._send(peg.HoleChanged(self._sequence, _u32(first), index, old, new))

    def _lever_moves(self, lever: int, down: int, now: float) -> None:
        self._sequence = (self._sequence + 1) & 0xFFFF
        if down:
            self._presses[lever] = (self._presses[lever] + 1) & 0xFF
            self._pressed_at[lever] = now
        self._send(peg.LeverMoved(self._sequence, _u32(now), lever, down))

    def _seen(self, code: int) -> int:
        # A board without identity reads all plugs alike.
        return code if self._identity or code in (peg.EMPTY, peg.FAULT) else 1

    def advance(self, now: float) -> None:
        """Let everything that is due by now happen, in order."""
        while True:
            confirmed = min(
                ((p[2], index) for index, p in self._pending.items() if p[2] <= now), default=None
            )
            change = self._changes[0] if self._changes and self._changes[0][0] <= now else None
            if confirmed is not None and (change is None or confirmed[0] <= change[0]):
                self._confirm(confirmed[1])
            elif change is not None:
                heapq.heappop(self._changes)
                change[2](change[0])
            else:
                break
        if now - self._host_heard > _HOST_SILENCE_MS:
            self.native = False
        if self.native and now >= self._next_ping:
            self._next_ping = now + _PING_MS
            self._sent += [self._ping(now), self._count_presses(now)]

    def hear(self, data: bytes, now: float) -> None:
        """Take bytes from the host."""
        for body in self._decoder.feed_bodies(data):
            self._execute(body, now)

    def take(self) -> list[peg.Message]:
        """Return the messages since the last call."""
        sent, self._sent = self._sent, []
        return sent

    def _send(self, message: peg.Message) -> None:
        if self.native:
            self._sent.append(message)

    def _execute(self, body: bytes, now: float) -> None:
        self._host_heard = now
        try:
            command = peg.parse_command(body)
        except peg.MalformedFrameError:
            self._sent.append(peg.Nak(peg.NakReason.BAD_ARGUMENT))
            return
        match command:
            case peg.AskHello():
                if not self.native:
                    self._next_ping = now + _PING_MS
                self.native = True
                if self._keeps_name:
                    self._sent.append(self.which)
                self._sent.append(self._hello(now))
            case peg.AskDump():
                codes = tuple(map(self._seen, self.state))
                dump = peg.Dump(self._sequence, _u32(now), codes)
                self._sent += [dump, self._count_presses(now)]
            case peg.AskPing():
                self._sent += [self._ping(now), self._count_presses(now)]
            case peg.AskRaw(square):
                self._sent.append(peg.Raw(square, self._level(square)))
            case peg.Set(key, value):
                self._sent.append(self._set(key, value))
            case peg.Buzz(pattern):
                self.buzzed.append(pattern)
                self._sent.append(peg.Ack())
            case peg.Signal(number) if self._signals:
                if number != self._signal:
                    self._signal = number
                    self.signalled.append(command)
                self._sent.append(peg.Signalled(number))
            case peg.Identify(number, name) if self._keeps_name:
                if self.keeps:
                    self.which = peg.Identity(number, name)
                done = peg.Ack() if self.keeps else peg.Nak(peg.NakReason.NOT_KEPT)
                self._sent.append(done)
            case peg.Leave():
                self.native = False
            case _:
                self._sent.append(peg.Nak(peg.NakReason.UNKNOWN_COMMAND))

    def _set(self, key: int, value: int) -> peg.Message:
        if key == peg.Setting.LIFT_MS and 50 <= value <= 300:
            self._lift_ms = float(value)
        elif key == peg.Setting.PLACE_MS and 5 <= value <= 300:
            self._place_ms = float(value)
        else:
            return peg.Nak(peg.NakReason.BAD_ARGUMENT)
        return peg.Ack()

    @property
    def _keeps_name(self) -> bool:
        return self._firmware >= 0x0102

    def _hello(self, now: float) -> peg.Hello:
        able = peg.Capability.LEVERS
        if self._firmware > 0x0100:
            able |= peg.Capability.BUZZER
        if self._identity:
            able |= peg.Capability.IDENTITY
        if self._signals:
            able |= peg.Capability.MOTOR | peg.Capability.LAMP
        if self._keeps_name:
            able |= peg.Capability.NAME
        return peg.Hello(
            version=peg.PROTOCOL_VERSION,
            firmware=self._firmware,
            capabilities=able,
            squares=peg.SQUARES,
            nonce=self._nonce,
            cause=1,
            uptime=_u32(now),
        )

    def _ping(self, now: float) -> peg.Ping:
        return peg.Ping(
            sequence=self._sequence,
            uptime=_u32(now),
            state_crc=peg.state_crc(map(self._seen, self.state)),
            overruns=0,
            line_errors=min(255, self._decoder.rejected),
            wobbles=min(0xFFFF, self._wobbles),
            scan_us=3300,
        )

    def _count_presses(self, now: float) -> peg.Presses:
        (white, black), (white_at, black_at) = self._presses, self._pressed_at
        return peg.Presses(_u32(now), white, _u32(white_at), black, _u32(black_at))


def _u32(milliseconds: float) -> int:
    return int(milliseconds) & 0xFFFFFFFF


_TICK = 0.005
"""Seconds between two scans of the contacts, about as in the hardware."""


class EmulatedBoard:
    """A board with pieces, levers and a plug. Its methods are the hands that move them.

    ``placement`` is FEN's first field. ``lift_ms`` and ``place_ms`` are the times after which the
    board confirms a change. ``boot_seconds`` is how long the board is deaf after power, reset and
    each opening of its line: 1.5 for an Arduino, 0 for a board that opening does not reset. With
    ``identity=False`` the board knows only which holes are occupied, and with ``signals`` it has a
    vibration motor and a lamp. ``which`` is its id and name to begin with; a ``firmware`` older
    than 1.2 has none. ``url`` is where a driver finds the board, the same after each :meth:`plug`.

    :raises ValueError: for a wrong placement.
    """

    def __init__(
        self,
        placement: str = chess.STARTING_BOARD_FEN,
        *,
        force_socket: bool = False,
        lift_ms: float = 150.0,
        place_ms: float = 25.0,
        boot_seconds: float = 0.0,
        identity: bool = True,
        signals: bool = False,
        which: peg.Identity = peg.NO_IDENTITY,
        firmware: int = peg.FIRMWARE_VERSION,
    ) -> None:
        self._firmware = SimulatedFirmware(
            placement,
            lift_ms=lift_ms,
            place_ms=place_ms,
            identity=identity,
            signals=signals,
            which=which,
            firmware=firmware,
        )
        self._boot_seconds = boot_seconds
        self._lock = threading.RLock()
        self._boot()
        self._cable = Cable(force_socket=force_socket)
        self.url = self._cable.url
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="emulated board", daemon=True)
        self._thread.start()

    # --- hands -----------------------------------------------------------------------------

    @property
    def placement(self) -> str:
        """The pieces that really stand on the board, as FEN's first field."""
        with self._lock:
            return peg.placement_of(self._firmware.holes)

    @property
    def which(self) -> peg.Identity:
        """The board's id and name."""
        return self._firmware.which

    @property
    def buzzed(self) -> list[int]:
        """The buzzer patterns that have sounded."""
        return self._firmware.buzzed

    @property
    def felt(self) -> list[int]:
        """The patterns that the vibration motor has shown."""
        return [signal.motor for signal in self._firmware.signalled if signal.motor]

    @property
    def lamp(self) -> int:
        """The pattern that the lamp shows again and again. 0: it is off."""
        return self._firmware.signalled[-1].lamp if self._firmware.signalled else 0

    def lift(self, square: str, *, wait: bool = True) -> str:
        """Take the piece from ``square`` and return its FEN letter.

        Returns when the board has confirmed the lift, or at once with ``wait=False``, as hasty
        hands do.

        :raises ValueError: for an empty hole or a wrong square.
        """
        index = peg.square_index(square)
        with self._lock:
            code = self._firmware.holes[index]
            if code == peg.EMPTY:
                raise UserError("there is no piece on {square} to lift", square=square)
            self._firmware.put(index, peg.EMPTY, self._uptime())
        if wait:
            self._await_confirmation(index)
        return peg.PIECES[code] if code != peg.FAULT else "?"

    def place(self, square: str, piece: str, *, wait: bool = True) -> None:
        """Put ``piece`` (a FEN letter, or ``!`` for a plug the board cannot read) into a hole.

        Returns when the board has confirmed it, or at once.

        :raises ValueError: for an occupied hole, a wrong piece or a wrong square.
        """
        index, code = peg.square_index(square), _code(piece)
        with self._lock:
            if self._firmware.holes[index] != peg.EMPTY:
                raise UserError("{square} is occupied: lift that piece first", square=square)
            self._firmware.put(index, code, self._uptime())
        if wait:
            self._await_confirmation(index)

    def fault(self, square: str, reads: str = "!") -> None:
        """Spoil the contact of ``square``: it reads as another piece (a FEN letter) or, by default,
        neither as a piece nor as empty.

        :raises ValueError: for a wrong piece or square.
        """
        index, code = peg.square_index(square), _code(reads)
        with self._lock:
            self._firmware.read_as(index, code, self._uptime())
        self._await_confirmation(index)

    def resistance(self, square: str, ohms: float) -> None:
        """Add ``ohms`` to the contact of ``square``, whatever stands there.

        :raises ValueError: for a wrong square.
        """
        index = peg.square_index(square)
        with self._lock:
            self._firmware.spoil(index, self._uptime(), worn=ohms)
        self._await_confirmation(index)

    def damp(self, square: str, ohms: float) -> None:
        """Join the tip of ``square`` and ground by ``ohms``.

        :raises ValueError: for a wrong square.
        """
        index = peg.square_index(square)
        with self._lock:
            self._firmware.spoil(index, self._uptime(), damp=ohms)
        self._await_confirmation(index)

    def mend(self, square: str) -> None:
        """Repair the contact of ``square``, and dry it."""
        index = peg.square_index(square)
        with self._lock:
            self._firmware.spoil(index, self._uptime(), worn=0.0, damp=math.inf)
            self._firmware.read_as(index, self._firmware.holes[index], self._uptime())
        self._await_confirmation(index)

    def press(self, side: Literal["white", "black"]) -> None:
        """Press a player's clock lever. It springs back by itself.

        :raises ValueError: for a wrong side.
        """
        if side not in ("white", "black"):
            raise UserError("{side} has no lever: write white or black", side=repr(side))
        with self._lock:
            self._firmware.press(side, self._uptime())

    # --- the cable -------------------------------------------------------------------------

    def unplug(self) -> None:
        """Pull the plug: the port vanishes, and the board loses its power."""
        with self._lock:
            self._cable.unplug()

    def plug(self) -> None:
        """Plug in again: the board boots with the pieces that are in its holes now."""
        with self._lock:
            if not self._cable.plugged and not self._closed.is_set():
                self._boot()
                self._cable.plug()

    def close(self) -> None:
        """Unplug for good and free everything. Closing twice is harmless."""
        self._closed.set()
        self._thread.join(timeout=5)
        self._cable.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- between the board and its line ----------------------------------------------------

    def _boot(self) -> None:
        self._booted = time.monotonic()
        self._firmware.boot(random.SystemRandom().randrange(1 << 16))

    def _uptime(self) -> float:
        return (time.monotonic() - self._booted) * 1000

    def _await_confirmation(self, index: int) -> None:
        """Wait until the board has confirmed the reading of this hole."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            with self._lock:
                due = self._firmware.due(self._uptime())
                if not self._cable.plugged or (self._firmware.settled(index) and not due):
                    return
            time.sleep(_TICK)

    def _send(self, message: peg.Message) -> None:
        self._cable.write(peg.encode(message))

    def _run(self) -> None:
        host_present = False
        while not self._closed.is_set():
            booted = self._booted
            data = self._cable.read(_TICK)
            with self._lock:
                if not self._cable.plugged:
                    host_present = False
                    continue
                if self._booted != booted:
                    continue  # these bytes came before the board restarted
                if data is None:
                    host_present = self._firmware.native = False
                elif not host_present:
                    host_present = True
                    if self._boot_seconds:
                        self._boot()
                self._firmware.advance(self._uptime())
                if self._uptime() >= self._boot_seconds * 1000:
                    self._firmware.hear(data or b"", self._uptime())
                for message in self._firmware.take():
                    self._send(message)


def _code(piece: str) -> int:
    """The code of a FEN letter; ``!`` is a plug that the board cannot read."""
    if len(piece) != 1 or piece not in peg.PIECES[1:] + "!":
        raise UserError(
            "{piece} is not a piece: write one of P N B R Q K p n b r q k", piece=repr(piece)
        )
    return peg.FAULT if piece == "!" else peg.PIECES.index(piece)


HELP = _(
    "Type lift e2, place e4 P (without a letter: the piece lifted last), move e2e4 (castling as "
    "the king's move), press white, fault e2 (fault e2 p: it reads as p), resistance e2 5000 or "
    "damp e4 20000 (ohms), mend e2, unplug, plug, fen, signals or quit."
)


class PracticeError(UserError):
    """A line is not a command, or the board does not allow it. The message is one sentence."""


def practise(board: EmulatedBoard, lines: Iterable[str], out: TextIO) -> None:
    """Obey ``lines``. Report a wrong line and skip it."""
    print(board.url, file=out, flush=True)
    hand: list[str] = []
    for line in lines:
        words = line.split()
        try:
            if words:
                _do(board, hand, words, out)
        except ValueError as error:
            print(_("trouble: {error}", error=error), file=out, flush=True)


def _do(board: EmulatedBoard, hand: list[str], words: list[str], out: TextIO) -> None:
    match words:
        case ["lift", square]:
            hand.append(board.lift(square))
        case ["place", square]:
            if not hand:
                raise PracticeError("the hand is empty: write the piece, too, such as place e4 P")
            board.place(square, hand[-1])
            hand.pop()
        case ["place", square, piece]:
            board.place(square, piece)
            if piece in hand:
                hand.remove(piece)
        case ["move", uci]:
            _move(board, uci)
        case ["press", ("white" | "black") as side]:
            board.press(side)
        case ["fault", square, *reads] if len(reads) < 2:
            board.fault(square, *reads)
        case ["resistance", square, ohms]:
            board.resistance(square, _ohms(ohms))
        case ["damp", square, ohms]:
            board.damp(square, _ohms(ohms))
        case ["mend", square]:
            board.mend(square)
        case ["unplug"]:
            board.unplug()
        case ["plug"]:
            board.plug()
        case ["fen"]:
            print(board.placement, file=out, flush=True)
        case ["signals"]:
            for pattern in board.felt:
                print("motor", f"{pattern:016b}"[::-1], file=out)
            print("lamp", f"{board.lamp:08b}"[::-1], file=out, flush=True)
        case ["fen", placement, *_]:
            raise PracticeError(_no_new_position(placement))
        case _:
            raise PracticeError(
                "{words} is not a command. {remedy}", words=repr(" ".join(words)), remedy=HELP
            )


def _ohms(text: str) -> float:
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) == 0:
        raise PracticeError(
            "{ohms} are no ohms: write a whole number from 1 to 999999999", ohms=repr(text)
        )
    return float(text)


def _no_new_position(placement: str) -> str:
    """Explain that ``fen`` takes no position: hands move pieces, one at a time."""
    only = _("fen only prints the position; give another one to begin with by --fen")
    try:
        peg.codes_of(placement)
    except ValueError as error:
        return join_texts("; ", (error, only))
    return only


def _move(board: EmulatedBoard, uci: str) -> None:
    """Move without asking the Laws: a captured piece goes first, and castling moves both pieces."""
    try:
        move = chess.Move.from_uci(uci)
    except ValueError:
        raise PracticeError(
            "{uci} is not a move: write from and to, such as e2e4", uci=repr(uci)
        ) from None
    start, goal = chess.square_name(move.from_square), chess.square_name(move.to_square)
    before = chess.BaseBoard(board.placement)
    piece = before.piece_at(move.from_square)
    if piece is None:
        raise PracticeError("there is no piece on {start}", start=start)
    taken = goal
    if piece.piece_type == chess.PAWN and before.piece_at(move.to_square) is None:
        taken = goal[0] + start[1]  # en passant, or the square that the pawn itself leaves
    if taken != start and before.piece_at(chess.parse_square(taken)) is not None:
        board.lift(taken)
    board.lift(start)
    board.place(goal, chess.Piece(move.promotion or piece.piece_type, piece.color).symbol())
    if piece.piece_type == chess.KING and abs(ord(goal[0]) - ord(start[0])) == 2:
        corner, beside = ("h", "f") if goal > start else ("a", "d")
        if before.piece_at(chess.parse_square(corner + start[1])) is not None:
            board.place(beside + start[1], board.lift(corner + start[1]))
