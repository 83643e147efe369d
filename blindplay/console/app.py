"""The web application: pages, what changes on them, and what people do on them.

Nothing here knows a table but through :class:`~.ports.Table`, and no browser is believed: who
somebody is, his session says; what he may do, the Laws say; and a request that another site has
made him send is refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
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

from . import views
from .access import AccessLinks, BrowserSession, RateLimiter
from .actions import Form, act, come_in, stamp
from .limits import is_here
from .messages import LANGUAGES, catalogue, negotiate
from .pages import common
from .pieces import drawing
from .stream import Sentence, Stream, UrgentSentence
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

    ``hosts``: the names and addresses under which browsers may ask for it, without ports.
    ``encrypted``: it is served by HTTPS only. ``cookie``: the name of its cookies, which no other
    table on the same machine has.
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
        self._listening: dict[bytes, list[_Listening]] = {}
        self.asking = RateLimiter(a_second=20, at_once=200)
        self.entering = RateLimiter(a_second=1, at_once=20)
        self.acting = RateLimiter(a_second=5, at_once=20)
        self.closing = threading.Event()
        """While it is set, streams of changes end; pages try again."""
        self.app = Starlette(
            routes=[
                Route("/", self._door),
                Route("/enter", self._enter, methods=["POST"]),
                Route("/static/piece/{name}.svg", _piece),
                Route("/static/{name}", _static),
                Route("/{seat}/", self._page),
                Route("/{seat}/do", self._do, methods=["POST"]),
                Route("/{seat}/changes", self._changes),
                Route("/{seat}/tape/{number:int}", self._sound),
                Route("/{seat}/{name}", self._beside),
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
        submits, so nothing is rendered here; :meth:`_catch_up` does that in the server's threads.
        """
        if isinstance(taken.fact, Tick) and not taken.rulings:
            return
        with self._streams_lock:
            streams = dict(self._streams)
            told = {
                language: self._sentences(taken, language)
                for language in {key[1] for key in streams}
            }
            for (role, language), stream in streams.items():
                untold = self._untold.setdefault((role, language), [])
                untold += told[language]
                untold += views.told_to(self._table.game, role, language, taken)
                if len(untold) > _MOST_UNTOLD and not stream.is_watched:
                    # Whoever comes back gets the whole page instead of all these sentences.
                    del self._streams[role, language], self._untold[role, language]
            self._outdated |= streams.keys()
        for stream in streams.values():
            stream.wake()

    def _sentences(self, taken: Taken, language: str) -> list[UrgentSentence]:
        """What everybody may hear about a fact, in a page's language."""
        game, found = self._table.game, []
        spoken_in = common.spoken_in(game)
        for one in announcements(taken, game, load(language)):
            if one.to is None or not goes_to_earphone(game, one.to):
                foreign = one.in_table_language and spoken_in != language
                sentence: Sentence = (one.words, spoken_in) if foreign else one.words
                found.append((sentence, one.urgent))
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
                    page, seen = views.filled(self._table, game, role, language), stamp(game)
                stream.update(views.parts(page, language), seen, untold.get((role, language), ()))

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
        """The roles that have a link: how many browsers have come in with it, and how many pages
        of theirs are open just now."""
        return {role: (came, self._open[role]) for role, came in self.doors.given().items()}

    def revoke(self, role: str) -> None:
        """Nobody has this role any more: his pages say so at once."""
        self.doors.revoke(role)
        self._wake()

    def issue(self, role: str) -> str:
        """A new link's secret for ``role``; whoever had an old one is out.

        :raises ValueError: for a role that has no page.
        """
        with held(self._table) as game:
            known = views.has_page(game, role)
        if not known:
            raise ValueError(f"There is no page for {role}.")
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

    def _stranger(self, request: Request) -> Response:
        """What a page says to a browser that is not in: 401, or 410 where newer ones of its role
        have taken its place."""
        say = catalogue(negotiate(request.headers.get("accept-language", "")))
        if self.doors.displaced(request.cookies.get(self._cookie, "")):
            return _asks_for_link(request, say["displaced"], 410)
        return _asks_for_link(request, say["enter_again"], 401)

    async def _door(self, request: Request) -> Response:
        return _asks_for_link(request, "")

    async def _enter(self, request: Request) -> Response:
        language = negotiate(request.headers.get("accept-language", ""))
        say = catalogue(language)
        if not self.entering.take(_address(request)):
            return _asks_for_link(request, say["too_fast"], 429)
        form = await _form(request)
        token = form.get("token", [""])[0].strip().rpartition("#")[2]
        entered = self.doors.enter(token, language)
        if entered is None:
            return _asks_for_link(request, say["enter_wrong"], 403)
        session, secret = entered
        await run_in_threadpool(come_in, self._table, session.role)
        seat = f"/{views.slug(session.role)}/"
        answer = RedirectResponse(seat, status_code=303)
        answer.set_cookie(
            self._cookie,
            secret,
            path=seat,
            httponly=True,
            samesite="strict",
            secure=self._encrypted,
        )
        return answer

    async def _page(self, request: Request) -> Response:
        session = self._session(request)
        if session is None:
            return self._stranger(request)
        return HTMLResponse(await run_in_threadpool(self._whole, session))

    def _whole(self, session: BrowserSession) -> str:
        said, session.messages = session.messages, []
        stream = self._stream(session.role, session.language)
        with held(self._table) as game:
            place, found, seen = stream.now()
            return views.whole(
                game, session.role, session.language,
                found=found, place=place, stamp=seen, said=said, now=self._table.time(),
                theme=session.theme,
            )  # fmt: skip

    async def _do(self, request: Request) -> Response:
        session = self._session(request)
        wants_json = "application/json" in request.headers.get("accept", "")
        if session is None:
            return self._stranger(request)
        form = await _form(request)
        # Another tab of this browser may speak another language by now.
        language = form.get("page", [""])[0]
        language = language if language in LANGUAGES else session.language
        say = catalogue(language)
        if not self.acting.take(session.digest.hex()):
            return _told(session, wants_json, [say["too_fast"]], language, refused=True, status=429)
        if "act" not in form:
            language = form.get("language", [""])[0]
            theme = form.get("theme", [session.theme])[0]
            if language in LANGUAGES:
                session.language = language
            if theme in ("", *views.THEMES):
                session.theme = theme
            self.doors.keep()
            return RedirectResponse(f"/{views.slug(session.role)}/", status_code=303)
        answer = await run_in_threadpool(act, self._table, session.role, language, form)
        sentences = list(answer.sentences) or [say["done"]]
        told = _told(session, wants_json, sentences, language, refused=answer.refused)
        told.headers["game-seen"] = answer.seen
        return told

    async def _beside(self, request: Request) -> Response:
        """A page of its own beside the one of a role; with ``part`` only what is new of it."""
        session = self._session(request)
        if session is None:
            return self._stranger(request)
        if not self.asking.take(session.digest.hex()):
            say = catalogue(session.language)
            return _trouble(request, say["too_fast"], 429)
        form = _fields(request.url.query)
        if form is None:
            return _trouble(request, catalogue(session.language)["no_such_page"], 400)
        found = await run_in_threadpool(
            views.beside, self._table, session, request.path_params["name"], form
        )
        return HTMLResponse(found) if found is not None else Response(status_code=404)

    async def _sound(self, request: Request) -> Response:
        """An utterance on the tape, for those who may hear it."""
        session = self._session(request)
        if session is None or not views.hears_tape(session.role):
            return Response(status_code=404 if session else 401)
        tape = await run_in_threadpool(tape_of, self._table)
        said = tape.get(request.path_params["number"])
        if said is None:
            return Response(status_code=404)
        return FileResponse(said.path, media_type="audio/flac")

    async def _changes(self, request: Request) -> Response:
        """The page's stream of changes, as server-sent events; their ids are places in it."""
        session = self._session(request)
        if session is None:
            return self._stranger(request)
        language = request.query_params.get("page", "")
        language = language if language in LANGUAGES else session.language
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
        mine = _Listening(changed)
        theirs = self._listening.setdefault(session.digest, [])
        theirs.append(mine)
        if len(theirs) > _MOST_STREAMS:
            theirs[0].end()
        self._open[session.role] += 1
        try:
            yield f"retry: {_RECONNECT_MS}\n\n"
            yield self._time()
            while not self.closing.is_set() and self._session(request) is session:
                if mine.ended:
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
            theirs.remove(mine)
            if not theirs:
                self._listening.pop(session.digest, None)
            self._open[session.role] -= 1

    def _time(self) -> str:
        """The table's time, so that clocks go right on a page that slept; and that we are here."""
        return f"event: time\ndata: {self._table.time()}\n\n"


class _Listening:
    """One page that listens; it ends where its browser has opened too many."""

    def __init__(self, changed: asyncio.Event) -> None:
        self._changed = changed
        self.ended = False

    def end(self) -> None:
        self.ended = True
        self._changed.set()


# --- answers ------------------------------------------------------------------------------------


def _asks_for_link(request: Request, why: str, status: int = 200) -> Response:
    language = negotiate(request.headers.get("accept-language", ""))
    return HTMLResponse(views.render("enter.html", language, why=why), status_code=status)


def _trouble(request: Request, why: str, status: int) -> Response:
    """A refusal in words: a page, or for a script what it says."""
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"refused": True, "said": [why]}, status_code=status)
    language = negotiate(request.headers.get("accept-language", ""))
    return HTMLResponse(views.render("trouble.html", language, why=why), status_code=status)


def _told(
    session: BrowserSession,
    as_json: bool,
    sentences: list[str],
    language: str,
    *,
    refused: bool,
    status: int = 200,
) -> Response:
    if as_json:
        code = status if status != 200 else 409 if refused else 200
        headers = {"content-language": language}
        told = {"refused": refused, "said": sentences}
        return JSONResponse(told, status_code=code, headers=headers)
    session.messages = [(refused, sentence) for sentence in sentences]
    return RedirectResponse(f"/{views.slug(session.role)}/", status_code=303)


async def _piece(request: Request) -> Response:
    try:
        svg = drawing(request.path_params["name"])
    except KeyError:
        return Response(status_code=404)
    headers = {
        "content-security-policy": _DRAWING_POLICY, "cache-control": "max-age=86400"
    }  # fmt: skip
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
    """The fields of a form. Its size has been limited already; their number is here."""
    return _fields((await request.body()).decode("utf-8", "replace"), blank=True) or {}


def _fields(text: str, *, blank: bool = False) -> dict[str, list[str]] | None:
    """The fields of a form as it is sent; None for more than any page of ours has."""
    try:
        return parse_qs(text[:_MOST_BYTES], keep_blank_values=blank, max_num_fields=_MOST_FIELDS)
    except ValueError:
        return None


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


# --- the guard ----------------------------------------------------------------------------------


class _Guard:
    """Before every request: no foreign origin may post or listen, nothing large comes in; and on
    every answer the headers that keep a page what it is."""

    def __init__(self, app: ASGIApp, asking: Callable[[], RateLimiter]) -> None:
        self._app, self._asking = app, asking

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no WebSockets here; the server refuses what is not answered

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
        say = catalogue(negotiate(request.headers.get("accept-language", "")))
        # Posts have an allowance of their own, by session; this machine's reader is never shut out.
        if request.method != "POST" and not is_here(address) and not self._asking().take(address):
            await _trouble(request, say["too_fast"], 429)(scope, receive, guarded)
            return
        try:
            await self._app(scope, _limited(receive), guarded)
        except ClientDisconnect:
            if not begun:
                await Response(status_code=408)(scope, receive, guarded)
        except Exception:
            # A traceback on the terminal would be read aloud; a log that somebody keeps gets it.
            _LOG.exception("A request failed.")
            if not begun:
                await _trouble(request, say["trouble"], 500)(scope, receive, guarded)


def _refused(request: Request) -> int:
    """The status of a request that is not let in; 0 for one that is."""
    if not request.scope["query_string"].isascii():
        return 400
    headers, host = request.headers, request.headers.get("host", "")
    origin = headers.get("origin")
    own = origin is not None and _place(origin) == host and host != ""
    if request.method not in ("GET", "HEAD", "POST"):
        return 405
    if request.method == "POST" and not own:
        return 403
    if request.url.path.endswith("/changes"):
        if origin is not None and not own:
            return 403
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
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
    """No more than was announced and allowed, whatever a client sends."""
    taken, whole = 0, False

    async def limited() -> Message:
        nonlocal taken, whole
        try:
            # After the body it is only the end of the connection that is waited for.
            message = await (receive() if whole else asyncio.wait_for(receive(), _BODY_S))
        except TimeoutError:
            return {"type": "http.disconnect"}
        whole = not message.get("more_body", False)
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > _MOST_BYTES else message

    return limited
