"""The next step by which this table and Lichess show the same game. Pure.

A move is sent once. Where nobody knows whether Lichess took it, a newer connection tells.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import chess

from .followed import GameState


class Do(Enum):
    """The action of a step."""

    NOTHING = "nothing"
    """Both show the same game."""
    WAIT = "wait"
    """Lichess has taken the move and will tell so."""
    READ_ANEW = "read anew"
    """Only a new connection tells whether Lichess took the move."""
    SEND = "send"
    PLAY = "play"
    """The opponent has moved."""
    EXECUTE = "execute"
    """The player has moved at Lichess in another way."""
    GO_BACK = "go back"


class Sending(Enum):
    """The outcome of sending a move."""

    TAKEN = "taken"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class DueStep:
    """``plies``: how many stand before ``move``, or after going back. ``why`` names the sentence
    that tells of it."""

    do: Do
    plies: int = 0
    move: chess.Move | None = None
    why: str = ""


@dataclass(frozen=True)
class _Sent:
    plies: int
    move: chess.Move
    outcome: Sending
    at: int


class Course:
    """Remembers what was sent, and what Lichess is known to have had.

    ``confirmed``: so many plies of the game here Lichess has had.
    """

    def __init__(self, confirmed: int = 0) -> None:
        self.confirmed = confirmed
        self._sent: _Sent | None = None

    def sent(self, step: DueStep, outcome: Sending, at: int) -> None:
        """Note that the move of ``step`` was sent; ``at`` counts as ``since`` does."""
        assert step.move is not None
        self._sent = _Sent(step.plies, step.move, outcome, at)

    def went_back(self, plies: int) -> None:
        """Note that the game here has so many plies again."""
        self.confirmed = min(self.confirmed, plies)
        self._sent = None

    def next(
        self,
        here: Sequence[chess.Move],
        there: GameState,
        since: int,
        is_players: Callable[[int], bool],
    ) -> DueStep:
        """The next step. ``since``: when the connection was opened that told ``there``.
        ``is_players``: whether the move after so many plies is of the player at this table."""
        same = 0
        for own, theirs in zip(here, there.moves, strict=False):
            if own != theirs:
                return DueStep(Do.GO_BACK, same, why="lichess_other_move")
            same += 1
        if len(here) > same:
            return self._ahead(here, there, since, is_players)
        self.confirmed = max(self.confirmed, same)
        if len(there.moves) == same:
            return DueStep(Do.NOTHING, same)
        do = Do.EXECUTE if is_players(same) else Do.PLAY
        return DueStep(do, same, there.moves[same])

    def _ahead(
        self,
        here: Sequence[chess.Move],
        there: GameState,
        since: int,
        is_players: Callable[[int], bool],
    ) -> DueStep:
        plies = len(there.moves)
        back = DueStep(Do.GO_BACK, plies, why="lichess_taken_back")
        if len(here) > plies + 1 or not is_players(plies) or len(here) <= self.confirmed:
            return back
        if there.ended:
            return DueStep(Do.GO_BACK, plies, why="lichess_too_late")
        send, sent = DueStep(Do.SEND, plies, here[plies]), self._sent
        if sent is None or (sent.plies, sent.move) != (plies, send.move):
            return send
        if since < sent.at:
            return DueStep(Do.WAIT if sent.outcome is Sending.TAKEN else Do.READ_ANEW)
        if sent.outcome is Sending.REFUSED:
            return DueStep(Do.GO_BACK, plies, why="lichess_move_refused")
        return send if sent.outcome is Sending.UNKNOWN else back
