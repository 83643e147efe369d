"""The pages of a host of several tables: where people come in with a code, where the organiser sees
all tables and their codes, and the way to the pages of each table.

A code is the number of a table and six digits, for one seat and one use. Somebody who guesses has a
few tries at each table: then its codes are closed, until the organiser opens new ones. The links of
the organiser's page open the same seats.
"""

import asyncio
import contextlib
import hmac
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from typing import Any
from urllib.parse import quote

import httpx
import segno
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin

from blindplay.console import LOOPBACK, PORT, assets, views
from blindplay.console.access import AccessLinks, BrowserSession
from blindplay.console.actions import value_of
from blindplay.console.app import COOKIE
from blindplay.console.encryption import Encryption
from blindplay.console.messages import catalogue
from blindplay.console.requests import address_of, form_of, trouble_page
from blindplay.console.server import PageServer
from blindplay.console.sign_in import SignIn, guarded
from blindplay.own_files import data_folder
from blindplay.six_digits import six_digits

from .hosting import HostedTable, HostedTables, UnreachableTableError

TRIES = 10
"""Wrong codes after which those of a table are closed."""
_DIGITS = 6
ORGANISER = "organiser"
_LINKS = "host.links"
_CONNECTING_S, _ANSWERING_S = 2.0, 30.0
_IDLE_S = 2.0
"""A connection to a table is used again for so long. The table closes it later, so no press is sent
into one that is just being closed."""
# These are of one connection, or the host's own matter.
_OWN_HEADERS = {
    "connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "host", "origin",
    "x-forwarded-for", "x-forwarded-proto", "strict-transport-security", "proxy-authorization",
    "date", "server",
}  # fmt: skip


class SeatCodes:
    """The codes of all seats. Safe to use from several threads."""

    def __init__(self) -> None:
        self._codes: dict[tuple[int, str], str] = {}
        self._wrong: Counter[int] = Counter()
        self._lock = threading.Lock()

    def of(self, table: int, role: str) -> str:
        """The code of a seat, such as ``3482915`` at table 3; empty if those of it are closed."""
        with self._lock:
            if self._wrong[table] >= TRIES:
                return ""
            return f"{table}{self._codes.setdefault((table, role), six_digits())}"

    def use(self, code: str) -> tuple[int, str] | None:
        """The table and the role that a code opens, once; None if it opens nothing."""
        table, digits = int(code[:-_DIGITS] or 0), code[-_DIGITS:]
        with self._lock:
            if self._wrong[table] >= TRIES:
                return None
            # Compare all codes, so that the time taken tells nothing.
            fits = [
                role
                for (number, role), known in self._codes.items()
                if hmac.compare_digest(known, digits) and number == table
            ]
            if not fits:
                self._wrong[table] += 1
                return None
            self._wrong[table] = 0
            del self._codes[table, fits[0]]
            return table, fits[0]

    def give_back(self, code: str, table: int, role: str) -> None:
        """Let a code that was used open its seat: the table did not answer."""
        with self._lock:
            self._codes.setdefault((table, role), code[-_DIGITS:])

    def renew(self, table: int) -> None:
        """Give each seat of a table another code."""
        with self._lock:
            self._wrong[table] = 0
            for number, role in list(self._codes):
                if number == table:
                    del self._codes[number, role]


class Gateway:
    """Passes what browsers ask for on to the pages of the tables, and the answers back.

    A table knows only the address at which it listens itself. That a request comes from a page of
    this host is what the guard before the gateway has seen to.
    """

    def __init__(self, tables: HostedTables) -> None:
        self._tables = tables
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(_ANSWERING_S, connect=_CONNECTING_S, read=None),
            limits=httpx.Limits(max_connections=None, keepalive_expiry=_IDLE_S),
            trust_env=False,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        table = self._tables.tables.get(scope["path_params"]["table"])
        if scope["type"] == "websocket":
            await self._line(WebSocket(scope, receive, send), table)
            return
        request = Request(scope, receive)
        if table is None:
            await trouble_page(request, "no_such_page", 404)(scope, receive, send)
            return
        path, query = _inner(request), scope["query_string"].decode("ascii")
        answer = await self.ask(table, request, f"{path}?{query}" if query else path)
        await answer(scope, receive, send)

    async def ask(
        self, table: HostedTable, request: Request, path: str, body: bytes | None = None
    ) -> Response:
        """The answer of a table to a request; ``body`` if it is another one than that of the
        browser."""
        content = await request.body() if body is None else body
        place = f"{LOOPBACK}:{table.port}"
        sent = self._client.build_request(
            request.method,
            f"http://{place}{path}",
            headers=[(name.encode("latin-1"), value) for name, value in _passed(request, place)],
            content=content,
        )
        try:
            if not table.port:
                raise UnreachableTableError
            answer = await self._client.send(sent, stream=True)
        except (httpx.HTTPError, UnreachableTableError):
            return trouble_page(request, "host_starting", 503)
        found = StreamingResponse(
            _content(answer), answer.status_code, background=BackgroundTask(answer.aclose)
        )
        # Where it leads to, without the address that only this machine can call.
        own = _origin(request, place).encode()
        found.raw_headers = [
            (name.lower(), value.removeprefix(own) if name.lower() == b"location" else value)
            for name, value in answer.headers.raw
            if name.decode("ascii").lower() not in _OWN_HEADERS
        ]
        return found

    async def _line(self, outer: WebSocket, table: HostedTable | None) -> None:
        """Pass on a line in both directions until one end closes it."""
        place = f"{LOOPBACK}:{table.port if table else 0}"
        headers = [
            (name, value.decode("latin-1"))
            for name, value in _passed(outer, place)
            if not _of_handshake(name)
        ]
        try:
            if table is None or not table.port:
                raise ConnectionRefusedError
            inner = await connect(
                f"ws://{place}{_inner(outer)}",
                additional_headers=headers,
                origin=Origin(_origin(outer, place)),
                user_agent_header=None, compression=None, max_size=None, ping_interval=None,
                open_timeout=_ANSWERING_S, proxy=None,
            )  # fmt: skip
        except (OSError, InvalidHandshake):
            await outer.close()  # before it is accepted: the answer is 403
            return
        async with inner:
            await outer.accept()
            ways = [asyncio.create_task(way(outer, inner)) for way in (_up, _down)]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for one in ways:
                one.cancel()
            await asyncio.gather(*ways, return_exceptions=True)


async def _up(outer: WebSocket, inner: ClientConnection) -> None:
    with contextlib.suppress(ConnectionClosed, WebSocketDisconnect, RuntimeError):
        while (message := await outer.receive())["type"] == "websocket.receive":
            data = message.get("bytes")
            await inner.send(message.get("text") or "" if data is None else data)


async def _down(outer: WebSocket, inner: ClientConnection) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        try:
            while True:
                data = await inner.recv()
                await (outer.send_text(data) if isinstance(data, str) else outer.send_bytes(data))
        except ConnectionClosed as closed:
            await outer.close(closed.rcvd.code if closed.rcvd else 1012)


async def _content(answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for part in answer.aiter_raw():
            yield part
    except httpx.HTTPError:
        return  # the table has ended, and the browser asks again
    finally:
        await answer.aclose()


def _of_handshake(name: str) -> bool:
    """Return whether the other end of a line makes this header anew."""
    return name in ("host", "origin") or name.startswith("sec-websocket-")


def _inner(asked: HTTPConnection) -> str:
    """The path that a table knows, of the one that a browser asks for."""
    return "/" + quote(asked.scope["path"].removeprefix(asked.scope["root_path"]).lstrip("/"))


def _origin(asked: HTTPConnection, place: str) -> str:
    scheme = asked.scope["scheme"].replace("ws", "http")
    return f"{scheme}://{place}"


def _passed(asked: HTTPConnection, place: str) -> list[tuple[str, bytes]]:
    """The headers of a request as a table gets them: with its own address, and who calls how. Any
    server of this machine may have given a browser a cookie, whatever is in it."""
    left = _OWN_HEADERS | {"content-length", "accept-encoding"}
    every = [(name.decode("latin-1"), value) for name, value in asked.headers.raw]
    headers = [(name, value) for name, value in every if name not in left]
    if "origin" in asked.headers:
        headers.append(("origin", _origin(asked, place).encode()))
    scheme = asked.scope["scheme"].replace("ws", "http")
    encoding = asked.headers.get("accept-encoding", "identity")
    return [
        *headers, ("host", place.encode()), ("x-forwarded-for", address_of(asked).encode()),
        ("x-forwarded-proto", scheme.encode()), ("accept-encoding", encoding.encode("latin-1")),
    ]  # fmt: skip


class HostPages:
    """The pages of a host. ``app`` is the ASGI application; the other arguments are those of
    :class:`~blindplay.console.sign_in.SignIn`."""

    def __init__(
        self,
        tables: HostedTables,
        hosts: Iterable[str],
        links: AccessLinks,
        cookie: str,
        *,
        encrypted: bool,
        remember_s: int = 0,
    ) -> None:
        self._tables = tables
        self._gateway = Gateway(tables)
        self.codes = SeatCodes()
        self.sign_in = SignIn(
            links, cookie, encrypted=encrypted, remember_s=remember_s, words="host_enter"
        )
        to_session = self.sign_in.to_session
        routes = [
            Route("/", self._front),
            Route("/enter", self._enter, methods=["POST"]),
            Route("/static/{digest}/{name}", assets.serve),
            Route("/host/", to_session(self._all)),
            Route("/host/do", to_session(self._do), methods=["POST"]),
            Mount("/{table:int}", app=self._gateway),
        ]
        self.app = guarded(routes, [*hosts], self._allows)

    def _allows(self, request: HTTPConnection) -> bool:
        """Return whether the request is within the limits. The tables have their own."""
        first = request.url.path.split("/")[1]
        return first.isdecimal() or self.sign_in.allows(request, first if first == "static" else "")

    async def _front(self, request: Request) -> Response:
        return self.sign_in.asks_for_link(request)  # also for the organiser, who may have a seat

    async def _enter(self, request: Request) -> Response:
        """Let somebody in with a code, or the organiser with a link."""
        typed = value_of(await form_of(request), "token").rpartition("#")[2]
        code = "".join(typed.split()).replace("-", "")
        if not (code.isascii() and code.isdecimal()):
            return await self.sign_in.enter(request, self._place_of)
        if not self.sign_in.entering.take(address_of(request)):
            return self.sign_in.asks_for_link(request, "too_fast", 429)
        found = self.codes.use(code) if _DIGITS < len(code) < _DIGITS + 4 else None
        if found is None or found[0] not in self._tables.tables:
            return self.sign_in.asks_for_link(request, "host_enter_wrong", 403)
        try:
            token = await run_in_threadpool(self._tables.invite, *found)
            body = f"token={token}".encode()
            answer = await self._gateway.ask(self._tables.tables[found[0]], request, "/enter", body)
        except UnreachableTableError:
            answer = trouble_page(request, "host_starting", 503)
        if answer.status_code == 503:
            self.codes.give_back(code, *found)
        return answer

    async def _place_of(self, session: BrowserSession) -> str:
        return "/host/"

    async def _all(self, request: Request, session: BrowserSession) -> Response:
        page = views.session_page(
            "hall/host.html", session, styles=("hall.css",), qr=_drawn,
            tables=[self._shown(one) for one in self._tables.tables.values()],
            url=f"{request.url.scheme}://{request.headers['host']}",
        )  # fmt: skip
        return HTMLResponse(page)

    def _shown(self, table: HostedTable) -> dict[str, Any]:
        codes = {views.slug(role): self.codes.of(table.number, role) for role in table.roles}
        over = bool(table.game.result) or not table.game.begun
        return {"table": table, "codes": codes, "open": all(codes.values()), "over": over}

    async def _do(self, request: Request, session: BrowserSession) -> Response:
        """What the organiser asks for: new codes of a table, or another game there."""
        form = await form_of(request)
        number, say = value_of(form, "table"), catalogue(session.language)
        known = {str(one.number): one for one in self._tables.tables.values()}
        table = known.get(number)
        if "language" in form or "theme" in form:
            views.choose(session, form)
            self.sign_in.links.keep()
        elif table is not None and value_of(form, "act") == "codes":
            self.codes.renew(table.number)
        elif table is not None and value_of(form, "act") == "game":
            begins = self._tables.begin_anew(table.number)
            key = "host_begins" if begins else "host_goes_on"
            session.messages.append((not begins, say[key].format(table=table.number)))
        return RedirectResponse("/host/", status_code=303)


def _drawn(link: str) -> str:
    """A link as a drawing for a phone's camera."""
    return str(segno.make(link, error="m").svg_inline(scale=4))


class TablesHost(PageServer):
    """Serves the pages of a host until it is closed, at one address."""

    def __init__(
        self,
        host: str = LOOPBACK,
        port: int = PORT,
        *,
        certificate: Encryption | None = None,
        remember_s: int = 0,
    ) -> None:
        """:raises ConsoleError: if nothing can listen there, or not with this certificate."""
        super().__init__(host, port, certificate)
        self.encrypted = certificate is not None
        self.cookie = f"{COOKIE}-{self.port}"
        """The name of the tables' cookies, each with a path of its own."""
        self._remember_s = remember_s

    def serve(self, tables: HostedTables) -> str:
        """Serve these tables. Return a new link for the organiser."""
        links = AccessLinks(data_folder() / _LINKS)
        self.pages = HostPages(
            tables, self.hosts, links, f"{self.cookie}-host", encrypted=self.encrypted,
            remember_s=self._remember_s,
        )  # fmt: skip
        self.start(self.pages.app)
        return f"{self.url}/#{links.issue(ORGANISER)}"
