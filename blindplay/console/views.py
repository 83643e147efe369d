"""The pages as HTML: the view of each role on the game, in the language of its browser.

A page consists of *parts*, pieces of HTML. Only parts that change are sent again, so that a reader
does not lose their place on the page.
"""

import functools
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import chess
from jinja2 import Environment, PackageLoader, StrictUndefined, meta, select_autoescape
from markupsafe import Markup, escape

from blindplay.language import Command, MixedText, load
from blindplay.laws import Game, Taken
from blindplay.laws.facts import SIDES, OnBoard
from blindplay.laws.rulings import Completed, Obliged
from blindplay.laws.state import OTHER
from blindplay.wording.announcements import (
    OWED,
    PASSING,
    TO_MOVE,
    Announcement,
    aspects,
    name_of_step,
    needed,
)
from blindplay.wording.values import write_time

from . import assets
from .access import BrowserSession
from .actions import Form, value_of
from .messages import LANGUAGES, catalogue
from .pages import page_of, papers, title_of
from .pages.common import LOW_MS, Later, Page, owed_in_words
from .pages.papers import RulingsReport, SentRecord
from .pages.timeline import in_short
from .stream import Aspects, PageNow, ToldSentence, sent
from .table_port import TableView, held

# Stands in a form until a page or its script puts the game's stamp there. So a form does not change
# with each move, and is not replaced while somebody fills it in.
SEEN = "{seen}"

_RUNNING = re.compile(
    r'class="figures[a-z ]*" data-left="(\d+)" data-at="(-?\d+)" data-runs="yes">[^<]*<'
)

THEMES = ("light", "dark", "contrast-light", "contrast")
"""The colours that a reader can choose instead of those of the device."""


class NamedLink(NamedTuple):
    """A link in front of a page; ``id`` is that of its element."""

    id: str
    address: str
    words: str
    key: str = ""
    """The key that follows it; empty: none does."""


def _worded(words: str) -> str:
    """Words as HTML, each part that is in another language with that language."""
    if not isinstance(words, MixedText):
        return escape(words)
    one = Markup('<span lang="{}">{}</span>')
    return Markup("").join(one.format(language, text) for text, language in words.parts)


@functools.lru_cache(maxsize=1 << 14)
def _kept(macro: Callable[..., str], *values: Any) -> str:
    """What a macro makes of these values: most rows of a sheet and most squares are as before."""
    return macro(*values)


def _each(rows: Iterable[Sequence[Any]], macro: Callable[..., str], *values: Any) -> Markup:
    """What a macro makes of these values and each of the rows."""
    return Markup("\n".join(_kept(macro, *values, *row) for row in rows))


@functools.cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("blindplay.console", "templates"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["worded"] = _worded
    made.globals["static"] = assets.address
    made.globals["kept"] = _kept
    made.globals["each"] = _each
    return made


@functools.cache
def warm(language: str) -> None:
    """Read what the first page and the first press in a language would have to wait for."""
    environment = _environment()
    for name in environment.list_templates():
        environment.get_template(name)
        _values_of(name)
    catalogue(language)
    in_short(language)
    load(language).understand("e4", chess.Board())
    assets.address(assets.PIECES)


def standing(html: str, now: int) -> str:
    """``html`` with its running clocks as they stand at ``now`` ms. A page's script does the same
    all the time; see time.js."""

    def shown(found: re.Match[str]) -> str:
        left = max(0, int(found[1]) - max(0, now - int(found[2])))
        low = " low" if left < LOW_MS else ""
        data = f'data-left="{found[1]}" data-at="{found[2]}" data-runs="yes"'
        return f'class="figures{low}" {data}>{write_time(left)}<'

    return _RUNNING.sub(shown, html)


def render(template: str, language: str, **values: Any) -> str:
    """A template, filled in; it has the catalogue of ``language`` as ``say``. With ``now``, the
    clocks show that time."""
    say = catalogue(language)
    later = {name: one for name, one in values.items() if isinstance(one, Later)}
    if later:
        values |= {name: later[name].value for name in later.keys() & _values_of(template)}
    found = _environment().get_template(template)
    unset = {
        **dict.fromkeys(("theme", "place", "stamp", "run", "of_table"), ""),
        **dict.fromkeys(("styles", "said", "around"), ()),
        "has_phone": False,
        "state": {},
        "themes": ("", *THEMES),
    }
    values = {**unset, **values}
    html = found.render(say=say, language=language, languages=LANGUAGES, seen=SEEN, **values)
    return standing(html, values["now"]) if "now" in values else html


def session_page(template: str, session: BrowserSession, **values: Any) -> str:
    """A page of a session, with its messages, which are then forgotten."""
    said, session.messages = session.messages, []
    return render(template, session.language, theme=session.theme, said=said, **values)


def language_of(session: BrowserSession, form: Form) -> str:
    """The language of the page that asks: another tab may have changed that of the session."""
    asking = value_of(form, "page")
    return asking if asking in LANGUAGES else session.language


def choose(session: BrowserSession, form: Form) -> None:
    """Take the language and the colours that a reader has chosen on a page."""
    if value_of(form, "language") in LANGUAGES:
        session.language = value_of(form, "language")
    if "theme" in form and value_of(form, "theme") in ("", *THEMES):
        session.theme = value_of(form, "theme")


def slug(role: str) -> str:
    """The role as a part of an address: ``assistant-white``."""
    return role.replace(":", "-")


def roles(game: Game, absent: str = "") -> list[str]:
    """The roles that get a link at this table. An assistant gets one if declared, or if one may
    still come to help an impaired player. An ``absent`` opponent has no link."""
    sides = sorted(SIDES, key=game.impaired, reverse=True)
    players = (side for side in SIDES if side != absent)
    return ["arbiter", *players, *(f"assistant:{side}" for side in sides if _gets_help(game, side))]


def _gets_help(game: Game, side: str) -> bool:
    """Return whether this player's assistant may act, or may come."""
    has, other = game.assistants[side], OTHER[side]
    one_impaired = game.impaired(side) != game.impaired(other)
    if one_impaired and game.assistants[other] and not (has and game.impaired(side)):
        return False  # only one of the two may act, the impaired player's first (D.2.11)
    return game.impaired(side) if has is None else has


def parts(page: Page, values: Mapping[str, Any], language: str) -> dict[str, str]:
    """The parts of a page by their names."""
    return RenderedParts(language).of(page, values)


class RenderedParts:
    """The parts of a page in one language. A part is rendered only if a value has changed that its
    template reads."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._kept: dict[str, tuple[Mapping[str, Any], str]] = {}

    def of(self, page: Page, values: Mapping[str, Any]) -> dict[str, str]:
        """The parts by their names."""
        return {name: self._part(page, name, values) for name in (*page.parts, *page.aside)}

    def _part(self, page: Page, name: str, values: Mapping[str, Any]) -> str:
        template = template_of(page.folder, name)
        assert template is not None
        read = {one: values[one] for one in _values_of(template) if one in values}
        before, html = self._kept.get(template, (None, ""))
        if before != read:
            html = render(template, self._language, **values)
            self._kept[template] = read, html
        return html


@functools.cache
def template_of(folder: str, name: str) -> str | None:
    """The template of a page's part: its own one, or one that several pages share."""
    names = (f"{folder}/{name}.html", f"players/{name}.html", f"{name}.html")
    known = _environment().list_templates()
    return next((one for one in names if one in known), None)


@functools.cache
def _values_of(template: str) -> frozenset[str]:
    """The names of the values that a template reads, with those of the templates in it."""
    environment = _environment()
    assert environment.loader is not None
    tree = environment.parse(environment.loader.get_source(environment, template)[0])
    inner = (one for one in meta.find_referenced_templates(tree) if one is not None)
    own = meta.find_undeclared_variables(tree)
    return frozenset(own).union(*(_values_of(one) for one in inner))


def beside(table: TableView, session: BrowserSession, name: str, form: Form) -> str | None:
    """A further page of a session's role; None if it has none of that name. With ``part`` in the
    form, only its content, for a script."""
    with held(table) as game:
        page = page_of(game, session.role)
    extra = page.extra.get(name)
    template = template_of(page.folder, f"{'part' if 'part' in form else 'whole'}_{name}")
    if extra is None or template is None:
        return None
    language = language_of(session, form)
    values = extra(table, session.role, language, form)
    return render(template, language, theme=session.theme, styles=page.styles, **values)


def paper(table: TableView, session: BrowserSession, name: str) -> SentRecord | None:
    """A record with this name; None if the session's role may not have it."""
    found = papers.paper(table, session.role, session.language, name)
    if isinstance(found, RulingsReport):
        html = render("report.html", session.language, theme=session.theme, **vars(found))
        return SentRecord(name, html)
    return found


def told_by(one: Announcement, game: Game, role: str, now: Mapping[str, str]) -> ToldSentence:
    """A public sentence for the page of a role; ``now`` are the aspects of the game, and
    :func:`unread`. A refusal stays on the page of the person whom it concerns until they have read
    it, but no longer than the same step is due from them: they may play by voice and hand alone."""
    rests = {name: now[name] for name in one.while_same}
    if one.refuses and one.to == role:
        rests |= {"step": name_of_step(game, role), "unread": now["unread"]}
        return sent(one.words), True, rests
    return sent(one.words), one.urgent, rests


def unread() -> Aspects:
    """The aspect of a refusal that stands until its reader has read it, or until something newer
    is refused."""
    return {"unread": secrets.token_hex(4)}


def told_to(game: Game, role: str, language: str, taken: Taken) -> list[ToldSentence]:
    """Sentences for the reader of a role's page alone: whose move it is, which tasks wait for them,
    and which obligation a touched piece or a claim brings, unless hands have felt it.

    Without them, a reader would not notice that the clock was pressed (WCAG 4.1.3).
    """
    now, found = aspects(game), list[ToldSentence]()
    completed = any(isinstance(ruling, Completed) for ruling in taken.rulings)
    if completed and not game.over:
        say = catalogue(language)
        sentence = say["on_move"].format(side=say[game.side])
        found.append((sentence, False, {name: now[name] for name in TO_MOVE}))
    obliged = any(isinstance(ruling, Obliged) for ruling in taken.rulings)
    if obliged and not isinstance(taken.fact, OnBoard) and role in (game.side, "arbiter"):
        words = owed_in_words(game, language)
        if role == "arbiter" and words:
            say = catalogue(language)
            words = say["arb_owed"].format(side=say[game.side], words=words)
        if words:
            now["step"] = name_of_step(game, role)
            found.append((words, False, {name: now[name] for name in OWED}))
    if calls := page_of(game, role).calls(game, language, taken.rulings):
        rests = {name: now[name] for name in needed(game)}
        found += [(sentence, True, rests) for sentence in calls]
    return found


def wish_for_another(wanted: Mapping[str, Command]) -> str:
    """The aspect ``again`` of a sentence about another game: which one is wanted, and by whom."""
    return " ".join(f"{side} {command.value}" for side, command in wanted.items())


def told_again(
    role: str,
    language: str,
    before: Mapping[str, Command],
    wanted: Mapping[str, Command],
    *,
    begins: bool,
) -> list[ToldSentence]:
    """Sentences for a player's page when another game is ``wanted`` as it was not ``before``, or
    none is wanted any more. ``begins``: both want the one that was wanted before."""
    say, found = catalogue(language), list[ToldSentence]()
    what = {side: say[f"again_what_{one.value}"] for side, one in {**before, **wanted}.items()}
    for side in before.keys() - wanted.keys():
        agreed = say["again_agreed"].format(what=what[side])
        declined = load(language).sentence("again_declined")
        found.append((agreed if begins else declined, False, dict.fromkeys(PASSING, "")))
    rests = {"again": wish_for_another(wanted)}
    for side in (side for side, one in wanted.items() if before.get(side) is not one):
        if side == role:
            found.append((say["again_waits"].format(what=what[side]), False, rests))
        else:
            asked = say["again_asked"].format(side=say[side], what=what[side])
            found.append((asked, True, rests))
    return found


def whole(
    game: Game,
    session: BrowserSession,
    shown: PageNow,
    now: int,
    run: str,
    around: Sequence[NamedLink] = (),
    name: str = "",
    *,
    has_phone: bool = False,
) -> str:
    """The whole page of a session, with its messages, which are then forgotten. ``shown`` is that
    of the page's stream, ``now`` the table's time in ms, ``run`` the name of this run of it,
    ``around`` the links in front of it, ``name`` that of the table, where there are several.
    ``has_phone``: a phone may become its player's microphone."""
    page = page_of(game, session.role)
    title = title_of(game, session.role, session.language)
    if name:
        title = f"{catalogue(session.language)['of_table'].format(table=name)}: {title}"
    return _live(
        "page.html",
        session,
        shown,
        page.parts,
        scripts=("console.js", "papers.js", "signals.js", *page.scripts),
        beside=page.beside,
        styles=(*page.styles, "signals.css"),
        kind=page.folder,
        title=title,
        run=run,
        now=now,
        around=around,
        has_phone=has_phone,
    )


def _live(
    template: str, session: BrowserSession, shown: PageNow, names: Iterable[str], **values: Any
) -> str:
    """A page that its stream keeps up to date, with the parts of these ``names``."""
    return session_page(
        template,
        session,
        parts={name: shown.parts[name].replace(SEEN, shown.stamp) for name in names},
        place=shown.place,
        stamp=shown.stamp,
        state=shown.aspects,
        **values,
    )


ON_PHONE = ("tab", "now", "next")
"""The parts of a role's page that stand on its phone's page, too: they tell what is due."""
# What the script of the phone's page says.
_PHONE_SENTENCES = (
    "off", "asking", "connecting", "away", "taken", "revoked", "over",
    "hears", "hears_soon", "hears_yes", "hears_silent", "hears_shared", "hears_no",
    "tape_off", "tape_table", "tape_voices", "touch", "too_late", "ear_silent", "ear_other",
    "insecure", "no_microphone", "allow_ios", "allow_safari", "allow_firefox", "allow_android",
    "allow_desktop",
)  # fmt: skip


def phone(
    game: Game, session: BrowserSession, shown: PageNow, now: int, run: str, *, silent: bool
) -> str:
    """The page on the phone of a player or an assistant; the values are those of :func:`whole`. Its
    parts are some of the page of that role. Only the phone of a player is a clock, and only that of
    a player who does not see an earphone. ``silent``: the table has no loudspeaker."""
    return _live(
        "phone.html",
        session,
        shown,
        [name for name in ON_PHONE if name in shown.parts],
        scripts=("console.js", "phone.js"),
        styles=("board.css", "players.css", "phone.css"),
        is_clock=session.role in SIDES,
        is_earphone=session.role in SIDES and game.impaired(session.role),
        title=catalogue(session.language)["phone_title"],
        phone_sentences=_PHONE_SENTENCES,
        silent=silent,
        records="",
        run=run,
        now=now,
    )


def booth(session: BrowserSession, *, keeps: bool) -> str:
    """The page on the phone of somebody who repeats prompts. ``keeps``: that is recorded."""
    title = catalogue(session.language)["booth_title"]
    return render(
        "phone.html",
        session.language,
        parts={"tab": title, "now": ""},
        scripts=("phone.js",),
        styles=("players.css", "phone.css"),
        is_clock=False,
        is_earphone=False,
        title=title,
        phone_sentences=_PHONE_SENTENCES,
        silent=True,
        records="booth_kept" if keeps else "phone_tape_off",
        theme=session.theme,
    )
