"""The DGT clock: it shows gaps in the stream, and the side that moved."""

from typing import Literal

from .protocol import ClockSide, ClockTimes

_STEADY_TICKS = 15
"""After so many regular seconds a jump of the clock shows a loss."""
_LARGEST_STEP = 3
"""A clock that is heard each second falls by so many seconds at most between two messages."""


class ClockRhythm:
    """Notices when a clock that ticked each second was not heard for a while.

    Then messages were lost without a trace, and moves may be among them. Only a recording whose
    clock was heard each second for a while can show this; the others pass as good.
    """

    def __init__(self) -> None:
        self._last: ClockTimes | None = None
        self._ticks: int | None = 0  # None: this clock is not heard each second
        self._doubted = False

    def judge(self, clock: ClockTimes) -> Literal["good", "doubtful", "jump"]:
        """Take the next clock message. Ignore a doubtful one: its time may be misread. The next
        message shows whether it was, or whether time has passed unheard."""
        last = self._last
        regular = last is None or clock.running is None or self._is_regular(last, clock)
        if regular or self._ticks is None or self._ticks < _STEADY_TICKS:
            if last is not None and not regular:
                self._ticks = None
            self._last = clock if clock.running else None
            self._doubted = False
            return "good"
        if not self._doubted:
            self._doubted = True
            return "doubtful"
        self._last, self._doubted = clock, False
        return "jump"

    def _is_regular(self, last: ClockTimes, clock: ClockTimes) -> bool:
        # The clock may add time: an increment, a new period. It never runs fast.
        fell = max(last.left - clock.left, last.right - clock.right)
        if fell == 1 and self._ticks is not None:
            self._ticks += 1
        if last.running != clock.running:
            return fell <= _LARGEST_STEP
        stands = (last.left, clock.left) if clock.running == "right" else (last.right, clock.right)
        return fell <= _LARGEST_STEP and stands[0] == stands[1]


class ClockOwners:
    """The owners of the clock's sides; ``white`` is White's side, or None while it is unknown."""

    def __init__(self) -> None:
        self.white: ClockSide | None = None
        self._sure = False

    def mover_pressed(self, side: ClockSide, white_moved: bool) -> bool:
        """Return whether ``side`` of the clock belongs to the player who moved last.

        The first two presses that agree settle it: one alone may only have started the clock.
        """
        white: ClockSide = side if white_moved else ("right" if side == "left" else "left")
        if white == self.white:
            self._sure = True
        elif self._sure:
            return False
        self.white = white
        return True
