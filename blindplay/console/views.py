"""The pages as HTML: what each role sees of the game, in the language of its browser.

A page is made of *parts*, pieces of HTML that are sent again when they change; everything else
of it stays as it is, so that nobody loses his place in it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from blindplay.laws import Game, Taken, permissions
from blindplay.laws.facts import SIDES
from blindplay.laws.rulings import Completed

from .access import BrowserSession
from .actions import Form, one
from .messages import LANGUAGES, catalogue
from .pages import Page, page_of
from .stream import UrgentSentence
from .table_port import TablePort, held

# What stands in a form until a page or its script puts the game's stamp there; so a form is the
# same text after every move, and is not replaced under somebody's fingers.
SEEN = "{seen}"

THEMES = ("light", "dark", "contrast")
"""What a reader may choose instead of the colours that his system wants."""


@functools.cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("blindplay.console", "templates"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, language: str, **values: Any) -> str:
    """One template with the catalogue of ``language`` as ``say``."""
    say = catalogue(language)
    found = _environment().get_template(template)
    values = {"theme": "", **values}
    return found.render(say=say, language=language, languages=LANGUAGES, seen=SEEN, **values)


def language_of(session: BrowserSession, form: Form) -> str:
    """The language of the page that asks: another tab may have changed that of the session."""
    asking = one(form, "page")
    return asking if asking in LANGUAGES else session.language


def slug(role: str) -> str:
    """The role as a part of an address: ``assistant-white``."""
    return role.replace(":", "-")


def roles(game: Game) -> list[str]:
    """The roles that get a link at this table: those with a page who may do anything.

    An assistant of the sighted player has one only where his player asked for him (D.2.11).
    """
    found = ["arbiter", *SIDES]
    found += [f"assistant:{side}" for side in SIDES if game.impaired(side)]
    found += [
        role
        for side in SIDES
        if (role := f"assistant:{side}") not in found and game.assistants[side]
    ]
    return [role for role in found if page_of(game, role) and permissions.rights(game, role)]


def _page(game: Game, role: str) -> Page:
    found = page_of(game, role)
    assert found is not None, role  # nobody gets in without a page
    return found


@dataclass(frozen=True)
class FilledPage:
    """A page and what its templates show, computed while the game was held."""

    page: Page
    values: Mapping[str, Any]


def filled(table: TablePort, game: Game, role: str, language: str) -> FilledPage:
    """The page of ``role`` as the game stands; ``game`` is the table's, held."""
    page = _page(game, role)
    return FilledPage(page, page.values(table, game, role, language))


def parts(filled: FilledPage, language: str) -> dict[str, str]:
    """The parts of a page by their names. No game is held meanwhile."""
    page = filled.page
    return {
        name: render(f"{page.FOLDER}/{name}.html", language, **filled.values) for name in page.PARTS
    }


def beside(table: TablePort, session: BrowserSession, name: str, form: Form) -> str | None:
    """A page of its own beside the one of a session's role; None if it has none of that name.
    With ``part`` in the form, what is new of it, for a script."""
    with held(table) as game:
        page = page_of(game, session.role)
    extra = getattr(page, "EXTRA", {}).get(name)
    if page is None or extra is None:
        return None
    language = language_of(session, form)
    values = extra(table, session.role, language, form)
    template = f"{page.FOLDER}/{'part' if 'part' in form else 'whole'}_{name}.html"
    return render(template, language, theme=session.theme, **values)


def told_to(game: Game, role: str, language: str, taken: Taken) -> list[UrgentSentence]:
    """What the reader of a role's page is told, besides what everybody hears: whose move it is,
    unless they have just moved themselves, and what waits for them.

    A clock that is pressed makes no sound on the other pages (WCAG 4.1.3).
    """
    found: list[UrgentSentence] = []
    completed = any(isinstance(ruling, Completed) for ruling in taken.rulings)
    if completed and not game.over and role != getattr(taken.fact, "by", None):
        say = catalogue(language)
        found.append((say["on_move"].format(side=say[game.side]), False))
    calls = getattr(_page(game, role), "calls", None)
    if calls is not None:
        found += [(sentence, True) for sentence in calls(game, language, taken.rulings)]
    return found


def whole(
    game: Game,
    role: str,
    language: str,
    *,
    found: Mapping[str, str],
    place: str,
    stamp: str,
    said: list[tuple[bool, str]],
    now: int,
    theme: str,
) -> str:
    """A whole page with its parts; ``place`` is where its stream of changes stands, ``now`` the
    table's time in ms."""
    page = _page(game, role)
    shown = {name: html.replace(SEEN, stamp) for name, html in found.items()}
    return render(
        "page.html",
        language,
        parts=shown,
        scripts=("console.js", *page.SCRIPTS),
        kind=page.FOLDER,
        title=page.title(game, role, language),
        place=place,
        stamp=stamp,
        said=said,
        now=now,
        theme=theme,
        themes=("", *THEMES),
    )
