"""Robots that use the pages of a table through a screen reader: live regions, the text of what is
due, and the names of things that can be focused."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from html.parser import HTMLParser

from blindplay.console import views
from blindplay.console.actions import act as do_on_page
from blindplay.console.actions import come_in, stamp
from blindplay.console.messages import catalogue
from blindplay.console.pages import page_of
from blindplay.language import load
from blindplay.laws import Taken
from blindplay.laws.facts import SIDES
from blindplay.wording.announcements import to_everybody
from blindplay.wording.readers import reader

from .channels import EVERYBODY, Listeners, Terminal
from .mind import ANYBODY, TOLD, Due, Words
from .robot import Act, Person, Robot

_KEYS_OF_STEPS = ("due_", "wait_", "set_up_")
_READ = frozenset(("now", "next", "forms", "acts", "ask", "sheet", "game", "clocks", "decide"))
"""The parts of pages that robots read; the others have boards and lists."""


@dataclass
class Thing:
    """A text, or a button with the form that it sends, in one ``part`` of a page. ``step``: the
    line that unfolds to show it. ``fields``: the names of the fields to be filled in, ``given``
    what stands there already. ``choices``: what can be chosen in a list, by the list's name.
    ``is_main``: it is the filled button. ``looks``: it shows what would happen, and asks again."""

    part: str
    name: str = ""
    is_button: bool = False
    step: str = ""
    form: dict[str, str] = field(default_factory=dict)
    fields: list[str] = field(default_factory=list)
    given: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    is_main: bool = False
    looks: bool = False


class _Reading(HTMLParser):
    """Reads one part of a page in its order, as a screen reader does."""

    def __init__(self, part: str) -> None:
        super().__init__()
        self.things: list[Thing] = []
        self._part = part
        self._inside = Thing(part)  # the form that is being read
        self._step = ""
        self._in_summary = self._in_option = False
        self._value: str | None = None  # of the option
        self._offered: list[str] = []
        self._button: Thing | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        inside = self._inside
        match tag:
            case "form":
                self._inside = Thing(self._part, looks=given.get("method") == "get")
            case "input" if given.get("type") == "hidden":
                inside.form[given["name"]] = given["value"]
            case "input" | "textarea" if "name" in given:
                inside.fields.append(given["name"])
                if given.get("type") != "checkbox":
                    inside.given[given["name"]] = given.get("value", "")
            case "select":
                self._offered = inside.choices[given["name"]] = []
            case "option":
                self._in_option, self._value = True, given.get("value")
            case "summary":
                self._in_summary, self._step = True, ""
            case "button" if given.get("type") != "button":
                form = dict(inside.form)
                if "name" in given:
                    form[given["name"]] = given.get("value", "")
                is_main = "main" in given.get("class", "").split()
                self._button = replace(
                    inside, is_button=True, step=self._step, form=form, is_main=is_main
                )
                self.things.append(self._button)

    def handle_endtag(self, tag: str) -> None:
        match tag:
            case "form":
                self._inside = Thing(self._part)
            case "option":
                self._in_option = False
            case "summary":
                self._in_summary = False
            case "details":
                self._step = ""
            case "button":
                self._button = None

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if not text:
            return
        if self._button is not None:
            self._button.name = f"{self._button.name} {text}".strip()
        elif self._in_summary:
            self._step += text
        elif self._in_option:
            self._offered.append(text if self._value is None else self._value)
        else:
            self.things.append(Thing(self._part, text, step=self._step))


class Pages(Terminal):
    """A table whose people have pages. ``languages`` are those of the pages, by their roles. People
    without one share the keyboard."""

    languages: Mapping[str, str] = {}
    coming: Sequence[str] = ()
    """The roles that come in when the table has been started for the first time."""
    refused: Sequence[str] = ()
    """Why the last button was refused; empty if it was not."""
    _said: list[tuple[str, str]]

    def start(self) -> None:
        """See :meth:`.People.start`."""
        self._said = []
        self._looked: dict[str, list[Thing]] = {}  # what a decision would do, by who looks at it
        self._shown: dict[str, tuple[int, list[Thing]]] = {}  # the pages, and how much had happened
        coming, self.coming = self.coming, ()
        super().start()
        self.table.listen(self._tell)
        for role in coming:
            come_in(self.table, role)

    @property
    def is_left(self) -> bool:
        """See :meth:`.People.is_left`: a page stays when the game is over."""
        return self.open and self.table.game.over

    def _tell(self, taken: Taken) -> None:
        game = self.table.game
        for role, language in self.languages.items():
            public = to_everybody(taken, game, reader(load(language), game))
            own = views.told_to(game, role, language, taken)
            words = dict.fromkeys([*(one.words for one in public), *(str(one[0]) for one in own)])
            self._said += ((role, one) for one in words)

    def told(self) -> Iterator[tuple[Listeners, str]]:
        """See :meth:`.People.told`. People without a page read what is printed."""
        said, self._said = self._said, []
        yield from said
        others = tuple(who for who in EVERYBODY if who not in self.languages)
        yield from ((others, line) for line in (self.printed() if others else ()))

    def page(self, role: str) -> list[Thing]:
        """Return what the page of ``role`` says, in its order."""
        if not self.open:
            return []
        if self._shown.get(role, (-1, []))[0] != len(self.table.log):
            self._shown[role] = len(self.table.log), self._drawn(role)
        return self._shown[role][1] + self._looked.get(role, [])

    def _drawn(self, role: str) -> list[Thing]:
        """Draw the page of ``role``; it changes only when something has happened."""
        language = self.languages[role]
        with self.table.lock:
            game = self.table.game
            page, seen = page_of(game, role), stamp(game)
            values = {**page.values(self.table, game, role, language), "of_table": ""}
            read = [name for name in page.parts if name in _READ]
            parts = {
                name: views.render(views.template_of(page.folder, name) or "", language, **values)
                for name in read
            }
        return [one for name, html in parts.items() for one in _things(name, html, seen)]

    def say(self, side: str, act: Act) -> str:
        """See :meth:`.Channel.say`."""
        self.refused = ()
        if act.kind not in ("button", "look") or side not in self.languages:
            return super().say(side, act)
        form, language = {name: [value] for name, value in act.form.items()}, self.languages[side]
        self._looked.pop(side, None)
        if not form:
            return f"goes {act.words}"
        if act.kind == "look":
            with self.table.lock:
                page, seen = page_of(self.table.game, side), stamp(self.table.game)
            values = page.extra["sure"](self.table, side, language, form)
            html = views.render(f"{page.folder}/part_sure.html", language, **values)
            self._looked[side] = _things("sure", html, seen)
            return f"looks at: {act.words} {dict(act.form)}"
        result = do_on_page(self.table, side, language, form)
        self.refused = result.sentences if result.refused else ()
        self._said += ((side, sentence) for sentence in result.sentences)
        filled = ", ".join(value for name, value in act.form.items() if name == "text")
        return f"presses: {act.words} {filled}".strip()


def _things(part: str, html: str, seen: str) -> list[Thing]:
    """Everything in one part of a page of the game whose stamp is ``seen``."""
    things = parsed(part, html)
    return [_stamped(one, seen) for one in things]


def _stamped(thing: Thing, seen: str) -> Thing:
    stamped = {name: seen for name, value in thing.form.items() if value == views.SEEN}
    return replace(thing, form=thing.form | stamped) if stamped else thing


@lru_cache(maxsize=1 << 12)
def parsed(part: str, html: str) -> list[Thing]:
    reading = _Reading(part)
    reading.feed(html)
    return reading.things


class PageRobot(Robot):
    """A player with a page. ``look`` gives everything on it."""

    def __init__(
        self,
        person: Person,
        rng: random.Random,
        feel: Callable[[], Mapping[int, str]] | None,
        look: Callable[[], Sequence[Thing]],
    ) -> None:
        super().__init__(person, rng, feel)
        self._look = look
        self._things: Sequence[Thing] = ()

    _parts: Sequence[str] = ("now", "next")
    """The parts of the page that say what is due."""

    def act(self, now: float) -> Act | None:
        """See :meth:`.Robot.act`. What is due is read from the page each time."""
        if now >= self._ready_at:
            self._things = self._look()
            if self._things and self.mind.base == Due(ANYBODY, "come back"):
                self.mind.base = None  # the page is there again
            before = self.mind.due
            self._read_step()
            if self.mind.due != before:
                self.attempts = 0
        return super().act(now)

    def sees_end(self, now: float) -> None:
        """See :meth:`.Robot.sees_end`. The page shows the announced move again."""
        announced = self.mind.announced
        super().sees_end(now)
        self.mind.announced = announced

    def hear(self, text: str, now: float, *, alone: bool = False) -> None:
        """See :meth:`.Robot.hear`. Pages have a sentence of their own about the player on move."""
        say = catalogue(self.person.language)
        for side in SIDES:
            if text == say["on_move"].format(side=say[side]):
                before = self.mind.due
                self.mind.moves(side)
                self._think_about(before, now)
                return
        super().hear(text, now, alone=alone)

    def _read_step(self) -> None:
        """Take what is due from the part of the page that says so."""
        known = self._known[0]
        self.mind.alone = True
        if self._things and self.mind.led == self.side:
            self.mind.led = ""  # the page leads hands, or it does not
            self.mind.steps.clear()
        for thing in self._things:
            if thing.part not in self._parts or thing.is_button or thing.step:
                continue
            for one in known.read(thing.name):
                for key in one.keys:
                    if key.startswith(_KEYS_OF_STEPS) and key in TOLD:
                        self.mind.last_key = key
                        TOLD[key](self.mind, Words(one, known, self._announcing))

    def _use(self, thing: Thing, text: str = "") -> Act:
        form = {**thing.form, **dict.fromkeys(thing.fields, text)}
        return Act("button", f"{thing.step} {thing.name}".strip(), form=form)

    def _buttons(self, *parts: str) -> list[Thing]:
        return [one for one in self._things if one.is_button and one.part in parts]

    def _do(self, due: Due) -> Act | None:
        """See :meth:`.Robot._do`: use the button that belongs to it."""
        if due.what in ("come back", "hands"):
            return super()._do(due)
        if due.what == "quit":
            self.attempts = 0  # a page stays open
        plain = [one for one in self._buttons(*self._parts, "forms") if not one.step]
        match due.what:
            case "announce":
                typed = (one for one in plain if one.form.get("act") == "move" and one.fields)
                if (button := next(typed, None)) is not None:
                    self._meant = self._chosen()
                    return self._use(button, self._spoken(self._meant))
            case "seal":
                sealing = (one for one in plain if one.form.get("act") == "seal")
                if (button := next(sealing, None)) is not None:
                    move = self.mind.announced or self._chosen()
                    return self._use(button, self._pack.write(self.mind.board, move))
            case "consent" | "answer":
                return self._answer_on_page()
            case "press":
                pressing = (one for one in self._buttons(*self._parts, "forms") if _presses(one))
                return next(map(self._use, pressing), None)
        main = [one for one in self._buttons(*self._parts) if not one.step and not one.fields]
        return self._use(main[0]) if main else None

    def _answer_on_page(self) -> Act | None:
        """Answer a question of the page: mostly yes, which stands first."""
        answers = [one for one in self._buttons(*self._parts) if one.step]
        if len(answers) < 2:
            return None
        return self._use(answers[self._rng.random() < 0.3])

    def _whim(self, due: Due) -> Act | None:
        """See :meth:`.Robot._whim`: something else that the page offers."""
        tired = len(self.mind.board.move_stack) >= self.person.plies
        if due.what not in ("announce", "press", "seal") or self.mind.over:
            return None
        if not tired and self._rng.random() >= self.person.whim:
            return None
        offered = self._buttons("acts", "ask", *self._parts)
        if tired:
            offered = [one for one in offered if one.form.get("act") == "resign"]
        return self._use(self._rng.choice(offered), "hm") if offered else None

    def _aside(self) -> Act | None:
        """See :meth:`.Robot._aside`."""
        mind = self.mind
        if mind.wants_to_adjourn not in ("", self.side) or mind.offered not in ("", self.side):
            mind.wants_to_adjourn = mind.offered = ""
            return self._answer_on_page()
        return None

    def _ask(self, now: float, since: float | None, patience: float) -> Act | None:
        """See :meth:`.Robot._ask`: the page shows always what is due, or it does not."""
        return None

    @cached_property
    def _whims(self) -> Mapping[str, Sequence[Callable[[], Act | None]]]:
        return {}


def _presses(one: Thing) -> bool:
    return one.form.get("act") == "press"
