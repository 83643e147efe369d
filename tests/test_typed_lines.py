"""Lines that are typed, for one reader after the other."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator

import pytest

from blindplay.ctrl_c import CtrlC
from blindplay.typed_lines import TypedLines


def test_each_line_goes_to_one_reader() -> None:
    lines = TypedLines(["a\n", "b\n", "c\n", "d\n"])
    assert lines.within(60) == "a\n"
    assert lines.next() == "b\n"
    assert next(lines.until(bool)) == "c\n"
    assert list(lines.until(bool)) == ["d\n"]
    assert lines.ended and lines.within(0) is None and list(lines.until(bool)) == []
    assert lines.next() is None


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), ValueError()])
def test_a_keyboard_that_is_gone_ends_the_lines(error: Exception) -> None:
    def gone() -> Iterator[str]:
        yield "a\n"
        raise error

    assert list(TypedLines(gone()).until(bool)) == ["a\n"]


def test_ctrl_c_ends_the_lines_also_when_it_comes_before_anybody_waits() -> None:
    def keys() -> Iterator[str]:
        yield "a\n"
        threading.Event().wait()  # nobody types any more

    with CtrlC() as ctrl_c:
        lines = TypedLines(keys()).until(lambda: ctrl_c.pressed)
        assert next(lines) == "a\n"
        signal.raise_signal(signal.SIGINT)
        assert list(lines) == []


def test_a_signal_at_the_end_of_a_wait_does_not_make_it_endless() -> None:
    """``queue.SimpleQueue`` of Python 3.11 waits for ever then."""
    if sys.platform == "win32":
        pytest.skip("Windows has no timers that send signals.")

    def keys() -> Iterator[str]:
        threading.Event().wait()  # nobody types
        yield ""

    lines = TypedLines(keys())
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.0011, 0.0011)
    try:
        assert all(lines.within(0.001) is None for _ in range(1000))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
