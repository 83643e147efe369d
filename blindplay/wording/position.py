"""Clocks and positions in words, for people who ask.

Questions about the position are answered only in training. The Laws forbid them during a game
(D.2.10.4, 11.3.1).
"""

import itertools
from collections.abc import Iterable

import chess

from blindplay.language import About, Command, Language
from blindplay.laws import Game
from blindplay.laws.rulings import Answer
from blindplay.laws.state import OTHER

_KINDS = tuple(reversed(chess.PIECE_TYPES))  # kings before pawns


def time_in_words(pack: Language, answer: Answer, command: Command) -> str:
    """One of the two times of an answer about both: CLOCK_MINE or CLOCK_OPPONENT."""
    side = answer.to.removeprefix("assistant:")
    whose = side if command is Command.CLOCK_MINE else OTHER[side]
    left = answer.white if whose == "white" else answer.black
    return pack.sentence(command.value, time=pack.duration(round((left or 0) * 1000)))


def look(pack: Language, game: Game, command: Command, about: About) -> str:
    """The answer to ``command``, one of :data:`~blindplay.language.QUESTIONS`, in words."""
    board, squares = game.position, about.squares
    if command is Command.POSITION or (command is Command.PIECES and about == About()):
        return whole_position(pack, board)
    if command is Command.PIECES:
        colors = chess.COLORS if about.color is None else (about.color,)
        return " ".join(_pieces(pack, board, about.piece, color) for color in colors)
    if command is Command.CAPTURED:
        return _captured(pack, taken(game))
    name = pack.square(squares[0])
    if command is Command.SQUARE:
        piece = board.piece_at(squares[0])
        if piece is None:
            return pack.sentence("square_empty", square=name)
        return pack.sentence("square_holds", square=name, piece=pack.piece(piece))
    if command is Command.ATTACKERS:
        white, black = (board.attackers(color, squares[0]) for color in chess.COLORS)
        what = pack.sentence("attackers_of", square=name)
        return _listed(pack, what, "listed_none", _standing(pack, board, white | black))
    file, rank = name.split()
    what = pack.sentence(f"{command.value}_named", file=file, rank=rank)
    return _listed(pack, what, "listed_empty", _standing(pack, board, squares))


def whole_position(pack: Language, board: chess.Board) -> str:
    """Every piece with its square, White's first, kings before pawns."""
    sides = (", ".join(_standing(pack, board, _of(board, color))) for color in chess.COLORS)
    return ". ".join(sides) + "."


def taken(game: Game) -> list[chess.Piece]:
    """The captured pieces, in the order of the captures."""
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


def _pieces(
    pack: Language, board: chess.Board, kind: chess.PieceType | None, color: chess.Color
) -> str:
    if kind is None:
        told = _standing(pack, board, _of(board, color))
    else:
        told = [pack.square(square) for square in board.pieces(kind, color)]
    what = pack.pieces(kind, color)
    return _listed(pack, what[0].upper() + what[1:], "listed_none", told)


def _of(board: chess.Board, color: chess.Color) -> list[chess.Square]:
    return [square for kind in _KINDS for square in board.pieces(kind, color)]


def _captured(pack: Language, pieces: list[chess.Piece]) -> str:
    if not pieces:
        return pack.sentence("captured_none")
    told = []
    for color, kind in itertools.product(chess.COLORS, _KINDS):
        count = pieces.count(chess.Piece(kind, color))
        if count == 1:
            told.append(pack.piece(chess.Piece(kind, color)))
        elif count:
            told.append(f"{pack.number(count)} {pack.pieces(kind, color)}")
    return pack.sentence("captured", pieces=", ".join(told))


def _standing(pack: Language, board: chess.Board, squares: Iterable[chess.Square]) -> list[str]:
    return [
        f"{pack.piece(piece)} {pack.square(square)}"
        for square in squares
        if (piece := board.piece_at(square)) is not None
    ]


def _listed(pack: Language, what: str, empty: str, told: list[str]) -> str:
    return pack.sentence("listed" if told else empty, what=what, pieces=", ".join(told))
