"""What a page is, and the parts of a game that several pages show: moves, scoresheets, clocks, its
status.
"""

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import chess

from blindplay.language import Language, load
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
from ..table_port import TableView


@dataclass(frozen=True)
class Page:
    """The page of a role.

    ``folder`` of its own templates, and ``parts``, the names of its templates in their order; those
    that it does not have are shared (:func:`~blindplay.console.views.RenderedParts`). The part
    ``tab`` is the title of the browser's tab. ``scripts`` of ``static`` that it loads besides
    ``console.js``, ``styles`` that it links besides ``base.css``. ``values`` of its templates, for
    a table, its game, which no fact changes meanwhile, a role and a language. ``aside``: parts that
    only its further pages show, kept up to date like the others. ``beside``: those parts that stand
    together beside the others on a wide screen. ``extra``: further pages by their addresses; each
    function gives the values of the template ``whole_<address>.html`` for a table, a role, a
    language and a form. ``calls``: urgent sentences for its reader alone, for a game, a language
    and new rulings.
    """

    folder: str
    parts: tuple[str, ...]
    scripts: tuple[str, ...]
    styles: tuple[str, ...]
    values: Callable[[TableView, Game, str, str], Mapping[str, Any]]
    extra: Mapping[str, Callable[[TableView, str, str, Form], Mapping[str, Any]]]
    aside: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    calls: Callable[[Game, str, Sequence[Ruling]], list[str]] = lambda game, language, rulings: []


@dataclass(frozen=True)
class Later:
    """A value of a template that is worked out when a part is rendered that reads it. Equal keys
    stand for equal values, so a part whose keys are as before is not rendered again."""

    key: object
    find: Callable[[], Any] = field(compare=False, repr=False)

    @functools.cached_property
    def value(self) -> Any:
        return self.find()


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


@dataclass(frozen=True)
class _Position:
    """A position by its ``key``, which tells it from all others of a game."""

    key: object
    board: chess.Board = field(compare=False, repr=False)


def told(game: Game, played: Played, language: str) -> ShownMove:
    """A move in the words of the table and the notation of the page."""
    assert game.setup is not None
    board, move = played.before, played.move
    key = (
        board.turn, board.castling_rights, board.ep_square, board.chess960, board.fullmove_number,
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        board.occupied_co[chess.WHITE],
    )  # fmt: skip
    words, edition = announcing(game), game.setup.edition
    return _told(_Position(key, board), move, played.by, words, edition, load(language))


@functools.lru_cache(maxsize=1024)
def _told(
    position: _Position, move: chess.Move, by: str, words: Language, edition: str, pack: Language
) -> ShownMove:
    board = position.board
    said = notation = move.uci()
    if board.is_legal(move):
        said = words.announce(board, move, edition=edition)
        notation = pack.write(board, move)
    return ShownMove(said, notation, move.uci(), by, board.fullmove_number)


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


_ARBITERS = frozenset(("decide", "attend", "flag"))  # what needs the arbiter besides their routine


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
        "calls_arbiter": bool({step.do, step.why} & _ARBITERS),
    }


def ended(table: TableView, game: Game) -> GameOver | None:
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
    """One side's clock: ``left`` ms at ``at`` ms of the table's time; whether its flag fell. While
    nothing but time passes, a clock that runs stays equal."""

    side: str
    left: int = field(compare=False)
    at: int = field(compare=False)
    runs: bool
    fell: bool
    ends: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ends", self.left + self.at * self.runs)

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


def sheet_later(game: Game, side: str, *, with_struck: bool = True) -> Later:
    """The same as :func:`sheet_rows`, worked out when it is rendered."""
    struck = [one for one in game.struck if one[0] == side]
    key = game.sheets[side], struck, game.offered_at
    return Later(key, partial(sheet_rows, game, side, with_struck=with_struck))


def next_ply(game: Game, side: str) -> int:
    """The first ply that the sheet of ``side`` lacks."""
    return next(ply for ply in itertools.count(1) if ply not in game.sheets[side])


def in_notation(game: Game, side: str, language: str) -> list[SheetRow]:
    """The scoresheet of ``side``, as :func:`sheet_rows` has it. An entry that is one move
    stands in notation, any other as it was written."""
    written, played = game.sheets[side], game.history
    letters = _letters(tuple(written.values()), game.player(side).language)
    known: Letters = frozenset()
    for number, ply in enumerate(played, 1):
        if number in written:
            position = _Position(game.keys[number - 1], ply.before)
            known = _learned(letters, known, written[number], position, ply.move)

    def told(entry: ScoredPly | None) -> ScoredPly | None:
        if entry is None or entry.ply > len(played) + 1:
            return entry
        board = played[entry.ply - 1].before if entry.ply <= len(played) else game.board
        position = _Position(game.keys[entry.ply - 1], board)
        read = partial(_signs, position, letters, known, language)
        text = None if entry.text is None else read(entry.text)
        struck = tuple(read(one) for one in entry.struck)
        return (
            entry
            if (text, struck) == (entry.text, entry.struck)
            else replace(entry, text=text, struck=struck)
        )

    rows = sheet_rows(game, side)
    return [(number, told(white), told(black)) for number, white, black in rows]


@functools.lru_cache(maxsize=64)
def _letters(written: tuple[str, ...], language: str) -> SheetLetters:
    return reading.letters_of(written, language)


@functools.lru_cache(maxsize=4096)
def _learned(
    letters: SheetLetters, known: Letters, text: str, position: _Position, move: chess.Move
) -> Letters:
    """What the letters of a sheet stand for after one more entry."""
    return reading.learned(letters, [(text, position.board, move)], known)


@functools.lru_cache(maxsize=4096)
def _signs(
    position: _Position, letters: SheetLetters, known: Letters, language: str, text: str
) -> str:
    found = reading.read(text, position.board, letters, known)
    return text if found.move is None else load(language).write(position.board, found.move)
