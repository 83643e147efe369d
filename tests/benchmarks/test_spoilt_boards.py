"""Boards on which hands have slipped on purpose."""

from __future__ import annotations

from random import Random

import chess
import pytest

from benchmarks.spoilt_boards import AT_THE_END, BY_MOVES, BY_THEMSELVES, game, mishap
from blindplay.laws.deviation import SlipKind
from blindplay.laws.placement import pieces_of


@pytest.mark.parametrize("kind", [SlipKind.DISPLACED, SlipKind.NOT_EXECUTED, SlipKind.BEHIND])
def test_a_slip_of_the_wanted_kind_changes_the_board(kind: SlipKind) -> None:
    made = mishap(Random(7), 30, kind)
    board = made.start.copy()
    for move in made.moves:
        assert move in board.legal_moves
        board.push(move)
    assert [slip.what for slip in made.slips] == [kind]
    assert dict(made.shown) != pieces_of(board)


def test_every_kind_of_slip_can_be_made() -> None:
    assert set(BY_MOVES) | set(BY_THEMSELVES) | set(AT_THE_END) == set(SlipKind)


def test_a_random_game_has_not_ended() -> None:
    board = chess.Board()
    for move in game(Random(1), 40, board):
        board.push(move)
    assert len(board.move_stack) == 40 and any(board.legal_moves)
