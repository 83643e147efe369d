"""Rulings that the Laws leave to the arbiter: proposed, then confirmed or rejected. Where there is
no arbiter, only both players together take back more than the last move."""

from dataclasses import replace
from typing import Literal

from . import facts as f
from .permissions import is_player
from .rulings import Consented, IllegalMove, Proposable, TakeBack
from .state import OTHER, Effect, Pending, Price, State

_GO_ON = Effect(State.resume)


def propose(
    game: State,
    ruling: Proposable,
    rules: tuple[str, ...],
    confirm: Effect,
    reject: Effect = _GO_ON,
    *,
    claim: str | None = None,
    needs_arbiter: bool = False,
    price: Price | None = None,
    by: str | None = None,
) -> None:
    """Give a ruling that the arbiter must confirm, and stop the clocks until then.

    Without an arbiter it is confirmed at once, unless a person must judge (``needs_arbiter``), or
    it changes more than the last move: then both players must say yes. ``by`` is the player who
    asks for it, and so has said yes. A game on a server has the moves that the server has.
    ``price`` is the penalty that a confirmation brings, so that the arbiter sees what they confirm.
    ``claim`` is the player whose claim it is. Unless ``reject`` says otherwise, the game goes on
    after a rejection.
    """
    game.clock.stop()
    changed = _moves_changed(game, ruling)
    if game.served and changed:
        game.rule(replace(ruling, status="rejected"), *rules)
        reject(game)
        return
    both = not game.presided and changed > 1
    if not (game.presided or needs_arbiter or both):
        game.rule(replace(ruling, status="confirmed"), *rules)
        confirm(game)
        return
    proposed = game.rule(replace(ruling, status="proposed"), *rules)
    asked = frozenset(OTHER) - {by} if both else frozenset[str]()
    penalty = None
    if price is not None:
        penalty = game.rule(replace(price.penalty, status="proposed"), price.rule)
    game.pending = Pending(proposed, confirm, reject, claim, price=penalty, asked=asked)
    game.tell_clock("arbiter")


def _moves_changed(game: State, ruling: Proposable) -> int:
    """Return how many moves ``ruling`` takes back or brings back, a move that is only made
    included."""
    to_ply = ruling.to_ply if isinstance(ruling, TakeBack | IllegalMove) else None
    plies = len(game.history) + (game.turn.made is not None)
    return 0 if to_ply is None else abs(plies - to_ply)


def consent(game: State, fact: f.Consent) -> None:
    """A player answers what both players are asked. One no is enough to reject it."""
    pending = game.pending
    if not is_player(game, fact.by, fact.kind):
        return
    if pending is None or fact.by not in pending.asked:
        game.refuse(fact.by, fact.kind, "nothing_proposed")
        return
    said = Consented(by=fact.by, given=fact.given)
    game.out.append(said.stamped(game.t, pending.ruling.articles))
    game.pending = replace(pending, asked=pending.asked - {fact.by})
    if not fact.given:
        decide(game, "rejected")
    elif not game.pending.asked:
        decide(game, "confirmed")


def decide(game: State, status: Literal["confirmed", "rejected"]) -> None:
    """Apply the arbiter's answer to what is pending: give the ruling again, with its effect."""
    pending = game.pending
    assert pending is not None
    game.pending = None
    # A confirmed price is given again when it is exacted.
    dropped = pending.price if status == "rejected" else None
    for ruling in filter(None, (pending.ruling, dropped)):
        game.out.append(replace(ruling, status=status, t=game.t))
    effect = pending.confirm if status == "confirmed" else pending.reject
    if effect is not None:
        effect(game)
