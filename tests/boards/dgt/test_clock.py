"""What the messages of a DGT clock show."""

from __future__ import annotations

from blindplay.boards.dgt.clock import ClockOwners, ClockRhythm
from blindplay.boards.dgt.protocol import ClockTimes


def heard(*left: int) -> list[str]:
    """The judgements on a left clock that shows these seconds, while the right one stands."""
    rhythm = ClockRhythm()
    return [rhythm.judge(ClockTimes(left=s, right=900, running="left")) for s in left]


def test_a_clock_that_was_heard_each_second_shows_a_loss_by_its_jump() -> None:
    regular = list(range(900, 880, -1))
    assert heard(*regular, 850, 849)[-2:] == ["doubtful", "jump"]


def test_one_misread_time_is_no_loss() -> None:
    regular = list(range(900, 880, -1))
    assert heard(*regular, 200, 879, 878)[-3:] == ["doubtful", "good", "good"]


def test_a_clock_that_is_heard_now_and_then_shows_no_loss() -> None:
    assert set(heard(*range(900, 600, -20))) == {"good"}


def test_an_increment_is_no_loss() -> None:
    regular = list(range(900, 880, -1))
    assert heard(*regular, 909)[-1] == "good"


def test_two_presses_that_agree_settle_whose_clock_is_whose() -> None:
    owners = ClockOwners()
    assert owners.mover_pressed("left", white_moved=True)
    assert owners.mover_pressed("right", white_moved=False)
    assert owners.white == "left"
    assert not owners.mover_pressed("right", white_moved=True)


def test_one_press_alone_may_only_have_started_the_clock() -> None:
    owners = ClockOwners()
    assert owners.mover_pressed("left", white_moved=True)
    assert owners.mover_pressed("right", white_moved=True)
    assert owners.white == "right"
