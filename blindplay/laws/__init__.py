"""The Laws: facts in, rulings out. Pure: no input or output, no threads, no wall clock."""

from typing import TYPE_CHECKING

from blindplay.lazy import attributes

if TYPE_CHECKING:
    from .facts import Fact, FactError
    from .game import Game, Heard, Words, fold
    from .rulings import Ruling
    from .taken import TABLE, Origin, Taken

__all__ = [
    "TABLE",
    "Fact",
    "FactError",
    "Game",
    "Heard",
    "Origin",
    "Ruling",
    "Taken",
    "Words",
    "fold",
]

__getattr__ = attributes(
    __name__,
    {
        "Fact": ".facts",
        "FactError": ".facts",
        "Game": ".game",
        "Heard": ".game",
        "Ruling": ".rulings",
        "Words": ".game",
        "fold": ".game",
        "TABLE": ".taken",
        "Origin": ".taken",
        "Taken": ".taken",
    },
)
