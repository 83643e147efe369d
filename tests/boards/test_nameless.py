"""Moves of boards that know only which squares are occupied."""

from __future__ import annotations

import chess
import pytest

from blindplay.boards.nameless import possible_moves

TWO_CAPTURES = "4k3/8/8/3p1p2/4P3/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "move", "emptied", "found"),
    [
        (chess.STARTING_FEN, "e2e4", ["e2"], ["e2e4"]),
        (TWO_CAPTURES, "e4d5", ["e4", "d5"], ["e4d5"]),
        (TWO_CAPTURES, "e4f5", ["e4", "f5"], ["e4f5"]),
        (TWO_CAPTURES, "e4d5", ["e4"], ["e4d5", "e4f5"]),  # nobody saw what was captured
        (TWO_CAPTURES, "e4d5", ["e4", "d5", "f5"], []),  # too much was lifted
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", ["e1", "h1"], ["e1g1"]),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", ["e5", "d5"], ["e5d6"]),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", ["a7"], ["a7a8q"]),
    ],
)
def test_a_move_must_explain_each_square_that_was_emptied(
    fen: str, move: str, emptied: list[str], found: list[str]
) -> None:
    board = chess.Board(fen)
    after = board.copy()
    after.push_uci(move)
    seen = sum(1 << chess.parse_square(square) for square in emptied)
    moves = possible_moves(board, after.occupied, seen)
    assert sorted(one.uci() for one in moves) == found
