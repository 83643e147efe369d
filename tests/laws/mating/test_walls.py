"""Walls of pawns: what the pieces can never reach."""

from __future__ import annotations

import chess
import pytest

from blindplay.laws.mating.positions import encode
from blindplay.laws.mating.walls import Walls, squares_of, walled_off

WALL = "8/1k6/1p1p1p1p/1P1P1P1P/8/8/8/K7 w - - 0 1"


def walls(fen: str) -> Walls:
    return Walls(*encode(chess.Board(fen), chess.WHITE))


def test_the_squares_of_a_mask() -> None:
    assert squares_of(0) == []
    assert squares_of(chess.BB_A1 | chess.BB_H8) == [chess.A1, chess.H8]


def test_a_king_never_gets_through_a_wall_of_pawns() -> None:
    king = next(piece for piece in walls(WALL).pieces if piece.square == chess.A1)
    assert not king.reach & (chess.BB_RANK_5 | chess.BB_RANK_6 | chess.BB_RANK_7)


@pytest.mark.parametrize(
    ("fen", "closed"),
    [
        (WALL, True),
        ("8/1k6/1p1p1p1p/1P1P1P1P/8/8/6P1/K7 w - - 0 1", False),  # a free pawn
        ("8/2k5/8/p1p1p3/P1P1P3/8/3K4/8 w - - 0 1", False),  # a hole in the wall
        ("4k3/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3 b - - 0 1", True),
        ("4k3/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3 b - b3 0 1", False),  # taking in passing
    ],
)
def test_a_wall_is_closed_only_where_nothing_can_open_it(fen: str, closed: bool) -> None:
    position, rooks = encode(chess.Board(fen), chess.WHITE)
    assert walled_off(position, rooks) is closed
