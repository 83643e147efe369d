"""The Laws: facts in, rulings out. Pure: no input or output, no threads, no wall clock.

The names of this package are imported when they are first used, so that a module that needs only
an edition or a fact does not load the whole game.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .facts import Fact, FactError
    from .game import Game, Heard, Words, fold
    from .rulings import Ruling

__all__ = ["Fact", "FactError", "Game", "Heard", "Ruling", "Words", "fold"]

_MODULES = {"Fact": ".facts", "FactError": ".facts", "Ruling": ".rulings"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, ".game"), __name__), name)
