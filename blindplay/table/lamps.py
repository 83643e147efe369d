"""Lamps of a board: the squares where hands have something to do, and notices for its player."""

import chess

from blindplay.boards.driver import Notice
from blindplay.laws.placement import Pieces, change, difference, laid_over, read_placement
from blindplay.laws.state import State
from blindplay.laws.unidentified_pieces import UNKNOWN, occupied

from .nameless_positions import playing


def to_light(game: State, side: str, resting: str | None) -> frozenset[chess.Square]:
    """The squares at which the board of ``side`` differs from what should stand there, or from the
    announced move. A player's own thoughts light nothing.

    ``resting`` is what a board that tells positions only shows while hands rest.
    """
    table = game.tables.get(side)
    if table is None or game.over:
        return frozenset()
    goal: Pieces = game.pieces
    if table.wanted is not None:
        goal = table.wanted
    elif (move := game.turn.made or game.turn.announced) is not None:
        goal = laid_over(game.pieces, change(game.board, move))
    elif playing(game) and game.board_of(game.side) == side and not game.outstanding(side):
        return frozenset()
    if resting is None:
        return frozenset(difference(table.placement, goal))
    if UNKNOWN in resting:
        return frozenset(occupied(resting) ^ goal.keys())
    return frozenset(difference(read_placement(resting), goal))


def notices(game: State, side: str, *, asked: bool) -> frozenset[Notice]:
    """Return what the player of ``side`` has to do now; ``asked`` if a question is open to them."""
    on_move = playing(game) and game.side == side
    return frozenset(
        notice for notice, holds in ((Notice.YOUR_MOVE, on_move), (Notice.QUESTION, asked)) if holds
    )
