"""The strength of an opponent, in words and in Elo."""

from collections.abc import Mapping
from dataclasses import dataclass

ELO: Mapping[str, int | None] = {
    "beginner": 800,
    "learner": 1100,
    "club": 1500,
    "strong": 1900,
    "master": 2300,
    "full": None,
}
"""The levels, the weakest first; None: as strong as the engine can."""
USUAL = "club"
LOWEST, HIGHEST = 600, 3200


@dataclass(frozen=True)
class Level:
    """``elo`` is None for full strength."""

    elo: int | None

    @property
    def name(self) -> str:
        """The nearest level that has a name."""
        if self.elo is None:
            return "full"
        elo = self.elo
        return min((abs(one - elo), name) for name, one in ELO.items() if one is not None)[1]


def level(text: str) -> Level:
    """The level that ``text`` names: a word, or a number of Elo.

    :raises ValueError: if it names none, in one sentence.
    """
    if text in ELO:
        return Level(ELO[text])
    if text.isdecimal() and len(text) < 5 and LOWEST <= int(text) <= HIGHEST:
        return Level(int(text))
    raise ValueError(
        f"--level {text} is not a level; give {', '.join(ELO)}, or a number from {LOWEST} to "
        f"{HIGHEST}."
    )
