"""The games of a hall as the public sees them: later, and without names unless they are allowed.

A line of the journal is due when it is certainly as old as the delay. Two clocks show its age,
without the time of day: the hall's own clock since the line arrived, and the table's time since the
fact, from the table's newest head. A line that was shown before the hall was started again is due
at once: a file keeps the extent of what was shown, so that a restarted hall shows no less.
"""

import contextlib
import json
import math
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from blindplay.console.public import Audience, PastGame, PublicGame
from blindplay.given import HALL
from blindplay.laws import FactError, Game
from blindplay.laws.facts import Fact, parse_kept
from blindplay.own_files import read_object
from blindplay.record import files
from blindplay.wording.pack_words import PackWords

from ..follower import FollowedGame, FollowedTable, Follower, folding_trouble

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
        self._arrivals: deque[tuple[JournalEnd, float]] = (
            deque()
        )  # each end, and its time of arrival
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
        """The lines that have arrived. If lines that were read were removed, begin anew."""
        copy = self._copy
        if not copy.reaches(*self._read):
            self.game, self.reason, self.trouble = Game(PackWords()), "", ""
            self.former.clear()
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
                    fact = parse_kept(value["fact"])
                except FactError as error:
                    self._stop(error)
                else:
                    yield _CopiedLine((value["n"], value["digest"]), value["wall"], fact)

    def _stop(self, error: FactError) -> None:
        self.trouble = folding_trouble(error)

    def _due_at(self, now: float) -> tuple[int, int, float, float]:
        """The due lines: all up to the first number, and of those up to the second number the ones
        whose time is at most the third value, in ms. The last value is when clocks stop."""
        if not self._arrivals or self._arrivals[-1][0] != self._read:
            self._arrivals.append((self._read, now))
        while self._arrivals and self._arrivals[0][1] <= now - self._delay:
            end, _ = self._arrivals.popleft()
            later = end[0] >= self.shown[0] or not self._copy.reaches(*self.shown)
            if later and self._copy.reaches(*end):
                self.shown = end
        old = self.shown[0] if self._copy.reaches(*self.shown) else 0
        head = self._table.head
        if head is None or head.game != self.id or not self._copy.reaches(head.n, head.digest):
            return old, 0, 0.0, 0.0
        table_time, passed = head.t * 1000, (now - self._followed.end_at) * 1000
        then = table_time + passed - self._delay * 1000
        return old, head.n, then, table_time + _SILENCE_MS

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


_MOST_NUMBER = 999  # of a table that is called by its number
_KEEP_S = 5.0  # between two writings of the file
_NUMBER = re.compile(r"(?:^|-)0*([1-9]\d{0,2})$", re.ASCII)
_ROUND = re.compile(r"\D*0*([1-9]\d{0,2})", re.ASCII)


@dataclass(frozen=True)
class ShownGame:
    """One game for everybody. ``number`` is that of its table among all, from 1."""

    table: str
    number: int
    past: DelayedCopy
    public: PublicGame
    hall: "DelayedHall"
    _written: dict[int, str] = field(default_factory=dict, compare=False, repr=False)
    """The PGN, by how many facts the game has taken."""

    @property
    def game(self) -> Game:
        """The game; hold the lock of :attr:`past` while reading it."""
        return self.past.game

    @property
    def begun(self) -> bool:
        return self.past.game.setup is not None

    @property
    def round(self) -> int:
        """The round's number; 1 if none is given."""
        setup = self.past.game.setup
        match = _ROUND.match(setup.round) if setup else None
        return int(match[1]) if match else 1

    def name(self, side: str) -> str:
        """The player, in the words of files: without names by the number of the table."""
        known = self.past.game.player(side).name if self.hall.audience.names else ""
        return known or f"{side.capitalize()} {self.number}"

    def pgn(self) -> str:
        """The moves, with the board's number in the round; empty before the set-up."""
        with self.past.lock:
            self.past.catch_up()
            if self.begun and self.past.taken not in self._written:
                setup = self.past.game.setup
                more = {
                    "Event": (setup.event if setup else "") or self.hall.title,
                    "White": self.name("white"),
                    "Black": self.name("black"),
                    "Round": f"{self.round}.{self.number}",
                    "Board": str(self.number),
                }
                self._written.clear()
                self._written[self.past.taken] = self.public.pgn(more)
            return self._written.get(self.past.taken, "")


class DelayedHall:
    """The games of all tables. :meth:`catch_up` is for one thread; all else is safe for several."""

    def __init__(
        self,
        follower: Follower,
        audience: Audience,
        title: str,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """``title``: the event's name for people."""
        self.audience = audience
        self.title = title
        self.now = now
        """The time of the hall in seconds, from any beginning."""
        self._follower = follower
        self._file = follower.folder / "shown.json"
        self._games: dict[tuple[str, str], ShownGame] = {}
        self._numbers: dict[str, int] = {}
        self._earlier: dict[str, dict[str, JournalEnd]] = {}  # shown by the last process
        self._kept: dict[str, Any] = {}
        self._keep_at = -math.inf
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            self._read(read_object(self._file, HALL))

    def _read(self, kept: dict[str, Any]) -> None:
        numbers = {str(table): int(number) for table, number in kept["numbers"].items()}
        earlier = {
            str(table): {str(game): (int(end[0]), str(end[1])) for game, end in games.items()}
            for table, games in kept["shown"].items()
        }
        if len(set(numbers.values())) == len(numbers) and all(
            number > 0 for number in numbers.values()
        ):
            self._numbers, self._earlier = numbers, earlier

    def catch_up(self) -> None:
        """Take the lines that are due at all tables."""
        with self._follower.lock:
            tables = sorted(self._follower.tables.items(), key=lambda item: _order(item[0]))
            for name, table in tables:
                known = {copy.game for copy in table.copies()} if name in self._earlier else set()
                earlier = [game for game in self._earlier.get(name, {}) if game in known]
                now = [] if table.game is None else [table.game.copy.game]
                for game in dict.fromkeys(earlier + now):
                    if (name, game) not in self._games:
                        self._add(name, table, table.followed(game))
                self._earlier.pop(name, None)
        for key, board in list(self._games.items()):
            with contextlib.suppress(OSError):  # a file that cannot be read now
                board.past.catch_up()
            if board.past.complete and self._is_replaced(board):
                self._games = {at: game for at, game in self._games.items() if at != key}
        self._keep()

    def _add(self, name: str, table: FollowedTable, followed: FollowedGame) -> None:
        shown = self._earlier.get(name, {}).get(followed.copy.game, NOTHING)
        delay, number = self.audience.delay, self._number(name)
        past = DelayedCopy(self._follower, table, followed, delay, shown, self.now)
        public = PublicGame(past, self.audience, number)
        self._games = {
            **self._games,
            (name, followed.copy.game): ShownGame(name, number, past, public, self),
        }

    def _number(self, table: str) -> int:
        """The number of a table: the one in its name, or the next one that is free."""
        if table not in self._numbers:
            taken = set(self._numbers.values())
            match = _NUMBER.search(table)
            number = int(match[1]) if match else 0
            if not number or number in taken:
                number = next(n for n in range(max(taken, default=0) + 1, 10**6) if n not in taken)
            self._numbers[table] = number
        return self._numbers[table]

    def _is_replaced(self, board: ShownGame) -> bool:
        """Return whether a newer game of the table is shown."""
        return any(other is not board and other.begun for other in self._of(board.table))

    def _of(self, table: str) -> list[ShownGame]:
        """The games of a table, the oldest first."""
        return [board for board in self._games.values() if board.table == table]

    def games(self) -> list[ShownGame]:
        """All games that have begun for everybody, by round and number; of a table's games in one
        round the last."""
        boards = {
            (board.round, board.number): board for board in self._games.values() if board.begun
        }
        return [board for _, board in sorted(boards.items(), key=lambda item: item[0])]

    def waiting(self) -> frozenset[str]:
        """The names of the games that :meth:`games` has, or will have when they are old enough."""
        return frozenset(game for _table, game in self._games)

    def boards(self) -> list[ShownGame]:
        """The game that each table shows now, by number."""
        boards = {board.number: board for board in self._games.values() if board.begun}
        return [board for _, board in sorted(boards.items())]

    def board(self, table: str) -> ShownGame | None:
        """The game that a table shows now; None if there is none."""
        return next((board for board in self.boards() if board.table == table), None)

    def silence(self) -> float:
        """Seconds since a message of any table came; -1.0 if none has come."""
        with self._follower.lock:
            heard = max((table.heard_at for table in self._follower.tables.values()), default=0.0)
        return self.now() - heard if heard else -1.0

    def close(self) -> None:
        """Note the last shown lines."""
        self._keep_at = -math.inf
        self._keep()

    def _keep(self) -> None:
        now = self.now()
        shown: dict[str, dict[str, JournalEnd]] = {}
        for board in self._games.values():
            shown.setdefault(board.table, {})[board.past.id] = board.past.shown
        kept = {"numbers": dict(self._numbers), "shown": shown}
        if kept == self._kept or now < self._keep_at:
            return
        self._keep_at = now + _KEEP_S
        with contextlib.suppress(OSError):  # on a full disk the file stays as it is
            files.write_new(self._file, json.dumps(kept).encode())
            self._kept = kept


def _order(name: str) -> tuple[int, str]:
    """Tables that have numbers get their numbers first."""
    match = _NUMBER.search(name)
    return int(match[1]) if match else _MOST_NUMBER + 1, name
