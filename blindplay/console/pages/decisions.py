"""The arbiter's decisions, each in two steps: what he chose on his page is told in words, and with
the position it would come to, before anything happens."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from blindplay.laws import Game, Ruling
from blindplay.laws import facts as f
from blindplay.laws.placement import Pieces
from blindplay.laws.sheets import clocks_at
from blindplay.laws.state import OTHER, Pending

from ..actions import Form, NoActionError
from ..messages import catalogue
from .common import time_of
from .timeline import Lenient, Narrator

_TIME = re.compile(r"(?:(?:(\d{1,2}):)?(\d{1,3}):)?(\d{1,5})", re.ASCII)
_PENALTIES = ("warning", "time", "loss")
_PLAIN = frozenset(("adjourn", "withdraw"))


@dataclass(frozen=True)
class Confirmation:
    """The second step: what will happen, as sentences; the fields that make it happen; the words of
    the button. ``shown`` is the position it comes to, where it comes to another one."""

    sentences: tuple[str, ...]
    fields: Mapping[str, str]
    button: str
    shown: Pieces | None = None


def prepare(game: Game, language: str, form: Form) -> Confirmation:
    """What a form of the arbiter's page asks for, before it is done.

    :raises NoActionError: where it asks for nothing that can be done; its argument is a key of the
        catalogue.
    """
    say = catalogue(language)
    chosen = {name: values[0].strip() for name, values in form.items() if values}
    act, do = chosen.get("act", ""), chosen.get("do", "")
    telling = Narrator(game, language)
    if act == "arbiter":
        if do in ("confirm", "reject"):
            return _decide(game, telling, do, language)
        if do in _PLAIN:
            return Confirmation((say[f"will_{do}"],), {"act": act, "do": do}, say[f"yes_{do}"])
        makers = {
            "set_clock": _set_clock, "penalty": _penalty, "restore": _restore,
            "declare": _declare, "postpone": _postpone,
        }  # fmt: skip
        if do in makers:
            return makers[do](game, telling, chosen, language)
    elif act in ("claim_time", "touch", "irregular", "open_envelope"):
        return _report(game, telling, chosen, language)
    raise NoActionError("no_such_action")


def outcomes(game: Game, pending: Pending, language: str) -> tuple[list[str], list[str]]:
    """What confirming a proposal does, and what rejecting it does, in sentences."""
    say, telling = catalogue(language), Narrator(game, language)
    ruling = pending.ruling
    kind = ruling.kind if ruling.kind != "arbiter_needed" else str(ruling["why"])
    values = Lenient(
        (name, telling.name(str(ruling[name])))
        for name in ("by", "player")
        if name in ruling.fields
    )
    values["result"] = str(ruling.get("result") or "")
    values["to"] = telling.ply(ruling["to_ply"]) if "to_ply" in ruling.fields else ""
    for side in f.SIDES:
        left = ruling.get(side)
        values[side] = time_of(left * 1000 if left is not None else game.clock.left[side])
    yes, no = f"yes_if_{kind}", f"no_if_{kind}"
    if kind == "illegal":
        back = "yes_if_illegal_back" if "to_ply" in ruling.fields else "yes_if_illegal_undo"
        limit = game.switch("illegal_moves_that_lose")
        loses = limit and ruling["number"] >= limit
        yes = "yes_if_loses" if loses else back
        no = "no_if_illegal_stands" if game.switch("illegal_stands") else "no_if_goes_on"
    elif kind == "claim" and "correct" in ruling.fields:
        yes = "yes_if_draw" if ruling["correct"] else "yes_if_claim_wrong"
        no = "no_if_claim_correct" if ruling["correct"] else "no_if_goes_on"
    elif kind == "claim":
        yes, no = "yes_if_draw", "no_if_claim_judged"
    elif kind == "take_back":
        yes = "yes_if_new_game" if ruling.get("new_game") else "yes_if_take_back"
    elif kind == "flag":
        yes = "yes_if_flag_undecided" if ruling.get("undecided") else "yes_if_flag"
    confirming = [say.get(yes, say["yes_if_other"]).format_map(values)]
    if pending.price is not None:
        confirming.append(telling.ruling(_plain(pending.price)))
    return confirming, [say.get(no, say["no_if_goes_on"]).format_map(values)]


def _plain(ruling: Ruling) -> Ruling:
    """A ruling without its status: as it will be."""
    fields = {name: value for name, value in ruling.fields.items() if name != "status"}
    return Ruling(ruling.t, ruling.kind, fields, ruling.articles)


def _decide(game: Game, telling: Narrator, do: str, language: str) -> Confirmation:
    say, pending = catalogue(language), game.pending
    if pending is None:
        raise NoActionError("v_nothing_proposed")
    confirming, rejecting = outcomes(game, pending, language)
    proposal = telling.ruling(_plain(pending.ruling))
    shown = None
    if do == "confirm" and isinstance(pending.ruling.get("to_ply"), int):
        shown = game.shown_after(pending.ruling["to_ply"])
    sentences = (proposal, *(confirming if do == "confirm" else rejecting))
    return Confirmation(sentences, {"act": "arbiter", "do": do}, say[f"yes_{do}"], shown)


def _set_clock(
    game: Game, telling: Narrator, chosen: Mapping[str, str], language: str
) -> Confirmation:
    say = catalogue(language)
    times = {side: _seconds(chosen.get(side, "")) for side in f.SIDES}
    given = {side: left for side, left in times.items() if left is not None}
    if not given:
        raise NoActionError("v_seconds_missing")
    sentences = [
        say["will_set_clock"].format(
            side=say[side], before=time_of(game.clock.left[side]), after=time_of(left * 1000)
        )
        for side, left in given.items()
    ]
    fields = {"act": "arbiter", "do": "set_clock"}
    return Confirmation(
        tuple(sentences),
        fields | {side: str(left) for side, left in given.items()},
        say["yes_set_clock"],
    )


def _penalty(
    game: Game, telling: Narrator, chosen: Mapping[str, str], language: str
) -> Confirmation:
    say = catalogue(language)
    side, kind = chosen.get("player", ""), chosen.get("kind", "")
    if side not in f.SIDES:
        raise NoActionError("v_player_missing")
    if kind not in _PENALTIES:
        raise NoActionError("no_such_action")
    fields = {"act": "arbiter", "do": "penalty", "player": side, "kind": kind}
    sentences = [say[f"will_penalty_{kind}"].format(side=say[side])]
    if kind == "time":
        given, taken = _seconds(chosen.get("given", "")), _seconds(chosen.get("taken", ""))
        if not given and not taken:
            raise NoActionError("v_seconds_missing")
        for whose, seconds, how in ((OTHER[side], given, 1), (side, taken, -1)):
            if not seconds:
                continue
            fields[whose] = str(seconds)
            left = game.clock.left[whose]
            sentences.append(
                say["will_give" if how > 0 else "will_take"].format(
                    side=say[whose],
                    time=time_of(seconds * 1000),
                    after=time_of(max(0, left + how * seconds * 1000)),
                )
            )
    elif kind == "loss" and chosen.get("result") in f.RESULTS:
        fields["result"] = chosen["result"]
        sentences.append(say["will_declare"].format(result=chosen["result"]))
    return Confirmation(tuple(sentences), fields, say[f"yes_penalty_{kind}"])


def _restore(
    game: Game, telling: Narrator, chosen: Mapping[str, str], language: str
) -> Confirmation:
    say = catalogue(language)
    ply = ply_of(game, chosen)
    if ply is None or ply > len(game.history):
        raise NoActionError("v_no_such_ply")
    left = clocks_at(game, ply)
    sentences = [
        say["will_restore"].format(after=telling.ply(ply), back=len(game.history) - ply),
        say["will_clocks"].format(**{side: time_of(left[side] * 1000) for side in f.SIDES}),
    ]
    return Confirmation(
        tuple(sentences),
        {"act": "arbiter", "do": "restore", "ply": str(ply)},
        say["yes_restore"].format(after=telling.ply(ply)),
        game.shown_after(ply),
    )


def _declare(
    game: Game, telling: Narrator, chosen: Mapping[str, str], language: str
) -> Confirmation:
    say, result = catalogue(language), chosen.get("result", "")
    if result not in f.RESULTS:
        raise NoActionError("no_such_action")
    sentence = say["will_declare"].format(result=result)
    fields = {"act": "arbiter", "do": "declare", "result": result}
    return Confirmation((sentence,), fields, say["yes_declare"].format(result=result))


def _postpone(
    game: Game, telling: Narrator, chosen: Mapping[str, str], language: str
) -> Confirmation:
    say, given = catalogue(language), _seconds(chosen.get("given", ""))
    fields = {"act": "arbiter", "do": "postpone"}
    sentences = [say["will_postpone"]]
    if given is not None:
        fields["white"] = str(given)
        sentences.append(say["will_postpone_give"].format(time=time_of(given * 1000)))
    return Confirmation(tuple(sentences), fields, say["yes_postpone"])


def _report(
    game: Game, telling: Narrator, chosen: Mapping[str, str], language: str
) -> Confirmation:
    say, act = catalogue(language), chosen["act"]
    fields = {"act": act}
    if act == "touch":
        square = chosen.get("square", "").lower()
        if not re.fullmatch("[a-h][1-8]", square):
            raise NoActionError("no_square")
        fields["square"] = square
        sentence = say["will_touch"].format(side=say[game.side], square=square)
    elif act == "irregular":
        what = chosen.get("what", "")
        if what not in f.IRREGULARITIES:
            raise NoActionError("no_such_action")
        fields["what"] = what
        sentence = say["will_irregular"].format(what=telling.word(what))
        if chosen.get("player") in f.SIDES:
            fields["player"] = chosen["player"]
            sentence += " " + say["will_irregular_of"].format(side=say[chosen["player"]])
    elif act == "open_envelope":
        missing = chosen.get("missing") == "yes"
        fields |= {"missing": "yes"} if missing else {}
        sentence = say["will_open_missing" if missing else "will_open"]
    else:
        sentence = say["will_claim_time"]
    ply = ply_of(game, chosen) if act in ("touch", "irregular") else None
    if ply:
        fields["ply"] = str(ply)
        sentence += " " + say["will_during"].format(ply=telling.ply(ply))
    return Confirmation((sentence,), fields, say["yes_report"])


def ply_of(game: Game, chosen: Mapping[str, str]) -> int | None:
    """The ply of a move's number and of whose it is; 0 is the beginning; None if none is said.

    :raises NoActionError: for a number that no move of this game can have.
    """
    number, side = chosen.get("number", ""), chosen.get("after", "")
    if side == "start":
        return 0
    if not number:
        return None
    if not (number.isascii() and number.isdigit() and len(number) < 5) or side not in f.SIDES:
        raise NoActionError("v_no_such_ply")
    begins = game.start_board
    index = 2 * (int(number) - begins.fullmove_number) + (side == "black") - (not begins.turn)
    if index < 0:
        raise NoActionError("v_no_such_ply")
    return index + 1


def _seconds(text: str) -> int | None:
    """A time as people write it: ``1:30:00``, ``5:00``, ``90`` seconds; None if nothing stands
    there.

    :raises NoActionError: for anything else.
    """
    if not text:
        return None
    match = _TIME.fullmatch(text)
    if match is None:
        raise NoActionError("no_time")
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    if seconds > 59 and match[2] is not None:
        raise NoActionError("no_time")
    return 3600 * hours + 60 * minutes + seconds
