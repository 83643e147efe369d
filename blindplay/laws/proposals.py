"""Rulings that the Laws leave to the arbiter: proposed, then confirmed or rejected."""

from dataclasses import replace
from typing import Literal

from .rulings import Proposable
from .state import Confirm, Pending, Price, State


def propose(
    game: State,
    ruling: Proposable,
    rules: tuple[str, ...],
    confirm: Confirm,
    reject: Confirm,
    *,
    claim: str | None = None,
    needs_arbiter: bool = False,
    price: Price | None = None,
) -> None:
    """Give a ruling that the arbiter must confirm, and stop the clocks until then.

    Without an arbiter it is confirmed at once, unless a person must judge (``needs_arbiter``).
    ``price`` is the penalty that a confirmation brings, so that the arbiter sees what they confirm.
    ``claim`` is the player whose claim it is.
    """
    game.clock.stop()
    if not game.presided and not needs_arbiter:
        game.rule(replace(ruling, status="confirmed"), *rules)
        confirm()
        return
    proposed = game.rule(replace(ruling, status="proposed"), *rules)
    game.pending = Pending(proposed, confirm, reject, claim)
    if price is not None:
        game.pending.price = game.rule(replace(price.penalty, status="proposed"), price.rule)
    game.tell_clock("arbiter")


def decide(game: State, status: Literal["confirmed", "rejected"]) -> None:
    """Apply the arbiter's answer to what is pending: give the ruling again, with its effect."""
    pending = game.pending
    assert pending is not None
    game.pending = None
    # A confirmed price is given again when it is exacted.
    dropped = pending.price if status == "rejected" else None
    for ruling in filter(None, (pending.ruling, dropped)):
        game.out.append(replace(ruling, status=status, t=game.t))
    (pending.confirm if status == "confirmed" else pending.reject)()
