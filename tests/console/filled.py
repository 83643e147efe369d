"""The filled buttons of a page, and a press of them, without a browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from blindplay.console import views
from blindplay.console.actions import ActionResult, act, stamp
from blindplay.console.pages import decisions, page_of
from blindplay.console.table_port import TablePort
from blindplay.laws.due import due


@dataclass
class FilledButton:
    """A filled button: how its form is sent, its fields, and the field that a person types in."""

    method: str
    fields: dict[str, str]
    typed: str = ""


@dataclass
class _Form:
    method: str = "post"
    fields: dict[str, str] = field(default_factory=dict)
    typed: str = ""
    pressed: list[tuple[str, str]] = field(default_factory=list)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[_Form] = [_Form()]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given: dict[str, Any] = dict(attrs)
        form = self.forms[-1]
        if tag == "form":
            self.forms.append(_Form(given["method"]))
        elif tag == "input" and given.get("type") == "hidden":
            form.fields[given["name"]] = given["value"]
        elif tag == "input" and "required" in given:
            form.typed = given["name"]
        elif tag == "button" and given.get("class") == "main":
            form.pressed.append((given.get("name", ""), given.get("value", "")))


def filled(table: TablePort, role: str) -> list[FilledButton]:
    """The filled buttons of the page of ``role``."""
    page = page_of(table.game, role)
    html = views.parts(page, page.values(table, table.game, role, "en"), "en")
    found = []
    for name in page.parts:
        forms = _Forms()
        forms.feed(html[name].replace(views.SEEN, stamp(table.game)))
        found += [
            FilledButton(form.method, {**form.fields, **({key: value} if key else {})}, form.typed)
            for form in forms.forms
            for key, value in form.pressed
        ]
    return found


def press(table: TablePort, role: str, button: FilledButton) -> ActionResult:
    """Press it. Where a move is to be typed, type one that may be played."""
    fields = dict(button.fields)
    if button.typed:
        moves = due(table.game, role).owed or tuple(table.game.board.legal_moves)
        made = table.game.turn.made
        fields[button.typed] = (made or moves[0]).uci()
    form = {name: [value] for name, value in fields.items()}
    if button.method == "get":  # the arbiter looks at the effects before anything is done
        decisions.prepare(table.game, "en", form, table.time())
        return ActionResult()
    return act(table, role, "en", form)
