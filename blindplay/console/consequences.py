"""The consequences of an arbiter's action, before it is done."""

import hashlib
from dataclasses import dataclass

from blindplay.laws import Fact, Game, Ruling
from blindplay.laws.facts import Tick
from blindplay.laws.rulings import ClockReading


@dataclass(frozen=True)
class Consequences:
    """The game as it would be, the rulings that lead there, and a ``digest`` of both.

    The digest tells whether an action still does what a page has shown. Clocks that run, and moves
    that the action does not concern, leave it as it is.
    """

    game: Game
    rulings: tuple[Ruling, ...]
    digest: str


def at_time(game: Game, t: int) -> Game:
    """A copy of the game as it stands at ``t`` ms of the table's time. The game itself has the time
    of its last fact, which may be long ago while no clock runs."""
    return game.foretell(Tick(t=t))[0]


def consequences(game: Game, fact: Fact) -> Consequences:
    """The consequences of ``fact`` in a ``game`` as it stands at its time; see :func:`at_time`. The
    game stays as it is."""
    after, rulings = game.foretell(fact)
    # Readings of the clocks change with each second; only what the action does to them counts.
    told = [(one.kind, one.fields) for one in rulings if not isinstance(one, ClockReading)]
    same = after.over or after.clock.running == game.clock.running
    clocks = () if same else (after.clock.running,)
    done = (told, _moves_changed(game, after), clocks, after.result)
    digest = hashlib.sha256(repr(done).encode()).hexdigest()[:16]
    return Consequences(after, tuple(rulings), digest)


def _moves_changed(game: Game, after: Game) -> tuple[list[str], list[str]]:
    """The moves that would no longer stand, and those that would stand then."""
    before, then = ([ply.move.uci() for ply in one.history] for one in (game, after))
    pairs = enumerate(zip(before, then, strict=False))
    kept = next((at for at, (old, new) in pairs if old != new), min(len(before), len(then)))
    return before[kept:], then[kept:]
