"""Time controls as people write them, and the kind of game that follows from one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.laws.clock import Period, TimeControl
from blindplay.laws.editions import load
from blindplay.laws.time_controls import mode_of, read, read_length, stored, written


@pytest.mark.parametrize(
    ("text", "pgn"),
    [
        ("90m+30s", "5400+30"),
        ("40/90m+30m+30s", "40/5400+30:1800+30"),
        ("40/100m+20/50m+15m+30s", "40/6000+30:20/3000+30:900+30"),
        ("40/2h:1h+30s", "40/7200:3600+30"),
        ("15m+10s", "900+10"),
        ("15:00+10s", "900+10"),
        ("1:30:00", "5400"),
        ("3h", "10800"),
        ("1h30m + 30s", "5400+30"),
        ("90 min + 30 sec", "5400+30"),
        ("90'+30\"", "5400+30"),
        ("1.5m+1s", "90+1"),
        ("40/90m", "40/5400"),
        ("5400+30", "5400+30"),
        ("40/5400+30:1800+30", "40/5400+30:1800+30"),
        ("-", "-"),
        ("G/60", "3600"),
        ("G/90;+30", "5400+30"),
        ("30/90,SD/30;+30", "30/5400+30:1800+30"),
        ("15|10", "900+10"),
        ("1h30", "5400"),
        ("1h30+30s", "5400+30"),
    ],
)
def test_time_controls_are_read_as_people_write_them(text: str, pgn: str) -> None:
    assert read(text).pgn == pgn
    assert TimeControl.parse(pgn) == read(text)


@pytest.mark.parametrize(
    ("text", "pgn", "mode"),
    [
        ("G/60 d5", "3600+5", "delay"),
        ("60m d5s", "3600+5", "delay"),
        ("60m+5s delay", "3600+5", "delay"),
        ("40/120,SD/60 d5", "40/7200+5:3600+5", "delay"),
        ("G/60 b5", "3600+5", "bronstein"),
        ("3m+2s bronstein", "180+2", "bronstein"),
        ("90m+30s", "5400+30", "increment"),
    ],
)
def test_a_delay_is_read_as_people_write_it(text: str, pgn: str, mode: str) -> None:
    control = read(text)
    assert (control.pgn, control.mode) == (pgn, mode)


_PERIODS = st.builds(
    Period,
    moves=st.one_of(st.none(), st.integers(1, 99)),
    base=st.integers(1, 9_999_999).map(lambda tenths: tenths * 100),
    increment=st.just(0),
)


@given(
    st.lists(_PERIODS, min_size=1, max_size=3),
    st.integers(1, 600).map(lambda tenths: tenths * 100),
    st.sampled_from(("increment", "delay", "bronstein")),
)
def test_what_is_written_is_read_back(periods: list[Period], increment: int, mode: str) -> None:
    """A table's file in a hall has it so: a blitz of three minutes has one reading only."""
    counted = [replace(one, moves=one.moves or 40) for one in periods[:-1]]
    each = [replace(one, increment=increment) for one in (*counted, periods[-1])]
    control = TimeControl(tuple(each), mode)
    assert read(written(control)) == control
    assert stored(control.pgn) == TimeControl(tuple(each))


@pytest.mark.parametrize(
    ("text", "minutes", "seconds"),
    [
        ("5+3", "5m+3s", "5s+3s"),
        ("90", "90m", "90s"),
        ("40/90+30", "40/90m+30s", "40/90s+30s"),
        ("180+2", "180m+2s", "180s+2s"),
        ("1.5+1", "1.5m+1s", "1.5s+1s"),
    ],
)
def test_small_numbers_without_a_unit_are_refused_with_both_readings(
    text: str, minutes: str, seconds: str
) -> None:
    with pytest.raises(ValueError, match="has two readings") as refused:
        read(text)
    assert minutes in str(refused.value) and seconds in str(refused.value)
    assert read(minutes) != read(seconds)


@pytest.mark.parametrize(
    "text",
    ["", "?",
     "soon", "0m", "90m+30", "90m+30m", "15m+10s:5m", "9999h", "40/", "0/90m", "½h", "m" * 200,
     "+", "9" * 5000, "90m+30s+30s", "60m delay", "d5", "G/", "SD/30,40/90"],
)  # fmt: skip
def test_what_is_no_time_control_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"time control.{0,300}\.$"):
        read(text)


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("90m+30s", "standard"),  # 90 + 60 × 0.5 = 120 minutes
        ("30m+30s", "standard"),  # 60 minutes is not less than 60 (A.1)
        ("60m", "standard"),
        ("59m", "rapid"),
        ("15m+10s", "rapid"),  # 25 minutes
        ("10m+1s", "rapid"),  # 11 minutes is more than 10
        ("10m", "blitz"),  # 10 minutes or less (B.1)
        ("3m+2s", "blitz"),  # 5 minutes
        ("-", "standard"),
    ],
)
def test_the_mode_follows_from_the_time_for_sixty_moves(text: str, mode: str) -> None:
    assert mode_of(read(text), load("fide-2023")) == mode
    assert mode_of(read(text), load("fide-2014")) == mode


@pytest.mark.parametrize(
    ("text", "mode"),
    # fide-1997 B.1: between 15 and 60 minutes; C.1: less than 15. It counts no increments.
    [("15m", "rapid"), ("14m", "blitz"), ("60m", "rapid"), ("61m", "standard")],
)
def test_an_older_text_draws_the_line_elsewhere(text: str, mode: str) -> None:
    assert mode_of(read(text), load("fide-1997")) == mode


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("15m", 900),
        ("90s", 90),
        ("1h30m", 5400),
        ("1.5 m", 90),
        ("0", 0),
        ("0s", 0),
        ("24h", 86_400),
        ("72h", 259_200),
        ("59:30", 3570),
        ("1:30:00", 5400),
    ],
)
def test_a_length_of_time_is_read_as_people_write_it(text: str, seconds: int) -> None:
    assert read_length(text) == 1000 * seconds


@pytest.mark.parametrize(
    "text", ["", "15", "-5m", "5m-", "40/5m", "m", "721h", "1e9h", "9" * 200 + "s"]
)
def test_what_is_no_length_of_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time up to 30 days"):
        read_length(text)
