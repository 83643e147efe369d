"""The state of a DGT board, in simulated time, against a line that flips bits."""

from __future__ import annotations

import random

import chess
import pytest

from blindplay.boards.dgt.protocol import ClockTimes, Dump, HostCommand
from blindplay.boards.dgt.state import DgtBoardState
from blindplay.boards.events import BoardPosition, LeverPressed
from blindplay.boards.ports import UnfitBoardError
from tests.boards.dgt import hands


def test_the_side_of_the_clock_survives_a_pulled_cable() -> None:
    start = Dump(tuple(hands.dump(hands.pieces_of(chess.Board()))[3:]))
    before = DgtBoardState("test")
    for now in (0.0, 0.1):
        before.hear(start, now)
    before.hear(ClockTimes(300, 300, "right"), 0.2)  # White's time runs first from the start
    after = DgtBoardState("test", before)
    after.hear(ClockTimes(300, 290, "right"), 9.0)
    after.hear(ClockTimes(300, 290, "left"), 10.0)
    assert after.rest(11.0) == [LeverPressed("white", 10.0)]


def test_a_pegged_board_in_the_place_of_a_dgt_board_is_refused() -> None:
    """It answers as one, but touches have no place in that protocol."""
    state = DgtBoardState("/dev/ttyUSB1")
    asked = state.requests(0.0)
    assert asked.index(HostCommand.TRADEMARK) < asked.index(HostCommand.SEND_BOARD)
    state.receive(hands.TRADEMARK, 0.1)
    with pytest.raises(UnfitBoardError, match="at /dev/ttyUSB1 is a pegged board: give its port"):
        state.receive(bytes((0x92, 0, 3 + 9)) + b"BlindPlay", 0.2)


@pytest.mark.parametrize("ppm", [100, 1000])
def test_with_flipped_bits_on_the_line_no_wrong_position_is_reported(ppm: int) -> None:
    hand = random.Random(ppm)
    board, pieces = chess.Board(), hands.pieces_of(chess.Board())
    state = DgtBoardState("test")
    now, dumps, spoilt = 0.0, 0, 0

    def send(message: bytes) -> None:
        nonlocal spoilt
        heard = bytes(
            sum(1 << bit for bit in range(8) if hand.random() < ppm / 1e6) ^ byte
            for byte in message
        )
        spoilt += heard != message
        for event in state.receive(heard, now):
            if isinstance(event, BoardPosition):
                assert event.placement == board.board_fen()

    for move in hands.random_game(hand, 150):
        for square, piece in hands.by_hand(board, move, hand):
            if piece == ".":
                pieces.pop(square, None)
            else:
                pieces[square] = piece
            now += 0.1
            send(hands.update(square, piece))
        board.push(move)
        end = now + 4
        while now < end:
            now += 0.1
            state.receive(b"", now)
            if HostCommand.SEND_BOARD in state.requests(now):
                dumps += 1
                send(hands.dump(pieces))
        assert state.placement() == board.board_fen()
    assert dumps > 150
    assert spoilt > 0
