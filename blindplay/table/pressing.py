"""A press of the clock waits until every board has been read.

Cables lose frames and delay them. A press that is judged by what has come so far may be judged by
another position than the one on the boards, and that costs a player the game. So each board is
asked first to tell everything that hands have done. What people say meanwhile comes after.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .board_seat import BoardSeat

_LONGEST_S = 3.0


@dataclass(frozen=True)
class _Action:
    do: Callable[[], None]
    boards_first: bool


class Pressing:
    """Keeps the order of presses and words at a table with the boards ``seats``. Call it with the
    table held."""

    def __init__(self, seats: Mapping[str, BoardSeat]) -> None:
        self._seats = seats
        self._actions: deque[_Action] = deque()
        self._number = 0
        self._unread: set[str] = set()
        self._idle = threading.Event()
        self._idle.set()

    def press(self, do: Callable[[], None]) -> None:
        """Press the clock when every board has been read."""
        self._add(_Action(do, boards_first=True))

    def say(self, do: Callable[[], None]) -> None:
        """Take words after the presses that wait; at once if none does."""
        self._add(_Action(do, boards_first=False))

    def read(self, seat: str, number: int | None) -> None:
        """The board of ``seat`` has told everything up to the reading ``number``; None: it is gone,
        and nothing more can be asked of it."""
        if number in (None, self._number):
            self._unread.discard(seat)
            self._go_on()

    def wait(self) -> None:
        """Wait, without the table held, until no press waits; not for long, for a line may stay
        bad."""
        self._idle.wait(_LONGEST_S)

    def _add(self, action: _Action) -> None:
        self._idle.clear()
        self._actions.append(action)
        if len(self._actions) == 1:
            self._ask()
            self._go_on()

    def _ask(self) -> None:
        """Read the boards, if the first action needs that."""
        if not self._actions or not self._actions[0].boards_first:
            return
        self._number += 1
        connected = {name: seat for name, seat in self._seats.items() if seat.connected}
        self._unread = set(connected)
        for seat in connected.values():
            seat.board.read(self._number)

    def _go_on(self) -> None:
        while self._actions and not self._unread:
            try:
                self._actions[0].do()
            finally:
                self._actions.popleft()
                self._ask()
        if not self._actions:
            self._idle.set()
