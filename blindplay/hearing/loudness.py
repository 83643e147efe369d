"""How loud a player speaks into a microphone, to tell the voice of somebody farther away."""

import math
from collections import deque
from statistics import median

_KNOWN = 10
"""So many utterances of a player count, the latest ones: people get tired, and lean back."""
_LEAST = 3
"""A player who has said less is not known."""
SOFTER_DB = 8.0
"""A voice that is so much softer than the player is probably somebody else. A player varies by less
and another person in the room is 12 dB softer (docs/development/research/games-by-voice.md)."""


class Loudness:
    """The levels at which a player has spoken last, in dBFS."""

    def __init__(self) -> None:
        self._levels: deque[float] = deque(maxlen=_KNOWN)

    @property
    def softest(self) -> float:
        """The softest of them; minus infinity if the player has not spoken yet."""
        return min(self._levels, default=-math.inf)

    def add(self, level: float) -> None:
        """The player has spoken."""
        self._levels.append(level)

    def begin_anew(self, level: float) -> None:
        """The player has spoken at another level than before: a microphone was moved."""
        self._levels.clear()
        self.add(level)

    def is_another(self, level: float, begun: float | None = None) -> bool:
        """Return whether a voice is clearly softer than the player's. ``begun``: the level of the
        announcement that the player has begun, and that this would complete."""
        known = median(self._levels) if len(self._levels) >= _LEAST else -math.inf
        return level < (known if begun is None else begun) - SOFTER_DB
