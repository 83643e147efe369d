"""Times of clocks are written and read in one way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.wording.clock_times import read_time, write_time


@given(st.integers(0, 100 * 3600 - 1), st.booleans())
def test_a_written_time_is_read_as_itself(seconds: int, hours: bool) -> None:
    assert read_time(write_time(seconds * 1000, hours=hours)) == seconds


@pytest.mark.parametrize(
    ("milliseconds", "written"),
    [(-1, "0:00"), (999, "0:00"), (59_999.5, "0:59"), (3_599_999, "59:59"), (3_600_000, "1:00:00")],
)
def test_no_time_shows_more_than_there_is(milliseconds: float, written: str) -> None:
    assert write_time(milliseconds) == written


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("5:00", 300), ("120:59", 7259)])
def test_seconds_and_minutes_alone_may_be_many(text: str, seconds: int) -> None:
    assert read_time(text) == seconds


@pytest.mark.parametrize("text", ["", "five", "5:60", "1:2:3:4", "-5", "5:", "٣", "123456"])
def test_anything_else_is_no_time(text: str) -> None:
    with pytest.raises(ValueError):
        read_time(text)
