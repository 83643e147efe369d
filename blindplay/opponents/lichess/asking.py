"""Actions of players here that need Lichess's consent, and the request to Lichess for each."""

from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.laws.state import OTHER

REFUSED = "refused"
"""It is for Lichess to decide, and cannot be asked for."""
_DECIDED_THERE = (f.CallArbiter, f.RequestExtraTime, f.Seal, f.OpenEnvelope)
_WRONG_BEGINNINGS = ("wrong_start", "reversed_colours", "board_turned", "wrong_clock")


def asked_of_lichess(fact: Fact, game: Game, player: str, takebacks: frozenset[str]) -> str | None:
    """The request, as the end of its address, or :data:`REFUSED`; None if ``fact`` is decided here.
    ``takebacks``: the sides that ask to take back."""
    offered = OTHER[player] in game.offers
    match fact:
        case f.Arbiter(by="table"):
            return None
        case f.Arbiter():
            return "takeback/yes" if fact.do == "restore" else REFUSED
        case f.Resign():
            return "resign"
        case f.OfferDraw():
            return "draw/yes"
        case f.AcceptDraw():
            return "draw/yes" if offered else None
        case f.DeclineDraw():
            return "draw/no" if offered else "takeback/no" if OTHER[player] in takebacks else None
        case f.ClaimDraw(move=None, rule="repetition" | "fifty_moves"):
            return "draw/yes"
        case f.ClaimDraw():
            return REFUSED
        case f.ClaimTime():
            return "claim-victory"
    wrong = isinstance(fact, f.Irregular) and fact.what in _WRONG_BEGINNINGS
    return REFUSED if wrong or isinstance(fact, _DECIDED_THERE) else None
