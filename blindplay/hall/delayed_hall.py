"""All games of a hall as the public sees them: later, and without names unless they are allowed.

A file keeps the extent of what was shown, so that a restarted hall shows no less.
"""

import contextlib
import json
import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from blindplay.console.public import Audience, PublicGame
from blindplay.laws import Game
from blindplay.record import files

from .delayed_copy import NOTHING, DelayedCopy, JournalEnd
from .follower import FollowedGame, FollowedTable, Follower

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
        found = _ROUND.match(setup.round) if setup else None
        return int(found[1]) if found else 1

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
        with contextlib.suppress(
            OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError
        ):
            self._read(json.loads(self._file.read_text("utf-8")))

    def _read(self, kept: dict[str, Any]) -> None:
        numbers = {str(table): int(number) for table, number in kept["numbers"].items()}
        earlier = {
            str(table): {str(game): (int(end[0]), str(end[1])) for game, end in games.items()}
            for table, games in kept["shown"].items()
        }
        if len(set(numbers.values())) == len(numbers) and all(one > 0 for one in numbers.values()):
            self._numbers, self._earlier = numbers, earlier

    def catch_up(self) -> None:
        """Take the lines that have come due at all tables."""
        with self._follower.lock:
            tables = sorted(self._follower.tables.items(), key=lambda item: _order(item[0]))
            for name, table in tables:
                known = {one.game for one in table.copies()} if name in self._earlier else set()
                earlier = [game for game in self._earlier.get(name, {}) if game in known]
                now = [] if table.game is None else [table.game.copy.game]
                for game in dict.fromkeys(earlier + now):
                    if (name, game) not in self._games:
                        self._add(name, table, table.followed(game))
                self._earlier.pop(name, None)
        for key, one in list(self._games.items()):
            with contextlib.suppress(OSError):  # a file that cannot be read now
                one.past.catch_up()
            if one.past.complete and self._is_replaced(one):
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
            found = _NUMBER.search(table)
            number = int(found[1]) if found else 0
            if not number or number in taken:
                number = next(n for n in range(max(taken, default=0) + 1, 10**6) if n not in taken)
            self._numbers[table] = number
        return self._numbers[table]

    def _is_replaced(self, one: ShownGame) -> bool:
        """Return whether a newer game of the table is shown."""
        return any(other is not one and other.begun for other in self._of(one.table))

    def _of(self, table: str) -> list[ShownGame]:
        """The games of a table, the oldest first."""
        return [one for one in self._games.values() if one.table == table]

    def games(self) -> list[ShownGame]:
        """All games that have begun for everybody, by round and number; of a table's games in one
        round the last."""
        found = {(one.round, one.number): one for one in self._games.values() if one.begun}
        return [one for _, one in sorted(found.items(), key=lambda item: item[0])]

    def boards(self) -> list[ShownGame]:
        """The game that each table shows now, by number."""
        found = {one.number: one for one in self._games.values() if one.begun}
        return [one for _, one in sorted(found.items())]

    def board(self, table: str) -> ShownGame | None:
        """The game that a table shows now; None if there is none."""
        return next((one for one in self.boards() if one.table == table), None)

    def close(self) -> None:
        """Note the last shown lines."""
        self._keep_at = -math.inf
        self._keep()

    def _keep(self) -> None:
        now = self.now()
        shown: dict[str, dict[str, JournalEnd]] = {}
        for one in self._games.values():
            shown.setdefault(one.table, {})[one.past.id] = one.past.shown
        kept = {"numbers": dict(self._numbers), "shown": shown}
        if kept == self._kept or now < self._keep_at:
            return
        self._keep_at = now + _KEEP_S
        with contextlib.suppress(OSError):  # on a full disk the file stays as it is
            files.write_new(self._file, json.dumps(kept).encode())
            self._kept = kept


def _order(name: str) -> tuple[int, str]:
    """Tables that have numbers get their numbers first."""
    found = _NUMBER.search(name)
    return int(found[1]) if found else _MOST_NUMBER + 1, name
