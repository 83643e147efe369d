"""Facts and rulings in the words of a page, entry by entry, with the articles that they cite, for
readers who do not know the language of the edition.
"""

import functools
import itertools
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from types import MappingProxyType
from typing import Any

import chess

from blindplay.language import fill, in_language, join, load
from blindplay.laws import Fact, Game, Ruling, Taken, editions
from blindplay.laws import facts as f
from blindplay.laws import rulings as r
from blindplay.record.score import entry_place
from blindplay.record.tape import Recording
from blindplay.wording.position import diagnosis
from blindplay.wording.readers import name_of_announcements
from blindplay.wording.values import write_time

from ..messages import catalogue
from .common import spoken_in


@dataclass(frozen=True)
class CitedArticle:
    """An article: its ``edition`` and ``number``, its subject in one sentence of the page's
    language, and its own ``lines`` in the edition's ``language``."""

    edition: str
    number: str
    says: str
    lines: tuple[str, ...]
    language: str

    @property
    def citation(self) -> str:
        return f"{self.edition} {self.number}"


def cited(citations: Iterable[str], language: str) -> tuple[CitedArticle, ...]:
    """These articles, for a page in ``language``."""
    found = []
    for citation in citations:
        text = editions.article(citation)
        if text is not None:
            edition, _, number = citation.partition(" ")
            says = in_short(language)[citation]
            found.append(CitedArticle(edition, number, says, text.lines, text.language))
    return tuple(found)


@functools.cache
def in_short(language: str) -> Mapping[str, str]:
    """Return a sentence about the subject of each article that a ruling can cite, by citations. One
    sentence stands for the same article of several editions."""
    file = resources.files("blindplay.console").joinpath("articles", f"{language}.toml")
    sentences = tomllib.loads(file.read_text("utf-8"))
    by_citation = {one: says for cited, says in sentences.items() for one in cited.split(", ")}
    return MappingProxyType(by_citation)


_MOST_MOVES = 12
# The fields of facts and rulings, by the kinds of their values.
_PEOPLE = ("by", "to", "of", "player", "gives", "board", "called_by", "seen_by", "running")
_MOVES = ("move", "was", "now", "announced", "executed", "repeated")
_WORDS = ("why", "rule", "about", "what", "reason")
_TIMES = frozenset(("seconds", "takes"))
_PLIES = frozenset(("ply", "from_ply"))
# Rulings that only repeat their fact, or the state of the clocks.
SILENT = frozenset(("clock", "obliged", "answer"))

# The groups by which the timeline can be filtered, and their facts.
GROUPS: Mapping[str, frozenset[str]] = {
    "decisions": frozenset(("arbiter", "inspect", "assistant", "start", "open_envelope")),
    "moves": frozenset(("announce", "repeat", "correct", "make", "press", "touch", "adjust")),
    "boards": frozenset(("lift", "place", "position", "two_boards", "board_owners")),
    "sheets": frozenset(("record", "seal")),
    "claims": frozenset(
        (
            "offer_draw", "accept_draw", "decline_draw", "resign", "claim_draw", "claim_time",
            "request_extra_time", "call_arbiter", "irregular", "query", "arrive", "consent",
            "adjourn",
        )
    ),
}  # fmt: skip


@dataclass(frozen=True)
class TimelineLine:
    """One sentence of an entry, the articles it rests on, and whether it waits for the arbiter."""

    text: str
    articles: tuple[CitedArticle, ...] = ()
    proposed: bool = False


@dataclass(frozen=True)
class TimelineEntry:
    """Something that happened: its number in the log, its time, its originator, the ply that it
    belongs to, and the sentences. ``sound``: the number of an utterance on the tape; None for
    other entries."""

    number: int
    time: str
    who: str
    ply: int
    lines: tuple[TimelineLine, ...]
    sound: int | None = None

    @property
    def articles(self) -> tuple[CitedArticle, ...]:
        """All articles of its sentences, each once."""
        return tuple(dict.fromkeys(one for line in self.lines for one in line.articles))


class Narrator:
    """Tells facts and rulings of one game in one language."""

    def __init__(self, game: Game, language: str) -> None:
        self.game = game
        self.say = catalogue(language)
        self._language = language
        self._pack = load(language)
        self._of_text: dict[str, Callable[[str], str]] = {
            **dict.fromkeys(_PEOPLE, self.name),
            **dict.fromkeys(_MOVES, self.move),
            **dict.fromkeys(_WORDS, self.word),
            "san": self._pack.notation,
            "piece": lambda one: self.piece(one) if one.lower() in chess.PIECE_SYMBOLS else one,
        }
        self._of_item: dict[str, Callable[[Any], str]] = {
            "moves": self.move, "missing": self.word, "fulfils": self.word,
            "squares": self._on_boards, "steps": self._step,
        }  # fmt: skip

    def fact(self, fact: Fact) -> str:
        """A fact in one sentence."""
        fields = fact.to_json()
        key = f"f_{fact.kind}"
        if isinstance(fact, f.Arbiter):
            by_player = fact.player is not None and fact.do == "start_clocks"
            key = f"f_{'player' if by_player else fact.by}_{fact.do}"
            key += "_why" if fact.do in ("undo", "declare") and fact.reason else ""
            key += "_of" if fact.do == "forfeit" and fact.player is not None else ""
        elif isinstance(fact, f.BoardOwners):
            key += "_yes" if fact.known else "_no"
        elif isinstance(fact, f.Assistant):
            key += "_yes" if fact.present else "_no"
            fields["of"] = fact.of
        elif isinstance(fact, f.Consent):
            key += "_yes" if fact.given else "_no"
        elif isinstance(fact, f.Adjourn) and fact.declined:
            key += "_no"
        values = self._values(fields)
        values["said"] = str(fields.get("text") or values.get("move", ""))
        if not values.get("piece"):
            values["piece"] = "?"
        return self._filled(key, values)

    def ruling(self, ruling: Ruling) -> str:
        """A ruling in one sentence, with its status if it has one."""
        values = self._values(ruling.fields, ruling)
        text = self._filled(_key(ruling), values).strip()
        if isinstance(ruling, r.IllegalMove) and ruling.claimable:
            return f"{text} ({self.say['is_claimable']})"
        status = status_of(ruling)
        return f"{text} ({self.say[f'is_{status}']})" if status else text

    def _filled(self, key: str, values: Mapping[str, str]) -> str:
        return fill(self.say[key], defaultdict(str, values), self._pack.code)

    def line(self, ruling: Ruling) -> TimelineLine:
        """A ruling with its articles."""
        proposed = status_of(ruling) == "proposed"
        return TimelineLine(self.ruling(ruling), cited(ruling.articles, self._language), proposed)

    def entry(self, number: int, taken: Taken, ply: int = 0) -> TimelineEntry:
        """A fact and its rulings, except those that only repeat it; ``ply`` is that of
        :func:`ply_at`."""
        fact, rulings = taken.fact, taken.rulings
        kept = [one for one in rulings if one.kind not in SILENT or len(rulings) == 1]
        repeats = {
            "announce": "announced", "repeat": "repeated", "touch": "touched",
            "call_arbiter": "arbiter_needed", "make": "executed", "sign": "signed",
            "consent": "consented",
            "adjourn": "adjournment",
        }  # fmt: skip
        lines = [TimelineLine(self.fact(fact))]
        for one in kept:
            if one.kind == repeats.get(fact.kind) and len(lines) == 1:
                articles = cited(one.articles, self._language)
                lines[0] = TimelineLine(self._spoken(lines[0].text, one), articles)
            else:
                lines.append(self.line(one))
        if fact.who:  # several arbiters have this role
            named = join("", (lines[0].text, f" ({fact.who})"), self._pack.code)
            lines[0] = replace(lines[0], text=named)
        return TimelineEntry(number, write_time(fact.t), self.who(fact), ply, tuple(lines))

    def said(self, recording: Recording) -> TimelineEntry:
        """An utterance on the tape."""
        who = self.name(recording.by)
        line = TimelineLine(join("", (f"{who}: ", recording.words), self._pack.code))
        time, ply = write_time(recording.t), recording.ply
        return TimelineEntry(-1, time, who, ply, (line,), recording.number)

    def by_move(self, entries: Iterable[TimelineEntry]) -> list[tuple[str, list[TimelineEntry]]]:
        """Entries under the headings of their moves, in their order."""
        grouped = itertools.groupby(entries, key=lambda entry: entry.ply)
        return [(self.heading(ply), list(found)) for ply, found in grouped]

    def heading(self, ply: int) -> str:
        """The move of a ply as a heading; ply 0 is the time before the game."""
        if ply <= 0:
            return self.say["arb_before"]
        number, side = entry_place(self.game, ply)
        return self.say["arb_ply"].format(number=number, side=self.say[side])

    def who(self, fact: Fact) -> str:
        """Return the name of the person or device that submitted a fact."""
        return self.name(str(getattr(fact, "by", getattr(fact, "board", "table"))))

    def name(self, person: str) -> str:
        """A person, as the beginning of a sentence."""
        key = person if person in f.SIDES else f"who_{person.replace(':', '_')}"
        return self.say[key]

    def ply(self, ply: int) -> str:
        """A ply by the number of its move and its side."""
        return self._place("at_ply", ply)

    def position_after(self, ply: int) -> str:
        """The position after a ply; after ply 0 the starting position."""
        return self._place("after_ply", ply)

    def _place(self, key: str, ply: int) -> str:
        if ply <= 0:
            return self.say["at_start"]
        number, side = entry_place(self.game, ply)
        return self.say[key].format(number=number, side=self.say[side])

    def word(self, value: str) -> str:
        """A reason, a rule or a question of the contract in the page's language."""
        if f"v_{value}" in self.say:
            return self.say[f"v_{value}"]
        known = self._pack.sentences()
        reasons = (f"{kind}_{value}" for kind in ("refused", "illegal"))
        return next((self._pack.sentence(one) for one in reasons if one in known), value)

    def piece(self, letter: str | None) -> str:
        """A piece by its FEN letter; an empty square where there is none."""
        return self._pack.piece(chess.Piece.from_symbol(letter)) if letter else self.say["v_empty"]

    def move(self, uci: str) -> str:
        """A move by its squares: ``e2–e4``, ``e7–e8=Q`` with the letter of the page's language."""
        if uci == "0000":
            return "–"
        promoted = "=" + self._pack.notation(uci[4:].upper()) if uci[4:] else ""
        return f"{uci[:2]}–{uci[2:4]}{promoted}"

    def _spoken(self, text: str, ruling: Ruling) -> str:
        """The sentence of an announcement, with the announced move instead of the text heard."""
        if not isinstance(ruling, r.Announced | r.Repeated):
            return text
        head = text.partition(": ")[0]
        said = self._announced(ruling.words)
        return join("", (f"{head}: ", said, f" ({self.move(ruling.move)})"), self._pack.code)

    def _announced(self, words: str) -> str:
        """``words`` in the language of announcements."""
        return in_language(words, spoken_in(self.game))

    def _values(self, fields: Mapping[str, Any], ruling: Ruling | None = None) -> dict[str, str]:
        found = {name: self._value(name, value) for name, value in fields.items()}
        if isinstance(ply := fields.get("ply"), int):
            found["after"] = self.position_after(ply)
        if isinstance(ruling, r.Announced | r.Repeated):
            found["words"] = self._announced(ruling.words)
        elif isinstance(ruling, r.Explained):
            first = "white" if self.game.start_board.turn else "black"
            told = diagnosis(ruling.explanations, ruling.board, first, self._pack)
            found["words"] = told
        elif isinstance(ruling, r.AnnouncesIn):
            found["language"] = name_of_announcements(self.game)
        if isinstance(fields.get("correct"), bool):
            found["correct"] = self.say["v_correct" if fields["correct"] else "v_incorrect"]
        return found

    def _value(self, name: str, value: Any) -> str:
        if isinstance(value, str):
            return self._of_text.get(name, str)(value)
        if isinstance(value, list | tuple):
            told = [self._of_item.get(name, str)(one) for one in value[:_MOST_MOVES]]
            told += ["…"] if len(value) > _MOST_MOVES else []
            return ", ".join(told) or self.say["v_nothing"]
        if name in _PLIES and isinstance(value, int):
            return self.ply(value)
        if name == "to_ply" and isinstance(value, int):
            return self.position_after(value)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and (name in _TIMES or name in f.SIDES):
            return write_time(float(value) * 1000)
        return "" if value is None else str(value)

    def _on_boards(self, entry: Mapping[str, Any]) -> str:
        pieces = {side: self.piece(entry[side]) for side in f.SIDES}
        return self.say["v_on_boards"].format(square=entry["square"], **pieces)

    def _step(self, step: Mapping[str, Any]) -> str:
        key = "v_step_put" if step["do"] == "place" else "v_step_remove"
        return self.say[key].format(piece=self.piece(step["piece"]), square=step["square"])


def ply_at(log: Sequence[Taken], place: int) -> int:
    """The ply that an entry of the log belongs to: the one that was being played, or that it
    completed; 0 before the game has begun."""
    for ruling in reversed(log[place].rulings):
        if isinstance(ruling, r.Completed):
            return ruling.ply
    for at in range(place - 1, -1, -1):
        for ruling in reversed(log[at].rulings):
            if isinstance(ruling, r.Completed):
                return ruling.ply + 1
            match ruling:
                case r.Undone(to_ply=int(to_ply)):
                    return to_ply + 1
                case (
                    r.IllegalMove(to_ply=int(to_ply), status="confirmed")
                    | r.TakeBack(to_ply=int(to_ply), status="confirmed")
                ):
                    return to_ply + 1
    facts = (taken.fact for taken in log[: place + 1])
    return int(any(one.kind in GROUPS["moves"] or isinstance(one, f.Start) for one in facts))


def status_of(ruling: Ruling) -> r.Status | None:
    """The state of the arbiter's decision; None if none is needed."""
    return ruling.status if isinstance(ruling, r.Proposable) else None


def _penalty_key(penalty: r.Penalty) -> str:
    if penalty.penalty in ("points", "fine", "exclusion"):
        return f"_{penalty.penalty}"
    if penalty.loses or penalty.result is not None:
        return "_loses"
    if penalty.penalty == "warning":
        return "_warning"
    if penalty.takes:
        return "_both" if penalty.gives else "_takes"
    return "_time"


def _undone_key(undone: r.Undone) -> str:
    return "_result" if undone.reopened else "_position" if undone.to_ply is not None else ""


def _needed_key(needed: r.ArbiterNeeded) -> str:
    """A call and an assistant's report have sentences that name the person."""
    if needed.why == "called":
        return "_called"
    return "_reported" if (needed.by or "").startswith("assistant:") else ""


# The ends of a ruling's keys, for kinds that have several sentences.
_ENDINGS: Mapping[type[Ruling], Callable[[Any], str]] = {
    r.Obliged: lambda obliged: "_free" if obliged.free else "",
    r.AssistantPresence: lambda assistant: "_yes" if assistant.present else "_no",
    r.Consented: lambda consented: "_yes" if consented.given else "_no",
    r.AdjournmentAsked: lambda asked: "_no" if asked.declined else "",
    r.Owners: lambda owners: "_yes" if owners.known else "_no",
    r.Presides: lambda arbiter: "_yes" if arbiter.present else "_no",
    r.ArbiterNeeded: _needed_key,
    r.Scoresheets: lambda sheets: "_agree" if sheets.agree else "_differ",
    r.TakeBack: lambda back: "_new" if back.new_game else "",
    r.Penalty: _penalty_key,
    r.Undone: _undone_key,
}


def _key(ruling: Ruling) -> str:
    ending = _ENDINGS.get(type(ruling))
    return f"r_{ruling.kind}{ending(ruling) if ending else ''}"


def belongs(taken: Taken, group: str, who: str) -> bool:
    """Return whether an entry belongs to this group and this person; "" stands for all."""
    fact, rulings = taken.fact, taken.rulings
    if who and str(getattr(fact, "by", getattr(fact, "board", ""))) != who:
        return False
    if group == "rulings":
        return any(status_of(one) or isinstance(one, r.ArbiterNeeded) for one in rulings)
    return not group or fact.kind in GROUPS.get(group, ())
