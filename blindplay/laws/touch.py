"""Touched pieces: which legal moves are left to a player who has touched something (4.2 to 4.5).

On the tactile board a piece is touched when it has left its securing hole (D.2.2); what touching
obliges to is the same for everybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess


@dataclass(frozen=True)
class Obligation:
    """The legal moves that fulfil the obligation; ``free`` when it binds to nothing.

    ``rule`` names the article in the edition's table: "touched_own", "touched_opponents",
    "touched_both", "castling_king_first", "castling_rook_first".
    """

    moves: tuple[chess.Move, ...]
    free: bool
    rule: str


def obligation(board: chess.Board, touched: Sequence[int]) -> Obligation:
    """What the player on move must do after touching the pieces on ``touched``, in that order.

    ``touched`` are squares of ``board`` (the position before the move) with a piece on them.
    """
    legal = list(board.legal_moves)
    own = [square for square in touched if board.color_at(square) == board.turn]
    others = [square for square in touched if board.color_at(square) == (not board.turn)]
    if own and not others:
        castling = _castling(board, legal, own)
        if castling is not None:
            return castling
    if own and others:
        # 4.3.3: take the first touched opponent's piece with the first touched own piece; if that
        # is illegal, move or take the first touched piece that can be moved or taken.
        both = [
            move
            for move in legal
            if move.from_square == own[0] and _captured(board, move) == others[0]
        ]
        if both:
            return Obligation(tuple(both), False, "touched_both")
    rule = "touched_both" if own and others else "touched_own" if own else "touched_opponents"
    for square in touched:
        if board.color_at(square) == board.turn:
            moves = [move for move in legal if move.from_square == square]
        else:
            moves = [move for move in legal if _captured(board, move) == square]
        if moves:
            return Obligation(tuple(moves), False, rule)
    return Obligation((), True, "touched_free")


def _castling(
    board: chess.Board, legal: Sequence[chess.Move], own: Sequence[int]
) -> Obligation | None:
    """4.4: king and then rook binds to castling; rook and then king forbids it on that side."""
    king = board.king(board.turn)
    if king is None or len(own) < 2 or king not in own[:2]:
        return None
    rook = own[0] if own[1] == king else own[1]
    if board.piece_type_at(rook) != chess.ROOK:
        return None
    this_side = [
        move
        for move in legal
        if board.is_castling(move)
        and (chess.square_file(move.to_square) > chess.square_file(move.from_square))
        == (chess.square_file(rook) > chess.square_file(king))
    ]
    if own[0] == king:
        if this_side:
            return Obligation(tuple(this_side), False, "castling_king_first")
        kings = [move for move in legal if move.from_square == king]
        return Obligation(tuple(kings), False, "castling_king_first") if kings else None
    rooks = [move for move in legal if move.from_square == rook]
    if rooks:
        return Obligation(tuple(rooks), False, "castling_rook_first")
    kings = [move for move in legal if move.from_square == king and move not in this_side]
    return Obligation(tuple(kings), False, "castling_rook_first") if kings else None


def _captured(board: chess.Board, move: chess.Move) -> int | None:
    """The square of the piece that ``move`` takes, None if it takes none."""
    if board.is_en_passant(move):
        return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return move.to_square if board.is_capture(move) else None


def squares_of(board: chess.Board, move: chess.Move) -> frozenset[int]:
    """The squares that executing ``move`` empties or fills."""
    after = board.copy(stack=False)
    after.push(move)
    before_map, after_map = board.piece_map(), after.piece_map()
    return frozenset(
        square
        for square in before_map.keys() | after_map.keys()
        if before_map.get(square) != after_map.get(square)
    )
