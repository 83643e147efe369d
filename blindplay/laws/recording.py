"""The duty to write the moves down (article 8, D.2.7)."""

from __future__ import annotations

from .state import OTHER, State

FIVE_MINUTES = 300_000
HALF_A_MINUTE = 30_000


def must_write(game: State, side: str) -> bool:
    """Whether ``side`` must record now: not in rapid and blitz, nor with less than five minutes
    and less than thirty seconds added for a move (8.4), nor, where the edition says so, in the
    rest of the period in which he came under five minutes."""
    if not game.switch("record_duty"):
        return False
    return game.exempt.get(side) != game.clock.period(side)


def watch(game: State) -> None:
    """Notice who has come under five minutes; called whenever time has passed."""
    clock = game.clock
    for side in OTHER if clock else ():
        if clock.left[side] < FIVE_MINUTES and clock.increment(side) < HALF_A_MINUTE:
            game.exempt[side] = clock.period(side)
        elif game.exempt and not game.switch("record_exemption_lasts_period"):
            game.exempt.pop(side, None)


def first_missing(game: State, side: str, upto: int) -> int | None:
    """The first ply up to ``upto`` that ``side`` has not written, None if there is none."""
    sheet = game.sheets[side]
    return next((ply for ply in range(1, upto + 1) if ply not in sheet), None)


def remind(game: State, side: str, upto: int, *rules: str) -> None:
    """``side`` lacks an entry up to ``upto``: say so, once for each gap."""
    ply = first_missing(game, side, upto)
    if ply is None or game.told_missing.get(side) == ply:
        return
    game.told_missing[side] = ply
    if game.impaired(side):
        rules = (*rules, "record_special")
    game.rule("must_record", *rules, by=side, ply=ply)


def before_next_move(game: State, side: str) -> None:
    """A player must have written his own previous move before he makes a new one (8.1.3)."""
    if must_write(game, side):
        own_last = len(game.history) - 1
        if own_last > 0 and own_last not in game.sheets[side]:
            remind(game, side, own_last, "record_before_next_move")


def bring_up_to_date(game: State, side: str, period_before: int) -> None:
    """The period in which he need not write is over: the sheet must be completed (8.5)."""
    ended = game.exempt.get(side) == period_before != game.clock.period(side)
    if ended and game.switch("record_duty"):
        remind(game, side, len(game.history), "record_update")


def after_a_flag(game: State) -> None:
    """A flag has fallen: whoever has stopped writing must complete his sheet (8.5)."""
    if not game.switch("record_duty"):
        return
    stopped = [
        side
        for side in OTHER
        if game.exempt.get(side) == game.clock.period(side)
        and first_missing(game, side, len(game.history)) is not None
    ]
    rule = "record_update_both" if len(stopped) == 2 else "record_update"
    for side in stopped:
        remind(game, side, len(game.history), rule)
