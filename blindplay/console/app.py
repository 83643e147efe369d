"""The web application: pages, their changes, and the actions of people on them.

It knows the table only through :class:`~.table_port.TablePort`. It trusts no browser: the session
gives the role of a browser, the Laws give the rights of that role, and requests that another site
has caused are refused.
"""

import asyncio
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import BaseRoute, Route, WebSocketRoute

from blindplay.language import Command, load
from blindplay.laws import Taken
from blindplay.laws.facts import PEOPLE, SIDES, Tick
from blindplay.wording.announcements import PASSING, aspects, name_of_step, to_everybody
from blindplay.wording.readers import reader

from . import assets, views
from .access import AccessLinks, BrowserSession, RateLimiter
from .actions import ActionResult, AskedAction, Form, act_after_hands, come_in, stamp, value_of
from .messages import catalogue
from .pages import page_of
from .phone import PHONE_HEADERS, PhoneLines, PhonePort
from .public import PATH, Audience, PublicPage
from .requests import fields_of, form_of, path_of, trouble_page, wants_json
from .sign_in import SignIn, guarded
from .stream import EventStream, OpenPages, Stream, ToldSentence, sent
from .table_port import Moment, TablePort, held, tape_of

COOKIE = "blindplay"
_MOST_UNTOLD = 200  # sentences
_SLUGS = {views.slug(role): role for role in PEOPLE}

Answer = Callable[[ActionResult], object]
Doing = Callable[[TablePort, BrowserSession, str, Form, Answer], AskedAction]
"""Does what the page of a session asks for, in a language, and calls the last with the result."""


def do_at_table(
    table: TablePort,
    session: BrowserSession,
    language: str,
    form: Form,
    answer: Answer,
) -> AskedAction:
    """Do it after the work of hands on the boards; see :func:`~.actions.act_after_hands`."""
    return act_after_hands(table, session.role, language, form, answer, session.asked)


class RoleStream(Stream):
    """The changes of the pages of one role in one language. ``moment`` gives the table as it is
    now, ``name`` its name, where there are several."""

    def __init__(self, role: str, language: str, moment: Callable[[], Moment], name: str) -> None:
        super().__init__(self._show, self._say_failure)
        self._role, self._language, self._of_table = role, language, name
        self._moment = moment
        self._rendered = views.RenderedParts(language)
        self._untold: list[ToldSentence] = []
        self._telling = threading.Lock()
        self.outdate()

    def tell(self, sentences: Collection[ToldSentence]) -> None:
        """Let the page be rendered, and sent with these sentences. A page that comes back after too
        many of them gets everything new instead."""
        with self._telling:
            self._untold += sentences
            if len(self._untold) > _MOST_UNTOLD and not self.is_watched:
                self._untold.clear()
                self.begin_anew()
        self.outdate()

    def _show(self) -> None:
        with self._telling:
            untold, self._untold = self._untold, []
        try:
            self._render_now(untold)
        except Exception:
            with self._telling:
                self._untold[:0] = untold
            raise

    def _render_now(self, untold: Collection[ToldSentence]) -> None:
        moment = self._moment()
        game = moment.game
        page = page_of(game, self._role)
        values = {
            **page.values(moment, game, self._role, self._language),
            "of_table": self._of_table,
        }
        state = {**aspects(game), "step": name_of_step(game, self._role), "shown": ""}
        state["again"] = views.wish_for_another(moment.another_game.wanted)
        self.update(self._rendered.of(page, values), stamp(game), [*untold], state)

    def _say_failure(self) -> None:
        """Tell the page that it is not up to date, until it is."""
        now = self.now()
        told = (catalogue(self._language)["not_shown"], True, {"shown": "no"})
        self.update(now.parts, now.stamp, [told], {**now.aspects, "shown": "no"})


class Console:
    """All pages of one table. ``app`` is the ASGI application.

    ``hosts``: the names and addresses by which browsers may call it, without ports. ``encrypted``,
    ``cookie``, ``remember_s``: as in :class:`~.sign_in.SignIn`. ``audience``: the part that is
    public without a link; None: nothing. ``does``: performs a page's action. ``around``: links in
    front of each page, by its language. ``name``: that of the table, where there are several.
    ``phones``: the players' phones; None: the table has no use for them. ``silent``: it has no
    loudspeaker, so phones tell their players everything unless they choose otherwise.
    """

    def __init__(
        self,
        table: TablePort,
        hosts: Collection[str],
        links: AccessLinks | None = None,
        *,
        encrypted: bool = False,
        cookie: str = COOKIE,
        remember_s: int = 0,
        audience: Audience | None = None,
        does: Doing = do_at_table,
        around: Callable[[str], Sequence[views.NamedLink]] = lambda language: (),
        name: str = "",
        phones: PhonePort | None = None,
        silent: bool = False,
    ) -> None:
        self._table, self._silent = table, silent
        self._does, self._around, self._name = does, around, name
        self.sign_in = SignIn(
            AccessLinks() if links is None else links,
            cookie,
            encrypted=encrypted,
            remember_s=remember_s,
            role_at=self._role_at,
            is_former=lambda request: -1 < self._seat(request)[1] < self._colours_changed,
            path=self._path,
        )
        self.pages = OpenPages(table.time)
        self._streams: dict[tuple[str, str], RoleStream] = {}  # by role and language
        self._streams_lock = threading.Lock()
        self._moment: Moment | None = None  # the table as it is now, if anybody has asked for it
        self.acting = RateLimiter(a_second=5, at_once=20)
        self.closing = self.pages.closing
        """While it is set, streams of changes end, and pages connect again."""
        self.public = None if audience is None else PublicPage(table, audience)
        """The page without a link; None if nothing is public."""
        to_session = self.sign_in.to_session
        self._phones = phones
        lines = PhoneLines(phones, self.sign_in, self.closing) if phones else None
        self.seats: list[BaseRoute] = [
            Route("/{seat}/", to_session(self._page)),
            Route("/{seat}/do", to_session(self._do), methods=["POST"]),
            Route("/{seat}/settle", to_session(self._settle), methods=["POST"]),
            Route("/{seat}/changes", to_session(self._changes)),
            Route("/{seat}/tape/{number:int}", self._sound),
            Route("/{seat}/papers/{name}", to_session(self._paper)),
            *([Route("/{seat}/phone", to_session(self._phone))] if lines else []),
            *([WebSocketRoute("/{seat}/line", lines.serve)] if lines else []),
            Route("/{seat}/{name}", to_session(self._beside)),
        ]
        """The routes of the roles' pages, without sign-in. A hall mounts them under each table."""
        routes = [
            Route("/", self._front),
            Route("/enter", self._enter, methods=["POST"]),
            Route("/static/{digest}/{name}", assets.serve),
            *([] if self.public is None else self.public.routes),
            *self.seats,
        ]
        self.app = guarded(routes, hosts, self._allows)
        table.listen(self._happened)
        table.another_game.watch(self._another_game_changed)

    # --- from the table --------------------------------------------------------------------

    def _happened(self, taken: Taken) -> None:
        """Note what a fact means for the open pages. The table calls this in the thread that
        submits, so nothing is rendered here; the server's threads do that, those of players first.
        """
        if isinstance(taken.fact, Tick) and not taken.rulings:
            return
        self._moment = None  # a page that is opened meanwhile waits for the table
        with self._streams_lock:
            watched = any(stream.is_watched for stream in self._streams.values())
            streams = sorted(self._streams.items(), key=lambda one: one[0][0] not in SIDES)
        # The table is held already: during a flood of facts a page would wait long for it.
        self._moment = Moment.of(self._table) if watched else None
        game, now = self._table.game, {**aspects(self._table.game), **views.unread()}
        languages = {language for (_, language), _ in streams}
        said = {
            language: to_everybody(taken, game, reader(load(language), game))
            for language in languages
        }
        for (role, language), stream in streams:
            public = [views.told_by(one, game, role, now) for one in said[language]]
            words = {sentence for sentence, *_ in public if isinstance(sentence, str)}
            own = views.told_to(game, role, language, taken)
            stream.tell([*public, *(one for one in own if one[0] not in words)])

    def _another_game_changed(self, before: Mapping[str, Command], begins: bool) -> None:
        """Tell the players' pages who wants which other game, or that there is none."""
        self._moment, wanted = None, self._table.another_game.wanted
        with self._streams_lock:
            streams = [one for one in self._streams.items() if one[0][0] in SIDES]
        for (role, language), stream in streams:
            stream.tell(views.told_again(role, language, before, wanted, begins=begins))

    def _now(self) -> Moment:
        """The table as it is now, the same for all pages until the next fact."""
        moment = self._moment
        if moment is None:
            with held(self._table):
                moment = self._moment = Moment.of(self._table)
        return moment

    def close(self) -> None:
        """End all streams, so that the server can stop."""
        self.closing.set()
        self._wake()

    def _wake(self) -> None:
        with self._streams_lock:
            streams = list(self._streams.values())
        for stream in streams:
            stream.wake()

    def present(self) -> dict[str, tuple[int, int]]:
        """The number of browsers that came in, and of open pages, for each role with a link."""
        return {
            role: (came, self.pages.count[role])
            for role, came in self.sign_in.links.given().items()
        }

    def follow(self, *, swapped: bool) -> None:
        """Let each page stay with its person; see :meth:`.AccessLinks.follow`."""
        if self.sign_in.links.follow(swapped=swapped):
            self._wake()

    def revoke(self, role: str) -> None:
        """Revoke the link of this role and notify its open pages."""
        self.sign_in.links.revoke(role)
        self._wake()

    def issue(self, role: str) -> str:
        """The secret of a new link for ``role``. The old link and its sessions end.

        :raises ValueError: for a role that has no page.
        """
        with held(self._table) as game:
            page_of(game, role)
        token = self.sign_in.links.issue(role)
        self._wake()
        return token

    def _allows(self, request: HTTPConnection) -> bool:
        """Return whether the request is within the limits. The public page has its own limits."""
        path = path_of(request)
        if self.public and path.startswith(PATH):
            return True
        return self.sign_in.allows(request, "static" if path.startswith("/static/") else "")

    # --- pages -----------------------------------------------------------------------------

    @property
    def _colours_changed(self) -> int:
        return self.sign_in.links.changes

    def _path(self, role: str) -> str:
        """Where the page of a role lies: ``/white/``, and ``/white-1/`` after a rematch."""
        number = f"-{self._colours_changed}" if self._colours_changed else ""
        return f"/{views.slug(role)}{number}/"

    def _seat(self, request: HTTPConnection) -> tuple[str, int]:
        """The role whose page is asked for, and how often colours had changed before that page;
        empty and -1 if no role has such a page."""
        seat = request.path_params.get("seat") or path_of(request).lstrip("/").partition("/")[0]
        name, _, number = seat.rpartition("-")
        if not (number.isascii() and number.isdecimal() and len(number) < 5):
            name, number = seat, "0"
        role = _SLUGS.get(name, "")
        return role, int(number) if role else -1

    def _role_at(self, request: HTTPConnection) -> str:
        """The role whose page is asked for; empty if no role has that page in this game."""
        role, number = self._seat(request)
        return role if number == self._colours_changed else ""

    def _stream(self, role: str, language: str) -> RoleStream:
        """The stream of the pages of a role in a language, up to date."""
        with self._streams_lock:
            if (role, language) not in self._streams:
                self._streams[role, language] = RoleStream(role, language, self._now, self._name)
            stream = self._streams[role, language]
        stream.catch_up()
        return stream

    async def _front(self, request: Request) -> Response:
        return self.sign_in.asks_for_link(request)

    async def _enter(self, request: Request) -> Response:
        return await self.sign_in.enter(request, self._come_in)

    async def _come_in(self, session: BrowserSession) -> str:
        await run_in_threadpool(come_in, self._table, session.role)
        return self._path(session.role)

    async def _page(self, request: Request, session: BrowserSession) -> Response:
        return HTMLResponse(await run_in_threadpool(self._whole, session))

    async def _phone(self, request: Request, session: BrowserSession) -> Response:
        """The page by which a phone is the microphone and the button of its player."""
        if not await run_in_threadpool(self._has_phone, session.role):
            return Response(status_code=404)
        found = await run_in_threadpool(self._whole, session, phone=True)
        return HTMLResponse(found, headers=PHONE_HEADERS)

    def _has_phone(self, role: str) -> bool:
        """Return whether the phone of this role is of use: where somebody does not see, players and
        assistants speak."""
        if self._phones is None or role == "arbiter":
            return False
        game = self._now().game
        return any(map(game.impaired, SIDES))

    def _whole(self, session: BrowserSession, *, phone: bool = False) -> str:
        stream = self._stream(session.role, session.language)
        shown, now, links = stream.now(), self._table.time(), self._around(session.language)
        game, run = self._now().game, self.pages.run
        if phone:
            return views.phone(game, session, shown, now, run, silent=self._silent)
        has_phone = self._has_phone(session.role)
        return views.whole(game, session, shown, now, run, links, self._name, has_phone=has_phone)

    async def _do(self, request: Request, session: BrowserSession) -> Response:
        form = await form_of(request)
        language = views.language_of(session, form)
        if not self.acting.take(session.digest.hex()):
            answer = ActionResult((catalogue(language)["too_fast"],), refused=True)
            return _told(request, session, language, answer, 429)
        if "act" not in form:
            views.choose(session, form)
            self.sign_in.links.keep()
            return _to_page(request)
        first = session.once.begin(value_of(form, "id"))
        if first is None:  # asked for already, or void: it is not done again
            return Response(status_code=208)
        answer = await self._answer(request, session, language, form, first)
        return _told(request, session, language, answer, 409 if answer.refused else 200)

    async def _settle(self, request: Request, session: BrowserSession) -> Response:
        """Report on an action for which a page got no answer: 200 with the answer, 202 while the
        action is being done, 204 if it has not arrived, 205 if it will be ignored (the page has
        asked to make it ``void``), 404 if the table was restarted since, so that its fate is
        unknown."""
        form = await form_of(request)
        key = value_of(form, "id")
        if key.partition("-")[0] != self.pages.run:
            return Response(status_code=404)
        first = session.once.answer(key)
        if first is not None:
            if not first.done():
                return Response(status_code=202)
            return _told(request, session, views.language_of(session, form), first.result(), 200)
        if value_of(form, "void"):
            session.once.forbid(key)
            return Response(status_code=205)
        return Response(status_code=204)

    async def _answer(
        self,
        request: Request,
        session: BrowserSession,
        language: str,
        form: Form,
        first: Future[ActionResult],
    ) -> ActionResult:
        """The first answer to an action. No thread waits for it. The page shows later ones."""
        scripted = wants_json(request)

        def answer(result: ActionResult) -> None:
            if not first.done():
                first.set_result(result)
            elif scripted:
                self._tell(session.role, language, result)
            else:
                session.messages += _messages(language, result, scripted=False)

        session.asked = await run_in_threadpool(
            self._does, self._table, session, language, form, answer
        )
        return await asyncio.shield(asyncio.wrap_future(first))

    def _tell(self, role: str, language: str, result: ActionResult) -> None:
        """Show the open pages of ``role`` the result of an action after its first answer. Only a
        refusal stays until somebody closes it."""
        sentences = _messages(language, result, scripted=True)
        passing = dict.fromkeys(PASSING, "")
        holds = views.unread() if result.refused else passing
        said: list[ToldSentence] = [
            (sent(sentence), result.refused, holds) for _, sentence in sentences
        ]
        with self._streams_lock:
            stream = self._streams.get((role, language))
        if stream is not None:
            stream.tell(said)

    async def _beside(self, request: Request, session: BrowserSession) -> Response:
        """A further page of a role, or with ``part`` only its content."""
        if not self.sign_in.asking.take(session.digest.hex()):
            return trouble_page(request, "too_fast", 429, session.language)
        form = fields_of(request.url.query)
        if form is None:
            return trouble_page(request, "no_such_page", 400, session.language)
        name = request.path_params["name"]
        found = await run_in_threadpool(lambda: views.beside(self._now(), session, name, form))
        return HTMLResponse(found) if found is not None else Response(status_code=404)

    async def _paper(self, request: Request, session: BrowserSession) -> Response:
        """A record of the game, to print or to save."""
        name = request.path_params["name"]
        if not self.sign_in.asking.take(session.digest.hex()):
            return trouble_page(request, "too_fast", 429, session.language)
        found = await run_in_threadpool(lambda: views.paper(self._now(), session, name))
        if found is None:
            return Response(status_code=404)
        headers = dict(found.headers)
        if found.media != "text/html":
            headers["content-disposition"] = f'attachment; filename="{found.name}"'
        return Response(found.content, media_type=found.media, headers=headers)

    async def _sound(self, request: Request) -> Response:
        """An utterance on the tape. The tape holds public sentences and the players'
        announcements. It is the arbiter's evidence (D.2.7), and only the arbiter hears it."""
        session = self.sign_in.session(request)
        if session is None or session.role != "arbiter":
            return Response(status_code=404 if session else 401)
        tape = await run_in_threadpool(tape_of, self._table)
        said = tape.get(request.path_params["number"])
        if said is None:
            return Response(status_code=404)
        return FileResponse(said.path, media_type="audio/flac")

    async def _changes(self, request: Request, session: BrowserSession) -> Response:
        """The page's stream of changes, as server-sent events. Their ids are places in it."""
        language = views.language_of(session, fields_of(request.url.query) or {})
        stream = await run_in_threadpool(self._stream, session.role, language)
        place = request.headers.get("last-event-id") or request.query_params.get("since", "")
        events = self.pages.events(
            stream,
            place,
            session,
            lambda: self.sign_in.session(request) is session,
            edits="edits" in request.query_params,
        )
        return EventStream(events)


# --- answers ------------------------------------------------------------------------------------


def _told(
    request: Request, session: BrowserSession, language: str, answer: ActionResult, status: int
) -> Response:
    """The answer to an action: JSON for a script, else the page, which then shows it."""
    scripted = wants_json(request)
    messages = _messages(language, answer, scripted=scripted)
    if scripted:
        headers = {"content-language": language, "game-seen": answer.seen}
        said = [sent(sentence) for _, sentence in messages]
        told: dict[str, object] = {"refused": answer.refused, "said": said}
        if answer.field:
            told["field"] = answer.field
        if answer.ends_with_due:
            told["due"] = True
        return JSONResponse(told, status_code=status, headers=headers)
    session.messages = messages
    return _to_page(request)


def _messages(language: str, answer: ActionResult, *, scripted: bool) -> list[tuple[bool, str]]:
    """The sentences of an answer, each with True for a refusal. Without sentences it confirms the
    action, unless a script already shows the public sentences about it."""
    done = () if scripted and answer.told else (catalogue(language)["done"],)
    sentences = answer.sentences or done
    return [(answer.refused, sentence) for sentence in sentences]


def _to_page(request: Request) -> RedirectResponse:
    """Back to the page whose form was sent."""
    return RedirectResponse(f"{request.url.path.rpartition('/')[0]}/", status_code=303)
