"""Moves of boards that know only which squares are occupied."""

from __future__ import annotations

import chess
import pytest

from blindplay.boards.dgt.moves import MoveFound
from blindplay.boards.nameless import possible_moves
from blindplay.boards.recordings import decode

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


def _frame(protocol: str, board: chess.Board) -> bytes:
    """The occupied squares, as the board of this maker reports them."""
    there = [board.piece_at(square) is not None for square in chess.SQUARES]
    if protocol == "pegasus":  # a8 first
        return bytes((0x86, 0, 67, *(there[chess.square_mirror(at)] for at in chess.SQUARES)))
    if protocol == "squareoff":  # a1 to a8 first
        digits = (str(int(there[8 * rank + file])) for file in range(8) for rank in range(8))
        return b"30#" + "".join(digits).encode() + b"*"
    ranks = (sum(there[8 * rank + file] << file for file in range(8)) for rank in range(7, -1, -1))
    return bytes((0xFD, 0xFD, *ranks))


@pytest.mark.parametrize("protocol", ["pegasus", "squareoff", "chessup"])
@pytest.mark.parametrize("capture", ["e4d5", "e4f5"])
def test_the_middle_of_a_capture_may_be_reported_once(protocol: str, capture: str) -> None:
    """Two pawns can be taken. Only one report shows which one has left its square; the report of
    the taking pawn in the hand came too early, too."""
    board, stream = chess.Board(), b""
    moves = ["e2e4", "f7f5", "b1c3", "d7d5", capture, "g8f6", "g1f3"]
    for uci in moves:
        move = chess.Move.from_uci(uci)
        stream += 4 * _frame(protocol, board)
        for square in (move.to_square, move.from_square):
            if board.piece_at(square):
                middle = board.copy(stack=False)
                middle.remove_piece_at(square)
                stream += _frame(protocol, middle)
        board.push(move)
    stream += 4 * _frame(protocol, board)
    found = list(decode(stream, protocol))
    assert [one.uci for one in found if isinstance(one, MoveFound)] == moves
    assert len(found) == len(moves)
