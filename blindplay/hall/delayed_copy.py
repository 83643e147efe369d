"""A game of the hall as it was some time ago, for everybody.

A line of the journal is due when it is certainly so old. Two clocks show its age, without the time
of day: the hall's own clock since the line came, and the table's time since the fact, from the
table's newest head. A line that was shown before the hall was started again is due at once.
"""

import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from blindplay.console.public import PastGame
from blindplay.laws import FactError, Game
from blindplay.laws.facts import Fact, parse
from blindplay.wording.pack_words import PackWords

from .follower import FollowedGame, FollowedTable, Follower, folding_trouble

JournalEnd = tuple[int, str]
"""The number and the digest of a line: it and all lines before it."""
NOTHING: JournalEnd = 0, ""

_SILENCE_MS = 30_000
"""So long after a table's last head its clocks go on."""
_JITTER_MS = 1000  # by which a table's time may seem to jump


class _CopiedLine(NamedTuple):
    """A line that is not shown yet."""

    end: JournalEnd
    wall: float
    fact: Fact


class DelayedCopy(PastGame):
    """One game as it was ``delay`` seconds ago, from the hall's copy of its journal."""

    def __init__(
        self,
        follower: Follower,
        table: FollowedTable,
        followed: FollowedGame,
        delay: int,
        shown: JournalEnd = NOTHING,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """``shown``: the last line that an earlier process has shown."""
        super().__init__()
        self._follower, self._table, self._followed = follower, table, followed
        self._copy, self._delay, self._now = followed.copy, delay, now
        self.shown = shown
        """The last line that has been shown."""
        self._came: deque[tuple[JournalEnd, float]] = deque()  # each end, and when it was seen
        self._waiting: deque[_CopiedLine] = deque()
        self._read = NOTHING
        self._ahead: float | None = None  # ms by which the past game is ahead of the hall's clock
        self.first_move = 0.0
        """The table's time of day when the first move was completed; 0.0 before."""
        self.trouble = ""
        """The reason why the game cannot be shown further; empty if it can."""

    @property
    def id(self) -> str:
        """The name of the game: the digest of its first line."""
        return self._copy.game

    @property
    def complete(self) -> bool:
        """True if all of it is shown, and the table plays another game."""
        with self._follower.lock:
            other = self._table.game is not self._followed
            return other and self._followed.settled and self.shown[0] == self._copy.number

    @property
    def zero(self) -> int:
        """The hall's time in ms at the beginning of the past game: it makes times of several tables
        comparable."""
        return -round(self._ahead or 0.0)

    def catch_up(self) -> int:
        with self.lock:
            with self._follower.lock:  # folding is not done under it: messages wait for it
                now, lines = self._now(), self._new_lines()
                old, last, then, until = self._due_at(now)
            self._waiting += self._parsed(lines)
            while self._waiting:
                line = self._waiting[0]
                number = line.end[0]
                if not (number <= old or (number <= last and line.fact.t <= then)):
                    break
                self._show(self._waiting.popleft())
            time_shown = max(self.game.t, round(min(then, until))) if last else self.game.t
            if self._ahead is None or abs(self._ahead + now * 1000 - time_shown) > _JITTER_MS:
                self._ahead = time_shown - now * 1000
            return time_shown

    def _new_lines(self) -> list[bytes]:
        """The lines that have come. If lines that were read are gone, begin anew."""
        copy = self._copy
        if not copy.reaches(*self._read):
            self.game, self.reason, self.trouble = Game(PackWords()), "", ""
            self.first_move = 0.0
            self.taken += 1  # a page that has as many facts has others
            self._waiting.clear()
            self._read = NOTHING
        lines = list(copy.lines(self._read[0] + 1)) if copy.number > self._read[0] else []
        self._read = copy.end
        return lines

    def _parsed(self, lines: list[bytes]) -> Iterator[_CopiedLine]:
        for line in lines:
            value = json.loads(line)
            if not self.trouble:
                try:
                    fact = parse(value["fact"])
                except FactError as error:
                    self._stop(error)
                else:
                    yield _CopiedLine((value["n"], value["digest"]), value["wall"], fact)

    def _stop(self, error: FactError) -> None:
        self.trouble = folding_trouble(error)

    def _due_at(self, now: float) -> tuple[int, int, float, float]:
        """Which lines are due: all up to the first number, and those up to the second number whose
        time is at most the third value, in ms. The last is the time at which clocks stop."""
        if not self._came or self._came[-1][0] != self._read:
            self._came.append((self._read, now))
        while self._came and self._came[0][1] <= now - self._delay:
            end, _ = self._came.popleft()
            later = end[0] >= self.shown[0] or not self._copy.reaches(*self.shown)
            if later and self._copy.reaches(*end):
                self.shown = end
        old = self.shown[0] if self._copy.reaches(*self.shown) else 0
        head = self._table.head
        if head is None or head.game != self.id or not self._copy.reaches(head.n, head.digest):
            return old, 0, 0.0, 0.0
        told, passed = head.t * 1000, (now - self._followed.end_at) * 1000
        return old, head.n, told + passed - self._delay * 1000, told + _SILENCE_MS

    def _show(self, line: _CopiedLine) -> None:
        try:
            self.take(line.fact)
        except FactError as error:
            self._stop(error)
            self._waiting.clear()
            return
        if line.end[0] > self.shown[0]:
            self.shown = line.end
        if self.game.history and not self.first_move:
            self.first_move = line.wall
