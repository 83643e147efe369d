"""Fields and codes of a DGT board as squares and diagrams."""

from __future__ import annotations

import chess
import pytest

from blindplay.boards.dgt.fields import codes_of, diagram_of, placement_of, turned_at_start
from blindplay.boards.diagram import diagram_of_board


@pytest.mark.parametrize("turned", [False, True])
def test_codes_and_diagram_of_a_position_agree_from_both_sides(turned: bool) -> None:
    board = chess.BaseBoard("r3k2r/8/8/3P4/8/8/1p6/R3K2R")
    shown = diagram_of(codes_of(board, turned), turned)
    assert shown == diagram_of_board(board)
    assert placement_of(codes_of(board, turned), turned) == board.board_fen()


def test_the_start_position_shows_which_way_the_board_lies() -> None:
    for turned in (False, True):
        assert turned_at_start(codes_of(chess.Board(), turned)) is turned
    assert turned_at_start(codes_of(chess.BaseBoard(None), False)) is None
