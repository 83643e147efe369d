"""Words and presses of people count after the moves of the hands before them.

Cables lose frames and delay them. So the position that has come may not be the one on the boards,
and words or a press that are judged by it may cost a player the game. Each board is therefore asked
first to tell everything that hands have done.
"""

import bisect
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

LONGEST_S = 3.0
"""Seconds that anybody waits at most for actions that wait for the boards."""


class AskedBoard(Protocol):
    """A board of the table that can be asked what hands have done."""

    @property
    def side(self) -> str:
        """The side whose board it is now."""

    @property
    def connected(self) -> bool:
        """Return whether it can be asked."""

    def read(self, number: int) -> None:
        """Call :meth:`HandsFirst.read` with ``number`` when everything has been told."""

    def ask_to_check(self) -> None:
        """Ask people to look at it, for it cannot be read."""

    def hides(self, presser: str) -> bool:
        """Return whether the presser's move may stand on this board, which is gone and cannot
        tell."""

    def take_pressed(self, presser: str) -> None:
        """The clock is pressed: take the position on the presser's board as played."""


@dataclass(frozen=True, eq=False)
class _Action:
    at: int
    do: Callable[[], object]
    presser: str | None
    unread: Callable[[Sequence[str]], object]


class HandsFirst:
    """Keeps the order of words, presses and hands at a table. It holds ``lock``, the table's,
    meanwhile."""

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._boards: dict[str, AskedBoard] = {}
        self._waiting: list[_Action] = []
        self._reading = 0  # the number of the latest reading
        self._unread: set[str] = set()
        self._unreadable: set[str] = set()
        self._busy = False

    def attach(self, seat: str, board: AskedBoard) -> None:
        """Ask ``board``, too, from now on."""
        with self._lock:
            self._boards[seat] = board

    def add(
        self,
        do: Callable[[], object],
        at: int,
        *,
        presser: str | None = None,
        unread: Callable[[Sequence[str]], object] = lambda sides: None,
    ) -> None:
        """Do what somebody said or pressed ``at`` this time of the table, in ms, when every board
        has been read. A reading may bring an earlier press to light, which is done first.

        ``presser``: who pressed the clock, a player or an assistant. A press makes a whole move, so
        it waits until each board has been read or is gone, and while a board that is gone hides the
        move. An unreadable board delays only presses: all else is done before them. ``unread`` is
        called with the sides whose boards cannot be read, if a press waits for them.
        """
        with self._lock:
            action = _Action(at, do, presser, unread)
            bisect.insort(self._waiting, action, key=lambda one: one.at)
            if not self._busy and not self._unread - self._unreadable:
                self._ask()
                self._go_on()
            if action in self._waiting:
                for seat in self._dark(action):
                    self._boards[seat].ask_to_check()
                self._tell_unread(action)

    def connected(self, seat: str) -> None:
        """The board of ``seat`` can be asked again: what waits now waits for it, too."""
        with self._lock:
            if self._waiting:
                self._unread.add(seat)
                self._boards[seat].read(self._reading)

    def read(self, seat: str, number: int | None) -> None:
        """The board of ``seat`` has told everything up to the reading ``number``; None: it is gone,
        and nothing more can be asked of it."""
        with self._lock:
            self._unreadable.discard(seat)
            if number in (None, self._reading):
                self._unread.discard(seat)
                self._go_on()
            if number is None:
                self._tell_all_unread()

    def unreadable(self, seat: str) -> None:
        """The board of ``seat`` could not be read for two seconds; people are asked to look."""
        with self._lock:
            self._unreadable.add(seat)
            self._go_on()
            self._tell_all_unread()

    def settle(self, at: int) -> None:
        """Wait, without the table held, until everything said and pressed up to ``at`` is done; not
        for long, for a line may stay bad."""
        done = threading.Event()
        self.add(done.set, at)
        done.wait(LONGEST_S)

    def _tell_all_unread(self) -> None:
        for action in list(self._waiting):
            self._tell_unread(action)

    def _tell_unread(self, action: _Action) -> None:
        if seats := self._dark(action):
            action.unread(sorted(self._boards[seat].side for seat in seats))

    def _dark(self, action: _Action) -> list[str]:
        """The seats of the boards that people must look at before this press counts."""
        if action.presser is None:
            return []
        return sorted((self._unread & self._unreadable) | self._hiding(action.presser))

    def _hiding(self, presser: str) -> set[str]:
        return {seat for seat, board in self._boards.items() if board.hides(presser)}

    def _ask(self) -> None:
        self._reading += 1
        connected = {seat: board for seat, board in self._boards.items() if board.connected}
        self._unread = set(connected)
        for board in connected.values():
            board.read(self._reading)

    def _go_on(self) -> None:
        """Do what need not wait any more, one after the other, each after a reading of its own."""
        while not self._busy and (action := self._next()) is not None:
            self._waiting.remove(action)
            self._busy = True
            try:
                if action.presser is not None:
                    for board in self._boards.values():
                        board.take_pressed(action.presser)
                action.do()
            finally:
                self._busy = False
                if self._waiting:
                    self._ask()

    def _next(self) -> _Action | None:
        if self._unread - self._unreadable:
            return None
        for one in self._waiting:
            if one.presser is None or not (self._unread or self._hiding(one.presser)):
                return one
        return None
