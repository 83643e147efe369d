"""Drives a pegged board over a serial line."""

import time
from collections.abc import Collection
from functools import cached_property

import chess

from ..driver import BoardDriver, Notice
from . import protocol as peg
from .signals import Signals
from .state import PegBoardState


class PegBoard(BoardDriver[PegBoardState]):
    """A pegged board. It knows which pieces are touched, and damaged bytes never look like a touch.

    A lost link never looks like lifted pieces: after each connect the board reports its whole
    position.
    """

    KIND = "pegged board"

    @cached_property
    def _signals(self) -> Signals:
        return Signals()

    def buzz(self, pattern: int) -> None:
        """Sound the buzzer with pattern 0–255, if the board is connected and has a buzzer."""
        frame = peg.encode(peg.Buzz(pattern))
        self._enqueue(lambda state: frame)

    def light(
        self, squares: Collection[chess.Square], notices: Collection[Notice] = frozenset()
    ) -> None:
        del squares
        self._signals.show(notices)

    def read(self, number: int) -> None:
        """Ask for the whole board. Without a connection, no answer comes."""

        def ask(state: PegBoardState) -> None:
            state.read(number, time.monotonic())

        self._enqueue(ask)

    def _new_state(self, url: str, before: PegBoardState | None) -> PegBoardState:
        return PegBoardState(url, before, self._signals)
