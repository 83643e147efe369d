"""The Laws: facts in, rulings out. Pure: no input or output, no threads, no wall clock."""

from typing import TYPE_CHECKING

from blindplay.lazy import attributes

if TYPE_CHECKING:
    from .facts import Fact as Fact
    from .facts import FactError as FactError
    from .game import Game as Game
    from .game import Heard as Heard
    from .game import Words as Words
    from .rulings import TABLE as TABLE
    from .rulings import Origin as Origin
    from .rulings import Ruling as Ruling
    from .rulings import Taken as Taken

__getattr__ = attributes(
    __name__,
    dict.fromkeys(("Fact", "FactError"), ".facts")
    | dict.fromkeys(("Game", "Heard", "Words"), ".game")
    | dict.fromkeys(("TABLE", "Origin", "Ruling", "Taken"), ".rulings"),
)
