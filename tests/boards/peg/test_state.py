"""The state of a pegged board, in cases that a healthy emulator does not produce."""

from __future__ import annotations

import pytest
from chess import STARTING_BOARD_FEN as START

from blindplay.boards import events
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.state import PegBoardState
from blindplay.boards.ports import UnfitBoardError


def _state() -> PegBoardState:
    state = PegBoardState("test")
    state.hear(peg.Hello(1, 0x100, 7, 64, 99, 0, 5000), 100.0)
    state.hear(peg.Dump(0xFFFF, 5010, peg.codes_of(START)), 100.01)
    assert not state.wants_dump
    return state


def test_the_sequence_wraps_without_a_gap() -> None:
    state = _state()
    assert state.hear(peg.HoleChanged(0, 6000, 12, 1, 0), 101.2) == [events.Lifted("e2", 101.0)]
    assert not state.wants_dump


def test_an_event_heard_twice_is_reported_once() -> None:
    state = _state()
    state.hear(peg.HoleChanged(0, 6000, 12, 1, 0), 101.2)
    assert state.hear(peg.HoleChanged(0, 6000, 12, 1, 0), 101.3) == []


def test_a_wrong_state_checksum_asks_for_a_dump() -> None:
    state = _state()
    state.hear(peg.Ping(0xFFFF, 6000, peg.state_crc(peg.codes_of(START)), 0, 0, 0, 0), 101.0)
    assert not state.wants_dump
    state.hear(peg.Ping(0xFFFF, 7000, 1, 0, 0, 0, 0), 102.0)
    assert state.wants_dump


def test_the_uptime_counter_may_wrap_after_49_days() -> None:
    state = PegBoardState("test")
    top = (1 << 32) - 1
    state.hear(peg.Hello(1, 0x100, 7, 64, 99, 0, top - 999), 100.0)
    state.hear(peg.Dump(0, top - 999, peg.codes_of(START)), 100.0)
    state.hear(peg.Ping(0, 1000, peg.state_crc(peg.codes_of(START)), 0, 0, 0, 0), 102.0)
    assert not state.wants_hello
    (before,) = state.hear(peg.HoleChanged(1, top - 499, 12, 1, 0), 102.2)
    assert before.at == pytest.approx(100.5)  # opened before the wrap, reported after it
    (after,) = state.hear(peg.HoleChanged(2, 1100, 28, 0, 1), 102.3)
    assert after.at == pytest.approx(102.1)


def test_a_resonator_half_a_percent_slow_stays_within_50_ms() -> None:
    state = _state()
    for second in range(1, 3601):
        state.hear(peg.Ping(0xFFFF, 5010 + second * 995, 0, 0, 0, 0, 0), 100.01 + second)
    (event,) = state.hear(peg.HoleChanged(0, 5010 + 3600 * 995, 12, 1, 0), 100.01 + 3600.15)
    assert event.at == pytest.approx(100.01 + 3600, abs=0.05)


def test_a_board_of_another_protocol_is_refused_with_the_remedy() -> None:
    state = PegBoardState("test")
    with pytest.raises(UnfitBoardError, match="update"):
        state.hear(peg.Hello(2, 0x100, 7, 64, 99, 0, 5000), 100.0)


def test_messages_before_the_hello_are_ignored() -> None:
    state = PegBoardState("test")
    assert state.hear(peg.HoleChanged(7, 6000, 12, 1, 0), 101.2) == []
    assert state.placement() is None


def test_a_press_before_the_hello_is_not_reported() -> None:
    state = _state()
    assert state.hear(peg.Presses(5020, 3, 4000, 250, 4999), 100.02) == []


def test_a_press_that_the_count_shows_is_reported_at_its_time_and_once() -> None:
    state = _state()
    state.hear(peg.Presses(5020, 3, 4000, 255, 4999), 100.02)
    counted = peg.Presses(7000, 3, 4000, 0, 6500)
    assert state.hear(counted, 102.0) == [events.LeverPressed("black", 101.5)]
    assert state.hear(counted, 102.0) == []


def test_a_press_that_was_heard_is_not_reported_again_by_the_count() -> None:
    state = _state()
    state.hear(peg.Presses(5020, 0, 0, 0, 0), 100.02)
    assert len(state.hear(peg.LeverMoved(0, 6000, 0, 1), 101.1)) == 1
    assert state.hear(peg.Presses(6100, 1, 6000, 0, 0), 101.1) == []
    assert state.hear(peg.LeverMoved(1, 6080, 0, 0), 101.1) == []


def test_a_press_after_the_hello_but_before_the_first_count_is_reported_once() -> None:
    heard, lost = _state(), _state()
    assert heard.hear(peg.LeverMoved(0, 6000, 0, 1), 101.1) == [events.LeverPressed("white", 101.0)]
    counted = peg.Presses(6100, 9, 6000, 0, 0)
    assert heard.hear(counted, 101.1) == []
    assert lost.hear(counted, 101.1) == [events.LeverPressed("white", 101.0)]


def test_presses_lost_with_both_levers_come_in_the_order_of_their_times() -> None:
    state = _state()
    state.hear(peg.Presses(5020, 0, 0, 0, 0), 100.02)
    told = state.hear(peg.Presses(9000, 1, 8000, 1, 7000), 104.0)
    assert told == [events.LeverPressed("black", 102.0), events.LeverPressed("white", 103.0)]


def test_a_restarted_board_counts_from_nothing_and_no_press_is_invented() -> None:
    state = _state()
    state.hear(peg.Presses(5020, 7, 4000, 9, 4999), 100.02)
    assert state.hear(peg.Presses(300, 0, 0, 0, 0), 101.0) == []  # it restarted unnoticed
    assert state.wants_hello
    state.hear(peg.Hello(1, 0x100, 7, 64, 100, 0, 310), 101.0)
    assert state.hear(peg.Presses(320, 0, 0, 0, 0), 101.0) == []


def test_a_press_between_a_restart_and_its_hello_is_reported_once() -> None:
    state = _state()
    state.hear(peg.Presses(5020, 7, 4000, 9, 4999), 100.02)
    assert state.hear(peg.LeverMoved(1, 250, 0, 1), 100.75) == []  # its hello was damaged
    state.hear(peg.Hello(1, 0x100, 7, 64, 100, 0, 500), 101.0)
    counted = peg.Presses(1000, 1, 250, 0, 0)
    assert state.hear(counted, 101.5) == [events.LeverPressed("white", 100.75)]
    assert state.hear(counted, 101.5) == []


def test_the_presses_of_another_board_in_place_of_the_first_are_not_reported() -> None:
    state = PegBoardState("test", _state())
    state.hear(
        peg.Hello(1, 0x100, 7, 64, 100, 0, 60_000), 103.0
    )  # it booted before the first one was lost
    assert state.hear(peg.Presses(60_010, 5, 59_000, 0, 0), 103.01) == []


def test_a_press_while_the_line_was_down_is_reported_if_the_board_lived_on() -> None:
    before = _state()
    before.hear(peg.Presses(5020, 1, 4000, 1, 4999), 100.02)
    counted = peg.Presses(20_020, 2, 15_000, 1, 4999)
    for nonce, told in ((99, [events.LeverPressed("white", 110.0)]), (98, [])):
        state = PegBoardState("test", before)
        state.hear(peg.Hello(1, 0x100, 7, 64, nonce, 0, 20_000), 115.0)
        state.hear(peg.Dump(0, 20_010, peg.codes_of(START)), 115.01)
        assert state.hear(counted, 115.02) == told
