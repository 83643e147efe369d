"""The rights of each table to add facts to a game at two tables."""

from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES

_WITHOUT_ARBITER = ("stop_clocks", "start_clocks")


def permits(fact: Fact, game: Game, side: str, *, waited: bool, training: bool) -> bool:
    """Return whether the table at which ``side`` sits may add ``fact``.

    Each table brings what its own player, that player's assistant and its own board do. Time passes
    at the table whose player's clock runs. The arbiter sits at the table that ``waited``. Without
    an arbiter either player may stop the clocks and start them again, and in ``training`` take
    moves back. Nobody can sit on the wrong side here, and the game is set up before it begins.
    """
    match fact:
        case f.Setup():
            return False
        case f.Tick():
            return game.clock.running == side
        case f.Inspect():
            return waited
        case f.OnBoard():
            return fact.board == side
        case f.Arbiter(by="table"):
            return True
        case f.Arbiter() if not game.presided:
            back = fact.do == "restore" and training
            return fact.do in _WITHOUT_ARBITER or back or (fact.do == "preside" and waited)
        case f.Start() if not game.presided:
            return True
        case f.Assistant(by="table"):
            return fact.of == side
        case f.Irregular(what="reversed_colours"):
            return False
    person = str(getattr(fact, "by", "arbiter")).removeprefix("assistant:")
    return person == side if person in SIDES else waited


def is_automatic(fact: Fact) -> bool:
    """Return whether a table adds such a fact by itself for both players; the other table does so,
    too."""
    return isinstance(fact, f.Tick | f.Record | f.Make)
