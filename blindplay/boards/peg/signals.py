"""The signals of a pegged board's vibration motor and lamp."""

import random
import threading
from collections.abc import Collection, Mapping

from ..driver import Notice
from . import protocol as peg

_REPEAT = 0.3
"""Seconds until a signal that was not answered is sent again."""

MOTOR: Mapping[Notice, int] = {Notice.YOUR_MOVE: 0b111111, Notice.QUESTION: 0b11_0011_0011}
"""One long buzz, or three short ones, in tenths of a second."""
LAMP: Mapping[Notice, int] = {Notice.YOUR_MOVE: 0b11111111, Notice.QUESTION: 0b1111}
"""Steady, or blinking slowly."""
_ORDER = (Notice.QUESTION, Notice.YOUR_MOVE)
"""Which notice is shown if there are two."""


class Signals:
    """The signal that the board should show, until the board has heard it, from any thread. It does
    no input or output; ``now`` is host monotonic time in seconds.

    The motor shows only new notices, the lamp all that hold.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._able = False
        self._notices: frozenset[Notice] = frozenset()
        # A board that an earlier host has left may still remember that one's last number.
        self._number = random.randint(1, 255)
        self._motor = 0
        self._heard = True
        self._next = 0.0

    def show(self, notices: Collection[Notice]) -> None:
        """These notices hold now, and no others."""
        with self._lock:
            if (shown := frozenset(notices)) != self._notices:
                new, self._notices = shown - self._notices, shown
                self._send(new)

    def begin(self, *, able: bool) -> None:
        """A board has just been connected or restarted, and may show something else. ``able``: it
        has a motor or a lamp."""
        with self._lock:
            self._able = able
            self._send(self._notices)

    def heard(self, number: int) -> None:
        """The board has heard the signal of this number."""
        with self._lock:
            self._heard = self._heard or number == self._number

    def request(self, now: float) -> bytes:
        """The frame to send now, empty if there is none."""
        with self._lock:
            if not self._able or self._heard or now < self._next:
                return b""
            self._next = now + _REPEAT
            lamp = _first(LAMP, self._notices)
            return peg.encode(peg.Signal(self._number, self._motor, lamp))

    def _send(self, new: frozenset[Notice]) -> None:
        self._number = self._number % 255 + 1
        self._motor = _first(MOTOR, new)
        self._heard, self._next = False, 0.0


def _first(patterns: Mapping[Notice, int], notices: frozenset[Notice]) -> int:
    return next((patterns[notice] for notice in _ORDER if notice in notices), 0)
