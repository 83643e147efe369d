"""The players who are missing, with the reasons, and the time left before a forfeit.

Times of tables are compared only with each other, and times of day are the hall's own: the clocks
of the machines may differ.
"""

import contextlib
import functools
import json
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from blindplay.laws import editions, time_controls
from blindplay.laws.due import unsigned
from blindplay.laws.facts import SIDES

from .copies import JournalCopy
from .follower import FoldedGame, FollowedTable, Follower
from .overview import natural
from .pairings.decided import (
    Decisions,
    Forfeit,
    RoundStart,
    decisions_file,
    read_decisions,
    set_start,
)
from .pairings.played import forfeits_in, pair_of
from .pairings.rounds import Assignment, Round, kept_round, kept_rounds, pairings_file
from .protocol import Head, state_of
from .requests import FRESH_S

REASONS = ("offline", "idle", "busy", "unbegun", "silent", "left", "adjourned", "unsigned")
"""Why a game is on the list: its table is not connected; the table waits, and has not got the game;
it plays another one; the game has not begun; it has begun, and the player on move has done nothing
so far; it was left in the middle; it is adjourned; its result is not signed."""
SILENT_S = 180.0
"""A player whose clock has run for so long without a sign of them may not have come."""
_STEP_S = 0.5  # the time of day of this machine was set if it jumps by more
_EDITION = "fide-2023"  # of a table whose event's file names none


_Turn = tuple[str, float, int, str]
_pair = functools.lru_cache(maxsize=8192)(pair_of)


@dataclass(frozen=True)
class MissingGame:
    """A game of which somebody is missing."""

    reason: str
    """One of :data:`REASONS`."""
    round: str
    table: str
    white: str
    black: str
    sides: tuple[str, ...] = ()
    """The sides that may be missing or, with the reason ``unsigned``, have not signed."""
    game: str = ""
    """The game as heads name it; empty if its table has none."""
    here: bool = False
    """The table is connected and has this game, so that it takes the arbiter's decision."""
    deadline: float | None = None
    """The hall's time of day at which the default time has passed; None if that is not known."""
    passed: bool = False
    """The default time has passed."""
    article: str = ""
    """The article under which a player who does not come loses."""
    alarms: bool = False
    """The default time has passed, and so it is likely that somebody has not come. A player who
    has only been silent may sit at the board and think."""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.round, *_pair(self.white, self.black)

    @property
    def forfeits(self) -> tuple[str, ...]:
        """The forfeits that an arbiter can declare: ``white``, ``black`` and ``both``."""
        if self.reason in ("left", "unsigned") or (self.reason == "adjourned" and not self.here):
            return ()
        return (*self.sides, "both") if len(self.sides) > 1 else self.sides


@dataclass(frozen=True)
class DeclaredForfeit:
    """A game that was declared forfeited in the hall."""

    forfeit: Forfeit
    trouble: str = ""
    """``there``: its table is connected now and has the game, not begun. ``played``: a table has
    begun it, or has another result. ``unpaired``: the pairing was replaced, so it counts nowhere.
    """


@dataclass(frozen=True)
class MissingNow:
    """The list as it stands."""

    round: str = ""
    """The newest round; empty if there is none."""
    start: RoundStart | None = None
    """When it begins or has begun; None if that is not known."""
    begun: bool = False
    games: tuple[MissingGame, ...] = ()
    declared: tuple[DeclaredForfeit, ...] = ()
    unread: bool = False
    """The pairings or the decisions cannot be read now."""

    @property
    def earlier(self) -> list[MissingGame]:
        """The games of earlier rounds that no table has begun: some were played elsewhere."""
        unplayed = ("offline", "idle", "busy", "unbegun")
        return [one for one in self.games if one.round != self.round and one.reason in unplayed]

    def game(self, key: Collection[str]) -> MissingGame | None:
        return next((one for one in self.games if one.key == key), None)

    def forfeit(self, key: Collection[str]) -> DeclaredForfeit | None:
        found = (one for one in self.declared if (one.forfeit.round, *one.forfeit.pair) == key)
        return next(found, None)


@dataclass(frozen=True)
class _Played:
    """A game that a table has had before the present one."""

    table: str
    round: str
    white: str
    black: str
    state: str
    result: str
    unsigned: tuple[str, ...]
    game: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.round, *_pair(self.white, self.black)


@dataclass
class _Seen:
    """What is known of a table's games before the present one, and of which copies."""

    present: str
    copies: list[JournalCopy] = field(default_factory=list)
    ends: list[tuple[int, str]] = field(default_factory=list)
    games: list[_Played] = field(default_factory=list)


class MissingList:
    """Looks who is missing. Safe to use from several threads.

    ``rules``: the settings of the event's tables, which say the edition and the default time.
    """

    def __init__(
        self,
        follower: Follower,
        rules: Mapping[str, Any],
        now: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._follower, self._folder = follower, follower.folder
        self._rules = dict(rules)
        self._lock = threading.Lock()
        self._now, self._wall = now, wall
        self._offset = wall() - now()
        self._about: Any = None  # the files that were read
        self._paired: Round | None = None
        self._rounds: list[Round] = []
        self._decisions = Decisions()
        self._standing: list[Forfeit] = []  # whose pairings were not replaced
        self._turns: dict[str, tuple[_Turn, float]] = {}  # by table, each with its beginning
        self._seen: dict[str, _Seen] = {}
        self._folded: dict[tuple[str, str], tuple[tuple[int, str], _Played | None]] = {}

    @property
    def offset(self) -> float:
        """The hall's time of day minus its monotonic time. It stays the same until somebody sets
        the clock of this machine, so that nothing on a page changes by it."""
        found = self._wall() - self._now()
        if abs(found - self._offset) > _STEP_S:
            self._offset = found
        return self._offset

    def look(self, moved: Collection[str] | None = None) -> MissingNow:
        """The list now. It reads the files that have changed. ``moved``: the tables from which
        something has come since the last look; None: perhaps all."""
        with self._lock:
            return self._look(moved)

    def _look(self, moved: Collection[str] | None) -> MissingNow:
        unread = False
        try:
            self._read_files()
        except (OSError, ValueError):
            unread = True
        paired, decisions = self._paired, self._decisions
        number = "" if paired is None else paired.round
        with self._follower.lock:
            tables = dict(self._follower.tables)
        for name, one in tables.items():
            if moved is None or name in moved or name not in self._seen:
                self._see(one)
        earlier = [one for seen in self._seen.values() for one in seen.games]
        known = paired is None or paired.round in decisions.starts
        with self._follower.lock:
            heads = {
                (head.round, *_pair(head.white, head.black)): table
                for table in tables.values()
                if (head := table.head) is not None and not table.waits
            }
            before = {one.key: one for one in sorted(earlier, key=_progress)}
            start = None if paired is None else self._start(paired, heads, decisions)
            games, declared = list[MissingGame](), list[DeclaredForfeit]()
            for game in (game for one in self._rounds for game in one.games):
                key = game.round, *_pair(game.white, game.black)
                if key in decisions.forfeits:
                    continue
                begins = start if game.round == number else decisions.starts.get(game.round)
                own = tables.get(game.table)
                found = self._missing(game, heads.get(key), before.get(key), own, begins, decisions)
                games += [] if found is None else [found]
            for forfeit in decisions.of_round(None):
                key = forfeit.round, *forfeit.pair
                trouble = self._trouble(forfeit, heads.get(key), before.get(key))
                trouble = trouble if forfeit in self._standing else "unpaired"
                declared.append(DeclaredForfeit(forfeit, trouble))
            of_rounds = {one.key for one in games}
            left = [one for key, one in before.items() if key not in heads]
            others = self._adjourned(heads.values(), left, number, decisions)
            games += [one for one in others if one.key not in of_rounds]
        if start is not None and not known:
            with contextlib.suppress(OSError):  # the next look tries again
                set_start(self._folder, number, start.at)
        games.sort(key=lambda one: natural(one.table))
        declared.sort(key=lambda one: (natural(one.forfeit.round), natural(one.forfeit.table)))
        begun = start is not None and start.at <= self._wall()
        return MissingNow(number, start, begun, tuple(games), tuple(declared), unread)

    def _read_files(self) -> None:
        """:raises OSError, ValueError: if one cannot be read."""
        about = tuple(_about(path(self._folder)) for path in (pairings_file, decisions_file))
        if about != self._about:
            folder = self._folder
            paired, rounds = kept_round(folder), kept_rounds(folder)
            decisions, standing = read_decisions(folder), forfeits_in(folder, None)
            self._paired, self._rounds = paired, rounds
            self._decisions, self._standing = decisions, standing
            self._about = about

    # --- what the tables show ------------------------------------------------------------------

    def _is_online(self, table: FollowedTable | None) -> bool:
        return table is not None and table.online and self._now() - table.heard_at <= FRESH_S

    def _began(self, table: FollowedTable) -> float | None:
        """The hall's time of day at which the table's game was started or resumed."""
        head = table.head
        if head is None or head.began < 0 or table.game is None:
            return None
        passed = self._now() - table.game.end_at + head.t - head.began
        return self._wall() - max(0.0, passed)

    def _on_move_s(self, table: FollowedTable, head: Head, began: float) -> float:
        """The seconds for which the player on move has been on move, as far as this hall has seen
        it; ``began`` as :meth:`_began` says."""
        turn = head.game, head.began, head.moves, head.running
        if self._turns.get(table.name, (None,))[0] != turn:
            since = self._now()
            # Of a game that goes on after moves nobody has seen when the last one was made.
            since -= self._wall() - began if head.moves == 0 else 0.0
            self._turns[table.name] = turn, since
        return self._now() - self._turns[table.name][1]

    def _start(
        self,
        paired: Round,
        heads: Mapping[tuple[str, str, str], FollowedTable],
        decisions: Decisions,
    ) -> RoundStart | None:
        """When the round begins. If nobody has said it, it began with its first game."""
        known = decisions.starts.get(paired.round)
        if known is not None:
            return known
        keys = {(game.round, *_pair(game.white, game.black)) for game in paired.games}
        times = [
            began
            for key, table in heads.items()
            if key in keys and self._is_online(table) and (began := self._began(table)) is not None
        ]
        return RoundStart(round(min(times))) if times else None

    def _see(self, table: FollowedTable) -> None:
        """Look at the games that a table has had before the present one."""
        with self._follower.lock:
            present = table.copy.game if table.copy is not None and not table.waits else ""
            seen = self._seen.get(table.name)
            if seen is None or seen.present != present:
                copies = [copy for copy in table.copies() if copy.game != present]
                seen = self._seen[table.name] = _Seen(present, copies)
            ends = [copy.end for copy in seen.copies]
        if ends != seen.ends:
            seen.ends = ends
            found = [self._played(table, copy) for copy in seen.copies]
            seen.games = [one for one in found if one is not None]

    def _played(self, table: FollowedTable, copy: JournalCopy) -> _Played | None:
        key, end = (table.name, copy.game), copy.end
        known = self._folded.get(key)
        if known is not None and known[0] == end:
            return known[1]
        found = None
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            with self._follower.lock:
                lines = [next(iter(copy.lines(1)), b"{}"), *copy.lines(max(2, copy.number - 1))]
            found = _signed(table.name, copy.game, [json.loads(line)["fact"] for line in lines])
            if found is None:
                found = _of_copy(table.name, FoldedGame(self._follower, table.name, copy=copy))
        self._folded[key] = end, found
        return found

    # --- one game ------------------------------------------------------------------------------

    @staticmethod
    def _trouble(forfeit: Forfeit, table: FollowedTable | None, played: _Played | None) -> str:
        head = None if table is None else table.head
        state, result = ("", "") if played is None else (played.state, played.result)
        if head is not None:
            state, result = head.state, head.result
        if state in ("", "setup"):
            return "there" if head is not None and table is not None and table.online else ""
        return "" if result == forfeit.result else "played"

    def _missing(
        self,
        game: Assignment,
        table: FollowedTable | None,
        played: _Played | None,
        own: FollowedTable | None,
        start: RoundStart | None,
        decisions: Decisions,
    ) -> MissingGame | None:
        """The game of the round, if somebody is missing. ``table`` has it open, ``played`` is a
        game that was left, and ``own`` is the table of the pairing."""
        begins = None if start is None else start.at
        head = None if table is None else table.head
        if head is not None and table is not None:
            return self._at_table(table, head, game, begins, decisions)
        if played is not None and played.state == "over":
            return _left(played) if played.unsigned else None
        if played is not None and played.state == "adjourned":
            return None  # it is on the list with the adjourned games of all rounds
        if played is not None and played.state != "setup":
            return replace(_left(played), reason="left")
        online = self._is_online(own)
        reason = "offline" if not online else "idle" if own is None or own.waits else "busy"
        return self._timed(
            MissingGame(reason, game.round, game.table, game.white, game.black, SIDES,
                        article=self._article("late")),
            begins, game,
        )  # fmt: skip

    def _at_table(
        self,
        table: FollowedTable,
        head: Head,
        game: Assignment | None,
        begins: float | None,
        decisions: Decisions,
    ) -> MissingGame | None:
        online, began = self._is_online(table), self._began(table)
        missing = tuple(side for side in SIDES if side in head.missing)
        names = head.round, table.name, head.white, head.black
        if head.state == "over":
            waits = tuple(side for side in SIDES if side in head.unsigned)
            return MissingGame("unsigned", *names, waits, head.game, online) if waits else None
        article = self._article("late")
        if head.state == "setup":
            reason = "unbegun" if online else "offline"
            found = MissingGame(reason, *names, missing, head.game, online, article=article)
            return self._timed(found, begins, game)
        resumption = decisions.resumptions.get(head.game)
        if head.state == "adjourned":
            article = self._article("late_at_resumption")
            found = MissingGame("adjourned", *names, missing, head.game, online, article=article)
            times = [one for one in (resumption, began) if one is not None]
            return self._timed(found, max(times, default=None), game)
        on_move = head.running or SIDES[head.moves % 2]
        if began is None or head.state != "playing":
            return None
        silent_s = self._on_move_s(table, head, began)
        if silent_s < SILENT_S or on_move not in missing or not online:
            return None
        if resumption is not None:
            article = self._article("late_at_resumption")
            begins = resumption
        found = MissingGame("silent", *names, (on_move,), head.game, online, article=article)
        found = self._timed(found, max(began, begins or began), game)
        allowed = self.default_time(game)
        return replace(found, alarms=found.passed and bool(allowed) and silent_s > (allowed or 0))

    def _adjourned(
        self,
        tables: Iterable[FollowedTable],
        earlier: Iterable[_Played],
        number: str,
        decisions: Decisions,
    ) -> list[MissingGame]:
        """The adjourned games of all rounds."""
        found = list[MissingGame]()
        for table in tables:
            head = table.head
            if head is not None and head.state == "adjourned" and head.round != number:
                one = self._at_table(table, head, None, None, decisions)
                found += [] if one is None else [one]
        open_now = {one.key for one in found}
        for played in earlier:
            key = played.round, *_pair(played.white, played.black)
            if played.state == "adjourned" and key not in open_now:
                resumption = decisions.resumptions.get(played.game)
                found.append(self._timed(_left(played), resumption))
        return found

    # --- the rules -----------------------------------------------------------------------------

    def _timed(
        self, game: MissingGame, begins: float | None, assigned: Assignment | None = None
    ) -> MissingGame:
        """The game with the end of the default time."""
        allowed = self.default_time(assigned)
        if begins is None or allowed is None:
            return game
        deadline = begins + allowed
        passed = deadline < self._wall()
        alarms = passed and bool(game.forfeits)
        return replace(game, deadline=deadline, passed=passed, alarms=alarms)

    def default_time(self, game: Assignment | None = None) -> int | None:
        """The seconds that a player may be late; None if neither the event nor its edition says
        it."""
        text = (game.default_time if game else "") or str(self._rules.get("default-time", ""))
        with contextlib.suppress(ValueError):
            if text:
                return time_controls.read_length(text) // 1000
        seconds = self._edition.switch("default_time_seconds")
        return None if seconds < 0 else int(seconds)

    @property
    def _edition(self) -> editions.Edition:
        name = self._rules.get("edition")
        return editions.load(name if name in editions.names() else _EDITION)

    def _article(self, name: str) -> str:
        return self._edition.cite(name, "standard")[0]


def _of_copy(table: str, folded: FoldedGame) -> _Played | None:
    game = folded.game
    if game.setup is None or folded.trouble:
        return None
    names = game.player("white").name, game.player("black").name
    state, result = state_of(game), game.result or ""
    return _Played(table, game.setup.round, *names, state, result, unsigned(game), folded.digest)


def _signed(table: str, game: str, facts: Sequence[Mapping[str, Any]]) -> _Played | None:
    """A game by the first and the last two facts of its journal, if these are the signatures of
    both players: then it need not be folded, which takes long for the games of many rounds."""
    first, *last = facts
    if {one.get("by") for one in last if one["fact"] == "sign"} != {*SIDES}:
        return None
    results = {str(one["result"]) for one in last}
    if len(results) > 1:
        return None
    white, black = (str(first[side]["name"]) for side in SIDES)
    return _Played(table, str(first["round"]), white, black, "over", results.pop(), (), game)


def _progress(played: _Played) -> tuple[bool, bool, bool]:
    """Of copies of one game at several tables, the greatest shows how it stands."""
    over = played.state == "over"
    return played.state != "setup", played.state != "adjourned", over and not played.unsigned


def _left(played: _Played) -> MissingGame:
    """A game that its table has left adjourned or without all signatures."""
    reason = "adjourned" if played.state == "adjourned" else "unsigned"
    names = played.round, played.table, played.white, played.black
    return MissingGame(reason, *names, played.unsigned, played.game)


def _about(path: Path) -> tuple[int, int] | None:
    """What changes when a file is written anew; None if there is none."""
    with contextlib.suppress(FileNotFoundError):
        about = path.stat()
        return about.st_mtime_ns, about.st_size
    return None
