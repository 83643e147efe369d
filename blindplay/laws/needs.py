"""The reasons why a table needs somebody, as far as the Laws know them."""

from collections.abc import Sequence

from . import facts as f
from .rulings import ArbiterNeeded, Taken
from .state import State

NEEDS = ("decision", "arbiter", "flag", "boards")
"""A decision waits, the arbiter is called, a flag has fallen in a game that goes on, a board
must be corrected; the most urgent first."""
_LOOKED_BACK = 400  # entries of the log


def needs(game: State, log: Sequence[Taken]) -> tuple[str, ...]:
    """Return the elements of :data:`NEEDS` that hold now; none when the game is over. ``log`` is
    everything that the table has taken."""
    if game.over:
        return ()
    now = {
        "decision": game.pending is not None,
        "arbiter": bool(open_calls(game, log)),
        "flag": bool(game.clock.flags),
        "boards": any(table.wanted is not None for table in game.tables.values()),
    }
    return tuple(need for need in NEEDS if now[need])


def open_calls(game: State, log: Sequence[Taken]) -> list[ArbiterNeeded]:
    """The calls for the arbiter since the arbiter's last fact, the newest first; at most five."""
    found: list[ArbiterNeeded] = []
    for taken in reversed(log[-_LOOKED_BACK:]):
        found += [
            called
            for called in reversed(taken.rulings)
            if isinstance(called, ArbiterNeeded)
            and called.status is None
            and not called.again
            and not (called.why == "seal" and game.sealed is not None)
        ]
        done = isinstance(taken.fact, f.Arbiter | f.Start | f.Setup)
        if done and getattr(taken.fact, "by", "") != "table":
            break
    return found[:5]
