"""Ctrl-C at a table."""

from __future__ import annotations

import signal

import pytest

from blindplay.ctrl_c import CtrlC


def test_the_first_ctrl_c_cuts_off_nothing_and_the_second_what_hangs() -> None:
    before = signal.getsignal(signal.SIGINT)
    with CtrlC() as ctrl_c:
        signal.raise_signal(signal.SIGINT)
        assert ctrl_c.pressed
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_process_that_ignores_ctrl_c_goes_on_ignoring_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with CtrlC() as ctrl_c:
            signal.raise_signal(signal.SIGINT)
            assert not ctrl_c.pressed
    finally:
        signal.signal(signal.SIGINT, before)
