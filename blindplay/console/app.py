"""The web application: pages, their changes, and what people do on them.

It knows the table only through :class:`~.table_port.TablePort`. It believes no browser: the session
says which role a browser has, the Laws say what this role may do, and a request that another site
has caused is refused.
"""

import asyncio
import contextlib
import logging
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from concurrent.futures import Future
from importlib import resources
from urllib.parse import parse_qs, urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from blindplay.language import load
from blindplay.laws import Taken
from blindplay.laws.facts import PEOPLE, Tick
from blindplay.wording.announcements import announcements, goes_to_earphone
from blindplay.wording.readers import reader

from . import views
from .access import AccessLinks, BrowserSession, RateLimiter
from .actions import ActionResult, Form, act_after_hands, come_in, stamp, value_of
from .limits import is_here
from .messages import LANGUAGES, catalogue, negotiate
from .pages import page_of
from .pieces import drawing
from .stream import Stream, UrgentSentence, sent
from .table_port import TablePort, held, tape_of

_LOG = logging.getLogger(__name__)
COOKIE = "blindplay"
_MOST_BYTES = 16_384
_MOST_FIELDS = 40
_MOST_STREAMS = 12  # of one session
_MOST_UNTOLD = 200  # sentences
_BODY_S = 20.0
_HEARTBEAT_S = 15.0
_RECONNECT_MS = 1000
_SLUGS = {views.slug(role): role for role in PEOPLE}
_HEADERS = {
    b"content-security-policy": b"default-src 'none'; script-src 'self'; style-src 'self'; "
    b"img-src 'self'; media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    b"frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    # With no-referrer, browsers post forms with "Origin: null".
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
    b"cache-control": b"no-store",
}
# python-chess's drawings style their lines; nothing else may be in such a file.
_DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class Console:
    """All pages of one table. ``app`` is the ASGI application.

    ``hosts``: the names and addresses by which browsers may call it, without ports. ``encrypted``:
    it is served by HTTPS only. ``cookie``: the name of its cookies, which no other table on the
    same machine has.
    """

    def __init__(
        self,
        table: TablePort,
        hosts: Collection[str],
        doors: AccessLinks | None = None,
        *,
        encrypted: bool = False,
        cookie: str = COOKIE,
    ) -> None:
        self._table = table
        self._cookie = cookie
        self._encrypted = encrypted
        self.doors = AccessLinks() if doors is None else doors
        self._open: Counter[str] = Counter()
        self._streams: dict[tuple[str, str], Stream] = {}
        self._streams_lock = threading.Lock()
        self._rendering = threading.Lock()
        self._outdated: set[tuple[str, str]] = set()  # roles and languages of pages to render
        self._untold: dict[tuple[str, str], list[UrgentSentence]] = {}
        self._listening: dict[bytes, list[asyncio.Event]] = {}  # the open pages of each session
        self.asking = RateLimiter(a_second=20, at_once=200)
        self.entering = RateLimiter(a_second=1, at_once=20)
        self.acting = RateLimiter(a_second=5, at_once=20)
        self.closing = threading.Event()
        """While it is set, streams of changes end, and pages connect again."""
        self.app = Starlette(
            routes=[
                Route("/", self._door),
                Route("/enter", self._enter, methods=["POST"]),
                Route("/static/piece/{name}.svg", _piece),
                Route("/static/{name}", _static),
                Route("/{seat}/", self._to_session(self._page)),
                Route("/{seat}/do", self._to_session(self._do), methods=["POST"]),
                Route("/{seat}/changes", self._to_session(self._changes)),
                Route("/{seat}/tape/{number:int}", self._sound),
                Route("/{seat}/{name}", self._to_session(self._beside)),
            ],
            middleware=[
                Middleware(_Guard, asking=lambda: self.asking),
                Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
            ],
        )

        table.listen(self._happened)

    # --- from the table --------------------------------------------------------------------

    def _happened(self, taken: Taken) -> None:
        """Note what a fact means for the open pages. The table calls this in the thread that
        submits, so nothing is rendered here; :meth:`_catch_up` renders in the server's threads.
        """
        if isinstance(taken.fact, Tick) and not taken.rulings:
            return
        with self._streams_lock:
            streams = dict(self._streams)
            languages = {language for _, language in streams}
            told = {language: self._sentences(taken, language) for language in languages}
            for (role, language), stream in streams.items():
                untold = self._untold.setdefault((role, language), [])
                untold += told[language]
                untold += views.told_to(self._table.game, role, language, taken)
                if len(untold) > _MOST_UNTOLD and not stream.is_watched:
                    # A page that comes back gets everything new instead of all these sentences.
                    del self._streams[role, language], self._untold[role, language]
            self._outdated |= streams.keys()
        for stream in streams.values():
            stream.wake()

    def _sentences(self, taken: Taken, language: str) -> list[UrgentSentence]:
        """What everybody may hear about a fact, in a page's language."""
        game, found = self._table.game, list[UrgentSentence]()
        for said in announcements(taken, game, reader(load(language), game)):
            if said.to is None or not goes_to_earphone(game, said.to):
                found.append((sent(said.words), said.urgent))
        return found

    def _catch_up(self) -> None:
        """Render the pages that facts have outdated. Called in the server's threads."""
        with self._rendering:
            with self._streams_lock:
                kept = self._outdated & self._streams.keys()
                outdated = {key: self._streams[key] for key in kept}
                untold, self._untold = self._untold, {}
                self._outdated.clear()
            for (role, language), stream in outdated.items():
                with held(self._table) as game:
                    page, seen = page_of(game, role), stamp(game)
                    values = page.values(self._table, game, role, language)
                parts = views.parts(page, values, language)
                stream.update(parts, seen, untold.get((role, language), ()))

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
        """For each role with a link, how many browsers came in, and how many pages are open."""
        return {role: (came, self._open[role]) for role, came in self.doors.given().items()}

    def revoke(self, role: str) -> None:
        """Revoke the link of this role and notify its open pages."""
        self.doors.revoke(role)
        self._wake()

    def issue(self, role: str) -> str:
        """The secret of a new link for ``role``. It shuts out everybody who used the old one.

        :raises ValueError: for a role that has no page.
        """
        with held(self._table) as game:
            page_of(game, role)
        token = self.doors.issue(role)
        self._wake()
        return token

    # --- pages -----------------------------------------------------------------------------

    def _stream(self, role: str, language: str) -> Stream:
        """The stream of the pages of a role in a language, up to date."""
        with self._streams_lock:
            if (role, language) not in self._streams:
                self._streams[role, language] = Stream()
                self._outdated.add((role, language))
            stream = self._streams[role, language]
        self._catch_up()
        return stream

    def _session(self, request: Request) -> BrowserSession | None:
        role = _SLUGS.get(request.path_params["seat"])
        secret = request.cookies.get(self._cookie, "")
        return self.doors.session(role, secret) if role and secret else None

    def _to_session(
        self, answer: Callable[[Request, BrowserSession], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """``answer`` for browsers with a session. The others get 401, or 410 if newer browsers have
        displaced them."""

        async def route(request: Request) -> Response:
            session = self._session(request)
            if session is not None:
                return await answer(request, session)
            if self.doors.displaced(request.cookies.get(self._cookie, "")):
                return _asks_for_link(request, "displaced", 410)
            return _asks_for_link(request, "enter_again", 401)

        return route

    async def _door(self, request: Request) -> Response:
        return _asks_for_link(request)

    async def _enter(self, request: Request) -> Response:
        if not self.entering.take(_address(request)):
            return _asks_for_link(request, "too_fast", 429)
        token = value_of(await _form(request), "token").rpartition("#")[2]
        entered = self.doors.enter(token, _accepted(request))
        if entered is None:
            return _asks_for_link(request, "enter_wrong", 403)
        session, secret = entered
        await run_in_threadpool(come_in, self._table, session.role)
        answer = _to_page(session.role)
        answer.set_cookie(
            self._cookie,
            secret,
            path=answer.headers["location"],
            httponly=True,
            samesite="strict",
            secure=self._encrypted,
        )
        return answer

    async def _page(self, request: Request, session: BrowserSession) -> Response:
        return HTMLResponse(await run_in_threadpool(self._whole, session))

    def _whole(self, session: BrowserSession) -> str:
        stream = self._stream(session.role, session.language)
        with held(self._table) as game:
            return views.whole(game, session, stream.now(), self._table.time())

    async def _do(self, request: Request, session: BrowserSession) -> Response:
        form = await _form(request)
        language = views.language_of(session, form)
        if not self.acting.take(session.digest.hex()):
            answer = ActionResult((catalogue(language)["too_fast"],), refused=True)
            return _told(request, session, language, answer, 429)
        if "act" not in form:
            if value_of(form, "language") in LANGUAGES:
                session.language = value_of(form, "language")
            if "theme" in form and value_of(form, "theme") in ("", *views.THEMES):
                session.theme = value_of(form, "theme")
            self.doors.keep()
            return _to_page(session.role)
        answer = await self._answer(request, session, language, form)
        return _told(request, session, language, answer, 409 if answer.refused else 200)

    async def _answer(
        self, request: Request, session: BrowserSession, language: str, form: Form
    ) -> ActionResult:
        """The first answer to an action. No thread waits for it. The page shows later ones."""
        first = Future[ActionResult]()
        scripted = _wants_json(request)

        def answer(result: ActionResult) -> None:
            if not first.done():
                first.set_result(result)
            elif scripted:
                self._tell(session.role, language, result)
            else:
                session.messages += _messages(language, result)

        session.asked = await run_in_threadpool(
            act_after_hands, self._table, session.role, language, form, answer, session.asked
        )
        return await asyncio.wrap_future(first)

    def _tell(self, role: str, language: str, result: ActionResult) -> None:
        """Show the open pages of ``role`` what came of an action after its first answer."""
        said = [(sentence, result.refused) for _, sentence in _messages(language, result)]
        with self._streams_lock:
            stream = self._streams.get((role, language))
            if stream is None:
                return
            self._untold.setdefault((role, language), []).extend(said)
            self._outdated.add((role, language))
        stream.wake()

    async def _beside(self, request: Request, session: BrowserSession) -> Response:
        """A further page of a role, or with ``part`` only its content."""
        if not self.asking.take(session.digest.hex()):
            return _trouble(request, "too_fast", 429, session.language)
        form = _fields(request.url.query)
        if form is None:
            return _trouble(request, "no_such_page", 400, session.language)
        found = await run_in_threadpool(
            views.beside, self._table, session, request.path_params["name"], form
        )
        return HTMLResponse(found) if found is not None else Response(status_code=404)

    async def _sound(self, request: Request) -> Response:
        """An utterance on the tape. It holds what was said to everybody, and how the players
        announced; it is the arbiter's evidence (D.2.7), and nobody else hears it."""
        session = self._session(request)
        if session is None or session.role != "arbiter":
            return Response(status_code=404 if session else 401)
        tape = await run_in_threadpool(tape_of, self._table)
        said = tape.get(request.path_params["number"])
        if said is None:
            return Response(status_code=404)
        return FileResponse(said.path, media_type="audio/flac")

    async def _changes(self, request: Request, session: BrowserSession) -> Response:
        """The page's stream of changes, as server-sent events. Their ids are places in it."""
        language = views.language_of(session, _fields(request.url.query) or {})
        stream = await run_in_threadpool(self._stream, session.role, language)
        place = request.headers.get("last-event-id") or request.query_params.get("since", "")
        return StreamingResponse(
            self._events(request, session, stream, place), media_type="text/event-stream"
        )

    async def _events(
        self, request: Request, session: BrowserSession, stream: Stream, place: str
    ) -> AsyncIterator[str]:
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the server has stopped meanwhile
                loop.call_soon_threadsafe(changed.set)

        leave = stream.listen(wake)
        listening = self._listening.setdefault(session.digest, [])
        listening.append(changed)
        if len(listening) > _MOST_STREAMS:
            listening.pop(0).set()  # the oldest page finds itself removed
        self._open[session.role] += 1
        try:
            yield f"retry: {_RECONNECT_MS}\n\n"
            yield self._time()
            while not self.closing.is_set() and self._session(request) is session:
                if changed not in listening:
                    yield "event: crowded\ndata:\n\n"
                    return
                changed.clear()
                await run_in_threadpool(self._catch_up)
                missed = stream.since(place)
                if missed is not None:
                    place, data = missed
                    yield f"id: {place}\ndata: {data}\n\n"
                try:
                    await asyncio.wait_for(changed.wait(), _HEARTBEAT_S)
                except TimeoutError:
                    yield self._time()
        finally:
            leave()
            if changed in listening:
                listening.remove(changed)
            if not listening:
                self._listening.pop(session.digest, None)
            self._open[session.role] -= 1

    def _time(self) -> str:
        """The table's time, by which a page sets its clocks. It also keeps the connection open."""
        return f"event: time\ndata: {self._table.time()}\n\n"


# --- answers ------------------------------------------------------------------------------------


def _accepted(request: Request) -> str:
    """The language that the browser asks for."""
    return negotiate(request.headers.get("accept-language", ""))


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _asks_for_link(request: Request, key: str = "", status: int = 200) -> Response:
    """The page that asks for a link; ``key`` is that of the reason."""
    language = _accepted(request)
    why = catalogue(language)[key] if key else ""
    return HTMLResponse(views.render("enter.html", language, why=why), status_code=status)


def _trouble(request: Request, key: str, status: int, language: str = "") -> Response:
    """A refusal in words: a page, or JSON for a script."""
    language = language or _accepted(request)
    why = catalogue(language)[key]
    if _wants_json(request):
        return JSONResponse({"refused": True, "said": [why]}, status_code=status)
    return HTMLResponse(views.render("trouble.html", language, why=why), status_code=status)


def _told(
    request: Request, session: BrowserSession, language: str, answer: ActionResult, status: int
) -> Response:
    """The answer to an action: JSON for a script, else the page, which then shows it."""
    messages = _messages(language, answer)
    if _wants_json(request):
        headers = {"content-language": language, "game-seen": answer.seen}
        told = {"refused": answer.refused, "said": [sent(sentence) for _, sentence in messages]}
        return JSONResponse(told, status_code=status, headers=headers)
    session.messages = messages
    return _to_page(session.role)


def _messages(language: str, answer: ActionResult) -> list[tuple[bool, str]]:
    """The sentences of an answer, each with whether it is a refusal."""
    sentences = answer.sentences or (catalogue(language)["done"],)
    return [(answer.refused, sentence) for sentence in sentences]


def _to_page(role: str) -> RedirectResponse:
    return RedirectResponse(f"/{views.slug(role)}/", status_code=303)


async def _piece(request: Request) -> Response:
    try:
        svg = drawing(request.path_params["name"])
    except KeyError:
        return Response(status_code=404)
    headers = {"content-security-policy": _DRAWING_POLICY, "cache-control": "max-age=86400"}
    return Response(svg, media_type="image/svg+xml", headers=headers)


_MEDIA = {"css": "text/css", "js": "text/javascript"}
_STATIC = frozenset(one.name for one in resources.files(__package__).joinpath("static").iterdir())


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _STATIC:
        return Response(status_code=404)
    text = resources.files(__package__).joinpath("static", name).read_text("utf-8")
    return Response(text, media_type=_MEDIA[name.rpartition(".")[2]])


async def _form(request: Request) -> Form:
    """The fields of a posted form; none if there are too many."""
    return _fields((await request.body()).decode("utf-8", "replace"), blank=True) or {}


def _fields(text: str, *, blank: bool = False) -> dict[str, list[str]] | None:
    """The fields of an encoded form; None if there are more than any page has."""
    try:
        return parse_qs(text[:_MOST_BYTES], keep_blank_values=blank, max_num_fields=_MOST_FIELDS)
    except ValueError:
        return None


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


# --- the guard ----------------------------------------------------------------------------------


class _Guard:
    """Refuses requests that other sites cause, and requests that are too large or too frequent.
    Sets the protecting headers of each answer."""

    def __init__(self, app: ASGIApp, asking: Callable[[], RateLimiter]) -> None:
        self._app, self._asking = app, asking

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no WebSockets: the server refuses what is not answered

        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                present = {name.lower() for name, _ in message["headers"]}
                missing = [(k, v) for k, v in _HEADERS.items() if k not in present]
                message["headers"] = [*message["headers"], *missing]
            await send(message)

        request = Request(scope)
        refused = _refused(request)
        if refused:
            await Response(status_code=refused)(scope, receive, guarded)
            return
        address = _address(request)
        # Posts are limited by session, and this machine's own browser is never shut out.
        if request.method != "POST" and not is_here(address) and not self._asking().take(address):
            await _trouble(request, "too_fast", 429)(scope, receive, guarded)
            return
        try:
            await self._app(scope, _limited(receive), guarded)
        except ClientDisconnect:
            if not begun:
                await Response(status_code=408)(scope, receive, guarded)
        except Exception:
            # A traceback on the terminal would be read aloud; it goes into a log, if one is kept.
            _LOG.exception("A request failed.")
            if not begun:
                await _trouble(request, "trouble", 500)(scope, receive, guarded)


def _refused(request: Request) -> int:
    """The status with which a request is refused; 0 if it is not."""
    if not request.scope["query_string"].isascii():
        return 400
    if request.method not in ("GET", "HEAD", "POST"):
        return 405
    headers, host = request.headers, request.headers.get("host", "")
    origin = headers.get("origin")
    own = origin is not None and _place(origin) == host and host != ""
    listens = request.url.path.endswith("/changes")
    same_site = headers.get("sec-fetch-site", "same-origin") == "same-origin"
    if (request.method == "POST" and not own) or (
        listens and not (same_site and (origin is None or own))
    ):
        return 403
    length = headers.get("content-length", "0")
    plain = length.isascii() and length.isdigit() and len(length) < 10
    if not plain or int(length) > _MOST_BYTES or "transfer-encoding" in headers:
        return 413
    return 0


def _place(origin: str) -> str:
    """The host of an origin, with its port; "" if it is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:  # brackets that hold no address
        return ""


def _limited(receive: Receive) -> Callable[[], Awaitable[Message]]:
    """Disconnect a client that sends too much, or that takes too long to send it."""
    taken, whole = 0, False

    async def limited() -> Message:
        nonlocal taken, whole
        try:
            # After the body, only the end of the connection can come, at any time.
            message = await (receive() if whole else asyncio.wait_for(receive(), _BODY_S))
        except TimeoutError:
            return {"type": "http.disconnect"}
        whole = not message.get("more_body", False)
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > _MOST_BYTES else message

    return limited
