"""The arbiter's decisions, each in two steps: what he chose on his page is told in words, and with
the position it would come to, before anything happens."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from blindplay.laws import Game, Ruling
from blindplay.laws import facts as f
from blindplay.laws import rulings as r
from blindplay.laws.placement import Pieces
from blindplay.laws.sheets import clocks_at
from blindplay.laws.state import OTHER, Pending
from blindplay.wording.clock_times import read_time, write_time

from ..actions import Form, NoActionError
from ..messages import catalogue
from .timeline import Lenient, Narrator

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
    values = Lenient(
        (name, telling.name(person))
        for name in ("by", "player")
        if isinstance(person := getattr(ruling, name, None), str)
    )
    values["result"] = str(getattr(ruling, "result", None) or "")
    to_ply = _goes_back_to(ruling)
    values["to"] = "" if to_ply is None else telling.ply(to_ply)
    for side in f.SIDES:
        left = getattr(ruling, side, None)
        values[side] = write_time(left * 1000 if left is not None else game.clock.left[side])
    find = _OUTCOMES.get(type(ruling))
    name = ruling.why if isinstance(ruling, r.ArbiterNeeded) else ruling.kind
    yes, no = find(game, ruling) if find is not None else (name, name)
    confirming = [say.get(f"yes_if_{yes}", say["yes_if_other"]).format_map(values)]
    if pending.price is not None:
        confirming.append(telling.ruling(dataclasses.replace(pending.price, status=None)))
    return confirming, [say.get(f"no_if_{no}", say["no_if_goes_on"]).format_map(values)]


def _illegal(game: Game, ruling: r.IllegalMove) -> tuple[str, str]:
    limit = game.switch("illegal_moves_that_lose")
    yes = "illegal_undo" if ruling.to_ply is None else "illegal_back"
    no = "illegal_stands" if game.switch("illegal_stands") else "goes_on"
    return "loses" if limit and ruling.number >= limit else yes, no


def _claim(game: Game, ruling: r.Claimed) -> tuple[str, str]:
    if ruling.correct is None:
        return "draw", "claim_judged"
    return ("draw", "claim_correct") if ruling.correct else ("claim_wrong", "goes_on")


def _take_back(game: Game, ruling: r.TakeBack) -> tuple[str, str]:
    return "new_game" if ruling.new_game else "take_back", "take_back"


def _flag(game: Game, ruling: r.FlagFell) -> tuple[str, str]:
    return "flag_undecided" if ruling.undecided else "flag", "flag"


# What confirming and what rejecting does, as the ends of the sentences' keys.
_OUTCOMES: Mapping[type[Ruling], Callable[[Game, Any], tuple[str, str]]] = {
    r.IllegalMove: _illegal,
    r.Claimed: _claim,
    r.TakeBack: _take_back,
    r.FlagFell: _flag,
}


def _goes_back_to(ruling: Ruling) -> int | None:
    """The ply after which the game goes on if this is confirmed; None if it does not go back."""
    return ruling.to_ply if isinstance(ruling, r.IllegalMove | r.TakeBack) else None


def _decide(game: Game, telling: Narrator, do: str, language: str) -> Confirmation:
    say, pending = catalogue(language), game.pending
    if pending is None:
        raise NoActionError("v_nothing_proposed")
    confirming, rejecting = outcomes(game, pending, language)
    proposal = telling.ruling(dataclasses.replace(pending.ruling, status=None))
    shown = None
    to_ply = _goes_back_to(pending.ruling)
    if do == "confirm" and to_ply is not None:
        shown = game.shown_after(to_ply)
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
            side=say[side], before=write_time(game.clock.left[side]), after=write_time(left * 1000)
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
                    time=write_time(seconds * 1000),
                    after=write_time(max(0, left + how * seconds * 1000)),
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
        say["will_clocks"].format(
            white=write_time(left["white"] * 1000), black=write_time(left["black"] * 1000)
        ),
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
        sentences.append(say["will_postpone_give"].format(time=write_time(given * 1000)))
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
    try:
        return read_time(text)
    except ValueError:
        raise NoActionError("no_time") from None
