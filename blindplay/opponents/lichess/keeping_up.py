"""Keeping up with Lichess while both games show the same moves: clocks, offers, wishes to take
back."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.laws.state import OTHER
from blindplay.wording.values import Tell

from .followed import GameState

LAG_MS = 2000
"""Milliseconds from which on it is said that Lichess has charged more time than this table."""


class KeepingUp:
    """Submits by ``submit`` what Lichess says, each thing once. ``player`` is at this table."""

    def __init__(self, player: str, submit: Callable[[Fact], Any], tell: Tell) -> None:
        self.takebacks: frozenset[str] = frozenset()
        """The sides that ask to take back."""
        self._player, self._submit, self._tell = player, submit, tell
        self._timed: GameState | None = None
        self._offers: frozenset[str] = frozenset()
        self._first_move_told = -1

    def went_back(self) -> None:
        """The clocks here are those of an earlier move: take them over anew."""
        self._timed = None

    def take(self, game: Game, state: GameState, on_move: str) -> None:
        """Take over what ``state`` says. ``on_move`` is on move in it. Hold the table."""
        if game.clock and state is not self._timed:
            self._set_clocks(game, state, on_move)
        if not state.ended:
            self._take_offers(game, state)
            self._take_takebacks(state)

    def _set_clocks(self, game: Game, state: GameState, on_move: str) -> None:
        player, plies, left = self._player, len(state.moves), dict(state.left)
        if plies > 1 and not state.ended:  # before, no clock runs at Lichess
            passed = round((time.monotonic() - state.received) * 1000)
            left[on_move] = max(0, left[on_move] - passed)
        late = game.clock.left[player] - left[player]
        if on_move != player and plies > 2 and self._timed is not None and late >= LAG_MS:
            self._tell("lichess_lag", time=timedelta(milliseconds=late))
        self._timed = state
        self._submit(f.Arbiter(do="set_clock", white=left["white"], black=left["black"]))
        if state.first_move and on_move == player and self._first_move_told != plies:
            self._first_move_told = plies
            seconds = timedelta(seconds=round(state.first_move / 1000))
            self._tell("lichess_first_move", time=seconds)

    def _take_offers(self, game: Game, state: GameState) -> None:
        for side in sorted(state.offers - self._offers - game.offers):
            self._submit(f.OfferDraw(by=side))
        for side in sorted(game.offers - state.offers):
            self._submit(f.DeclineDraw(by=OTHER[side]))
        self._offers = state.offers

    def _take_takebacks(self, state: GameState) -> None:
        player, before, self.takebacks = self._player, self.takebacks, state.takebacks
        if OTHER[player] in state.takebacks - before:
            self._tell("lichess_takeback_asked")
        if player in state.takebacks - before:
            self._tell("lichess_takeback_sent")
