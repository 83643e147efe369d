"""Positions of a board that knows only which squares are occupied, and tells positions only."""

from collections.abc import Iterable

import chess

from blindplay.boards.nameless import possible_moves
from blindplay.laws.placement import change, laid_over, write_placement
from blindplay.laws.state import State
from blindplay.laws.unidentified_pieces import UNKNOWN, named, occupied, told


def playing(game: State) -> bool:
    """Return whether moves are played now, and no board is only set up."""
    return (game.started or not game.clock) and not game.over and not game.adjourned


def read_position(
    game: State, side: str, placement: str | None, emptied: Iterable[chess.Square]
) -> str | None:
    """``placement``, shown by the board of ``side``, with a name for each piece.

    ``emptied`` are the squares that were seen empty since the board showed a position of the game.
    None if several moves may have led there and nobody announced one of them, or if none fits. A
    pawn that reaches the last rank stays a pawn unless its promotion was announced.
    """
    if placement is None or UNKNOWN not in placement:
        return placement
    table = game.tables.get(side)
    if table is None:
        return None
    if not playing(game) or table.wanted is not None:
        return named(game, side, placement)
    holes = occupied(placement)
    if game.outstanding(side) or holes == table.placement.keys():
        return told(game, side, placement)
    moves = possible_moves(game.board, _mask(holes), _mask(emptied))
    announced = game.turn.announced
    if announced is not None and any(_same(move, announced) for move in moves):
        moves = [announced]
    if len(moves) != 1:
        return None if moves else told(game, side, placement)
    move = moves[0]
    if move.promotion and move != announced:
        pawn = game.pieces[move.from_square]
        return write_placement(
            laid_over(game.pieces, {move.from_square: None, move.to_square: pawn})
        )
    return write_placement(laid_over(game.pieces, change(game.board, move)))


def _same(one: chess.Move, other: chess.Move) -> bool:
    """Return whether two moves are the same but for the piece of a promotion."""
    return (one.from_square, one.to_square) == (other.from_square, other.to_square)


def _mask(squares: Iterable[chess.Square]) -> chess.Bitboard:
    return sum(chess.BB_SQUARES[square] for square in set(squares))
