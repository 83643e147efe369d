"""What motor and lamp tell: each thing once, until the board has heard it."""

from __future__ import annotations

from blindplay.boards.driver import Notice
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.signals import Signals

YOUR_MOVE, QUESTION = Notice.YOUR_MOVE, Notice.QUESTION
LONG, THREE_SHORT = 0b111111, 0b1100110011
OFF, STEADY, BLINKING = 0, 0xFF, 0x0F


def sent(signals: Signals, now: float) -> tuple[int, int, int] | None:
    """The number, motor and lamp of the signal that is sent now."""
    bodies = peg.FrameDecoder().feed_bodies(signals.request(now))
    commands = [peg.parse_command(body) for body in bodies]
    if not commands:
        return None
    (signal,) = commands
    assert isinstance(signal, peg.Signal)
    return signal.number, signal.motor, signal.lamp


def shown(signals: Signals, now: float) -> tuple[int, int]:
    signal = sent(signals, now)
    assert signal is not None
    signals.heard(signal[0])
    return signal[1:]


def test_the_motor_tells_what_is_new_and_the_lamp_what_holds() -> None:
    signals = Signals()
    signals.begin(able=True)
    assert shown(signals, 0) == (0, OFF)  # an earlier host may have left the lamp on
    signals.show([YOUR_MOVE])
    assert shown(signals, 1) == (LONG, STEADY)
    signals.show([YOUR_MOVE])
    assert sent(signals, 2) is None
    signals.show([YOUR_MOVE, QUESTION])
    assert shown(signals, 3) == (THREE_SHORT, BLINKING)
    signals.show([YOUR_MOVE])
    assert shown(signals, 4) == (0, STEADY)
    signals.show([])
    assert shown(signals, 5) == (0, OFF)
    signals.show([QUESTION])
    assert shown(signals, 6) == (THREE_SHORT, BLINKING)
    signals.show([YOUR_MOVE, QUESTION])
    assert shown(signals, 7) == (LONG, BLINKING)


def test_a_signal_is_repeated_with_its_number_until_it_is_answered() -> None:
    signals = Signals()
    signals.show([YOUR_MOVE])
    assert sent(signals, 0) is None  # a board without motor and lamp is asked for nothing
    signals.begin(able=True)
    first = sent(signals, 0)
    assert first is not None
    assert sent(signals, 0.1) is None
    assert sent(signals, 0.5) == first
    signals.heard(first[0] % 255 + 1)
    assert sent(signals, 1) == first
    signals.heard(first[0])
    assert sent(signals, 2) is None
    numbers = []
    for now in range(3, 600):
        signals.begin(able=True)
        again = sent(signals, now)
        assert again is not None
        numbers.append(again[0])
        assert again[1:] == (LONG, STEADY)  # a board that has restarted shows nothing
    assert set(numbers) == set(range(1, 256))
