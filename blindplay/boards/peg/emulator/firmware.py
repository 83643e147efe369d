"""A model of the board's firmware: contacts and bytes in, messages out."""

import heapq
import itertools
from collections.abc import Callable
from typing import Literal

from .. import protocol as peg

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
    piece codes. ``native`` is True while the board sends unasked. Raises :class:`ValueError` for a
    wrong placement.
    """

    def __init__(
        self,
        placement: str,
        *,
        lift_ms: float = 150.0,
        place_ms: float = 25.0,
        identity: bool,
        signals: bool = False,
    ) -> None:
        self.holes = list(peg.codes_of(placement))
        self.buzzed: list[int] = []
        self.signalled: list[peg.Signal] = []
        self._lift_ms, self._place_ms = lift_ms, place_ms
        self._identity = identity
        self._signals = signals
        self._order = itertools.count()
        self.boot(0)

    def boot(self, nonce: int) -> None:
        """Start, as after a loss of power, with the pieces that are in the holes now."""
        self._nonce = nonce
        self._signal = 0
        self._sequence = self._wobbles = 0
        self.contact = list(self.holes)
        self.state = list(self.holes)
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
        """The contact of a hole reads ``code`` from ``at`` on, with any piece or none."""
        self._schedule(at, lambda t: self._contact_changes(square, code, t))

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

    def _contact_changes(self, index: int, code: int, now: float) -> None:
        self.contact[index] = code
        pending = self._pending.pop(index, None)
        if code == self.state[index]:
            if pending is not None:
                self._wobbles += 1
            return
        need = {peg.EMPTY: self._lift_ms, peg.FAULT: _FAULT_MS}.get(code, self._place_ms)
        self._pending[index] = (code, pending[1] if pending else now, now + need)

    def _confirm(self, index: int) -> None:
        code, first, _ = self._pending.pop(index)
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
                self._sent.append(self._hello(now))
            case peg.AskDump():
                codes = tuple(map(self._seen, self.state))
                dump = peg.Dump(self._sequence, _u32(now), codes)
                self._sent += [dump, self._count_presses(now)]
            case peg.AskPing():
                self._sent += [self._ping(now), self._count_presses(now)]
            case peg.AskRaw(square):
                # Some value that a real converter can give. An open contact reads full scale.
                code = self.contact[square]
                self._sent.append(peg.Raw(square, 1023 if code == peg.EMPTY else 60 * code))
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

    def _hello(self, now: float) -> peg.Hello:
        able = peg.Capability.LEVERS | peg.Capability.BUZZER
        if self._identity:
            able |= peg.Capability.IDENTITY
        if self._signals:
            able |= peg.Capability.MOTOR | peg.Capability.LAMP
        return peg.Hello(
            version=peg.PROTOCOL_VERSION,
            firmware=0x0101,
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
