"""What several pages show of a game: moves, the sheets, how it stands."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from blindplay.language import load
from blindplay.laws import Game
from blindplay.laws.facts import SIDES
from blindplay.laws.placement import change, laid_over
from blindplay.wording.clock_times import write_time

from ..messages import catalogue


@dataclass(frozen=True)
class ShownMove:
    """A move as a page shows it: in words, in notation, in UCI, and whose it is."""

    words: str
    notation: str
    uci: str
    by: str


def squares_of(uci: str) -> tuple[int, ...]:
    """The two squares of a move."""
    return chess.parse_square(uci[:2]), chess.parse_square(uci[2:4])


def spoken_in(game: Game) -> str:
    """The HTML language of announcements; where a player's has no pack, the table speaks German."""
    code = game.announcing_language().partition("+")[0]  # "de+nb": ranks in another's words
    return code if code in ("da", "de", "en", "nb", "sv") else "de"


def told(game: Game, board: chess.Board, move: chess.Move, by: str, language: str) -> ShownMove:
    """``move`` on ``board``: in the words of the table, in the notation of the page."""
    assert game.setup is not None
    if not board.is_legal(move):
        return ShownMove(move.uci(), move.uci(), move.uci(), by)
    _, plus, ranks = game.announcing_language().partition("+")
    pack = load(spoken_in(game) + plus + ranks)
    words = pack.announce(board, move, edition=game.setup.edition)
    return ShownMove(words, load(language).write(board, move), move.uci(), by)


def last_announced(game: Game, language: str) -> ShownMove | None:
    """What was announced last: the move of who is on move, or else the one before."""
    turn = game.turn
    if turn.announced is not None:
        return told(game, game.board.copy(stack=False), turn.announced, game.side, language)
    if not game.history:
        return None
    ply = game.history[-1]
    return told(game, ply.before, ply.spoken, ply.side, language)


def due(game: Game, board: str, language: str) -> ShownMove | None:
    """The first move that is still to be executed on that board."""
    for ply in game.outstanding(board):
        return told(game, ply.before, ply.move, ply.side, language)
    turn = game.turn
    expected = turn.made or turn.announced
    if expected is None:
        return None
    shown = laid_over(game.pieces, change(game.board, expected))
    if game.tables[board].placement == shown:
        return None
    return told(game, game.board.copy(stack=False), expected, game.side, language)


def sealing(game: Game) -> bool:
    """Whether the arbiter has asked for a sealed move; nobody seals one unasked (I.1.1)."""
    return game.adjourning and not game.adjourned


def status(game: Game, language: str) -> str:
    """One sentence: how the game stands."""
    say = catalogue(language)
    if game.over:
        return say["status_over"].format(result=game.result)
    if game.adjourned:
        return say["status_adjourned"]
    if game.pending is not None and not game.pending.claimable:
        return say["status_arbiter"]
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
    """One side's clock: ``left`` ms at ``at`` ms of the table's time, how that is shown, and
    whether its flag has fallen."""

    side: str
    left: int
    at: int
    runs: bool
    shown: str
    fell: bool


def clocks(game: Game) -> list[ShownClock]:
    """Both clocks, White's first; none where there is no clock."""
    clock = game.clock
    if not clock:
        return []
    at = clock.counts_from if clock.running else 0
    return [
        ShownClock(side, left, at, side == clock.running, write_time(left), side in clock.flags)
        for side, left in ((side, clock.left[side]) for side in SIDES)
    ]


@dataclass(frozen=True)
class SheetCell:
    """An entry of a scoresheet: what stands, and what was struck through before it."""

    text: str
    struck: tuple[str, ...] = ()


SheetRow = tuple[int, SheetCell, SheetCell]
"""A move's number, what is written for White, and what for Black."""


def sheet_rows(game: Game, side: str, *, with_struck: bool = True) -> list[SheetRow]:
    """The scoresheet of ``side``, the last move first; moves without any entry are left out."""
    entries = game.sheets[side]
    struck: dict[int, list[str]] = {}
    for whose, ply, text in game.struck if with_struck else ():
        if whose == side:
            struck.setdefault(ply, []).append(text)
    offset = 0 if game.start_board.turn == chess.WHITE else 1
    first = game.start_board.fullmove_number

    def at(ply: int) -> SheetCell:
        return SheetCell(entries.get(ply, ""), tuple(struck.get(ply, ())))

    written = sorted({(ply - 1 + offset) // 2 for ply in (*entries, *struck)}, reverse=True)
    rows = [
        (first + move, at(2 * move + 1 - offset), at(2 * move + 2 - offset)) for move in written
    ]
    nothing = SheetCell("")
    return [row for row in rows if row[1:] != (nothing, nothing)]


def next_ply(game: Game, side: str) -> int:
    """The first ply that the sheet of ``side`` lacks."""
    ply = 1
    while ply in game.sheets[side]:
        ply += 1
    return ply
