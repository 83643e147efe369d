"""The pages of a hall: all tables and the arbiter's page of each, for arbiters with a link; the
others from their own modules."""

import logging
import threading
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Receive, Scope, Send

from blindplay.console import LOOPBACK, PORT, assets, views
from blindplay.console.access import AccessLinks, BrowserSession
from blindplay.console.encryption import Encryption
from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.console.requests import form_of, trouble_page
from blindplay.console.server import PageServer
from blindplay.console.sign_in import SignIn, guarded
from blindplay.console.stream import EventStream, OpenPages, Stream, ToldSentence
from blindplay.console.views import NamedLink
from blindplay.language import load
from blindplay.wording.names import find_names

from .event_file import EventFile
from .forfeits import ForfeitPages
from .hall import Hall
from .mails import Mails
from .missing import MissingList, MissingNow
from .organiser import OrganiserPages
from .overview import GROUPS, Overview, ShownTable, moment
from .players import PlayerPages
from .table_pages import NEXT_KEY, TablePages
from .tickets import TicketRoutes, Tickets

VIEWS = ("grid", "list")
"""All tables as cards, or as the rows of a table."""
log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())

_LOOK_S = 1.0  # between two looks at all tables
_PAUSE_S = 0.1  # between two looks at what has changed
_IDLE_LOOKS = 60  # then a view without a reader is discarded
_ARBITERS = "arbiters.links"  # in the hall's folder: the sessions that survive a restart


@dataclass
class _View:
    """The overview in one language, as a grid or as a list."""

    stream: Stream = field(default_factory=Stream)
    parts: dict[str, str] = field(default_factory=dict)
    idle: int = 0
    """The number of looks at all tables since its last reader."""
    guessed: int = 0
    """The number of wrong tickets that it has reported."""


@dataclass(frozen=True)
class _News:
    """A notice about missing players, told once: when the round begins without somebody, or
    when the default time has passed at a table."""

    key: str
    values: Mapping[str, str]
    urgent: bool

    def sentence(self, language: str) -> str:
        return catalogue(language)[self.key].format(**self.values)


def _news(before: MissingNow | None, now: MissingNow | None) -> list[_News]:
    """What is new since the look ``before``; the first look tells nothing."""
    if before is None or now is None or before.round != now.round:
        return []
    known = {one.key for one in before.games if one.alarms}
    late = [one for one in now.games if one.alarms and one.key not in known]
    names = ", ".join(one.table for one in late)
    found = [_News("hall_missing_told", {"tables": names}, True)] if late else []
    away = [one.table for one in now.games if one.round == now.round and one.forfeits]
    if now.begun and not before.begun and away and not late:
        values = {"round": now.round, "tables": ", ".join(away)}
        found.append(_News("hall_missing_begun", values, False))
    return found


class HallPages:
    """The pages of one hall. ``app`` is the ASGI application.

    ``links`` has one for each arbiter, by name. ``title``: the name of the event. ``more``:
    further pages, which check their readers themselves. ``tickets``: those of tables that fetch
    their files; None: there are none. ``players``: the pages on which players find their game.
    ``rules``: the settings of the event's tables. ``elsewhere``: as in
    :class:`~blindplay.console.limits.Guard`. The others as in
    :class:`~blindplay.console.app.Console`.
    """

    def __init__(
        self,
        hall: Hall,
        title: str,
        hosts: Collection[str],
        links: AccessLinks,
        *,
        encrypted: bool = False,
        cookie: str = "blindplay-hall",
        remember_s: int = 0,
        more: Collection[BaseRoute] = (),
        tickets: Tickets | None = None,
        players: PlayerPages | None = None,
        rules: Mapping[str, Any] = MappingProxyType({}),
        elsewhere: str = "",
    ) -> None:
        self._hall, self._title = hall, title
        self._tickets = tickets
        self.sign_in = SignIn(
            links, cookie, encrypted=encrypted, remember_s=remember_s, words="hall_enter"
        )
        self.overview = Overview(hall.follower)
        self.overview.look()
        self.missing = MissingList(hall.follower, rules)
        self._missing: MissingNow | None = None  # until the first look
        self._forfeits = ForfeitPages(hall, self.missing, title, self._on_decision)
        self._organiser = OrganiserPages(hall, title, tickets)
        self.tables = TablePages(hall, links, cookie, encrypted=encrypted)
        self._views: dict[tuple[str, str], _View] = {}
        self._lock = threading.RLock()  # of the views and the overview
        self._dirty: set[str] = set()
        self._faulty = False  # the last look has failed
        self._decided = False
        self._moved: set[str] = set()  # tables that the list of who is missing does not know yet
        self._wake = threading.Event()
        self._closing = threading.Event()
        self.pages = OpenPages(_now_ms)
        to_session = self.sign_in.to_session
        routes = [
            Route("/", self._front),
            Route("/enter", self._enter, methods=["POST"]),
            Route("/static/{digest}/{name}", assets.serve),
            *([] if players is None else players.routes),
            *more,
            Route("/hall/", to_session(self._all)),
            Route("/hall/do", to_session(self._choose), methods=["POST"]),
            Route("/hall/next", to_session(self._next)),
            Route("/hall/changes", to_session(self._changes)),
            *self._organiser.routes(to_session),
            *self._forfeits.routes(to_session),
            *([] if tickets is None else TicketRoutes(tickets).routes),
            Mount("/tables/{table}", app=self._table),
        ]
        self.app = guarded(routes, hosts, self.sign_in.allows, elsewhere)
        self._thread = threading.Thread(target=self._work, name="hall pages", daemon=True)
        self._thread.start()
        hall.follower.listen(self._on_message)

    def close(self) -> None:
        """End all streams, so that the server can stop."""
        self._closing.set()
        self.pages.closing.set()
        self._wake.set()
        self._thread.join()
        for view in self._views.values():
            view.stream.wake()
        self.tables.close()

    # --- from the tables -------------------------------------------------------------------------

    def _on_message(self, table: str) -> None:
        """Note that a table has sent something. Called while the follower is locked."""
        self._dirty.add(table)
        self._wake.set()

    def _on_decision(self) -> None:
        """Show soon what an arbiter has decided."""
        self._decided = True
        self._wake.set()

    def _work(self) -> None:
        due = 0.0
        while not self._closing.is_set():
            self._wake.wait(_LOOK_S)
            self._wake.clear()
            with self._hall.follower.lock:
                dirty, self._dirty = self._dirty, set()
            everything = time.monotonic() >= due
            if everything:
                due = time.monotonic() + _LOOK_S
            try:
                self._look(dirty, everything=everything)
                self.tables.catch_up(dirty)
            except Exception:  # the next look at everything tries again
                log.exception("The pages failed.")
                self._show_fault()
            else:
                self._faulty = self._faulty and not everything
            self._closing.wait(_PAUSE_S)

    def _look(self, dirty: Collection[str], *, everything: bool) -> None:
        """Show changes on the open pages. ``everything``: look at all tables, since some change by
        time alone, such as one that has been silent for long."""
        before, now = self._missing, self._missing
        self._moved.update(dirty)
        if everything or self._decided:
            self._decided = False
            now = self.missing.look(self._moved)
            self._moved.clear()
        with self._lock:
            self._missing = now
            news = _news(before, now)
            changed = self.overview.look(None if everything else dirty)
            for key, view in list(self._views.items()):
                view.idle = 0 if view.stream.is_watched else view.idle + everything
                if view.idle > _IDLE_LOOKS:
                    del self._views[key]
                else:
                    self._render(view, *key, changed, news)

    def _show_fault(self) -> None:
        """Say on all pages that they may be old, so that readers do not trust them."""
        first, self._faulty = not self._faulty, True
        with self._lock:
            for (language, _), view in self._views.items():
                view.parts["state"] = _part("fault", language)
                fault = {"fault": "yes"}
                sentence: ToldSentence = (catalogue(language)["hall_fault"], True, fault)
                aspects = {**view.stream.now().aspects, **fault}
                view.stream.update(view.parts, "", [sentence] if first else [], aspects)

    def _render(
        self,
        view: _View,
        language: str,
        kind: str,
        changed: Mapping[str, tuple[str, ...]],
        news: Iterable[_News] = (),
    ) -> None:
        """Bring a view up to date; ``changed`` as from :meth:`.Overview.look`."""
        shown = {name: self.overview[name] for name in changed}
        for name, table in shown.items():
            view.parts[f"t-{name}"] = _part(kind, language, table=table)
        urgent, names = self.overview.urgent, self.overview.names
        tables = [self.overview[name] for name in names]
        counts = {group: sum(group in table.groups for table in tables) for group in GROUPS}
        guessed = 0 if self._tickets is None else self._tickets.wrong
        common = {"urgent": urgent, "counts": counts, "all": len(names), "guessed": guessed,
                  "tables": tables}  # fmt: skip
        for part in ("tab", "state", "urgent-list"):
            values = {**common, "title": self._title, "connected": self._hall.online}
            view.parts[part] = _part(part, language, **values)
        offset = self.missing.offset
        view.parts["missing"] = _part(
            "missing", language, missing=self._missing, moment=moment,
            ends=lambda at: round((at - offset) * 1000),
            allowed=self.missing.default_time(), known=names,
        )  # fmt: skip
        if self._faulty:  # until a look at everything has succeeded
            view.parts["state"] = _part("fault", language)
        aspects = {f"needs {table.name}": ",".join(n.kind for n in table.needs) for table in tables}
        aspects["fault"] = "yes" if self._faulty else ""
        say, sentences = catalogue(language), list[ToldSentence]()
        for name, kinds in changed.items():
            for need in kinds if view.stream.is_watched else ():
                sentence = say["hall_told"].format(table=name, need=say[f"hall_need_{need}"])
                rests = {f"needs {name}": aspects[f"needs {name}"]}
                sentences.append((sentence, need != "low", rests))
        for one in news if view.stream.is_watched else ():
            sentences.append((one.sentence(language), one.urgent, views.unread()))
        if guessed > view.guessed and view.stream.is_watched:
            sentence = say["hall_tickets_guessed"].format(count=guessed)
            sentences.append((sentence, True, views.unread()))
        view.guessed = guessed
        view.stream.update(view.parts, "", sentences, aspects)

    def _view(self, language: str, kind: str) -> _View:
        with self._lock:
            key = language, kind
            if key not in self._views:
                self._views[key] = _View()
                everything = dict.fromkeys(self.overview.names, ())
                self._render(self._views[key], language, kind, everything)
            return self._views[key]

    # --- pages -----------------------------------------------------------------------------------

    async def _front(self, request: Request) -> Response:
        if self.sign_in.session(request) is not None:
            return RedirectResponse("/hall/", status_code=303)
        return self.sign_in.asks_for_link(request)

    async def _enter(self, request: Request) -> Response:
        return await self.sign_in.enter(request, self._place_of)

    async def _place_of(self, session: BrowserSession) -> str:
        return "/hall/"

    async def _all(self, request: Request, session: BrowserSession) -> Response:
        return HTMLResponse(await run_in_threadpool(self._whole, request, session))

    def _whole(self, request: Request, session: BrowserSession) -> str:
        query = request.query_params
        kind = query.get("view", "") if query.get("view") in VIEWS else VIEWS[0]
        group = query.get("show", "") if query.get("show") in GROUPS else ""
        with self._lock:  # a table that comes in between would have no part
            now = self._view(session.language, kind).stream.now()
            tables = [self.overview[name] for name in self.overview.names]
        say = catalogue(session.language)
        return views.session_page(
            "hall/overview.html",
            session,
            title=self._title, parts=now.parts, place=now.place, state=now.aspects,
            tables=[(table.name, _fits(table, group, query.get("find", ""))) for table in tables],
            view=kind, views=VIEWS, group=group, groups=GROUPS, find=query.get("find", ""),
            styles=("hall.css",), now=_now_ms(), run=self.pages.run,
            around=(
                *self._organiser.links(session.language),
                NamedLink("next-table", "next", say["hall_next"], NEXT_KEY),
            ),
        )  # fmt: skip

    async def _choose(self, request: Request, session: BrowserSession) -> Response:
        """The language and the colours of a reader's pages."""
        views.choose(session, await form_of(request))
        self.sign_in.links.keep()
        return RedirectResponse("/hall/", status_code=303)

    async def _next(self, request: Request, session: BrowserSession) -> Response:
        """To the next table that needs somebody; ``after`` is the one that the reader has open."""
        with self._lock:
            urgent = [table.name for table in self.overview.urgent]
        after = request.query_params.get("after", "")
        if after in urgent:  # the others in turn
            place = urgent.index(after)
            urgent = urgent[place + 1 :] + urgent[:place]
        if urgent:
            return RedirectResponse(f"/tables/{urgent[0]}/arbiter/", status_code=303)
        say = catalogue(session.language)
        session.messages.append((False, say["hall_no_other" if after else "hall_nobody"]))
        return RedirectResponse("/hall/", status_code=303)

    async def _changes(self, request: Request, session: BrowserSession) -> Response:
        """The stream of changes of the overview, as server-sent events."""
        query = request.query_params
        language = query.get("page", "") if query.get("page") in LANGUAGES else session.language
        kind = query.get("view", "") if query.get("view") in VIEWS else VIEWS[0]
        view = await run_in_threadpool(self._view, language, kind)
        place = request.headers.get("last-event-id") or query.get("since", "")
        events = self.pages.events(
            view.stream, place, session, lambda: self.sign_in.session(request) is session
        )
        return EventStream(events)

    async def _table(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The arbiter's page of a table, and its parts."""
        request = Request(scope)
        session = self.sign_in.session(request)
        if session is None:
            await self.sign_in.refusal(request)(scope, receive, send)
            return
        name = scope["path_params"]["table"]
        known = name in self._hall.follower.tables
        console = await run_in_threadpool(self.tables.console, name) if known else None
        if console is not None:
            await Router(console.seats)(scope, receive, send)
            return
        key = "hall_no_game" if known else "no_such_page"
        await trouble_page(request, key, 404, session.language)(scope, receive, send)


def _now_ms() -> int:
    """The hall's own time, by which its pages set the clocks of the tables."""
    return round(time.monotonic() * 1000)


def _part(name: str, language: str, **values: Any) -> str:
    say = catalogue(language)

    def lasts(minutes: int) -> str:
        hours, rest = divmod(minutes, 60)
        key = "hall_hours" if hours else "hall_minutes" if minutes else "hall_just_now"
        return say[key].format(hours=hours, minutes=rest)

    notation = load(language).notation
    return views.render(f"hall/{name}.html", language, lasts=lasts, notation=notation, **values)


def _fits(table: ShownTable, group: str, find: str) -> bool:
    """Return whether a table is in the reader's group and matches the reader's search."""
    words = [" ".join((table.name, table.white, table.black))]
    return (not group or group in table.groups) and bool(
        not find.strip() or find_names(words, find)
    )


class HallHost(PageServer):
    """Serves the pages of ``hall`` until it is closed."""

    hears = False

    def __init__(
        self,
        hall: Hall,
        joined: EventFile,
        host: str = LOOPBACK,
        port: int = PORT,
        *,
        certificate: Encryption | None = None,
        remember_s: int = 0,
        more: Collection[BaseRoute] = (),
        tables: Path | None = None,
    ) -> None:
        """``tables``: the folder with the files of the tables, for tickets; None: there is none.

        :raises ConsoleError: if nothing can listen there, or not with this certificate."""
        super().__init__(host, port, certificate)
        self.tickets = None if tables is None else Tickets(tables, urlsplit(self.url).netloc)
        self.mails = None
        if joined.mail is not None:
            self.mails = Mails(joined.mail, joined.folder, joined.title, self.url, joined.rounds)
        self.pages = HallPages(
            hall,
            joined.title,
            self.hosts,
            AccessLinks(joined.folder / _ARBITERS),
            encrypted=certificate is not None,
            cookie=f"blindplay-hall-{self.port}",
            remember_s=remember_s,
            more=more,
            rules=joined.play,
            tickets=self.tickets,
            players=PlayerPages(joined.folder, joined.title, self.url, self.mails),
            elsewhere=joined.mail.url.lower() if joined.mail is not None else "",
        )
        self.start(self.pages.app)

    def links(self, arbiters: Iterable[str], *, anew: bool = False) -> dict[str, str]:
        """A new link for each of ``arbiters`` without one, or for all of them; a new link ends the
        old one."""
        known = () if anew else self.pages.sign_in.links.given()
        return {
            name: f"{self.url}/#{self.pages.sign_in.links.issue(name)}"
            for name in arbiters
            if name not in known
        }

    def close(self) -> None:
        """Stop serving. The open pages say that the connection is lost."""
        self.pages.close()
        super().close()
        if self.mails is not None:
            self.mails.close()
