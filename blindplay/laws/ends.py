"""How games end: mate, stalemate, dead positions, draws, resignation and flags (5, 6.9, 9)."""

from __future__ import annotations

from typing import Any

import chess

from . import facts as f
from . import recording
from .mating import Verdict, can_mate, is_dead
from .state import COLOURS, DRAW, LOSES, OTHER, State, legal, position_key

QUICKPLAY_CLAIMS = ("cannot_win", "no_effort")
TWO_MINUTES = 120_000


def end(game: State, result: str, reason: str, *rules: str) -> None:
    """The game is over."""
    game.result = result
    game.pending = None
    game.clock.stop()
    game.tell_clock(*rules)
    game.rule("game_over", *rules, result=result, reason=reason)


def end_if_over(game: State, board: chess.Board) -> None:
    """Checkmate, stalemate, a dead position and the automatic draws end the game at once.

    ``board`` is the position after the move that has been made, or the one set up.
    """
    if not any(board.generate_legal_moves()):
        if not board.is_check():
            _finish(game, DRAW, "stalemate", "stalemate")
        else:
            _finish(game, "0-1" if board.turn else "1-0", "checkmate", "checkmate")
    elif is_dead(board):
        _finish(game, DRAW, "dead_position", "dead_position")
    elif _fivefold(game, board):
        _finish(game, DRAW, "fivefold", "fivefold")
    elif board.halfmove_clock >= 150 and game.switch("automatic_seventyfive"):
        _finish(game, DRAW, "seventyfive_moves", "seventyfive_moves")


def _fivefold(game: State, board: chess.Board) -> bool:
    how = game.switch("automatic_fivefold")
    if how == "never" or board.halfmove_clock < 16:
        return False
    key = position_key(board)
    keys = game.keys if game.turn.made is not None else game.keys[:-1]
    if how == "any":
        return keys.count(key) >= 4
    # 9.6 a of fide-2014: in consecutive alternate moves, so every second one of each.
    return len(keys) >= 16 and all(keys[-4 * back] == key for back in range(1, 5))


def _finish(game: State, result: str, reason: str, rule: str) -> None:
    if game.turn.made is not None:
        # The move ends the game, so it needs no press (6.2.1.1): it belongs to the record.
        side, move = game.side, game.turn.made
        for earlier in game.unpressed():
            earlier.completed = True
        game.advance(completed=True)
        game.rule(
            "completed", "completing_by_ending", by=side, move=move.uci(), ply=len(game.history)
        )
    end(game, result, reason, rule)


# --- can the opponent mate? ----------------------------------------------------------------


def result_of_losing(game: State, side: str, board: chess.Board | None = None) -> str | None:
    """What the result is when ``side`` loses but for "by any series of legal moves" (6.9): his
    opponent's win, a draw if he cannot mate, None where it cannot be told. ``board`` is the
    position that counts, if not the game's."""
    winner = COLOURS[OTHER[side]]
    board = board or game.position
    if board.status() & chess.STATUS_OPPOSITE_CHECK or len(board.pieces(chess.KING, winner)) != 1:
        return None  # an illegal position that stands; nobody has said what is possible in it
    if game.switch("blitz_win_needs_material") and game.regime == "blitz":
        two_knights = board.occupied_co[winner] == board.occupied_co[winner] & (
            board.kings | board.knights
        )
        bare = board.occupied_co[not winner] & ~board.kings == 0
        if two_knights and bare:
            return DRAW  # C.4 of fide-1997 names this case
    verdict = can_mate(board, winner).verdict
    if verdict is Verdict.UNDECIDED:
        return None
    return LOSES[side] if verdict is Verdict.POSSIBLE else DRAW


def lose(
    game: State, side: str, reason: str, *rules: str, board: chess.Board | None = None
) -> None:
    """``side`` loses, unless his opponent cannot mate; where that is undecided, the arbiter is
    asked: he confirms that mate is possible, or rejects it."""
    result = result_of_losing(game, side, board)
    if result is not None:
        end(game, result, reason, *rules)
        return
    game.propose(
        "arbiter_needed",
        rules,
        {"why": "mate_undecided", "by": side},
        lambda: end(game, LOSES[side], reason, *rules),
        lambda: end(game, DRAW, reason, *rules),
        needs_arbiter=True,
    )


def resign(game: State, fact: f.Resign) -> None:
    if game.closed("resign", fact.by, while_adjourned=True) or not game.players_own(
        fact.by, "resign"
    ):
        return
    rules = ("resignation", "end_before_resumption") if game.adjourned else ("resignation",)
    if game.switch("resignation_draws_when_opponent_cannot_mate"):
        lose(game, fact.by, "resignation", *rules)
    else:
        end(game, LOSES[fact.by], "resignation", *rules)


# --- agreement -----------------------------------------------------------------------------


def offer_draw(game: State, fact: f.OfferDraw) -> None:
    if game.closed("offer_draw", fact.by, while_adjourned=True) or not game.players_own(
        fact.by, "offer_draw"
    ):
        return
    offered(game, fact.by)


def offered(game: State, by: str, *rules: str) -> None:
    """An offer stands until it is answered; both players write (=)."""
    game.offers.add(by)
    game.offered_at.append((len(game.history) + (game.turn.made is not None), by))
    if game.adjourned:
        rules = (*rules, "offer_after_sealing")
    game.rule("draw_offered", "draw_offer", "record_draw_offer", *rules, by=by, record="(=)")


def decline_by_playing(game: State, side: str) -> None:
    """An offer is rejected by touching a piece with the intention of moving it (9.1.2.1)."""
    if OTHER[side] in game.offers:
        game.offers.discard(OTHER[side])
        game.rule("draw_declined", "draw_offer", by=side)


def accept_draw(game: State, fact: f.AcceptDraw) -> None:
    if not game.players_own(fact.by, "accept_draw"):
        return
    pending = game.pending
    claimed = pending is not None and pending.claim == OTHER[fact.by]
    if not claimed and game.closed("accept_draw", fact.by, while_adjourned=True):
        return
    if OTHER[fact.by] not in game.offers:
        game.refuse(fact.by, "accept_draw", "no_offer", "draw_offer")
        return
    plies = len(game.history) + (game.turn.made is not None)
    if game.switch("agreement_needs_a_move_of_each") and plies < 2:
        game.refuse(fact.by, "accept_draw", "too_early", "agreement")
        return
    rules = ("agreement", "end_before_resumption") if game.adjourned else ("agreement",)
    end(game, DRAW, "agreement", *rules)


def decline_draw(game: State, fact: f.DeclineDraw) -> None:
    if game.closed("decline_draw", fact.by, while_adjourned=True) or not game.players_own(
        fact.by, "decline_draw"
    ):
        return
    if OTHER[fact.by] not in game.offers:
        game.refuse(fact.by, "decline_draw", "no_offer", "draw_offer")
        return
    game.offers.discard(OTHER[fact.by])
    game.rule("draw_declined", "draw_offer", by=fact.by)


# --- claims --------------------------------------------------------------------------------


def claim_draw(game: State, fact: f.ClaimDraw) -> None:
    if not game.players_own(fact.by, "claim_draw"):
        return
    if game.closed("claim_draw", fact.by):
        return
    if fact.rule in QUICKPLAY_CLAIMS:
        _claim_in_quickplay_finish(game, fact)
        return
    rule = f"claim_{fact.rule}"
    if fact.move is not None:
        rule += "_written"
    if fact.by != game.side:
        game.refuse(fact.by, "claim_draw", "not_on_move", rule)
        return
    if game.turn.claim_lost:
        game.refuse(fact.by, "claim_draw", "claim_lost", "claim_lost")
        return
    board, seen = game.board, 0
    move = None
    if fact.move is not None:
        move = legal(board, fact.move)
        if move is None:
            game.refuse(fact.by, "claim_draw", "cannot_move_there", "moving", move=fact.move)
            return
        board, seen = game.after(move), 1
    if fact.rule == "repetition":
        correct = game.keys.count(position_key(board)) + seen >= 3
        reason = "repetition"
    else:
        correct = board.halfmove_clock >= 100
        reason = "fifty_moves"

    def confirm() -> None:
        if correct:
            end(game, DRAW, reason, rule, "correct_claim")
        else:
            _wrong_claim(game, fact.by, move)

    if game.switch("claim_is_offer"):
        offered(game, fact.by, "claim_is_offer")
    game.propose(
        "claim",
        (rule, "claim"),
        {"by": fact.by, "rule": fact.rule, "correct": correct},
        confirm,
        game.resume,
        claim=fact.by,
    )


def _wrong_claim(game: State, by: str, move: chess.Move | None) -> None:
    gains = OTHER[by]
    given = game.switch("wrong_claim_penalty_seconds")
    game.turn.claim_lost = True
    if game.clock:
        fields: dict[str, Any] = {"player": by, "gives": gains, "seconds": given}
        if game.switch("wrong_claim_halves_time"):
            taken = min(game.clock.left[by] // 2, 180_000)
            game.clock.set(by, game.clock.left[by] - taken)
            fields["takes"] = f.seconds(taken)
        game.clock.set(gains, game.clock.left[gains] + given * 1000)
        game.rule("penalty", "wrong_claim", **fields, status="confirmed")
    else:
        game.rule("arbiter_needed", "wrong_claim", why="penalty")
    if move is not None:
        # The move he wrote down must be played (9.5.3).
        game.turn.must_play = move
        game.rule("obliged", "wrong_claim", by=by, moves=[move.uci()])
    game.resume()


# --- the quickplay finish ------------------------------------------------------------------


def _short_of_time(game: State, by: str, what: str, rule: str) -> bool:
    """Whether ``by`` may claim in a quickplay finish: on move, less than two minutes left, in the
    last period, without an increment where the edition asks that; refuses if he may not."""
    assert game.setup is not None
    rapid = game.switch("quickplay_is_rapid") and game.setup.mode == "rapid"
    in_force = game.setup.quickplay_finish or rapid
    no_increment = game.clock.increment(by) == 0 and not game.extra_time
    if game.setup.mode == "blitz":
        game.refuse(by, what, "blitz", "quickplay_kinds")
    elif not in_force or not game.clock.in_last_period(by):
        game.refuse(by, what, "no_quickplay_finish", "quickplay")
    elif game.switch("quickplay_needs_no_increment") and not no_increment:
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
    assert game.setup is not None
    # Without an arbiter at hand the claim ends the play, and the arbiter in charge decides.
    absent = game.setup.arbiter == "automatic"
    rule = "quickplay_without_arbiter" if absent else "quickplay_claim"

    def reject() -> None:
        _give(game, by, game.switch("quickplay_rejection_seconds"), "quickplay_rejected")
        game.resume()

    game.propose(
        "claim",
        (rule,),
        {"by": by, "rule": fact.rule},
        lambda: end(game, DRAW, "declared", "quickplay_drawn"),
        reject,
        claim=by,
        needs_arbiter=True,
    )


def postpone(game: State, given: int | None) -> None:
    """The arbiter puts off his decision on a claim in a quickplay finish (III.5.2); ``given`` ms,
    or two minutes, go to the opponent."""
    pending = game.pending
    if pending is None or pending.ruling.get("rule") not in QUICKPLAY_CLAIMS:
        game.refuse("arbiter", "postpone", "nothing_to_postpone", "quickplay_postponed")
        return
    by = pending.ruling["by"]
    game.pending = None
    game.rule(
        "claim", "quickplay_postponed", by=by, rule=pending.ruling["rule"], status="postponed"
    )
    _give(game, by, f.seconds(TWO_MINUTES if given is None else given), "quickplay_postponed")
    game.resume()


def _give(game: State, by: str, given: float, rule: str) -> None:
    if given:
        gains = OTHER[by]
        game.clock.set(gains, game.clock.left[gains] + round(given * 1000))
        game.rule("penalty", rule, player=by, gives=gains, seconds=given, status="confirmed")


def request_extra_time(game: State, fact: f.RequestExtraTime) -> None:
    """III.4: five seconds a move for both from now on, and two minutes for the opponent."""
    if game.closed("request_extra_time", fact.by) or not game.players_own(
        fact.by, "request_extra_time"
    ):
        return
    by = fact.by
    if not game.switch("quickplay_extra_time"):
        game.refuse(by, "request_extra_time", "not_in_this_edition", "quickplay")
        return
    if not _short_of_time(game, by, "request_extra_time", "quickplay_extra_time"):
        return
    if game.switch("quickplay_request_is_offer"):
        offered(game, by, "quickplay_extra_time")

    def confirm() -> None:
        game.extra_time = True
        game.clock.give_increment(5_000)
        _give(game, by, f.seconds(TWO_MINUTES), "quickplay_extra_time")
        game.resume()

    game.propose(
        "extra_time",
        ("quickplay_extra_time",),
        {"by": by, "seconds": 5},
        confirm,
        game.resume,
        claim=by,
    )


# --- flags ---------------------------------------------------------------------------------


def watch_flags(game: State) -> None:
    """A flag that has fallen is noticed by the table, where the edition lets anybody but a player
    notice it (6.8, A.5.5)."""
    if game.over or game.pending is not None or game.adjourned or not game.clock.flags:
        return
    if game.switch("flag_called_by") == "arbiter":
        _fallen(game, "table", "flag")


def claim_time(game: State, fact: f.ClaimTime) -> None:
    if game.closed("claim_time", fact.by):
        return
    side = game.acting(fact.by, "claim_time", duty="own")
    if side is None:
        return
    flags = game.clock.flags
    if side == "arbiter":
        if game.switch("flag_called_by") != "arbiter":
            game.refuse(fact.by, "claim_time", "only_a_player_claims", "flag")
        elif not flags:
            game.refuse(fact.by, "claim_time", "flag_has_not_fallen", "flag")
        else:
            _fallen(game, fact.by, "flag")
    elif OTHER[side] not in flags:
        game.refuse(fact.by, "claim_time", "flag_has_not_fallen", "flag_claim")
    elif (
        side in flags
        and game.switch("flag_claimant_needs_time")
        and not game.switch("both_flags_whatever_order")
    ):
        game.refuse(fact.by, "claim_time", "own_flag_has_fallen", "flag_claim")
    else:
        _fallen(game, fact.by, "flag_claim")


def _fallen(game: State, called_by: str, rule: str) -> None:
    recording.after_a_flag(game)
    clock = game.clock
    if len(clock.flags) == 2 and (
        not clock.order_known or game.switch("both_flags_whatever_order")
    ):
        _both_flags(game, called_by)
        return
    side = clock.flags[0]
    result = result_of_losing(game, side)
    fields: dict[str, Any] = {"by": side, "called_by": called_by}
    fields |= {"undecided": True} if result is None else {"result": result}

    def reject() -> None:
        clock.flags.clear()
        game.rule("arbiter_needed", "clock_reading", why="set_clock")

    game.propose(
        "flag",
        (rule, "win_on_time"),
        fields,
        lambda: lose(game, side, "flag", "win_on_time", rule),
        reject,
    )


def _both_flags(game: State, called_by: str) -> None:
    """Both flags are down and nobody can tell which fell first (6.11, III.3)."""
    last = all(game.clock.in_last_period(side) for side in OTHER)
    if last and game.switch("both_flags_last_period") == "draw":
        rule = "both_flags_last_period"
        game.propose(
            "flag",
            (rule,),
            {"by": "both", "called_by": called_by, "result": DRAW},
            lambda: end(game, DRAW, "flag", rule),
            game.clock.flags.clear,
        )
        return
    # The game goes on; its clock needs times again, which are the arbiter's to set.
    game.clock.flags.clear()
    game.clock.stop()
    game.rule("arbiter_needed", "both_flags", why="both_flags")
