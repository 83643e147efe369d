"""The fields of a DGT board and its piece codes, as squares and diagrams."""

from collections.abc import Sequence

import chess

from ..diagram import EMPTY, START, Diagram, fen_of
from .protocol import FIELDS, PIECES

LETTERS = (PIECES + "???").encode()
"""By piece code. The last three show a result and stand in no position of a game."""


def square_of(field: int, turned: bool) -> chess.Square:
    """The square at ``field``. ``turned``: White sits at the side of field 0.

    The same formula gives the field of a square.
    """
    square = chess.square_mirror(field)
    return FIELDS - 1 - square if turned else square


def diagram_of(codes: Sequence[int], turned: bool) -> Diagram:
    """The diagram of 64 piece codes by field."""
    return bytes(LETTERS[codes[square_of(square, turned)]] for square in chess.SQUARES)


def placement_of(codes: Sequence[int], turned: bool) -> str:
    """The first field of a FEN, without the pieces that show a result."""
    return fen_of(diagram_of(codes, turned).replace(b"?", bytes([EMPTY])))


def codes_of(board: chess.BaseBoard, turned: bool) -> list[int]:
    """The piece codes by field of a board that shows this position."""
    pieces = {square: piece.symbol() for square, piece in board.piece_map().items()}
    return [PIECES.index(pieces.get(square_of(field, turned), ".")) for field in range(FIELDS)]


def turned_at_start(codes: Sequence[int]) -> bool | None:
    """Return whether a board in the start position lies turned; None for another position."""
    return next((turned for turned in (False, True) if diagram_of(codes, turned) == START), None)
