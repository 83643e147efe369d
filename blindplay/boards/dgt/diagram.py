"""The pieces on a DGT board as 64 letters, and questions about them that need no game."""

from collections.abc import Sequence
from typing import TypeAlias

import chess

from .protocol import FIELDS, PIECES

EMPTY = ord(".")
LETTERS = (PIECES + "???").encode()
"""By piece code. The last three show a result and stand in no position of a game."""

Diagram: TypeAlias = bytes
"""The pieces on a1, b1, … h8: 64 of :data:`LETTERS`."""


def square_of(field: int, turned: bool) -> chess.Square:
    """The square at ``field``. ``turned``: White sits at the side of field 0.

    The same formula gives the field of a square.
    """
    square = chess.square_mirror(field)
    return FIELDS - 1 - square if turned else square


def diagram_of(codes: Sequence[int], turned: bool) -> Diagram:
    """The diagram of 64 piece codes by field."""
    return bytes(LETTERS[codes[square_of(square, turned)]] for square in chess.SQUARES)


def codes_of(board: chess.BaseBoard, turned: bool) -> list[int]:
    """The piece codes by field of a board that shows this position."""
    pieces = {square: piece.symbol() for square, piece in board.piece_map().items()}
    return [PIECES.index(pieces.get(square_of(field, turned), ".")) for field in range(FIELDS)]


def diagram_of_board(board: chess.BaseBoard) -> Diagram:
    """The diagram of a position."""
    cells = bytearray([EMPTY]) * FIELDS
    for square, piece in board.piece_map().items():
        cells[square] = ord(piece.symbol())
    return bytes(cells)


def fen_of(diagram: Diagram) -> str:
    """The first field of a FEN, without the pieces that show a result."""
    return _board_of(diagram).board_fen()


def _board_of(diagram: Diagram) -> chess.Board:
    board = chess.Board(None)
    for square, letter in enumerate(diagram):
        if chr(letter) in PIECES[1:]:
            board.set_piece_at(square, chess.Piece.from_symbol(chr(letter)))
    return board


START = diagram_of_board(chess.Board())


def turned_at_start(codes: Sequence[int]) -> bool | None:
    """Whether a board in the start position lies turned. None for another position."""
    return next((turned for turned in (False, True) if diagram_of(codes, turned) == START), None)


def positions_of(diagram: Diagram) -> list[chess.Board]:
    """The legal positions with this diagram, first with White to move, then with Black."""
    if ord("?") in diagram:
        return []
    found = []
    for turn in (chess.WHITE, chess.BLACK):
        board = _board_of(diagram)
        board.turn = turn
        board.castling_rights = chess.BB_CORNERS
        board.castling_rights = board.clean_castling_rights()
        if board.is_valid():
            found.append(board)
    return found


def differing(one: Diagram, other: Diagram) -> chess.Bitboard:
    """The squares on which two diagrams differ."""
    return sum(1 << square for square in range(FIELDS) if one[square] != other[square])


def after_move(board: chess.Board, diagram: Diagram, move: chess.Move) -> Diagram:
    """The diagram after ``move``, played on ``board``, which shows ``diagram``."""
    if board.is_castling(move) or board.is_en_passant(move):
        after = board.copy(stack=False)
        after.push(move)
        return diagram_of_board(after)
    cells = bytearray(diagram)  # much faster, and almost all moves are such
    cells[move.to_square] = cells[move.from_square]
    cells[move.from_square] = EMPTY
    if move.promotion:
        cells[move.to_square] = ord(chess.Piece(move.promotion, board.turn).symbol())
    return bytes(cells)


def kings_in_the_centre(diagram: Diagram) -> bool:
    """Whether both kings stand on the central squares, which shows the result of a game."""
    centre = [diagram[square] for square in (chess.D4, chess.E4, chess.D5, chess.E5)]
    return ord("K") in centre and ord("k") in centre


def has_extra_pieces(before: Diagram, shown: Diagram) -> bool:
    """Whether a side has more pieces than before, and than its missing pawns can have become."""
    for letters in (b"KPNBRQ", b"kpnbrq"):
        king, pawn, *others = (shown.count(one) - before.count(one) for one in letters)
        if king > 0 or pawn > 0 or sum(max(0, more) for more in others) > -pawn:
            return True
    return False


def shows_with_pieces_missing(before: Diagram, after: Diagram, shown: Diagram) -> bool:
    """Whether ``shown`` is ``after`` but for missing pieces, none of which the move from
    ``before`` moved."""
    return all(
        now == new or (now == EMPTY and old == new)
        for old, new, now in zip(before, after, shown, strict=True)
    )


def only_pieces_removed(before: Diagram, shown: Diagram) -> bool:
    """Whether ``shown`` is ``before`` but for missing pieces."""
    return all(now in (was, EMPTY) for was, now in zip(before, shown, strict=True))
