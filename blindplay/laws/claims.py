"""Claims of a draw (9.2 to 9.5), and the quickplay finish (Guideline III, Bilaga G, Artikel 10)."""

from dataclasses import replace

import chess

from . import facts as f
from .completing import answered
from .duties import binding, why_owed
from .ends import end, offered
from .permissions import by_player, closed, is_player
from .proposals import propose
from .rulings import ArbiterNeeded, Claimed, ExtraTime, Obliged, Penalty
from .state import DRAW, OTHER, Effect, Price, State, legal, position_key

QUICKPLAY_CLAIMS = ("cannot_win", "no_effort")
TWO_MINUTES = 120_000


def claim_draw(game: State, fact: f.ClaimDraw) -> None:
    if not is_player(game, fact.by, "claim_draw"):
        return
    if closed(game, "claim_draw", fact.by):
        return
    if fact.rule in QUICKPLAY_CLAIMS:
        _claim_in_quickplay_finish(game, fact)
        return
    rule = f"claim_{fact.rule}" + ("_written" if fact.move is not None else "")
    # Once the opponent has made their move the player is on move, pressed or not (1.3).
    answered(game, fact.by)
    if fact.by != game.side:
        game.refuse(fact.by, "claim_draw", "not_on_move", rule)
        return
    if game.turn.claim_lost:
        game.refuse(fact.by, "claim_draw", "claim_lost", "claim_lost")
        return
    board, seen, move = game.board, 0, None
    if fact.move is not None:
        move = legal(board, fact.move)
        if move is None:
            game.refuse(fact.by, "claim_draw", "cannot_move_there", "moving", move=fact.move)
            return
        owed = binding(game)
        if owed is not None and move not in owed.moves:
            # It cannot be the next move: another one is owed (4.3, 9.5.3).
            game.refuse(fact.by, "claim_draw", why_owed(owed), owed.rule, move=fact.move)
            return
        board, seen = game.after(move), 1
    if fact.rule == "repetition":
        correct = game.keys.count(position_key(board)) + seen >= 3
    else:
        correct = board.halfmove_clock >= 100

    claimed, rules = Claimed(by=fact.by, rule=fact.rule, correct=correct), (rule, "claim")
    lost = Effect(_wrong_claim, fact.by, move)
    if game.switch("claim_is_offer"):
        offered(game, fact.by, "claim_is_offer")
    if correct:
        # To reject that a claim was correct makes it a wrong one.
        won = Effect(end, DRAW, fact.rule, rule, "correct_claim")
        propose(game, claimed, rules, won, lost, claim=fact.by)
    else:
        price = Price("wrong_claim", _price(game, fact.by)) if game.clock else None
        propose(game, claimed, rules, lost, claim=fact.by, price=price)


def _price(game: State, by: str) -> Penalty:
    """Return the penalty for a wrong claim (9.5.3): time for the opponent, and in the oldest text
    half of the claimant's own time, at most three minutes."""
    halved = game.switch("wrong_claim_halves_time")
    return Penalty(
        player=by,
        gives=OTHER[by],
        seconds=game.switch("wrong_claim_penalty_seconds"),
        takes=f.seconds(min(game.clock.left[by] // 2, 180_000)) if halved else None,
    )


def _wrong_claim(game: State, by: str, move: chess.Move | None) -> None:
    if game.clock:
        price, gains, left = _price(game, by), OTHER[by], game.clock.left
        game.clock.set(by, left[by] - round((price.takes or 0) * 1000))
        game.clock.set(gains, left[gains] + round((price.seconds or 0) * 1000))
        game.rule(replace(price, status="confirmed"), "wrong_claim")
    else:
        game.rule(ArbiterNeeded(why="penalty"), "wrong_claim")
    if move is not None:
        # The move that was written down must be played (9.5.3).
        game.turn.must_play = move
        game.rule(Obliged(by=by, moves=(move.uci(),)), "wrong_claim")
    game.resume()


def _short_of_time(game: State, by: str, what: str, rule: str) -> bool:
    """Return whether ``by`` may claim in a quickplay finish, and refuse the claim if not. They must
    be on move, in the last period, with less than two minutes left, and without an increment where
    the edition asks for that."""
    assert game.setup is not None
    rapid = game.switch("quickplay_is_rapid") and game.setup.mode == "rapid"
    in_force = game.setup.quickplay_finish or rapid
    if game.setup.mode == "blitz":
        game.refuse(by, what, "blitz", "quickplay_kinds")
    elif not in_force or not game.clock.in_last_period(by):
        game.refuse(by, what, "no_quickplay_finish", "quickplay")
    elif game.switch("quickplay_needs_no_increment") and game.clock.increment(by):
        game.refuse(by, what, "increment", "quickplay_kinds")
    elif by != game.side:
        game.refuse(by, what, "not_on_move", rule)
    elif by in game.clock.flags:
        game.refuse(by, what, "flag_has_fallen", rule)
    elif game.clock.left[by] >= TWO_MINUTES:
        game.refuse(by, what, "two_minutes_or_more", rule)
    else:
        return True
    return False


def _claim_in_quickplay_finish(game: State, fact: f.ClaimDraw) -> None:
    by = fact.by
    if not _short_of_time(game, by, "claim_draw", "quickplay_claim"):
        return
    # Without an arbiter at hand the claim ends the play, and the arbiter in charge decides.
    absent = not game.presided
    rule = "quickplay_without_arbiter" if absent else "quickplay_claim"

    claimed = Claimed(by=by, rule=fact.rule)
    won = Effect(end, DRAW, "declared", "quickplay_drawn")
    lost = Effect(_reject_in_quickplay_finish, by)
    propose(game, claimed, (rule,), won, lost, claim=by, needs_arbiter=True)


def _reject_in_quickplay_finish(game: State, by: str) -> None:
    _give(game, by, game.switch("quickplay_rejection_seconds"), "quickplay_rejected")
    game.resume()


def postpone(game: State, given: int | None) -> None:
    """The arbiter postpones the decision on a claim in a quickplay finish (III.5.2); ``given`` ms,
    or two minutes, go to the opponent."""
    claim = game.pending.ruling if game.pending is not None else None
    if not isinstance(claim, Claimed) or claim.rule not in QUICKPLAY_CLAIMS:
        game.refuse("arbiter", "postpone", "nothing_to_postpone", "quickplay_postponed")
        return
    by = claim.by
    game.pending = None
    game.rule(Claimed(by=by, rule=claim.rule, status="postponed"), "quickplay_postponed")
    _give(game, by, f.seconds(TWO_MINUTES if given is None else given), "quickplay_postponed")
    game.resume()


def _give(game: State, by: str, given: float, rule: str) -> None:
    if given:
        gains = OTHER[by]
        game.clock.set(gains, game.clock.left[gains] + round(given * 1000))
        game.rule(Penalty(player=by, gives=gains, seconds=given, status="confirmed"), rule)


def request_extra_time(game: State, fact: f.RequestExtraTime) -> None:
    """III.4: five seconds a move for both from now on, and two minutes for the opponent."""
    if not by_player(game, fact):
        return
    by = fact.by
    if not game.switch("quickplay_extra_time"):
        game.refuse(by, "request_extra_time", "not_in_this_edition", "quickplay")
        return
    if not _short_of_time(game, by, "request_extra_time", "quickplay_extra_time"):
        return
    if game.switch("quickplay_request_is_offer"):
        offered(game, by, "quickplay_extra_time")

    extra, rules = ExtraTime(by=by, seconds=5), ("quickplay_extra_time",)
    propose(game, extra, rules, Effect(_grant_extra_time, by), claim=by)


def _grant_extra_time(game: State, by: str) -> None:
    game.clock.give_increment(5_000)
    _give(game, by, f.seconds(TWO_MINUTES), "quickplay_extra_time")
    game.resume()
