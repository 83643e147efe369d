"""The pieces on a board as 64 letters, and questions about them that need no game."""

import re
from typing import TypeAlias

import chess

EMPTY = ord(".")
NAMELESS = ord("?")
"""A piece that the board cannot name."""

_IN_HAND = 4
"""The squares that a move changes at most, so many while a king castles."""

Diagram: TypeAlias = bytes
"""The pieces on a1, b1, … h8: FEN letters, :data:`EMPTY` or :data:`NAMELESS`."""


def diagram_of_board(board: chess.BaseBoard) -> Diagram:
    """The diagram of a position."""
    cells = bytearray([EMPTY]) * 64
    for square, piece in board.piece_map().items():
        cells[square] = ord(piece.symbol())
    return bytes(cells)


def fen_of(diagram: Diagram) -> str:
    """The first field of a FEN. A piece without a name is ``?``."""
    ranks = (diagram[at : at + 8].decode() for at in range(56, -8, -8))
    return re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(ranks))


def diagram_of_fen(placement: str) -> Diagram:
    """The diagram of the first field of a FEN, as :func:`fen_of` writes it."""
    rows = re.sub(r"[1-8]", lambda empty: "." * int(empty[0]), placement).split("/")
    return "".join(reversed(rows)).encode()


def _board_of(diagram: Diagram) -> chess.Board:
    return chess.Board(f"{fen_of(diagram)} w - - 0 1")


START = diagram_of_board(chess.Board())


def changed(diagram: Diagram, square: chess.Square, letter: int) -> Diagram:
    """The diagram with this letter on a square."""
    cells = bytearray(diagram)
    cells[square] = letter
    return bytes(cells)


def turned_at_start(diagram: Diagram) -> bool | None:
    """Return whether a board that shows the start position lies turned; None for another one."""
    return {START: False, START[::-1]: True}.get(diagram)


def turned_like(diagram: Diagram, expected: Diagram) -> bool | None:
    """Return whether a board that shows ``expected``, but for a move in hand, lies turned. None if
    it shows something else, or the same both ways."""
    straight, turned = (
        differing(shown, expected).bit_count() for shown in (diagram, diagram[::-1])
    )
    if min(straight, turned) > _IN_HAND or straight == turned or NAMELESS in diagram:
        return None
    return turned < straight


def positions_of(diagram: Diagram) -> list[chess.Board]:
    """The legal positions with this diagram, first with White to move, then with Black."""
    if NAMELESS in diagram:
        return []
    boards = []
    for turn in (chess.WHITE, chess.BLACK):
        board = _board_of(diagram)
        board.turn = turn
        board.castling_rights = chess.BB_CORNERS
        board.castling_rights = board.clean_castling_rights()
        if board.is_valid():
            boards.append(board)
    return boards


def differing(one: Diagram, other: Diagram) -> chess.Bitboard:
    """The squares on which two diagrams differ."""
    return sum(1 << square for square in chess.SQUARES if one[square] != other[square])


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
    """Return whether both kings stand on the central squares, which shows the result of a game."""
    centre = [diagram[square] for square in (chess.D4, chess.E4, chess.D5, chess.E5)]
    return ord("K") in centre and ord("k") in centre


def has_extra_pieces(before: Diagram, shown: Diagram) -> bool:
    """Return whether a side has more new pieces than its missing pawns can have become."""
    for letters in (b"KPNBRQ", b"kpnbrq"):
        king, pawn, *others = (shown.count(letter) - before.count(letter) for letter in letters)
        if king > 0 or pawn > 0 or sum(max(0, more) for more in others) > -pawn:
            return True
    return False


def shows_with_pieces_missing(before: Diagram, after: Diagram, shown: Diagram) -> bool:
    """Return whether ``shown`` is ``after`` except for missing pieces. The move from ``before``
    moved none of these."""
    return all(
        now == new or (now == EMPTY and old == new)
        for old, new, now in zip(before, after, shown, strict=True)
    )


def only_pieces_removed(before: Diagram, shown: Diagram) -> bool:
    """Return whether ``shown`` is ``before`` except for missing pieces."""
    return all(now in (was, EMPTY) for was, now in zip(before, shown, strict=True))
