"""The wishes for a game at Lichess: with whom, how long, with which colour. They are checked before
the game is asked for, so that each refusal names its remedy."""

from collections.abc import Mapping
from dataclasses import dataclass

import chess

_LONGEST_S = 3 * 3600
_RAPID_S, _BLITZ_S = 480, 180


@dataclass(frozen=True)
class WantedGame:
    """``whom``: the user to challenge. ``ai``: the level of the server's computer, 1 to 8.
    ``waits``: take a challenge that comes. None of these: a game with anybody who seeks one, too.

    ``limit_s`` and ``increment_s``: the clock of each player, None without one; ``days``: for each
    move of a correspondence game. ``side``: the wanted colour; "" is either. ``fen``: the position
    to begin with, if not the usual one.
    """

    whom: str = ""
    ai: int | None = None
    waits: bool = False
    limit_s: int | None = 900
    increment_s: int = 10
    days: int | None = None
    rated: bool = False
    side: str = ""
    chess960: bool = False
    fen: str = ""

    @property
    def seeks(self) -> bool:
        return not self.whom and self.ai is None and not self.waits

    def check(self) -> None:
        """:raises ValueError: if Lichess has no such games; one sentence with the remedy."""
        if sum((bool(self.whom), self.ai is not None, self.waits)) > 1:
            raise ValueError("Give one of --challenge, --level and --accept.")
        if self.ai is not None and (self.rated or self.days is not None):
            raise ValueError(
                "Games against the computer of Lichess are never rated, and have no --days."
            )
        if self.fen and (self.rated or self.seeks):
            raise ValueError(
                "A game from a position of your own is not rated, and needs --challenge or --level."
            )
        if not self.waits:
            self._check_time()

    def _check_time(self) -> None:
        if self.days is not None:
            return
        if self.limit_s is None:
            if self.seeks:
                raise ValueError(
                    "Nobody can be sought for a game without a clock; give --days or a "
                    "--time-control, or name a player with --challenge."
                )
            return
        if self.limit_s % 60 or self.limit_s > _LONGEST_S or self.increment_s > 60:
            raise ValueError(
                "Lichess gives each player whole minutes, 180 at most, and up to 60 seconds a "
                "move; give such a --time-control."
            )
        length = self.limit_s + 40 * self.increment_s
        if length < (_RAPID_S if self.seeks else _BLITZ_S):
            raise ValueError(
                "Boards play rapid, classical and correspondence games at Lichess, blitz only in "
                "challenges, and bullet never; give a longer --time-control, such as 15m+10s."
            )

    def form(self) -> dict[str, str]:
        """Return the fields of the request to Lichess, by name."""
        variant = "chess960" if self.chess960 else "fromPosition" if self.fen else "standard"
        form = {"variant": variant, "color": self.side or "random"}
        if self.ai is None:
            form["rated"] = str(self.rated).lower()
        else:
            form["level"] = str(self.ai)
        if self.fen:
            form["fen"] = self.fen
        if self.days is not None:
            form["days"] = str(self.days)
        elif self.limit_s is not None and self.seeks:
            form |= {"time": str(self.limit_s // 60), "increment": str(self.increment_s)}
        elif self.limit_s is not None:
            form["clock.limit"] = str(self.limit_s)
            form["clock.increment"] = str(self.increment_s)
        return form


def why_not(challenge: Mapping[str, object]) -> str | None:
    """The reason to decline a challenge, as Lichess names it; None if it can be played here."""
    variant, speed = challenge.get("variant"), challenge.get("speed")
    key = variant.get("key") if isinstance(variant, dict) else None
    fen = challenge.get("initialFen")
    if key not in ("standard", "chess960", "fromPosition"):
        return "variant"
    if speed in ("ultraBullet", "bullet"):
        return "tooFast"
    if isinstance(fen, str) and fen != "startpos":
        try:
            sound = chess.Board(fen, chess960=True).is_valid()
        except ValueError:
            sound = False
        return None if sound else "variant"
    return None
