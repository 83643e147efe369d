"""Answers to questions: the clocks, the count of moves, the last move, and what stands where.

The last, questions about the position, nobody may ask in a game under the Laws (D.2.10.4,
11.3.1); for training they are allowed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import chess

from blindplay.language import QUESTIONS, About, Command, Language
from blindplay.laws import Game, Ruling
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER

from .table import Table

ABOUT: Mapping[Command, str] = {
    Command.CLOCK_BOTH: "time",
    Command.MOVES: "moves",
    Command.LAST_MOVE: "last_move",
}
"""Questions that the Laws allow, and what their facts are about."""
_OF_ONE_CLOCK = (Command.CLOCK_MINE, Command.CLOCK_OPPONENT)


def ask(
    table: Table, by: str, command: Command, about: About, pack: Language, *, training: bool
) -> Ruling:
    """Ask for ``by`` what nobody else is to hear: an ``answer`` with its words, or ``refused``.

    It is recorded as any question is, but not spoken; who asked so tells the answer himself.
    ``command``: one of :data:`ABOUT`, of :data:`~blindplay.language.QUESTIONS`, or one clock.
    """
    kind = "time" if command in _OF_ONE_CLOCK else ABOUT.get(command, "position")
    with table.answering("answer", "refused"):
        rulings = table.submit(f.Query, by=by, about=kind)
        (ruling,) = (one for one in rulings if one.kind in ("answer", "refused"))
        game = table.game
        if command in QUESTIONS:
            if not (training and by in SIDES) or game.over:
                return ruling
            answer = {"to": by, "about": kind, "words": look(pack, game, command, about)}
            return Ruling(ruling.t, "answer", answer, ruling.articles)
        if ruling.kind == "refused":
            return ruling
        figures = dict(ruling.fields)
        if command in _OF_ONE_CLOCK and by != "arbiter":  # whose are no clocks: he hears both
            words = time_in_words(pack, ruling, command)
        else:
            if "announcement" in figures:
                last = game.history[-1]
                figures["announcement"] = pack.announce(last.before, last.move)
            words = game.words.answer(kind, figures, pack.code)
        return Ruling(ruling.t, "answer", figures | {"words": words}, ruling.articles)


def time_in_words(pack: Language, answer: Ruling, command: Command) -> str:
    """One of the two times of an answer about both, to who has asked for it."""
    side = str(answer["to"]).removeprefix("assistant:")
    whose = side if command is Command.CLOCK_MINE else OTHER[side]
    return pack.sentence(command.value, time=pack.duration(round(answer[whose] * 1000)))


def look(pack: Language, game: Game, command: Command, about: About) -> str:
    """The answer to ``command``, one of :data:`~blindplay.language.QUESTIONS`, in words."""
    board = game.position
    if command is Command.POSITION or (command is Command.PIECES and about == About()):
        return game.words.answer("position", {"fen": board.fen()}, pack.code)
    if command is Command.SQUARE:
        return _square(pack, board, about.squares[0])
    if command is Command.PIECES:
        colors = chess.COLORS if about.color is None else (about.color,)
        return " ".join(_pieces(pack, board, about.piece, color) for color in colors)
    if command is Command.CAPTURED:
        return _captured(pack, taken(game))
    if command is Command.ATTACKERS:
        square = about.squares[0]
        what = pack.sentence("attackers_of", square=pack.square(square))
        found = board.attackers(chess.WHITE, square) | board.attackers(chess.BLACK, square)
        return _listed(pack, what, "listed_none", _standing(pack, board, found))
    first = about.squares[0]
    name = pack.square(first).split()
    if command is Command.RANK:
        what = pack.sentence("rank_named", rank=name[1])
    else:
        what = pack.sentence("file_named", file=name[0])
    return _listed(pack, what, "listed_empty", _standing(pack, board, about.squares))


def taken(game: Game) -> list[chess.Piece]:
    """The pieces that have been captured, in the order in which they were."""
    moves = [(ply.before, ply.move) for ply in game.history]
    if game.turn.made is not None:
        moves.append((game.board, game.turn.made))
    found = []
    for before, move in moves:
        there = before.piece_at(move.to_square)
        if there is not None and there.color != before.turn:
            found.append(there)
        elif before.is_en_passant(move):
            found.append(chess.Piece(chess.PAWN, not before.turn))
    return found


def _square(pack: Language, board: chess.Board, square: chess.Square) -> str:
    piece, name = board.piece_at(square), pack.square(square)
    if piece is None:
        return pack.sentence("square_empty", square=name)
    return pack.sentence("square_holds", square=name, piece=pack.piece(piece))


def _pieces(
    pack: Language, board: chess.Board, kind: chess.PieceType | None, color: chess.Color
) -> str:
    what = _capital(pack.pieces(kind, color))
    if kind is None:
        return _listed(pack, what, "listed_none", _standing(pack, board, _of(board, color)))
    squares = [pack.square(square) for square in board.pieces(kind, color)]
    return _listed(pack, what, "listed_none", squares)


def _of(board: chess.Board, color: chess.Color) -> list[chess.Square]:
    return [square for kind in reversed(chess.PIECE_TYPES) for square in board.pieces(kind, color)]


def _captured(pack: Language, pieces: list[chess.Piece]) -> str:
    if not pieces:
        return pack.sentence("captured_none")
    counts = Counter(pieces)
    kinds = [chess.Piece(k, c) for c in chess.COLORS for k in reversed(chess.PIECE_TYPES)]
    told = [
        pack.piece(piece)
        if counts[piece] == 1
        else f"{pack.number(counts[piece])} {pack.pieces(piece.piece_type, piece.color)}"
        for piece in kinds
        if counts[piece]
    ]
    return pack.sentence("captured", pieces=", ".join(told))


def _standing(pack: Language, board: chess.Board, squares: Iterable[chess.Square]) -> list[str]:
    return [
        f"{pack.piece(piece)} {pack.square(square)}"
        for square in squares
        if (piece := board.piece_at(square)) is not None
    ]


def _listed(pack: Language, what: str, empty: str, told: list[str]) -> str:
    if not told:
        return pack.sentence(empty, what=what)
    return pack.sentence("listed", what=what, pieces=", ".join(told))


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]
