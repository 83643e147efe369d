"""The arbiter's own decisions (6.10 to 6.13, 7, 12.9), and questions to the table (D.2.10.4)."""

from dataclasses import replace

from . import facts as f
from . import rulings as r
from .adjournment import ask_to_seal, end_by_sealed_move, forget_sealed
from .claims import postpone
from .compulsory_assistant import check_assistants, must_wait, release_clocks
from .ends import end, lose, result_of_losing
from .facts import seconds
from .permissions import acting, closed, is_player
from .proposals import decide, propose
from .rulings import both_seconds
from .setting_up import has_come
from .sheets import bring_back, brought_back, clocks_at, take_back
from .state import LOSES, OTHER, Effect, State, san
from .undoing import undo


def arbiter(game: State, fact: f.Arbiter) -> None:
    if fact.do in ("confirm", "reject"):
        if game.pending is None:
            game.refuse("arbiter", fact.do, "nothing_proposed", "arbiter")
        elif game.pending.asked:
            game.refuse("arbiter", fact.do, "waiting_for_players", "arbiter")
        else:
            decide(game, "confirmed" if fact.do == "confirm" else "rejected")
    elif game.over and fact.do == "declare" and not game.served:
        _correct(game, fact)
    elif game.over and fact.do not in ("attend", "undo"):
        game.refuse("arbiter", fact.do, "game_over", "result")
    else:
        _DECISIONS[fact.do](game, fact)


def _stop_clocks(game: State, fact: f.Arbiter) -> None:
    # Clocks that somebody else had stopped already do not go on because the table is back.
    game.clock.stop(game.paused if fact.by == "table" and game.paused else fact.by)
    game.tell_clock("stopping")


def _start_clocks(game: State, fact: f.Arbiter) -> None:
    if game.pending is not None and not game.pending.claimable:
        game.refuse("arbiter", fact.do, game.pending.refusal, "arbiter")
    elif fact.by == "table" != game.paused:
        game.refuse(
            fact.by, fact.do, "clocks_stopped" if game.paused else "already_started", "resuming"
        )
    elif game.adjourned and game.resumed_at is None:
        game.refuse("arbiter", fact.do, "adjourned", "sealing")
    elif (game.started and not must_wait(game)) or check_assistants(game):
        if not game.started:
            game.started_at = game.t
        game.started = True
        release_clocks(game)
        game.resume("resuming")


def _set_clock(game: State, fact: f.Arbiter) -> None:
    for side, left in (("white", fact.white), ("black", fact.black)):
        if left is not None:
            game.clock.set(side, left)
    counts = {"white": fact.white_moves, "black": fact.black_moves}
    for side, moves in counts.items():
        if moves is not None:
            game.clock.set_moves(side, moves)
    game.tell_clock("clock_reading", counted=any(moves is not None for moves in counts.values()))


def _penalty(game: State, fact: f.Arbiter) -> None:
    """12.9: a warning, time, or the game. Seconds for the opponent are added to their time, the
    player's own seconds are taken away."""
    side = fact.player
    if side is None:
        game.refuse("arbiter", "penalty", "player_missing", "arbiter_penalty")
        return
    gains = OTHER[side]
    given = (fact.white if gains == "white" else fact.black) or 0
    taken = (fact.white if side == "white" else fact.black) or 0
    if fact.penalty in _SPECIAL_PENALTIES:
        _special_penalty(game, fact, side)
        return
    if fact.penalty in ("loss", "loses", "lost", "forfeit"):
        result = fact.result or result_of_losing(game, side)
        penalty = r.Penalty(player=side, loses=True, result=result, status="confirmed")
        game.rule(penalty, "arbiter_declares_lost")
        if fact.result is not None:
            end(game, fact.result, "declared", "arbiter_penalty")
        else:
            lose(game, side, "declared", "arbiter_penalty")
        return
    if not given and not taken:
        if fact.penalty == "warning":
            game.rule(
                r.Penalty(player=side, penalty="warning", status="confirmed"), "arbiter_warning"
            )
        else:
            game.refuse("arbiter", "penalty", "seconds_missing", "arbiter_penalty")
        return
    if not game.clock:
        game.refuse("arbiter", "penalty", "no_clock", "arbiter_penalty")
        return
    penalty, rules = r.Penalty(player=side, status="confirmed"), []
    if given:
        rules.append("arbiter_adds_time")
        game.clock.set(gains, game.clock.left[gains] + given)
        penalty = replace(penalty, gives=gains, seconds=seconds(given))
    if taken:
        rules.append("arbiter_takes_time")
        taken = min(taken, game.clock.left[side])
        game.clock.set(side, game.clock.left[side] - taken)
        penalty = replace(penalty, takes=seconds(taken))
    game.rule(penalty, *rules)
    game.tell_clock("arbiter_sets_clocks")


# 12.9.4 to 12.9.9: points that need not add up to one, a fine, exclusion.
_SPECIAL_PENALTIES = {
    "points": "arbiter_sets_points",
    "fine": "arbiter_fines",
    "exclusion": "arbiter_excludes",
}


def _special_penalty(game: State, fact: f.Arbiter, side: str) -> None:
    assert fact.penalty is not None
    rule = _SPECIAL_PENALTIES[fact.penalty]
    if not game.edition.has(rule):
        game.refuse("arbiter", "penalty", "not_in_this_edition", "arbiter_penalty")
    elif fact.penalty == "points" and fact.result is None:
        game.refuse("arbiter", "penalty", "result_missing", rule)
    else:
        result = fact.result if fact.penalty == "points" else None
        penalty = r.Penalty(player=side, penalty=fact.penalty, result=result, status="confirmed")
        game.rule(penalty, rule)
        if result is not None:
            end(game, result, "declared", rule)


def _restore(game: State, fact: f.Arbiter) -> None:
    """Go back to the position after a ply, or forward to one that has been taken back. What a
    player asks for without an arbiter, the other player may refuse."""
    assert fact.ply is not None
    back = brought_back(game)
    if fact.ply > (len(game.history) if back is None else back.last):
        game.refuse("arbiter", "restore", "no_such_ply", "arbiter")
        return
    if fact.player is not None and closed(game, "restore", fact.player):
        return
    undone = fact.ply > len(game.history) or (back is not None and fact.ply == back.last)
    clocks = clocks_at(game, fact.ply)
    ruling = r.TakeBack(to_ply=fact.ply, undone=undone, by=fact.player, **clocks)
    if fact.player is not None and not game.presided:
        confirm = Effect(_go_to, fact.ply, undone=undone)
        propose(game, ruling, ("not_covered",), confirm, by=fact.player)
        return
    game.pending = None
    game.rule(replace(ruling, status="confirmed"), "arbiter")
    _go_to(game, fact.ply, undone=undone)


def _go_to(game: State, to_ply: int, *, undone: bool) -> None:
    forget_sealed(game)
    (bring_back if undone else take_back)(game, to_ply, "arbiter")


def _declare(game: State, fact: f.Arbiter) -> None:
    assert fact.result is not None
    end(game, fact.result, "declared", "arbiter")


def _forfeit(game: State, fact: f.Arbiter) -> None:
    """A player has not come within the default time, or neither has (6.7.1). The same holds where
    an adjourned game is resumed (I.10)."""
    missing = (fact.player,) if fact.player is not None else f.SIDES
    rule = "late_at_resumption" if game.adjourned or game.resumed_at is not None else "late"
    if any(has_come(game, side) for side in missing):
        game.refuse("arbiter", fact.do, "player_present", rule)
    elif not any(end_by_sealed_move(game, side) for side in missing):
        result = LOSES[missing[0]] if len(missing) == 1 else "0-0"
        end(game, result, "forfeit", rule)


def _correct(game: State, fact: f.Arbiter) -> None:
    """Correct the result of a game that is over (8.7). The signatures under the former one count no
    more. Another correction takes its place; it is not undone."""
    assert fact.result is not None and game.result is not None
    if fact.result == game.result:
        game.refuse("arbiter", "declare", "already_so", "arbiter")
        return
    if not fact.reason:
        game.refuse("arbiter", "declare", "reason_missing", "arbiter")
        return
    rules = ("arbiter", "signatures") if game.edition.has("signatures") else ("arbiter",)
    game.rule(r.ResultCorrected(before=game.result, reason=fact.reason), *rules)
    game.result, game.ended_by, game.corrected = fact.result, rules, True
    game.signed, game.decisions = {}, ()
    game.rule(r.GameOver(result=fact.result, reason="declared"), *rules)


def _adjourn(game: State, fact: f.Arbiter) -> None:
    if game.pending is not None or game.adjourned:
        why = "waiting_for_arbiter" if game.pending is None else game.pending.refusal
        game.refuse("arbiter", "adjourn", why, "sealing")
    else:
        ask_to_seal(game)


def _postpone(game: State, fact: f.Arbiter) -> None:
    postpone(game, fact.white if fact.white is not None else fact.black)


def _preside(game: State, fact: f.Arbiter) -> None:
    """An arbiter takes a friendly game in hand, or leaves it: from now on the arbiter's decisions
    wait for them, or are confirmed at once."""
    present = fact.do == "preside"
    if game.presided == present:
        game.refuse("arbiter", fact.do, "already_so", "arbiter")
    elif not present and game.pending is not None and not game.pending.claimable:
        game.refuse("arbiter", fact.do, "waiting_for_arbiter", "arbiter")
    else:
        game.presided = present
        if game.pending is not None:
            # Now it is the arbiter's to decide.
            game.pending = replace(game.pending, asked=frozenset())
        game.rule(r.Presides(present=present), "arbiter")


def _permit_warnings(game: State, fact: f.Arbiter) -> None:
    if game.warnings_permitted:
        game.refuse("arbiter", fact.do, "already_so", "arbiter")
        return
    game.warnings_permitted = True
    game.rule(r.WarningsPermitted(), "arbiter")


def _announce_in(game: State, fact: f.Arbiter) -> None:
    """D.2.1: moves are announced in another language from now on; not under fide-1997 (F.1)."""
    if not game.switch("ranks_by_arbiter"):
        game.refuse("arbiter", fact.do, "not_in_this_edition", "announcing")
    else:
        game.announce_in = fact.language
        game.rule(r.AnnouncesIn(language=game.announcing_language()), "announcing")


def _attend(game: State, fact: f.Arbiter) -> None:
    """The arbiter has seen to what they were called for, and nothing more follows: no penalty."""
    if not game.unattended:
        game.refuse("arbiter", fact.do, "nothing_to_attend")
    for one in game.unattended:
        seen = r.Attended(why=one.why, by=one.by, player=one.player)
        game.out.append(seen.stamped(game.t, one.articles))


_DECISIONS = {
    "stop_clocks": _stop_clocks,
    "start_clocks": _start_clocks,
    "set_clock": _set_clock,
    "penalty": _penalty,
    "restore": _restore,
    "declare": _declare,
    "forfeit": _forfeit,
    "adjourn": _adjourn,
    "postpone": _postpone,
    "preside": _preside,
    "withdraw": _preside,
    "permit_warnings": _permit_warnings,
    "announce_in": _announce_in,
    "attend": _attend,
    "undo": undo,
}


def call_arbiter(game: State, fact: f.CallArbiter) -> None:
    """A player may stop the clock only to ask for the arbiter (6.11.2); who comes late to a resumed
    game stops it to have the envelope opened (I.9.2)."""
    resumed = game.adjourned and game.clock.running is not None
    if closed(game, fact.kind, fact.by, while_adjourned=resumed):
        return
    side = acting(game, fact.by, fact.kind, duty="own")
    if side is None:
        return
    if resumed and side == game.side:
        game.refuse(fact.by, fact.kind, "adjourned", "sealing")
        return
    rule = "answering_player_absent" if resumed else "calling_arbiter"
    # They have called, and the arbiter has not come yet.
    again = any((one.why, one.by) == ("called", fact.by) for one in game.calls)
    if game.clock:  # without clocks nobody could start them again
        game.clock.stop(fact.by)
    game.tell_clock(rule)
    game.rule(r.ArbiterNeeded(why="called", by=fact.by, again=again), rule)


def query(game: State, fact: f.Query) -> None:
    """The clock, the count of moves and the last move, on request only; the position never."""
    if game.over:
        game.refuse(fact.by, "query", "game_over", "result")
        return
    of = fact.by.removeprefix("assistant:")
    if fact.by.startswith("assistant:") and acting(game, fact.by, "query", duty="own") is None:
        return
    if fact.about == "position" and fact.by != "arbiter":
        game.refuse(fact.by, "query", "not_during_play", "on_request_only", "outside_help")
        return
    if fact.about == "time" and not game.clock:
        game.refuse(fact.by, "query", "no_clock", "on_request_only")
        return
    if fact.about == "scoresheet" and not _may_see_the_scoresheet(game, fact.by):
        return
    rules: tuple[str, ...] = ("on_request_only",)
    if fact.by in OTHER and not game.impaired(fact.by):
        # A sighted player hears what the clock shows everybody.
        rules = ("clock_reading",) if fact.about == "time" else ("moves_shown",)
    if fact.about == "scoresheet":
        rules = ("seeing_the_scoresheet",) if fact.by != "arbiter" else ("arbiter",)
    language = game.player(of).language if of in OTHER else game.announcing_language()
    answer = _answer(game, r.Answer(to=fact.by, about=fact.about))
    game.rule(replace(answer, words=game.words.answer(answer, language)), *rules)


_MOST_LOOKS = 5


def _may_see_the_scoresheet(game: State, by: str) -> bool:
    """Under full supervision the player on move may ask to see the scoresheet, five times a game;
    more than that disturbs the opponent (A.4.3, B.2.3)."""
    rule = "seeing_the_scoresheet"
    if by == "arbiter":
        return True
    if not game.edition.has(rule) or not game.regime.endswith("_supervised"):
        game.refuse(by, "query", "not_in_this_edition", "on_request_only")
    elif by != game.side:
        game.refuse(by, "query", "not_on_move", rule)
    elif game.looks[by] >= _MOST_LOOKS:
        game.refuse(by, "query", "asked_too_often", rule)
        game.rule(r.ArbiterNeeded(why="asked_too_often", player=by), rule, "arbiter_penalty")
    else:
        game.looks[by] += 1
        return True
    return False


def _answer(game: State, asked: r.Answer) -> r.Answer:
    """The answer with its figures, of which it has none yet."""
    if asked.about == "time":
        return replace(asked, **both_seconds(game.clock.left))
    if asked.about == "position":
        return replace(asked, fen=game.position.fen())
    if asked.about == "last_move":
        if not game.history:
            return asked
        last = game.history[-1]
        # An illegal move that stands has no announcement of its own.
        announcement = None if last.illegal else game.announcement(last.before, last.move)
        return replace(asked, move=last.move.uci(), by=last.side, announcement=announcement)
    plies = len(game.history)
    counted = replace(asked, moves=(plies + 1) // 2, plies=plies)
    if asked.about == "moves":
        return counted
    record = ("" if ply.illegal else san(ply.before, ply.move) for ply in game.history)
    return replace(counted, record=tuple(record))


def sign(game: State, fact: f.Sign) -> None:
    """Both players sign the result. A result that both have signed stands, even if it is wrong,
    unless the arbiter decides otherwise (8.7)."""
    if not is_player(game, fact.by, "sign"):
        return
    if not game.edition.has("signatures"):
        game.refuse(fact.by, "sign", "not_in_this_edition", "result")
    elif not game.over:
        game.refuse(fact.by, "sign", "not_over", "signatures")
    else:
        game.signed[fact.by] = fact.result
        other = game.signed.get(OTHER[fact.by])
        stands = other == fact.result and (not game.corrected or fact.result == game.result)
        game.rule(r.Signed(by=fact.by, result=fact.result, stands=stands), "signatures")
        if other == fact.result != game.result:
            if not game.corrected:
                game.result = fact.result
            game.rule(r.ArbiterNeeded(why="signed_result_differs"), "signatures")
        elif other not in (None, fact.result):
            game.rule(r.ArbiterNeeded(why="signatures_differ"), "signatures")
