"""Time at a table: while a game clock runs, each second is a fact; and warnings of little time.

Under the Laws a table tells the time on request only (D.2.10.4). So warnings are silent until the
arbiter permits them; in training they need no permission.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from blindplay.conversation.effects import Say, say
from blindplay.laws import facts as f
from blindplay.laws.state import OTHER
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
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop, with a last heartbeat."""
        self._closed.set()
        for thread in self._threads:
            thread.join(timeout=5)
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
        self._wanted[self._seat(side)].times = times
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
        wanted, left = self._wanted[self._seat(side)], clock.left[side]
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

    def _seat(self, side: str) -> str:
        """Return the seat of the player of ``side``; a new game with reversed colours changes the
        side."""
        return OTHER[side] if self._table.game.swapped else side
