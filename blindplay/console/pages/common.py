"""What a page is, and the parts of a game that several pages show: moves, scoresheets, clocks, its
status.
"""

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import chess

from blindplay.language import load
from blindplay.language.scoresheets import reading
from blindplay.language.scoresheets.letters import Letters, SheetLetters
from blindplay.laws import Game, Ruling
from blindplay.laws.due import Played, deeds, due
from blindplay.laws.facts import SIDES
from blindplay.laws.rulings import GameOver
from blindplay.record.score import ScoredPly, SheetRow, moves, sheet
from blindplay.wording import steps
from blindplay.wording.readers import announcing
from blindplay.wording.values import write_time

from ..actions import Form
from ..messages import catalogue
from ..table_port import TablePort
from . import common


@dataclass(frozen=True)
class Page:
    """The page of a role.

    ``folder`` of its templates, and ``parts``, the names of those templates in their order. The
    part ``tab`` is the title of the browser's tab. ``scripts`` of ``static`` that it loads besides
    ``console.js``, ``styles`` that it links besides ``base.css``. ``values`` of its templates, for
    a table, its game, held, a role and a language. ``aside``: parts that only its further pages
    show, kept up to date like the others. ``beside``: those parts that stand together beside the
    others on a wide screen. ``extra``: further pages by their addresses; each function gives the
    values of the template ``whole_<address>.html`` for a table, a role, a language and a form.
    ``calls``: urgent sentences for its reader alone, for a game, a language and new rulings.
    """

    folder: str
    parts: tuple[str, ...]
    scripts: tuple[str, ...]
    styles: tuple[str, ...]
    values: Callable[[TablePort, Game, str, str], Mapping[str, Any]]
    extra: Mapping[str, Callable[[TablePort, str, str, Form], Mapping[str, Any]]]
    aside: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    calls: Callable[[Game, str, Sequence[Ruling]], list[str]] = lambda game, language, rulings: []


LOW_MS = 60_000


@dataclass(frozen=True)
class ShownMove:
    """A move in words, in notation and in UCI; its side and its number."""

    words: str
    notation: str
    uci: str
    by: str
    number: int


def squares_of(move: ShownMove | None) -> frozenset[int]:
    """The two squares of a move; none for no move."""
    if move is None or move.uci == "0000":
        return frozenset()
    return frozenset((chess.parse_square(move.uci[:2]), chess.parse_square(move.uci[2:4])))


def name_of(game: Game, side: str, language: str) -> str:
    """A player's side and, if it is known, their name."""
    name = game.player(side).name
    return (
        catalogue(language)["title_player"]
        .format(side=catalogue(language)[side], name=name)
        .strip(" ,")
    )


def spoken_in(game: Game) -> str:
    """The HTML language of announcements. The table speaks German for a language without a pack."""
    return announcing(game).code


def told(game: Game, played: Played, language: str) -> ShownMove:
    """A move in the words of the table and the notation of the page."""
    assert game.setup is not None
    board, move = played.before, played.move
    words = notation = move.uci()
    if board.is_legal(move):
        words = announcing(game).announce(board, move, edition=game.setup.edition)
        notation = load(language).write(board, move)
    return ShownMove(words, notation, move.uci(), played.by, board.fullmove_number)


def last_announced(game: Game, language: str) -> ShownMove | None:
    """The last announcement: of the player on move, or else of the move before."""
    turn = game.turn
    if turn.announced is not None:
        return told(game, Played(game.board.copy(stack=False), turn.announced, game.side), language)
    if not game.history:
        return None
    ply = game.history[-1]
    return told(game, Played(ply.before, ply.spoken, ply.side), language)


def owed_in_words(game: Game, language: str) -> str:
    """The obligation of the player on move, told to them; empty if any move will do."""
    owed = due(game, game.side).owed
    return steps.owed_in_words(load(language), game, owed) if owed else ""


def step_values(game: Game, role: str, language: str) -> dict[str, Any]:
    """The step that is due from ``role``, for its page's templates: its ``sentence``, the move that
    it is about, and whether one press does it (``at_a_press``)."""
    step = due(game, role)
    return {
        "step": step,
        "sentence": steps.step_in_words(load(language), game, step),
        "step_move": told(game, step.move, language) if step.move else None,
        "at_a_press": bool(deeds(game, step)),
        "due_now": step.is_active,
    }


def ended(table: TablePort, game: Game) -> GameOver | None:
    """The ruling that ended the game, which is held; None while it goes on."""
    log = table.log if game.over else ()
    rulings = (one for taken in reversed(log) for one in taken.rulings)
    return next((one for one in rulings if isinstance(one, GameOver)), None)


def sealing(game: Game) -> bool:
    """Return whether the arbiter has asked for a sealed move (I.1.1)."""
    return game.adjourning and not game.adjourned


def status(game: Game, language: str) -> str:
    """The status of the game in one sentence."""
    say = catalogue(language)
    if game.over:
        return say["status_over"].format(result=game.result)
    if game.adjourned:
        return say["status_adjourned"]
    if game.pending is not None and not game.pending.claimable:
        return say["status_players" if game.pending.asked else "status_arbiter"]
    if not game.owners_known:
        return say["status_owners"]
    if game.clock and not game.started:
        return say["status_not_started"]
    if game.paused or (game.clock and game.clock.running is None):
        return say["status_paused"]
    if sealing(game):
        return say["status_sealing"].format(side=say[game.side])
    mover = say["status_made" if game.turn.made is not None else "status_to_move"]
    return mover.format(side=say[game.side], number=game.board.fullmove_number)


@dataclass(frozen=True)
class ShownClock:
    """One side's clock: ``left`` ms at ``at`` ms of the table's time; whether its flag fell."""

    side: str
    left: int
    at: int
    runs: bool
    fell: bool

    @property
    def low(self) -> bool:
        """True if less than a minute is left."""
        return self.left < LOW_MS

    @property
    def shown(self) -> str:
        """The time left in figures."""
        return write_time(self.left)


def clocks(game: Game) -> list[ShownClock]:
    """Both clocks, White's first; none if there is no clock."""
    clock = game.clock
    at = clock.counts_from if clock.running else 0
    return [
        ShownClock(side, clock.left[side], at, side == clock.running, side in clock.flags)
        for side in SIDES
        if clock
    ]


def sheet_rows(game: Game, side: str, *, with_struck: bool = True) -> list[SheetRow]:
    """The scoresheet of ``side``, the last move first; moves without any entry are left out."""
    entries = sheet(game, side)
    if not with_struck:
        entries = [replace(entry, struck=()) for entry in entries]
    return [
        row
        for row in reversed(moves(entries))
        if any(entry and (entry.text or entry.struck) for entry in row[1:])
    ]


def next_ply(game: Game, side: str) -> int:
    """The first ply that the sheet of ``side`` lacks."""
    return next(ply for ply in itertools.count(1) if ply not in game.sheets[side])


def in_notation(game: Game, side: str, language: str) -> list[SheetRow]:
    """The scoresheet of ``side``, as :func:`.common.sheet_rows` has it. An entry that is one move
    stands in notation, any other as it was written."""
    written = game.sheets[side]
    letters = reading.letters_of(written.values(), game.player(side).language)
    known = reading.learned(
        letters,
        (
            (written[number], ply.before, ply.move)
            for number, ply in enumerate(game.history, 1)
            if number in written
        ),
    )

    def told(entry: ScoredPly | None) -> ScoredPly | None:
        if entry is None or entry.ply > len(game.history) + 1:
            return entry
        passed = entry.ply <= len(game.history)
        board = game.history[entry.ply - 1].before if passed else game.board
        read = partial(_signs, board.fen(), board.chess960, letters, known, language)
        text = None if entry.text is None else read(entry.text)
        return replace(entry, text=text, struck=tuple(read(one) for one in entry.struck))

    rows = common.sheet_rows(game, side)
    return [(number, told(white), told(black)) for number, white, black in rows]


@functools.lru_cache(maxsize=4096)
def _signs(
    fen: str, chess960: bool, letters: SheetLetters, known: Letters, language: str, text: str
) -> str:
    board = chess.Board(fen, chess960=chess960)
    found = reading.read(text, board, letters, known)
    return text if found.move is None else load(language).write(board, found.move)
