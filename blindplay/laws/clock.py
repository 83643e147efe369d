"""The chess clock: exact arithmetic in integer milliseconds, no wall clock.

An increment is given before each move, the first included (fide-2014, Bilaga H), so 300+5 starts
at 305 seconds and a press at once adds the next 5.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Self

from blindplay.translation import UserError

_PERIOD = re.compile(
    r"(?:(\d{1,4})/)?(\d{1,7}(?:\.\d{1,3})?)(?:\+(\d{1,5}(?:\.\d{1,3})?))?", re.ASCII
)


@dataclass(frozen=True)
class Period:
    """``moves`` in ``base`` ms, with ``increment`` ms a move; ``moves`` None: the rest."""

    moves: int | None
    base: int
    increment: int


@dataclass(frozen=True)
class TimeControl:
    """The periods of PGN's TimeControl tag; none for a game without a clock (``-``).

    The last period, if it has a number of moves, is repeated as needed (PGN standard, 9.6.1).
    """

    periods: tuple[Period, ...]
    mode: str = "increment"
    """What becomes of the seconds for each move (6.3.2): they are added (``increment``), pass
    before the clock counts (``delay``), or come back as far as they were used (``bronstein``)."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``40/5400+30:1800+30``, ``900+10`` or ``-``.

        :raises ValueError: anything else
        """
        if text in ("-", "?", ""):
            return cls(())
        periods = []
        for part in text.split(":"):
            match = _PERIOD.fullmatch(part)
            if match is None or match[1] == "0" or not float(match[2]) + float(match[3] or 0):
                raise UserError(
                    "must be a time control such as 900+10 or 40/5400+30:1800+30, not {text}",
                    text=text[:60],
                )
            base, increment = (int(Decimal(match[part] or 0) * 1000) for part in (2, 3))
            periods.append(Period(int(match[1]) if match[1] else None, base, increment))
        return cls(tuple(periods))

    @property
    def pgn(self) -> str:
        """The value of PGN's TimeControl tag, which :meth:`parse` reads."""
        parts = []
        for period in self.periods:
            moves = f"{period.moves}/" if period.moves else ""
            increment = f"+{_seconds(period.increment)}" if period.increment else ""
            parts.append(f"{moves}{_seconds(period.base)}{increment}")
        return ":".join(parts) or "-"


def _seconds(milliseconds: int) -> str:
    whole, rest = divmod(milliseconds, 1000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)


@dataclass(frozen=True)
class ClockState:
    """Both clocks at one moment."""

    left: dict[str, int]
    moves: dict[str, int]
    period: dict[str, int]
    in_period: dict[str, int]


class Clock:
    """Both players' times. ``running`` is "white", "black" or None.

    :meth:`advance` must be called with the time of each fact before anything is read.
    ``flags`` names, in order, the sides whose time ran out; a time never becomes negative.
    """

    def __init__(
        self,
        control: TimeControl,
        mode: str = "increment",
        *,
        carries: bool = True,
        has_flags: bool = True,
    ) -> None:
        """``carries``: time saved in one period is added to the next (6.3.2). Without flags, a time
        that has run out stands at zero."""
        self.control = control
        self.carries = carries
        self.mode = mode
        self.running: str | None = None
        self.at = 0
        self.flags: list[str] = []
        self._has_flags = has_flags
        self._fell: dict[str, int] = {}
        first = control.periods[0] if control.periods else Period(None, 0, 0)
        start = first.base + (first.increment if mode == "increment" else 0)
        self.left = {"white": start, "black": start}
        self.moves = {"white": 0, "black": 0}
        self._period = {"white": 0, "black": 0}
        self._in_period = {"white": 0, "black": 0}
        # For each side whose next move has begun: the ms that it has taken, and the ms of its delay
        # that are still to pass. Both stay while the other clock runs in between (7.4.1).
        self._thought: dict[str, int] = {}
        self._delay: dict[str, int] = {}
        # The ms that were set beside what ran since the last move: penalties, the arbiter's times.
        self.granted = {"white": 0, "black": 0}
        # The cause why both clocks stand: "arbiter", the person who called the arbiter, "table"
        # when it ended, or "assistant" while a compulsory one is missing. Nothing else starts them
        # again (6.11.3, D.2.11).
        self.stopped_by = ""

    def __bool__(self) -> bool:
        """Return whether there is a clock at all."""
        return bool(self.control.periods)

    def advance(self, t: int) -> None:
        """Let time pass until ``t``. Where that is past already, as for a press that came late over
        a line, give the time since then back, but no more than the move has taken."""
        passed = t - self.at
        self.at = t
        side = self.running
        if side is None or not self:
            return
        passed = max(passed, -self._thought[side])
        waited = min(passed, self._delay[side])
        if passed < 0:  # a delay passes first, so it comes back last
            given = self._now(side).increment if self.mode == "delay" else 0
            charged = self._thought[side] - max(0, given - self._delay[side])
            waited = min(0, passed + charged)
        self._thought[side] += passed
        self._delay[side] -= waited
        left = self.left[side] - (passed - waited)
        while left <= 0 and self._next_period_without_moves(side):
            left += self.control.periods[self._period[side]].base
        if left <= 0 and not self._delay[side]:
            self._flag_falls(side, t + left)
        self.left[side] = max(left, 0)

    def arrive(self, t: int, presser: str) -> None:
        """A press of ``presser`` has come ``t``, later than it was made. If it has stopped that
        clock, the time between is charged to nobody; otherwise it runs on."""
        if self.running == presser:
            self.advance(t)
        else:
            self.at = t

    def _flag_falls(self, side: str, at: int) -> None:
        if self._has_flags and side not in self.flags:
            self.flags.append(side)
            self._fell[side] = at

    @property
    def order_known(self) -> bool:
        """Return True unless two flags fell at the same time."""
        return len(self.flags) < 2 or self._fell["white"] != self._fell["black"]

    @property
    def counts_from(self) -> int:
        """The ms of the table's time from which on the running side has less than ``left``: where
        a delay has not yet passed, that is later than now."""
        return self.at + self._delay.get(self.running or "", 0)

    def in_last_period(self, side: str) -> bool:
        """Return whether all remaining moves must be made in the time that ``side`` has left."""
        last = len(self.control.periods) - 1
        return last >= 0 and self._period[side] == last and self._now(side).moves is None

    def period(self, side: str) -> int:
        """The number of ``side``'s period, the first is 0."""
        return self._period[side]

    def increment(self, side: str) -> int:
        """Return the ms that ``side`` gets for each move in this period, in whatever mode."""
        return self._now(side).increment

    def give_increment(self, increment: int) -> None:
        """From now on both get ``increment`` ms for each move (III.4)."""
        periods = (Period(one.moves, one.base, increment) for one in self.control.periods)
        self.control = TimeControl(tuple(periods), self.control.mode)

    def _next_period_without_moves(self, side: str) -> bool:
        """A period that has no number of moves ends with its time, and the next one begins."""
        index = self._period[side]
        if self.control.periods[index].moves is None and index + 1 < len(self.control.periods):
            self._period[side] = index + 1
            self._in_period[side] = 0
            return True
        return False

    def start(self, side: str) -> None:
        """Start ``side``'s clock and stop the other's, unless somebody has stopped both.

        Started again for the same move, it goes on where it stood: a delay is given once a move
        (6.3.2).
        """
        if self.stopped_by:
            return
        self.running = side
        if side not in self._thought:
            self._thought[side] = 0
            self._delay[side] = self._now(side).increment if self.mode == "delay" else 0

    def stop(self, by: str = "") -> None:
        """Stop both clocks; ``by`` has stopped them until the arbiter starts them."""
        self.running = None
        self.stopped_by = by or self.stopped_by

    def _now(self, side: str) -> Period:
        return self.control.periods[self._period[side]] if self else Period(None, 0, 0)

    def complete(self, side: str) -> None:
        """``side`` has completed a move: count it, give what the mode gives, start the other."""
        self.moves[side] += 1
        self.granted = dict.fromkeys(self.granted, 0)
        thought = self._thought.pop(side, 0)
        if self:
            period = self._now(side)
            if self.mode == "bronstein":
                self.left[side] += min(thought, period.increment)
            self._in_period[side] += 1
            if self._in_period[side] == period.moves:
                self._period[side] = min(self._period[side] + 1, len(self.control.periods) - 1)
                self._in_period[side] = 0
                self.left[side] = self._now(side).base + (self.left[side] if self.carries else 0)
            if self.mode == "increment":
                self.left[side] += self._now(side).increment
        self.start("black" if side == "white" else "white")

    def snapshot(self) -> ClockState:
        """Return the state from which :meth:`restore` puts the clock back as it stands now."""
        return ClockState(
            dict(self.left), dict(self.moves), dict(self._period), dict(self._in_period)
        )

    def restore(self, state: ClockState) -> None:
        """Put both times and move counts back; the clock stands, fallen flags are up again."""
        self.left = dict(state.left)
        self.moves = dict(state.moves)
        self._period = dict(state.period)
        self._in_period = dict(state.in_period)
        self.flags = []
        self.running = None
        self.granted = dict.fromkeys(self.granted, 0)
        self._thought.clear()

    def undo(self, before: Self, after: Self) -> None:
        """Take back what the arbiter changed from ``before`` to ``after``. What has run since then
        stays charged. ``running`` stays as it is."""
        for name in ("control", "moves", "_thought", "_delay"):
            old = getattr(before, name)
            if old != getattr(after, name):
                setattr(self, name, old.copy() if isinstance(old, dict) else old)
        if before.stopped_by != after.stopped_by:
            self.stopped_by = before.stopped_by
        granted = {
            side: since - after.granted[side] + before.granted[side]
            for side, since in self.granted.items()
        }
        for side in before.left:
            self._undo_time(side, before, after)
        self.granted = granted
        self.flags.sort(key=lambda side: self._fell[side])

    def _undo_time(self, side: str, before: Self, after: Self) -> None:
        entered = range(after._period[side] + 1, self._period[side] + 1)  # since, with their time
        left = self.left[side] - sum(self.control.periods[one].base for one in entered)
        left += before.left[side] - after.left[side]
        self._period[side] = before._period[side]
        self._in_period[side] = before._in_period[side]
        if before.left[side]:
            while left <= 0 and self._next_period_without_moves(side):
                left += self.control.periods[self._period[side]].base
        if entered or before.left[side] != after.left[side]:
            self.set(side, max(0, left))
            if not before.left[side] and left <= 0 and side in self.flags:
                self.flags.remove(side)  # the arbiter had raised it, though the time was over
        if side in before.flags:
            self._fell[side] = before._fell[side]
            self.flags += [] if side in self.flags else [side]

    def set_moves(self, side: str, moves: int) -> None:
        """The arbiter sets the count of ``side``'s moves (6.10.2, 7.1); the time stays."""
        self.moves[side] = self._in_period[side] = moves
        self._period[side] = 0
        last = len(self.control.periods) - 1
        while self and (needed := self._now(side).moves) and self._in_period[side] >= needed:
            self._in_period[side] -= needed
            self._period[side] = min(self._period[side] + 1, last)

    def set(self, side: str, left: int) -> None:
        """The arbiter sets ``side``'s time, in ms (6.10, 6.13)."""
        self.granted[side] += left - self.left[side]
        self.left[side] = left
        if left > 0 and side in self.flags:
            self.flags.remove(side)
        elif left == 0 and self:
            self._flag_falls(side, self.at)
