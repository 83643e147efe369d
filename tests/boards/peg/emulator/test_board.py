"""The hands and the plug of the emulated board."""

from __future__ import annotations

import pytest

from blindplay.boards.peg.emulator import EmulatedBoard


def test_impossible_actions_of_hands_are_refused() -> None:
    with EmulatedBoard(force_socket=True) as board:
        with pytest.raises(ValueError, match="no piece on e4"):
            board.lift("e4")
        with pytest.raises(ValueError, match="occupied"):
            board.place("e2", "P")
        with pytest.raises(ValueError, match="not a piece"):
            board.place("e4", "X")
        with pytest.raises(ValueError, match="not a square"):
            board.lift("k1")
        with pytest.raises(ValueError, match="no piece on e5"):
            board.open_contact("e5", 0.01)


def test_a_wrong_placement_is_refused() -> None:
    with pytest.raises(ValueError, match="eight ranks"):
        EmulatedBoard("8/8")


def test_it_can_be_closed_plugged_and_unplugged_at_any_time() -> None:
    board = EmulatedBoard()
    for _ in range(20):
        board.unplug()
        board.unplug()
        board.plug()
        board.plug()
    board.close()
    board.close()
    board.plug()
