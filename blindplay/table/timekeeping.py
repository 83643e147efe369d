"""Time at a table: each second of a running clock is a fact; warnings of little time; reminders.

Under the Laws a table tells the time on request only (D.2.10.4). So warnings are silent until the
arbiter permits them; in training they need no permission.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from blindplay.conversation.effects import Say, say
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.due import Do, Step
from blindplay.record.pulse import BEAT_S
from blindplay.wording.readers import Readers

from .table import Table

log = logging.getLogger(__name__)


class Timekeeper:
    """Lets time pass at ``table`` in threads of its own, until it is closed, so that flags fall.

    ``each_second`` is called every ``tick_seconds``, and ``trouble`` with an error when something
    fails. A heartbeat beside the journal shows after a crash how long the table ran.
    """

    def __init__(
        self,
        table: Table,
        each_second: Callable[[], None],
        trouble: Callable[[Exception], object],
        *,
        tick_seconds: float = 1.0,
    ) -> None:
        self._table = table
        self._each_second = each_second
        self._trouble = trouble
        self._tick_seconds = tick_seconds
        self._closed = threading.Event()
        self._threads = [
            threading.Thread(target=self._tick, name="wall clock", daemon=True),
            threading.Thread(target=self._beat, name="pulse", daemon=True),
        ]
        table.watch_time(True)
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop, with a last heartbeat."""
        self._closed.set()
        for thread in self._threads:
            thread.join(timeout=5)
        self._table.watch_time(False)
        self._table.beat()

    def _tick(self) -> None:
        reported = ""
        while not self._closed.wait(self._tick_seconds):
            try:
                clock = self._table.game.clock
                if clock and clock.running is not None:
                    self._table.submit(f.Tick())
                else:
                    self._table.save()
                self._each_second()
            except Exception as error:  # a failing listener must not stop the clock
                if (now := repr(error)) != reported:  # once, not each second
                    reported = now
                    log.exception("A listener failed while time went on.")
                    with contextlib.suppress(Exception):
                        self._trouble(error)

    def _beat(self) -> None:
        """Beat many times a second, even while the table waits for something."""
        while not self._closed.wait(BEAT_S):
            self._table.beat()


_AGAIN_MS = 60_000
"""A warning comes again only after there was so much more time, for increments come and go."""


@dataclass
class _Wanted:
    """The times left at which a player wants to be warned, and those already told; in ms."""

    times: tuple[int, ...] = ()
    told: set[int] = field(default_factory=set)


class TimeWarnings:
    """Warns the players of ``table``, each of their own time only. ``times`` are the seconds of
    impaired players, or of both players if nobody is impaired; :meth:`choose` changes those of one
    player."""

    def __init__(self, table: Table, readers: Readers, times: Iterable[int] = ()) -> None:
        self._table = table
        self._readers = readers
        impaired = [side for side in f.SIDES if table.game.impaired(side)]
        wished = tuple(1000 * seconds for seconds in times)
        self._wanted: Mapping[str, _Wanted] = {
            side: _Wanted(wished if side in (impaired or f.SIDES) else ()) for side in f.SIDES
        }

    def choose(self, side: str, seconds: Iterable[int]) -> list[Say]:
        """Warn ``side`` when so many seconds are left, never if there are none. Return what to
        say."""
        times = tuple(sorted({1000 * one for one in seconds}, reverse=True))
        self._wanted[self._table.side_of(side)].times = times
        pack = self._readers.of(side)
        player = pack.sentence(side)
        if not times:
            return [say(pack, side, "warnings_off", player=player)]
        told = ", ".join(pack.duration(one) for one in times)
        chosen = say(pack, side, "warnings_set", player=player, times=told)
        return [chosen] if self._permitted else [chosen, say(pack, side, "warnings_forbidden")]

    def tick(self) -> list[Say]:
        """Warn the player whose clock runs, if they are here and one of their times has come."""
        clock = self._table.game.clock
        side = clock.running if clock else None
        if side is None or side == self._table.absent or self._table.game.over:
            return []
        wanted, left = self._wanted[self._table.side_of(side)], clock.left[side]
        wanted.told = {one for one in wanted.told if left <= one + _AGAIN_MS}
        due = {one for one in wanted.times if left <= one} - wanted.told
        wanted.told |= due
        if not due or not self._permitted or left <= 0:
            return []
        pack = self._readers.of(side)
        return [say(pack, side, "time_left", time=pack.duration(left))]

    @property
    def _permitted(self) -> bool:
        game = self._table.game
        return self._table.training or game.served or game.warnings_permitted


# The steps of both players that one of them does for both.
_FOR_BOTH: frozenset[Do] = frozenset(("begin", "continue"))


@dataclass
class _Silence:
    """The step that waits for a player, since when (ms), and how often they were reminded of it."""

    step: Step | None = None
    since: int = 0
    told: int = 0


class Reminders:
    """Reminds a player of :class:`.Step` who is silent while the game waits for them.

    ``after`` are the seconds of silence before the first reminder, and from each to the next; then
    the table is silent until something changes. ``step`` gives the step of a side, and ``tell``
    says it to them alone. While ``busy``, somebody speaks or is asked something: a reminder waits.
    Nobody who may think about a move under the Laws is reminded of it.
    """

    def __init__(
        self,
        table: Table,
        step: Callable[[str], Step],
        tell: Callable[[str], object],
        busy: Callable[[str], bool],
        after: Sequence[int] = (),
    ) -> None:
        self._table = table
        self._step = step
        self._tell = tell
        self._busy = busy
        self._after = after
        self._silence = {side: _Silence() for side in f.SIDES}
        table.listen(self._taken)

    def acted(self, side: str) -> None:
        """``side`` has said, typed or pressed something: their silence begins anew."""
        self._silence[side] = _Silence(since=self._table.time())

    def _taken(self, taken: Taken) -> None:
        fact = taken.fact
        doer = getattr(fact, "by", None) or getattr(fact, "board", None)
        if doer in f.SIDES:
            self.acted(doer)

    def tick(self) -> None:
        """A second has passed. Hold the table's lock."""
        if not self._after:
            return
        reminded = set[Do]()
        for side in f.SIDES:
            if side != self._table.absent:
                self._remind(side, reminded)

    def _remind(self, side: str, reminded: set[Do]) -> None:
        now, step, silence = self._table.time(), self._step(side), self._silence[side]
        if step != silence.step:
            since = silence.since if silence.step is None else now
            silence = self._silence[side] = _Silence(step, since)
        due = silence.since + 1000 * sum(self._after[: silence.told + 1])
        over = silence.told == len(self._after) or now < due
        if over or not self._waits_for(step) or self._busy(side):
            return
        silence.told += 1
        silence.since = now - 1000 * sum(self._after[: silence.told])
        if step.do not in reminded:
            self._tell(side)
        reminded |= {step.do} & _FOR_BOTH

    def _waits_for(self, step: Step) -> bool:
        """Return whether the game waits for this step, and not for a thought."""
        if step.do == "announce" and step.move is None:
            return self._table.training or self._table.game.clock.running is None
        return step.is_active
