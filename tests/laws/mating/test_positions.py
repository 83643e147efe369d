"""Packed positions: the same moves as python-chess."""

from __future__ import annotations

import random

import chess
import pytest

from blindplay.laws.mating.positions import (
    CASTLING,
    PASSING,
    TURN,
    decode,
    encode,
    legal_moves,
    play,
)


def boards(seed: int, count: int, *, chess960: bool = False) -> list[chess.Board]:
    """Positions of random games, from the first move to the last."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        board = chess.Board()
        if chess960:
            board = chess.Board.from_chess960_pos(rng.randrange(960))
        for _ in range(rng.randrange(1, 120)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        found.append(board.copy(stack=False))
    return found


@pytest.mark.parametrize("winner", chess.COLORS)
@pytest.mark.parametrize("chess960", [False, True])
def test_the_legal_moves_are_those_of_python_chess(winner: chess.Color, chess960: bool) -> None:
    for board in boards(1, 60, chess960=chess960):
        position, rooks = encode(board, winner)
        moves, check = legal_moves(position, rooks)
        assert check == board.is_check()
        decoded = {decode(move, position, board, winner) for move in moves}
        assert decoded == set(board.legal_moves), board.fen()
        assert len(moves) == len(decoded)


@pytest.mark.parametrize("winner", chess.COLORS)
def test_a_move_leads_to_the_position_that_it_leads_to_on_the_board(winner: chess.Color) -> None:
    rng = random.Random(2)
    for board in boards(2, 60):
        position, rooks = encode(board, winner)
        moves, _ = legal_moves(position, rooks)
        if moves:
            move = rng.choice(moves)
            board.push(decode(move, position, board, winner))
            after = play(position, move, rooks)
            there, _ = encode(board, winner)
            # The rooks that may still castle are numbered from both positions alike.
            assert after[:CASTLING] == there[:CASTLING]
            assert after[PASSING] == there[PASSING]


def test_a_position_is_turned_over_when_black_is_to_mate() -> None:
    board = chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    assert encode(board, chess.WHITE) == encode(board.mirror(), chess.BLACK)
    assert encode(board, chess.WHITE)[0][TURN] == 0
    assert encode(board, chess.BLACK)[0][TURN] == 1


def test_taking_in_passing_is_illegal_if_it_uncovers_the_king() -> None:
    # Both pawns leave the fifth rank at once, and the rook checks the king.
    board = chess.Board("4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1")
    position, rooks = encode(board, chess.WHITE)
    moves, _ = legal_moves(position, rooks)
    assert {decode(move, position, board, chess.WHITE) for move in moves} == set(board.legal_moves)
