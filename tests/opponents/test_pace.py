"""How long an opponent seems to think."""

from __future__ import annotations

import random

import chess
import pytest

from blindplay.opponents.pace import seconds_to_think

LATER = chess.Board("r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 20")


def usual(board: chess.Board, left_s: float | None = None, increment_s: float = 0.0) -> float:
    chance = random.Random(1)
    found = sorted(seconds_to_think(board, left_s, increment_s, chance) for _ in range(99))
    assert found[0] < found[-1] or left_s is not None
    return found[49]


def test_it_takes_longer_in_the_middle_than_in_the_opening_and_for_the_only_move() -> None:
    only = chess.Board("7k/8/8/8/8/8/q7/7K w - - 0 40")
    assert usual(only) < usual(chess.Board()) < usual(LATER) < 6


@pytest.mark.parametrize(("left", "increment"), [(60.0, 0.0), (3.0, 2.0), (0.5, 0.0)])
def test_it_never_takes_more_than_a_thirtieth_of_the_time_left(
    left: float, increment: float
) -> None:
    chance = random.Random(2)
    most = max(seconds_to_think(LATER, left, increment, chance) for _ in range(200))
    assert most <= left / 30 + 0.6 * increment
