"""Touched pieces: which legal moves are left to a player who has touched something (4.2 to 4.5).

On the tactile board a piece is touched when it has left its securing hole (D.2.2); what touching
obliges to is the same for everybody.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from .placement import captured_en_passant, castling_rook


@dataclass(frozen=True)
class Obligation:
    """The legal moves that fulfil the obligation; ``free`` when it binds to nothing.

    ``rule`` names the article in the edition's table: "touched_own", "touched_opponents",
    "touched_both", "castling_king_first", "castling_rook_first", "castling_illegal",
    "touched_free".
    """

    moves: tuple[chess.Move, ...]
    free: bool
    rule: str


def obligation(
    board: chess.Board,
    touched: Sequence[int],
    *,
    another_takes: bool = False,
    must_castle: bool = True,
) -> Obligation:
    """Return what the player on move must do after touching the pieces on ``touched``, in that
    order.

    ``touched`` are squares of ``board`` (the position before the move) with a piece on them.
    ``another_takes``: if the touched piece cannot take the touched opponent's piece, any other
    piece that can must take it (the federation's short rules), instead of 4.3.3's first touched
    piece. ``must_castle``: king and then rook binds to castling (4.4.1), not only to moving the
    king.
    """
    own = [square for square in touched if board.color_at(square) == board.turn]
    others = [square for square in touched if board.color_at(square) == (not board.turn)]
    # Own pieces bind only to moves of their own, and a rook to castling with him. A king is never
    # taken, not even where an illegal move stands (1.4.1).
    kings = board.kings & board.occupied_co[board.turn]
    movers = chess.BB_ALL if others else chess.SquareSet(own).mask | kings
    theirs = board.kings & board.occupied_co[not board.turn]
    legal = list(board.generate_legal_moves(movers, chess.BB_ALL & ~theirs))
    if own and not others:
        castling = _castling(board, legal, own, must_castle)
        if castling is not None:
            return castling
    if own and others:
        # 4.3.3: take the first touched opponent's piece with the first touched own piece; if that
        # is illegal, move or take the first touched piece that can be moved or taken.
        taking = [move for move in legal if _captured(board, move) == others[0]]
        both = [move for move in taking if move.from_square == own[0]]
        if both or another_takes:
            return Obligation(tuple(both or taking), not taking, "touched_both")
    rule = "touched_both" if own and others else "touched_own" if own else "touched_opponents"
    for square in touched:
        if board.color_at(square) == board.turn:
            moves = [move for move in legal if _may_begin(board, move, square)]
        else:
            moves = [move for move in legal if _captured(board, move) == square]
        if moves:
            return Obligation(tuple(moves), False, rule)
    return Obligation((), True, "touched_free")


def _castling(
    board: chess.Board, legal: Sequence[chess.Move], own: Sequence[int], must_castle: bool
) -> Obligation | None:
    """4.4: king and then rook binds to castling; rook and then king forbids it on that side."""
    king = board.king(board.turn)
    if king is None or len(own) < 2 or king not in own[:2]:
        return None
    rook = own[0] if own[1] == king else own[1]
    same_rank = chess.square_rank(rook) == chess.square_rank(king)
    if board.piece_type_at(rook) != chess.ROOK or not same_rank:
        return None  # no rook to castle with: two pieces were touched (4.3.1)
    this_side = [
        move for move in legal if board.is_castling(move) and castling_rook(board, move) == rook
    ]
    if own[0] == king:
        if this_side and not must_castle:
            return None  # the king was touched first, so it must move: castling is one way
        if this_side:
            return Obligation(tuple(this_side), False, "castling_king_first")
        kings = [move for move in legal if move.from_square == king]
        # Without a legal move of the king the player is free, and not bound to the rook (4.4.3).
        return Obligation(tuple(kings), not kings, "castling_illegal")
    rooks = [move for move in legal if move.from_square == rook]
    if rooks:
        return Obligation(tuple(rooks), False, "castling_rook_first")
    kings = [move for move in legal if move.from_square == king and move not in this_side]
    return Obligation(tuple(kings), False, "castling_rook_first") if kings else None


def _may_begin(board: chess.Board, move: chess.Move, square: int) -> bool:
    """Return whether ``move`` is one of the piece on ``square``; in Chess960 a castling in which
    the king stays where it is (Guideline II) is one of the rook's."""
    if move.from_square == square:
        return True
    if not board.is_castling(move) or castling_rook(board, move) != square:
        return False
    return chess.square_file(move.from_square) == (6 if square > move.from_square else 2)


def _captured(board: chess.Board, move: chess.Move) -> int | None:
    """The square of the piece that ``move`` takes, None if it takes none."""
    if board.is_en_passant(move):
        return captured_en_passant(move)
    return move.to_square if board.is_capture(move) else None
