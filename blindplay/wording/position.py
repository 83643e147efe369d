"""Clocks and positions in words, for those who ask.

Questions about the position are answered in training only: nobody may ask them in a game under the
Laws (D.2.10.4, 11.3.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import chess

from blindplay.language import About, Command, Language
from blindplay.laws import Game
from blindplay.laws.facts import SIDES
from blindplay.laws.rulings import Answer
from blindplay.laws.state import OTHER


def time_in_words(pack: Language, answer: Answer, command: Command) -> str:
    """One of the two times of an answer about both: CLOCK_MINE or CLOCK_OPPONENT."""
    side = answer.to.removeprefix("assistant:")
    whose = side if command is Command.CLOCK_MINE else OTHER[side]
    left = answer.white if whose == "white" else answer.black
    return pack.sentence(command.value, time=pack.duration(round((left or 0) * 1000)))


def look(pack: Language, game: Game, command: Command, about: About) -> str:
    """The answer to ``command``, one of :data:`~blindplay.language.QUESTIONS`, in words."""
    board = game.position
    if command is Command.POSITION or (command is Command.PIECES and about == About()):
        return whole_position(pack, board)
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


def whole_position(pack: Language, board: chess.Board) -> str:
    """Every piece and its square, White's first, kings before pawns."""
    told = []
    for side in SIDES:
        colour = side == "white"
        pieces = [
            f"{pack.piece(chess.Piece(kind, colour))} {pack.square(square)}"
            for kind in reversed(chess.PIECE_TYPES)
            for square in board.pieces(kind, colour)
        ]
        told.append(", ".join(pieces))
    return ". ".join(told) + "."


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
