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


def test_the_signal_that_stops_a_service_does_so_even_where_ctrl_c_is_ignored() -> None:
    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN),
        signal.SIGTERM: signal.signal(signal.SIGTERM, ended),
    }
    try:
        with CtrlC() as ctrl_c:
            signal.raise_signal(signal.SIGTERM)
            assert ctrl_c.pressed
        assert signal.getsignal(signal.SIGTERM) is ended
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
