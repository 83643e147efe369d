"""The results of a round, from the hall's copies of the journals, and into a file of pairings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from blindplay.laws import FactError, Game
from blindplay.laws.facts import SIDES, Setup
from blindplay.laws.rulings import GameOver
from blindplay.record import JournalError, read_journal
from blindplay.record.files import SUFFIX
from blindplay.wording.pack_words import PackWords

from .trf import spoken_name

_SCORES = {"1": "1", "0": "0", "1/2": "="}
_UNRATED = {"1": "W", "0": "L", "1/2": "D"}
_FORFEITED = {"1": "+", "0": "-", "1/2": "D"}
_MOVED = 2  # plies after which both have made a move


@dataclass(frozen=True)
class TableResult:
    """One game of a round, as its table has recorded it."""

    table: str
    white: str
    black: str
    result: str
    """As in facts; empty while there is none."""
    signed: tuple[str, ...]
    """The sides that have signed this result (8.7)."""
    plies: int
    declared: bool
    """The arbiter has decided the result."""

    @property
    def scores(self) -> tuple[str, str]:
        """The results of White and Black in a report file. If a side has not moved, the game is
        not rated. If neither has moved and the arbiter has decided, it was forfeited."""
        names = _SCORES if self.plies >= _MOVED else _UNRATED
        names = _FORFEITED if self.declared and not self.plies else names
        white, black = self.result.split("-")
        return names[white], names[black]


def results_in(folder: Path, number: str) -> list[TableResult]:
    """The games of round ``number`` of which the hall has copies in ``folder``.

    :raises OSError: if the folder cannot be read.
    """
    return [found for one in _journals(folder) if (found := _result(*one, number)) is not None]


def _journals(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.glob(f"table-*/*{SUFFIX}")):
        yield path.parent.name.removeprefix("table-"), path


def _result(table: str, path: Path, number: str) -> TableResult | None:
    try:
        facts = read_journal(path).facts
    except JournalError:
        return None
    if not facts or not isinstance(facts[0], Setup) or facts[0].round != number:
        return None
    game, declared = Game(PackWords()), False
    try:
        for fact in facts:
            for ruling in game.apply(fact):
                if isinstance(ruling, GameOver):
                    declared = ruling.reason == "declared"
    except FactError:  # written by a newer program; a result before that fact does not count
        return None
    result = (game.result or "") if game.over else ""
    signed = tuple(side for side in SIDES if result and game.signed.get(side) == result)
    white, black = (game.player(side).name for side in SIDES)
    return TableResult(table, white, black, result, signed, len(game.history), declared)


@dataclass(frozen=True)
class Entered:
    """One game of the file, and whether its result was entered."""

    board: str
    white: str
    black: str
    found: TableResult | None
    """The game at a table; None if there is no copy of it."""
    status: str
    """entered; open (no result yet); other (the file says something else, which stays); twice (two
    tables, two results)."""


class ResultFile(Protocol):
    """A file of pairings into which results can be entered. Its players have a ``name``."""

    def boards(self, number: int) -> Sequence[tuple[str, Any]]: ...

    def enter(self, number: int, pair: Any, scores: tuple[str, str]) -> bool: ...


def enter_results(file: ResultFile, number: int, folder: Path) -> list[Entered]:
    """Enter the results of round ``number`` into ``file``.

    :raises ValueError: if the file is contradictory, or has no pairings for this round.
    :raises OSError: if the copies cannot be read.
    """
    boards = file.boards(number)
    if not boards:
        raise ValueError("The file pairs nobody in this round.")
    known: dict[tuple[str, str], list[TableResult]] = {}
    for one in results_in(folder, str(number)):
        known.setdefault(_key(one.white, one.black), []).append(one)
    entered = []
    for board, pair in boards:
        white, black = (spoken_name(player.name) for player in pair)
        games = known.get(_key(white, black), [])
        over = [one for one in games if one.result]
        found = next(iter(over or games), None)
        if not over:
            status = "open"
        elif len({one.result for one in over}) > 1:
            status, found = "twice", None
        else:
            status = "entered" if file.enter(number, pair, over[0].scores) else "other"
        entered.append(Entered(board, white, black, found, status))
    return entered


def _key(white: str, black: str) -> tuple[str, str]:
    return spoken_name(white).casefold(), spoken_name(black).casefold()
