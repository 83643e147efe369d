"""The figures about a board: what counts as reported, shown, lost and invented."""

from __future__ import annotations

from contextlib import closing

from benchmarks import boards
from benchmarks.boards import Reliability
from blindplay.boards import events
from hardware.lockstep import LockstepBoard


def event(kind: type, *values: object) -> events.BoardEvent:
    """An event of this kind, at the time 0."""
    made: events.BoardEvent = kind(*values, at=0.0)
    return made


DONE = [("e2", "."), ("e4", "P")]


def test_reported_actions_and_the_press_are_counted() -> None:
    heard = [
        event(events.Lifted, "e2"),
        event(events.Placed, "e4", "P"),
        event(events.LeverPressed, "white"),
    ]
    assert boards._compared(DONE, heard, "white") == Reliability(
        moves=1, actions=2, told=2, presses=1
    )


def test_an_unreported_action_is_lost_unless_a_position_shows_it() -> None:
    lifted, pressed = event(events.Lifted, "e2"), event(events.LeverPressed, "white")
    found = boards._compared(DONE, [lifted, pressed], "white")
    assert (found.told, found.shown, found.lost) == (1, 0, 1)
    position = event(events.BoardPosition, "8/8/8/8/8/8/8/8")
    found = boards._compared(DONE, [lifted, position, pressed], "white")
    assert (found.told, found.shown, found.lost) == (1, 1, 0)


def test_actions_and_presses_that_never_were_are_invented() -> None:
    heard = [
        event(events.Lifted, "e2"),
        event(events.Placed, "e4", "P"),
        event(events.Lifted, "a1"),
        event(events.LeverPressed, "black"),
    ]
    found = boards._compared(DONE, heard, "white")
    assert (found.invented, found.presses_lost, found.presses_invented) == (1, 1, 1)


def test_reliability_adds_up_over_all_moves() -> None:
    with closing(LockstepBoard(seed=5)) as board:
        found = boards.reliability(board, 16, seed=11)
    assert (found.moves, found.presses) == (16, 16)
    assert found.told + found.shown + found.lost == found.actions
    assert found.unplugged > 0 and found.damaged_frames > 0
    assert found + Reliability() == found


def test_the_figures_are_plain_lines() -> None:
    lines = list(boards.in_lockstep("A board", LockstepBoard, moves=2))
    assert len(lines) == 7
    assert all(line.startswith("A board, ") and line.endswith(".") for line in lines)


def test_spoilt_contacts_and_slow_damp_make_no_lift_and_no_placing() -> None:
    """What damp makes at one stroke looks like a piece from beside the board, if one may come."""
    for what, found in boards.spoilt(LockstepBoard, steps=6):
        indistinguishable = "at one stroke" in what and "one more" in what
        assert found.tried > 5, what
        assert found.false == 0 or indistinguishable, what
        assert (found.silent, found.lost) == (0, 0), what
