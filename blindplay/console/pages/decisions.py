"""The arbiter's decisions, each in two steps: before any effect, the page tells the choice in
words, and shows the position that it would lead to."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import chess

from blindplay.language import languages, load
from blindplay.laws import Fact, Game, Ruling
from blindplay.laws import facts as f
from blindplay.laws import rulings as r
from blindplay.laws.adjournment import sealed_end_excuses
from blindplay.laws.placement import Pieces
from blindplay.laws.sheets import brought_back
from blindplay.laws.state import OTHER, Pending
from blindplay.laws.undoing import undoable
from blindplay.record.score import entry_place
from blindplay.wording.values import read_time, write_time

from ..actions import Form, NoActionError, at_time, consequences, fact_of
from . import common
from .timeline import Narrator


@dataclass(frozen=True)
class Confirmation:
    """The second step: sentences about the effects; the fields that cause them; the words of the
    button. ``shown`` is the position that it leads to, if that is another one. ``clocks`` are
    those of each side, now and then, and whether the time that passes before the decision is also
    taken from the second; ``digest`` is that of the consequences."""

    sentences: tuple[str, ...]
    fields: Mapping[str, str]
    button: str
    shown: Pieces | None = None
    clocks: tuple[tuple[common.ShownClock, common.ShownClock, bool], ...] = ()
    digest: str = ""


@dataclass(frozen=True)
class _Choice:
    """The arbiter's choice: the ``fields`` of a form; ``telling`` and ``say`` put it in words."""

    game: Game
    fields: Mapping[str, str]
    telling: Narrator
    say: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "")

    def among(self, name: str, allowed: Collection[str], missing: str = "") -> str:
        """The field ``name``.

        :raises NoActionError: if it is not ``allowed``; with the key ``missing`` if it is empty.
        """
        if self[name] not in allowed:
            raise NoActionError(missing if missing and not self[name] else "no_such_action", name)
        return self[name]

    def seconds(self, name: str) -> int | None:
        """A time as people write it: ``1:30:00``, ``5:00``, ``90`` seconds; None if the field is
        empty.

        :raises NoActionError: for anything else.
        """
        if not self[name]:
            return None
        try:
            return read_time(self[name])
        except ValueError:
            raise NoActionError("no_time", name) from None

    def ply(self) -> int | None:
        """The ply that a move's number and its side name; 0 is the beginning; None if no number is
        given.

        :raises NoActionError: for a number that no move of this game can have.
        """
        if self["after"] == "start":
            return 0
        if not self["number"]:
            return None
        back = brought_back(self.game)
        last = max(len(self.game.history) + 1, back.last if back else 0)
        places = {entry_place(self.game, ply): ply for ply in range(1, last + 1)}
        try:
            return places[int(self["number"]), self["after"]]
        except (ValueError, KeyError):
            raise NoActionError("v_no_such_ply", "number") from None

    def confirmation(self, *sentences: str, button: str = "", **fields: Any) -> Confirmation:
        """The second step of this decision, with the further ``fields`` that make it happen."""
        do = self["do"]
        button = button or self.say[f"yes_{do}"]
        return Confirmation(sentences, {"act": "arbiter", "do": do, **fields}, button)


def prepare(game: Game, language: str, form: Form, now: int) -> Confirmation:
    """Return the second step for a form of the arbiter's page, before anything is done. ``now`` is
    the table's time in ms.

    :raises NoActionError: if nothing can be done; its argument is a key of the catalogue.
    """
    game = at_time(game, now)
    fields = {name: values[0].strip() for name, values in form.items() if values}
    telling = Narrator(game, language)
    choice = _Choice(game, fields, telling, telling.say)
    find = _DECISIONS.get(choice["do"]) if choice["act"] == "arbiter" else None
    if find is None and choice["act"] in _REPORTS:
        find = _report
    if find is None:
        raise NoActionError("no_such_action")
    return _foretold(choice, find(choice))


def _foretold(choice: _Choice, step: Confirmation) -> Confirmation:
    """``step`` with what the Laws will do to the clocks and the position.

    :raises NoActionError: if they will refuse it.
    """
    game, act = choice.game, step.fields["act"]
    if act == "open_envelope" or (game.adjourned and choice["do"] == "confirm"):
        return step  # the sealed move, which may end the game, stays secret until then (I.1.1)
    form = {name: [value] for name, value in step.fields.items()}
    fact = fact_of(act, "arbiter", form, game.t)
    found = consequences(game, fact)
    for ruling in found.rulings:
        if isinstance(ruling, r.Refused):
            raise NoActionError(f"{choice.telling.word(ruling.why)} ({', '.join(ruling.articles)})")
    after, say = found.game, choice.say
    clocks = tuple(_clocks(game, after, fact))
    sentences = step.sentences
    if clocks and not after.over:
        runs = after.clock.running
        key = "then_stands" if runs is None else "then_runs"
        sentences += (say[key].format(side=say.get(runs or "", "")),)
    moved = after.position_pieces() != game.position_pieces()
    shown = after.position_pieces() if moved else None
    return replace(step, sentences=sentences, shown=shown, clocks=clocks, digest=found.digest)


def _clocks(
    game: Game, after: Game, fact: Fact
) -> Iterator[tuple[common.ShownClock, common.ShownClock, bool]]:
    """The clocks before and ``after`` the ``fact``, as :class:`Confirmation` has them. No time is
    taken from a clock that the decision starts or sets."""
    second = game.clock.counts_from + 1000  # the first that a running clock has lost
    late = game.foretell(replace(fact, t=second))[0] if game.clock.running else after
    for now, then in zip(common.clocks(game), common.clocks(after), strict=True):
        counts = late.clock.left[now.side] < then.left
        yield now, replace(then, at=now.at), counts


def outcomes(telling: Narrator, pending: Pending) -> tuple[list[str], list[str]]:
    """Return sentences about the effects of confirming a proposal, then of rejecting it."""
    game, say = telling.game, telling.say
    ruling = pending.ruling
    values = defaultdict(str)
    for name in ("by", "player"):
        if isinstance(person := getattr(ruling, name, None), str):
            values[name] = telling.name(person)
    values["result"] = str(getattr(ruling, "result", None) or "")
    to_ply = _goes_back_to(ruling)
    values["to"] = "" if to_ply is None else telling.position_after(to_ply)
    for side in f.SIDES:
        left = getattr(ruling, side, None)
        values[side] = write_time(left * 1000 if left is not None else game.clock.left[side])
    find = _OUTCOMES.get(type(ruling))
    name = ruling.why if isinstance(ruling, r.ArbiterNeeded) else ruling.kind
    yes, no = find(game, ruling) if find is not None else (name, name)
    confirming = [say.get(f"yes_if_{yes}", say["yes_if_other"]).format_map(values)]
    if pending.price is not None:
        confirming.append(telling.ruling(replace(pending.price, status=None)))
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


def _late(game: Game, ruling: r.Late) -> tuple[str, str]:
    return "late_sealed" if sealed_end_excuses(game, ruling.by) else "late", "late"


def _flag(game: Game, ruling: r.FlagFell) -> tuple[str, str]:
    return "flag_undecided" if ruling.undecided else "flag", "flag"


# The effects of confirming and of rejecting, as the ends of the sentences' keys.
_OUTCOMES: Mapping[type[Ruling], Callable[[Game, Any], tuple[str, str]]] = {
    r.IllegalMove: _illegal,
    r.Claimed: _claim,
    r.TakeBack: _take_back,
    r.FlagFell: _flag,
    r.Late: _late,
}


def _goes_back_to(ruling: Ruling) -> int | None:
    """The ply after which the game goes on if this is confirmed; None if it does not go back."""
    return ruling.to_ply if isinstance(ruling, r.IllegalMove | r.TakeBack) else None


def _decide(choice: _Choice) -> Confirmation:
    game = choice.game
    if game.pending is None:
        raise NoActionError("v_nothing_proposed")
    confirming, rejecting = outcomes(choice.telling, game.pending)
    proposal = choice.telling.ruling(replace(game.pending.ruling, status=None))
    if choice["do"] == "reject":
        return choice.confirmation(proposal, *rejecting)
    return choice.confirmation(proposal, *confirming)


def _plain(choice: _Choice) -> Confirmation:
    """A decision that needs nothing but its name: ``adjourn`` or ``withdraw``."""
    side = choice.say[choice.game.side]
    return choice.confirmation(choice.say[f"will_{choice['do']}"].format(side=side))


def _set_clock(choice: _Choice) -> Confirmation:
    say, sentences = choice.say, []
    fields: dict[str, Any] = {}
    for side in f.SIDES:
        left = choice.seconds(side)
        if left is not None:
            fields[side] = str(left)
            time = write_time(left * 1000)
            sentences.append(say["will_set_clock"].format(side=say[side], time=time))
    if not sentences:
        raise NoActionError("v_seconds_missing", f.SIDES[0])
    return choice.confirmation(*sentences, **fields)


def _penalty(choice: _Choice) -> Confirmation:
    say = choice.say
    side = choice.among("player", f.SIDES, "v_player_missing")
    kind = choice.among("kind", ("warning", "time", "loss"))
    fields: dict[str, Any] = {"player": side, "kind": kind}
    sentences = [say[f"will_penalty_{kind}"].format(side=say[side])]
    if kind == "time":
        given, taken = choice.seconds("given"), choice.seconds("taken")
        if not given and not taken:
            raise NoActionError("v_seconds_missing", "given")
        for whose, seconds, key in ((OTHER[side], given, "will_give"), (side, taken, "will_take")):
            if seconds:
                fields[whose] = str(seconds)
                time = write_time(seconds * 1000)
                sentences.append(say[key].format(side=say[whose], time=time))
    elif kind == "loss" and choice["result"] in f.RESULTS:
        fields["result"] = choice["result"]
        sentences.append(say["will_declare"].format(result=choice["result"]))
    return choice.confirmation(*sentences, button=say[f"yes_penalty_{kind}"], **fields)


def _restore(choice: _Choice) -> Confirmation:
    game, say, ply = choice.game, choice.say, choice.ply()
    back = brought_back(game)
    if ply is None or ply > (len(game.history) if back is None else back.last):
        raise NoActionError("v_no_such_ply", "number")
    after = choice.telling.position_after(ply)
    key = "will_restore" if ply <= len(game.history) else "will_bring_back"
    sentence = say[key].format(after=after, back=abs(len(game.history) - ply))
    button = say["yes_restore"].format(after=after)
    return choice.confirmation(sentence, button=button, ply=str(ply))


def _undo(choice: _Choice) -> Confirmation:
    say, last, reason = choice.say, undoable(choice.game), choice["reason"]
    if last is None:  # the Laws say why
        return choice.confirmation()
    sentences = [say["will_undo"].format(what=choice.telling.fact(last.fact))]
    if reason:
        sentences.append(say["will_undo_reason"].format(reason=reason))
    return choice.confirmation(*sentences, **({"reason": reason} if reason else {}))


def _declare(choice: _Choice) -> Confirmation:
    say, result = choice.say, choice.among("result", f.RESULTS, "v_result_missing")
    button = say["yes_declare"].format(result=result)
    if not choice.game.over:
        sentence = say["will_declare"].format(result=result)
        return choice.confirmation(sentence, button=button, result=result)
    reason = choice["reason"]
    if not reason:
        raise NoActionError("v_reason_missing", "reason")
    sentences = [
        say["will_correct"].format(result=result, before=choice.game.result),
        say["will_undo_reason"].format(reason=reason),
    ]
    return choice.confirmation(*sentences, button=button, result=result, reason=reason)


def _forfeit(choice: _Choice) -> Confirmation:
    side = choice.among("player", (*f.SIDES, "both"), "v_player_missing")
    if side == "both":
        return choice.confirmation(choice.say["will_forfeit_both"])
    return choice.confirmation(
        choice.say["will_forfeit"].format(side=choice.say[side]), player=side
    )


def _postpone(choice: _Choice) -> Confirmation:
    say, given = choice.say, choice.seconds("given")
    if given is None:
        return choice.confirmation(say["will_postpone"])
    more = say["will_postpone_give"].format(time=write_time(given * 1000))
    return choice.confirmation(say["will_postpone"], more, white=str(given))


def announcing_languages(say: Mapping[str, str]) -> dict[str, str]:
    """Return the choices for the language of announcements, by their codes, with a page's names: as
    the Laws say, a language, or German with the ranks of another (D.2.1)."""
    names = {code: load(code).name for code in languages()}
    ranks = {f"de+{code}": say["arb_announce_ranks"].format(language=name)
             for code, name in names.items() if code != "de"}  # fmt: skip
    return {"": say["arb_by_laws"], **names, **ranks}


def _announce_in(choice: _Choice) -> Confirmation:
    say, names = choice.say, announcing_languages(choice.say)
    language = choice["language"] if choice["language"] in names else ""
    sentence = say["will_announce_in"].format(language=names[language])
    return choice.confirmation(sentence, language=language)


def _report(choice: _Choice) -> Confirmation:
    game, say, act = choice.game, choice.say, choice["act"]
    fields = {"act": act}
    if act == "touch":
        square = choice["square"].lower()
        if square not in chess.SQUARE_NAMES:
            raise NoActionError("no_square", "square")
        fields["square"] = square
        sentence = say["will_touch"].format(side=say[game.side], square=square)
    elif act == "irregular":
        what = choice.among("what", f.IRREGULARITIES)
        fields["what"] = what
        sentence = say["will_irregular"].format(what=choice.telling.word(what))
        if choice["player"] in f.SIDES:
            fields["player"] = choice["player"]
            sentence += " " + say["will_irregular_of"].format(side=say[choice["player"]])
    elif act == "open_envelope":
        missing = choice["missing"] == "yes"
        fields |= {"missing": "yes"} if missing else {}
        sentence = say["will_open_missing" if missing else "will_open"]
    else:
        side = next(iter(game.clock.flags), game.side)
        sentence = say["will_claim_time"].format(side=say[side])
    ply = choice.ply() if act in ("touch", "irregular") else None
    if ply:
        fields["ply"] = str(ply)
        sentence += " " + say["will_during"].format(ply=choice.telling.ply(ply))
    return Confirmation((sentence,), fields, say["yes_report"])


_DECISIONS: Mapping[str, Callable[[_Choice], Confirmation]] = {
    "confirm": _decide, "reject": _decide, "adjourn": _plain, "withdraw": _plain,
    "permit_warnings": _plain,
    "set_clock": _set_clock, "penalty": _penalty, "restore": _restore, "declare": _declare,
    "forfeit": _forfeit,    "postpone": _postpone, "announce_in": _announce_in, "undo": _undo,
}  # fmt: skip
_REPORTS = frozenset(("claim_time", "touch", "irregular", "open_envelope"))
