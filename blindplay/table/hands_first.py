"""What people say and press comes after what hands have done.

Cables lose frames and delay them. Words or a press that are judged by what has come so far may be
judged by another position than the one on the boards, and that costs a player the game. So each
board is asked first to tell everything that hands have done.
"""

import bisect
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .board_seat import BoardSeat

_LONGEST_S = 3.0


@dataclass(frozen=True)
class _Action:
    at: int
    do: Callable[[], None]
    rules: bool


class HandsFirst:
    """Keeps the order of words, presses and hands at a table with the boards ``seats``. Call it
    with the table held, except :meth:`settle`."""

    def __init__(self, seats: Mapping[str, BoardSeat]) -> None:
        self._seats = seats
        self._waiting: list[_Action] = []
        self._reading = 0  # the number of the latest reading
        self._unread: set[str] = set()
        self._unreadable: set[str] = set()
        self._busy = False

    def add(self, do: Callable[[], None], at: int, *, rules: bool = False) -> None:
        """Do what somebody said or pressed ``at`` this time of the table, in ms, when every board
        has been read. A reading may bring an earlier press to light, which is done first.

        ``rules``: a ruling on a whole move follows, so it waits until each board has been read or
        is gone. Nothing else waits for a board of which people know that it cannot be read.
        """
        bisect.insort(self._waiting, _Action(at, do, rules), key=lambda action: action.at)
        if not self._busy and not self._unread - self._unreadable:
            self._ask()
            self._go_on()

    def read(self, seat: str, number: int | None) -> None:
        """The board of ``seat`` has told everything up to the reading ``number``; None: it is gone,
        and nothing more can be asked of it."""
        self._unreadable.discard(seat)
        if number in (None, self._reading):
            self._unread.discard(seat)
            self._go_on()

    def unreadable(self, seat: str) -> None:
        """The board of ``seat`` could not be read for two seconds; people are asked to look."""
        self._unreadable.add(seat)
        self._go_on()

    def settle(self, lock: threading.RLock, at: int) -> None:
        """Wait, without the table held, until everything said and pressed up to ``at`` is done; not
        for long, for a line may stay bad."""
        done = threading.Event()
        with lock:
            self.add(done.set, at)
        done.wait(_LONGEST_S)

    def _ask(self) -> None:
        self._reading += 1
        connected = {name: seat for name, seat in self._seats.items() if seat.connected}
        self._unread = set(connected)
        for seat in connected.values():
            seat.board.read(self._reading)

    def _go_on(self) -> None:
        """Do what waits, one after the other, each after a reading of its own."""
        while self._waiting and not self._busy:
            ruled = self._waiting[0].rules
            if self._unread if ruled else self._unread - self._unreadable:
                return
            action = self._waiting.pop(0)
            self._busy = True
            try:
                action.do()
            finally:
                self._busy = False
                if self._waiting:
                    self._ask()
