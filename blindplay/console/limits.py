"""Limits of requests and of connections.

The guard checks every request first: against other sites, and against too much. Idle connections
are limited (slowloris): any machine in the network can open many, so an address has a share of
them, and a connection without a request is closed. This machine's own connections are not limited.
"""

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Self
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

_LOG = logging.getLogger(__name__)
MOST_BYTES = 16_384
_BODY_S = 20.0
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


class Guard:
    """Refuses requests that other sites cause, and requests that are too large or too frequent.
    Sets the protecting headers of each answer.

    ``allows``: whether a request that asks for something is not one too many. ``trouble``: the
    answer in words, by the key of its sentence and its status. ``elsewhere``: the host, with its
    port, under which a proxy offers the pages; it may call the server by another name. Empty: none
    does.
    """

    def __init__(
        self,
        app: ASGIApp,
        allows: Callable[[Request], bool],
        trouble: Callable[[Request, str, int], Response],
        elsewhere: str = "",
    ) -> None:
        self._app, self._allows, self._trouble = app, allows, trouble
        self._elsewhere = elsewhere

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no WebSockets: the server refuses unanswered requests

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
        refused = _refused(request, self._elsewhere)
        if refused:
            await Response(status_code=refused)(scope, receive, guarded)
            return
        if request.method != "POST" and not self._allows(request):
            await self._trouble(request, "too_fast", 429)(scope, receive, guarded)
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
                await self._trouble(request, "trouble", 500)(scope, receive, guarded)


def _refused(request: Request, elsewhere: str) -> int:
    """The status with which a request is refused; 0 if it is not."""
    if not request.scope["query_string"].isascii():
        return 400
    if request.method not in ("GET", "HEAD", "POST"):
        return 405
    headers, host = request.headers, request.headers.get("host", "")
    origin = headers.get("origin")
    own = origin is not None and _place(origin) in {host, elsewhere} - {""}
    listens = request.url.path.endswith("/changes")
    same_site = headers.get("sec-fetch-site", "same-origin") == "same-origin"
    if (request.method == "POST" and not own) or (
        listens and not (same_site and (origin is None or own))
    ):
        return 403
    length = headers.get("content-length", "0")
    plain = length.isascii() and length.isdigit() and len(length) < 10
    if not plain or int(length) > MOST_BYTES or "transfer-encoding" in headers:
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
        return {"type": "http.disconnect"} if taken > MOST_BYTES else message

    return limited


MOST = 256
"""Connections from other machines at once; each needs a file descriptor."""
AN_ADDRESS = 48
"""Connections from one other machine: a browser opens six, and some rooms share one address."""
HEADERS_S = 10.0
"""Seconds within which the headers of a request must arrive."""

# A screen reader would read the server's messages about its clients aloud.
for _name in ("uvicorn", "asyncio", __package__):
    logging.getLogger(_name).addHandler(logging.NullHandler())


def is_here(address: str) -> bool:
    """Return whether an address is this machine's loopback."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback


def has_room(address: str, others: Collection[str]) -> bool:
    """Return whether a connection from ``address`` is allowed besides those from ``others``."""
    if is_here(address):
        return True
    away = [other for other in others if not is_here(other)]
    return len(away) < MOST and away.count(address) < AN_ADDRESS


class LimitedSocket(socket.socket):
    """A listening socket that closes excess connections at once. A connection that begins its
    encryption and never finishes it would take a quarter of a megabyte for a minute.

    Windows accepts connections in another way; there they count once they are encrypted.
    """

    _open: Collection[tuple[socket.socket, str]] = ()

    @classmethod
    def at(cls, host: str, port: int) -> Self:
        """:raises OSError: if nothing can listen there."""
        return cls(fileno=socket.create_server((host, port)).detach())

    def accept(self) -> tuple[socket.socket, Any]:
        while True:
            connection, peer = super().accept()
            still = [one for one in self._open if one[0].fileno() >= 0]
            if has_room(peer[0], [address for _, address in still]):
                self._open = (*still, (connection, peer[0]))
                return connection, peer
            connection.close()


class LimitedConnection(H11Protocol):
    """HTTP with a share of connections for each address, and a time limit for each request."""

    _refused = False
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        clients = [getattr(one, "client", None) for one in self.connections]
        if not has_room(address, [client[0] for client in clients if client]):
            self._refused = True
            transport.abort()
            return
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._served()
        elif self._patience is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._served()
        if not self._refused:
            super().connection_lost(exc)

    def _wait(self) -> None:
        self._patience = asyncio.get_running_loop().call_later(HEADERS_S, self._hang_up)

    def _served(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _hang_up(self) -> None:
        self._patience = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()
