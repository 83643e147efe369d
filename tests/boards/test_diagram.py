"""Diagrams of a board, compared with python-chess."""

from __future__ import annotations

import random

import chess
import pytest

from blindplay.boards.diagram import (
    START,
    after_move,
    diagram_of_board,
    differing,
    fen_of,
    has_extra_pieces,
    kings_in_the_centre,
    only_pieces_removed,
    positions_of,
)


def diagram(placement: str) -> bytes:
    return diagram_of_board(chess.BaseBoard(placement))


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


def test_the_fen_of_a_diagram_shows_pieces_without_names() -> None:
    shown = diagram("4k3/8/8/8/8/8/P7/4K3").replace(b"P", b"?")
    assert fen_of(shown) == "4k3/8/8/8/8/8/?7/4K3"
