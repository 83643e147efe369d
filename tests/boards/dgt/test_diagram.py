"""Diagrams of a DGT board, compared with python-chess."""

from __future__ import annotations

import random

import chess
import pytest

from blindplay.boards.dgt.diagram import (
    START,
    after_move,
    codes_of,
    diagram_of,
    diagram_of_board,
    differing,
    fen_of,
    has_extra_pieces,
    kings_in_the_centre,
    only_pieces_removed,
    positions_of,
    turned_at_start,
)


def diagram(placement: str) -> bytes:
    return diagram_of_board(chess.BaseBoard(placement))


@pytest.mark.parametrize("turned", [False, True])
def test_codes_and_diagram_of_a_position_agree_from_both_sides(turned: bool) -> None:
    board = chess.BaseBoard("r3k2r/8/8/3P4/8/8/1p6/R3K2R")
    shown = diagram_of(codes_of(board, turned), turned)
    assert shown == diagram_of_board(board) and fen_of(shown) == board.board_fen()


def test_the_start_position_shows_which_way_the_board_lies() -> None:
    for turned in (False, True):
        assert turned_at_start(codes_of(chess.Board(), turned)) is turned
    assert turned_at_start(codes_of(chess.BaseBoard(None), False)) is None


@pytest.mark.parametrize("number", [0, 518, 959])
def test_the_diagram_after_a_move_is_that_of_python_chess(number: int) -> None:
    hand = random.Random(number)
    for _ in range(5):
        board = chess.Board.from_chess960_pos(number)
        while not board.is_game_over() and board.ply() < 120:
            shown = diagram_of_board(board)
            moves = list(board.legal_moves)
            for move in moves:
                after = board.copy(stack=False)
                after.push(move)
                assert after_move(board, shown, move) == diagram_of_board(after)
            board.push(hand.choice(moves))


def test_a_diagram_has_a_position_for_each_side_that_may_be_to_move() -> None:
    assert [board.turn for board in positions_of(START)] == [chess.WHITE, chess.BLACK]
    in_check = positions_of(diagram("4k3/8/8/8/8/8/8/4R1K1"))
    assert [board.turn for board in in_check] == [chess.BLACK]


def test_pieces_that_promotions_explain_are_not_extra() -> None:
    before = diagram("4k3/P7/8/8/8/8/8/4K3")
    assert not has_extra_pieces(before, diagram("Q3k3/8/8/8/8/8/8/4K3"))
    assert has_extra_pieces(before, diagram("Q3k3/P7/8/8/8/8/8/4K3"))
    assert has_extra_pieces(before, diagram("4k3/P7/8/8/8/8/8/3KK3"))


def test_taking_pieces_off_is_told_from_moving_them() -> None:
    before = diagram("4k3/P7/8/8/8/8/8/4K3")
    assert only_pieces_removed(before, diagram("4k3/8/8/8/8/8/8/4K3"))
    moved = diagram("P3k3/8/8/8/8/8/8/4K3")
    assert not only_pieces_removed(before, moved)
    assert differing(before, moved) == chess.BB_A7 | chess.BB_A8


def test_both_kings_in_the_centre_show_a_result() -> None:
    assert kings_in_the_centre(diagram("8/8/8/3k4/4K3/8/8/8"))
    assert not kings_in_the_centre(diagram("8/8/3k4/8/4K3/8/8/8"))
