"""Each table as the hall's page shows it, and the tables that need a person first."""

import functools
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import chess

from blindplay.console.pages.common import LOW_MS, ShownClock
from blindplay.laws.due import NEEDS as LAWS_NEEDS
from blindplay.laws.facts import SIDES

from .follower import FollowedTable, Follower
from .protocol import STATES, Head
from .requests import FRESH_S

NEEDS = ("conflict", *LAWS_NEEDS, "gone", "low")
"""The reasons why a table may need a person, the most urgent first: its game went on in two ways;
the needs of its head; the table is not connected; less than a minute is left on the clock that
runs."""
GROUPS = ("needs", "playing", "waiting", "setup", "over", "gone")
"""The groups of tables that a page can show alone."""
_DRIFT_MS = 500  # a clock that is off by less than this is the same
_DATED = "%Y-%m-%d %H:%M"


@dataclass(frozen=True)
class Need:
    """One of :data:`NEEDS`, the hall's time of day since when, and for how many full minutes."""

    kind: str
    since: float
    minutes: int = 0


@dataclass(frozen=True)
class ShownTable:
    """A table as the hall's page shows it. Times of clocks are ms of the hall's own time."""

    name: str
    white: str = ""
    black: str = ""
    round: str = ""
    state: str = ""
    """As in its head, or ``waiting`` for its next game; empty if none has come, or if this program
    does not know it."""
    result: str = ""
    moves: int = 0
    """Full moves that were begun."""
    last: str = ""
    """The last move, as :func:`long_notation` writes it."""
    needs: tuple[Need, ...] = ()
    clocks: tuple[ShownClock, ...] = ()
    online: bool = False
    incidents: tuple[str, ...] = ()
    """The kinds of its incidents, which the hall cannot correct."""

    @property
    def groups(self) -> tuple[str, ...]:
        """The :data:`GROUPS` that it belongs to."""
        playing = self.state in ("playing", "stopped")
        belongs = {
            "needs": bool(self.needs),
            "playing": playing,
            "waiting": self.state == "waiting",
            "setup": self.state in ("", "setup"),
            "over": self.state in ("over", "adjourned"),
            "gone": not self.online,
        }
        return tuple(group for group in GROUPS if belongs[group])


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts table 10 after table 9."""
    parts = re.findall(r"\d+|\D+", name)
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)


def hour(wall: float) -> str:
    """A time of day, in seconds since 1970, as pages show it."""
    return time.strftime("%H:%M", time.localtime(wall))


def moment(wall: float, now: float | None = None) -> str:
    """A time of day, as :func:`hour` writes it, with its date unless that is today."""
    at, today = time.localtime(wall), time.localtime(now)
    return hour(wall) if at[:3] == today[:3] else time.strftime(_DATED, at)


def meant(wall: float, now: float | None = None) -> str:
    """A time of day that somebody has just typed, with its date unless it comes later today: so
    they see which day it was taken for."""
    later = wall > (time.time() if now is None else now)
    return moment(wall, now) if later else time.strftime(_DATED, time.localtime(wall))


class Overview:
    """All tables of a hall as its pages show them."""

    def __init__(
        self,
        follower: Follower,
        now: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._follower, self._now, self._wall = follower, now, wall
        self._tables: dict[str, ShownTable] = {}

    def __getitem__(self, name: str) -> ShownTable:
        """:raises KeyError: for a table that the hall does not know."""
        return self._tables[name]

    @property
    def names(self) -> list[str]:
        """All tables, table 9 before table 10."""
        return sorted(self._tables, key=natural)

    @property
    def urgent(self) -> list[ShownTable]:
        """The tables that need a person, the most urgent first, then the one that waits longest."""
        needing = [table for table in self._tables.values() if table.needs]
        order = {kind: place for place, kind in enumerate(NEEDS)}
        return sorted(
            needing,
            key=lambda table: (order[table.needs[0].kind], table.needs[0].since, table.name),
        )

    def look(self, names: Iterable[str] | None = None) -> dict[str, tuple[str, ...]]:
        """Look at the tables with these names, or at all. Returns those that look different, each
        with the kinds of its new needs."""
        changed: dict[str, tuple[str, ...]] = {}
        with self._follower.lock:
            known = self._follower.tables
            incidents = defaultdict[str, set[str]](set)
            for incident in self._follower.incidents:
                incidents[incident.table].add(incident.kind)
            for name in list(known if names is None else names):
                before = self._tables.get(name)
                shown = self._shown(known[name], before, tuple(sorted(incidents[name])))
                if shown != before:
                    self._tables[name] = shown
                    old = {need.kind for need in before.needs} if before else set()
                    new = [need.kind for need in shown.needs]
                    changed[name] = tuple(kind for kind in new if kind not in old)
        return changed

    def _shown(
        self, table: FollowedTable, before: ShownTable | None, incidents: tuple[str, ...]
    ) -> ShownTable:
        head, now = table.head, self._now()
        online = table.online and now - table.heard_at <= FRESH_S
        if head is None or table.waits:
            state = "waiting" if table.waits else ""
            return ShownTable(table.name, state=state, online=online, incidents=incidents)
        head_at = table.game.end_at if table.game is not None else now
        clocks = _clocks(head, round(head_at * 1000), before.clocks if before else ())
        needs = list(head.needs)
        if table.game is not None and table.game.in_conflict:
            needs.append("conflict")
        if not online and head.state in ("setup", "playing", "stopped"):
            needs.append("gone")
        if head.state == "playing" and any(_is_low(clock, now * 1000) for clock in clocks):
            needs.append("low")
        since = {need.kind: need.since for need in before.needs} if before else {}
        return ShownTable(
            name=table.name, white=head.white, black=head.black, round=head.round,
            state=head.state if head.state in STATES else "", result=head.result,
            moves=(head.moves + 1) // 2,
            last=long_notation(head.last, head.fen),
            needs=tuple(self._need(kind, since.get(kind)) for kind in NEEDS if kind in needs),
            clocks=clocks, online=online, incidents=incidents,
        )  # fmt: skip

    def _need(self, kind: str, since: float | None) -> Need:
        now = self._wall()
        began = now if since is None else since
        return Need(kind, began, max(0, int(now - began)) // 60)


@functools.lru_cache(maxsize=4096)
def long_notation(uci: str, fen: str) -> str:
    """A move in long English notation, from UCI and the position after it. Whether it captured is
    not known. What is no move stays as it is.

    >>> long_notation("g1f3", "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1")
    'Ng1–f3'
    """
    try:
        move, board = chess.Move.from_uci(uci), chess.Board(fen)
    except ValueError:
        return uci
    piece = board.piece_at(move.to_square)
    files = chess.square_file(move.to_square) - chess.square_file(move.from_square)
    king = piece is not None and piece.piece_type == chess.KING
    if (king and abs(files) > 1) or (piece is None and _has_castled(board, move)):
        return "O-O" if files > 0 else "O-O-O"
    pawn = piece is None or piece.piece_type == chess.PAWN or move.promotion
    letter = "" if piece is None or pawn else piece.symbol().upper()
    becomes = f"={chess.piece_symbol(move.promotion).upper()}" if move.promotion else ""
    return f"{letter}{uci[:2]}–{uci[2:4]}{becomes}"


def _has_castled(board: chess.Board, move: chess.Move) -> bool:
    """Return whether ``move``, after which no piece stands on its second square, is a castling of
    Chess960: to the square that the rook has left."""
    rank, short = chess.square_rank(move.to_square), move.to_square > move.from_square
    king = board.piece_at(chess.square(6 if short else 2, rank))
    return king is not None and king.piece_type == chess.KING


def _clocks(head: Head, head_at: int, before: tuple[ShownClock, ...]) -> tuple[ShownClock, ...]:
    """Both clocks. One that only runs on stays the same object, so that no page changes by it."""
    clocks = []
    for side in SIDES if len(head.left) == len(SIDES) else ():
        fell = "flag" in head.needs and head.left[side] <= 0
        clock = ShownClock(side, round(head.left[side] * 1000), head_at, head.running == side, fell)
        for known in before:
            ends = abs(known.left + known.at - clock.left - clock.at)
            stands = not clock.runs and known.left == clock.left
            same = (known.side, known.runs, known.fell) == (side, clock.runs, fell)
            if same and (stands or (clock.runs and ends < _DRIFT_MS)):
                clock = known
        clocks.append(clock)
    return tuple(clocks)


def _is_low(clock: ShownClock, now: float) -> bool:
    return clock.runs and clock.left - max(0, now - clock.at) < LOW_MS
