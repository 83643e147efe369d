"""The clock's arithmetic, in milliseconds (fide-2023 6.3, PGN's TimeControl tag)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.laws.clock import Clock, Period, TimeControl


def clock(control: str, mode: str = "increment") -> Clock:
    return Clock(TimeControl.parse(control), mode)


def test_periods_are_read() -> None:
    assert TimeControl.parse("40/5400+30:1800+30").periods == (
        Period(40, 5_400_000, 30_000), Period(None, 1_800_000, 30_000),
    )  # fmt: skip
    assert TimeControl.parse("0.5").periods == (Period(None, 500, 0),)
    assert not Clock(TimeControl.parse("-"))


@pytest.mark.parametrize("text", ["soon", "0", "0+0", "0/60", "60:", "-5", "60+", "1e3", "٣"])
def test_what_is_no_time_control_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=r"900\+10"):
        TimeControl.parse(text)


def test_the_increment_is_given_before_the_first_move_too() -> None:
    it = clock("300+5")
    assert it.left == {"white": 305_000, "black": 305_000}
    it.start("white")
    it.complete("white")
    assert it.left["white"] == 310_000
    assert it.running == "black"


def test_the_next_period_is_added_after_its_last_move_with_its_own_increment() -> None:
    it = clock("2/100+10:50+3")
    for _ in range(2):
        it.complete("white")
        it.complete("black")
    # 100 + 10 at the start, 10 after move 1, 50 + 3 after move 2.
    assert it.left == {"white": 173_000, "black": 173_000}


def test_the_last_period_is_repeated_when_it_has_a_number_of_moves() -> None:
    it = clock("1/60")
    for _ in range(3):
        it.complete("white")
        it.complete("black")
    assert it.left["white"] == 240_000


def test_a_delay_passes_before_the_time_does() -> None:
    it = clock("60+5", "delay")
    it.start("white")
    it.advance(4_000)
    assert it.left["white"] == 60_000
    it.advance(7_000)
    assert it.left["white"] == 58_000
    it.complete("white")
    assert it.left["white"] == 58_000


@pytest.mark.parametrize(("mode", "left"), [("delay", 591_500), ("bronstein", 591_500)])
def test_a_move_has_one_delay_though_the_other_clock_ran_in_between(mode: str, left: int) -> None:
    # 6.3.2 and 7.4.1: White thinks 9.5 s, Black puts pieces right, White thinks 9 s; 10 s are free.
    it = clock("600+10", mode)
    it.start("white")
    for t, side in ((9_500, "black"), (29_500, "white"), (38_500, "")):
        it.advance(t)
        it.start(side or "white")
    it.complete("white")
    assert it.left["white"] == left


def test_a_delay_is_given_once_a_move_though_the_arbiter_stopped_the_clock() -> None:
    it = clock("60+5", "delay")
    it.start("white")
    it.advance(5_000)
    it.stop()
    it.advance(9_000)
    it.start("white")
    it.advance(10_000)
    assert it.left["white"] == 59_000


def test_no_flag_falls_while_the_delay_lasts() -> None:
    it = clock("0+5", "delay")
    it.start("white")
    it.advance(4_999)
    assert it.flags == []
    it.advance(5_000)
    assert it.flags == ["white"]


@pytest.mark.parametrize(("thought", "left"), [(3_000, 60_000), (5_000, 60_000), (8_000, 57_000)])
def test_bronstein_gives_back_what_was_used_and_no_more_than_the_bonus(
    thought: int, left: int
) -> None:
    it = clock("60+5", "bronstein")
    it.start("white")
    it.advance(thought // 2)
    it.stop()
    it.start("white")  # the arbiter stopped the clock in between
    it.advance(thought)
    it.complete("white")
    assert it.left["white"] == left


def test_a_flag_falls_at_nought_and_is_up_again_when_time_is_given() -> None:
    it = clock("10")
    it.start("white")
    it.advance(9_999)
    assert it.flags == []
    it.advance(10_000)
    assert (it.flags, it.left["white"]) == (["white"], 0)
    it.set("white", 1_000)
    assert it.flags == []


def test_a_clock_put_back_stands_as_it_stood() -> None:
    it = clock("1/60:30")
    it.start("white")
    it.advance(20_000)
    state = it.snapshot()
    it.complete("white")
    it.advance(30_000)
    it.restore(state)
    assert (it.left, it.running) == ({"white": 40_000, "black": 60_000}, None)
    it.complete("white")
    assert it.left["white"] == 70_000


STEPS = st.lists(st.tuples(st.integers(0, 20_000), st.booleans()), max_size=40)


@given(STEPS, st.sampled_from(["60", "5:60", "2/60:30"]))
def test_time_is_conserved_and_never_negative(steps: list[tuple[int, bool]], control: str) -> None:
    it = clock(control)
    it.start("white")
    now, given = 0, sum(it.left.values())
    for passed, press in steps:
        now += passed
        it.advance(now)
        assert min(it.left.values()) >= 0
        if it.flags:
            return
        if press:
            before = sum(it.left.values())
            side = it.running
            assert side is not None
            it.complete(side)
            given += sum(it.left.values()) - before
            assert it.running != side
        periods = it.control.periods
        if periods[0].moves is None and len(periods) == 2:
            continue  # a period that ends by time adds the next one by itself
        assert sum(it.left.values()) == given - now


@given(STEPS, st.sampled_from(["delay", "bronstein"]))
def test_a_bonus_that_does_not_add_up_never_gives_more_than_was_there(
    steps: list[tuple[int, bool]], mode: str
) -> None:
    it = clock("60+5", mode)
    it.start("white")
    now = 0
    for passed, press in steps:
        now += passed
        it.advance(now)
        if press and it.running and not it.flags:
            it.complete(it.running)
        assert all(0 <= left <= 60_000 for left in it.left.values())
