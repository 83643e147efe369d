"""The validity of a sentence about the game: it holds until an aspect that it rests on changes."""

from blindplay.laws import Game, Ruling
from blindplay.laws import rulings as r

NOW = ("turn", "arbiter", "result")
"""The aspects of a sentence that says why something cannot be done now."""
TO_MOVE = (*NOW, "clocks")
"""The aspects of a sentence that says whose move it is."""
_LASTING: tuple[tuple[tuple[type[Ruling], ...], tuple[str, ...]], ...] = (
    ((r.DrawOffered,), ("offers", "result")),
    ((r.Consented,), ("arbiter", "result")),
    ((r.CorrectBoard, r.Explained, r.Owners), ("boards", "result")),
    ((r.Refused, r.NotMade, r.NotUnderstood, r.Ambiguous, r.CheckBoard), NOW),
    ((r.AnnouncementVoid, r.ExecutedDiffers, r.RepeatDiffers, r.TooLate), ("turn", "result")),
    ((r.ClockReading,), ("clocks", "result")),
)


def aspects(game: Game) -> dict[str, str]:
    """Return the aspects of a game whose change makes a sentence about it outdated: the move that
    is due, the arbiter's part, draw offers, the boards to be corrected or recognised, the clocks,
    the result."""
    pending, turn = game.pending, game.turn
    wrong = [name for name, table in game.tables.items() if table.wanted is not None]
    arbiter = game.paused
    if pending is not None and not pending.claimable:
        arbiter = f"{pending.ruling.kind} {pending.ruling.t}"
    return {
        "turn": f"{len(game.history)}{' made' * (turn.made is not None)}",
        "arbiter": arbiter,
        "offers": " ".join(sorted(game.offers)),
        "boards": " ".join(wrong if game.owners_known else (*wrong, "owners")),
        "clocks": game.clock.running or "",
        "result": game.result or "",
    }


def needed(game: Game) -> tuple[str, ...]:
    """The aspects of a sentence that asks for the arbiter."""
    return ("arbiter", "result") if aspects(game)["arbiter"] else NOW


def while_same(ruling: Ruling, game: Game) -> tuple[str, ...]:
    """The aspects on which a sentence about ``ruling``, just given, rests; none if it reports a
    past event, and so stays true."""
    waits = isinstance(ruling, r.Proposable) and ruling.status == "proposed"
    if waits or isinstance(ruling, r.ArbiterNeeded):
        return needed(game)
    return next((found for kinds, found in _LASTING if isinstance(ruling, kinds)), ())
