"""The arbiter's own decisions (6.10 to 6.13, 7, 12.9), and questions to the table (D.2.10.4)."""

from __future__ import annotations

from dataclasses import replace

from . import facts as f
from .adjournment import ask_to_seal
from .claims import postpone
from .ends import end, lose, result_of_losing
from .facts import seconds
from .permissions import acting, closed
from .proposals import decide
from .rulings import Answer, ArbiterNeeded, Penalty, Presides, TakeBack
from .setting_up import check_assistants
from .sheets import clocks_at, take_back
from .state import OTHER, State


def arbiter(game: State, fact: f.Arbiter) -> None:
    if fact.do in ("confirm", "reject"):
        if game.pending is None:
            game.refuse("arbiter", fact.do, "nothing_proposed", "arbiter")
        else:
            decide(game, "confirmed" if fact.do == "confirm" else "rejected")
    elif game.over:
        game.refuse("arbiter", fact.do, "game_over", "result")
    else:
        _DECISIONS[fact.do](game, fact)


def _stop_clocks(game: State, fact: f.Arbiter) -> None:
    game.clock.stop(fact.by)
    game.tell_clock("stopping")


def _start_clocks(game: State, fact: f.Arbiter) -> None:
    if game.pending is not None and not game.pending.claimable:
        game.refuse("arbiter", fact.do, "waiting_for_arbiter", "arbiter")
    elif game.adjourned:
        game.refuse("arbiter", fact.do, "adjourned", "sealing")
    elif game.started or check_assistants(game):
        if not game.started:
            game.started_at = game.t
        game.started, game.clock.stopped_by = True, ""
        game.resume("resuming")


def _set_clock(game: State, fact: f.Arbiter) -> None:
    for side, left in (("white", fact.white), ("black", fact.black)):
        if left is not None:
            game.clock.set(side, left)
    game.tell_clock("clock_reading")


def _penalty(game: State, fact: f.Arbiter) -> None:
    """12.9: a warning, time, or the game. The opponent's seconds are added to his, the player's
    own are taken away."""
    side = fact.player
    if side is None:
        game.refuse("arbiter", "penalty", "player_missing", "arbiter_penalty")
        return
    gains = OTHER[side]
    given = (fact.white if gains == "white" else fact.black) or 0
    taken = (fact.white if side == "white" else fact.black) or 0
    if fact.penalty in ("loss", "loses", "lost", "forfeit"):
        result = fact.result or result_of_losing(game, side)
        penalty = Penalty(player=side, loses=True, result=result, status="confirmed")
        game.rule(penalty, "arbiter_declares_lost")
        if fact.result is not None:
            end(game, fact.result, "declared", "arbiter_penalty")
        else:
            lose(game, side, "declared", "arbiter_penalty")
        return
    if not given and not taken:
        if fact.penalty == "warning":
            game.rule(
                Penalty(player=side, penalty="warning", status="confirmed"), "arbiter_warning"
            )
        else:
            game.refuse("arbiter", "penalty", "seconds_missing", "arbiter_penalty")
        return
    if not game.clock:
        game.refuse("arbiter", "penalty", "no_clock", "arbiter_penalty")
        return
    penalty, rules = Penalty(player=side, status="confirmed"), []
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


def _restore(game: State, fact: f.Arbiter) -> None:
    assert fact.ply is not None
    if fact.ply > len(game.history):
        game.refuse("arbiter", "restore", "no_such_ply", "restore")
        return
    game.pending = None
    game.adjourned, game.sealed = False, None
    game.rule(TakeBack(to_ply=fact.ply, **clocks_at(game, fact.ply), status="confirmed"), "restore")
    take_back(game, fact.ply, "restore")


def _declare(game: State, fact: f.Arbiter) -> None:
    assert fact.result is not None
    end(game, fact.result, "declared", "arbiter")


def _adjourn(game: State, fact: f.Arbiter) -> None:
    if game.pending is not None or game.adjourned:
        game.refuse("arbiter", "adjourn", "waiting_for_arbiter", "sealing")
    else:
        ask_to_seal(game)


def _postpone(game: State, fact: f.Arbiter) -> None:
    postpone(game, fact.white if fact.white is not None else fact.black)


def _preside(game: State, fact: f.Arbiter) -> None:
    """An arbiter takes a friendly game in hand, or leaves it: from now on what is his to decide
    waits for him, or is confirmed at once."""
    present = fact.do == "preside"
    if game.presided == present:
        game.refuse("arbiter", fact.do, "already_so", "arbiter")
    elif not present and game.pending is not None and not game.pending.claimable:
        game.refuse("arbiter", fact.do, "waiting_for_arbiter", "arbiter")
    else:
        game.presided = present
        game.rule(Presides(present=present), "arbiter")


_DECISIONS = {
    "stop_clocks": _stop_clocks,
    "start_clocks": _start_clocks,
    "set_clock": _set_clock,
    "penalty": _penalty,
    "restore": _restore,
    "declare": _declare,
    "adjourn": _adjourn,
    "postpone": _postpone,
    "preside": _preside,
    "withdraw": _preside,
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
    game.clock.stop(fact.by)
    game.tell_clock(rule)
    game.rule(ArbiterNeeded(why="called", by=fact.by), rule)


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
    rules: tuple[str, ...] = ("on_request_only",)
    if fact.by in OTHER and not game.impaired(fact.by):
        # A sighted player hears what the clock shows everybody.
        rules = ("clock_reading",) if fact.about == "time" else ("moves_shown",)
    language = game.player(of).language if of in OTHER else game.announcing_language()
    answer = _ANSWERS[fact.about](game, fact)
    game.rule(replace(answer, words=game.words.answer(answer, language)), *rules)


def _time(game: State, fact: f.Query) -> Answer:
    left = game.clock.left
    white, black = seconds(left["white"]), seconds(left["black"])
    return Answer(to=fact.by, about=fact.about, white=white, black=black)


def _position(game: State, fact: f.Query) -> Answer:
    return Answer(to=fact.by, about=fact.about, fen=game.position.fen())


def _moves(game: State, fact: f.Query) -> Answer:
    plies = len(game.history)
    return Answer(to=fact.by, about=fact.about, moves=(plies + 1) // 2, plies=plies)


def _last_move(game: State, fact: f.Query) -> Answer:
    if not game.history:
        return Answer(to=fact.by, about=fact.about)
    last = game.history[-1]
    # An illegal move that stands has no announcement of its own.
    announcement = None if last.illegal else game.announcement(last.before, last.move)
    return Answer(
        to=fact.by, about=fact.about, move=last.move.uci(), by=last.side, announcement=announcement
    )


_ANSWERS = {"time": _time, "position": _position, "moves": _moves, "last_move": _last_move}
