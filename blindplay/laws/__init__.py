"""The Laws: facts in, rulings out. Pure: no input or output, no threads, no wall clock."""

from .facts import Fact, FactError
from .game import Game, Heard, Words, fold
from .rulings import Ruling

__all__ = ["Fact", "FactError", "Game", "Heard", "Ruling", "Words", "fold"]
