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

from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket
from uvicorn.protocols.http.h11_impl import H11Protocol

from blindplay.certificates import address_in

_LOG = logging.getLogger(__name__)
MOST_BYTES = 16_384
_MOST_PATH = 2_000
"""Characters: no page has a longer one, and a number in it can be read."""
_BODY_S = 20.0
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a page may load: only what this server has."""
_HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    # With no-referrer, browsers post forms with "Origin: null".
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
    b"cache-control": b"no-store",
}
_ENCRYPTED = b"strict-transport-security", b"max-age=86400"
"""For a day after the last visit a browser calls this machine's name encrypted only, at all its
ports. So there are no subdomains, and a later event may serve plain pages again."""


class Guard:
    """Refuses requests that other sites cause, and requests that are too large or too frequent.
    Sets the protecting headers of each answer.

    ``allows``: whether a request that asks for something is not one too many. ``trouble``: the
    answer in words, by the key of its sentence and its status. ``elsewhere``: the origin under
    which a proxy offers the pages; it may call the server by another name. Empty: none does.
    """

    def __init__(
        self,
        app: ASGIApp,
        allows: Callable[[HTTPConnection], bool],
        trouble: Callable[[Request, str, int], Response],
        elsewhere: str = "",
    ) -> None:
        self._app, self._allows, self._trouble = app, allows, trouble
        self._elsewhere = elsewhere

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            line = WebSocket(scope, receive, send)
            ours = not _is_too_long(line) and _is_ours(line, self._elsewhere)
            if ours and self._allows(line):
                await self._app(scope, receive, send)
            else:
                await receive()
                await line.close()  # before it is accepted: the answer is 403
            return

        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                present = {name.lower() for name, _ in message["headers"]}
                missing = [(k, v) for k, v in _HEADERS.items() if k not in present]
                encrypted = [_ENCRYPTED] if _lasts_encrypted(request) else []
                message["headers"] = [*message["headers"], *missing, *encrypted]
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


class OwnHosts:
    """Refuses requests for another host: a site could let its name lead to this machine. ``hosts``
    are the names and addresses of this one. The address by which a device has called is one, too:
    it may be newer than the server.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app, self._hosts = app, {address_in(host) or host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or self._is_ours(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await Response("Invalid host header", 400)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _is_ours(self, scope: Scope) -> bool:
        asked = next((value for name, value in scope["headers"] if name == b"host"), b"")
        try:
            host = urlsplit(f"//{asked.decode('ascii')}").hostname or ""
        except ValueError:
            return False
        host, called = address_in(host) or host, scope.get("server") or ("",)
        return host in self._hosts or (bool(host) and host == address_in(called[0]))


def _refused(request: Request, elsewhere: str) -> int:
    """The status with which a request is refused; 0 if it is not."""
    if _is_too_long(request):
        return 414
    if not request.scope["query_string"].isascii():
        return 400
    if request.method not in ("GET", "HEAD", "POST"):
        return 405
    headers, own = request.headers, _is_ours(request, elsewhere)
    origin = headers.get("origin")
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


def _is_too_long(asked: HTTPConnection) -> bool:
    return len(asked.scope["path"]) > _MOST_PATH or len(asked.scope["query_string"]) > MOST_BYTES


PLAIN_TOO = "blindplay.plain_too"
"""In a scope: this server gives a plain page, too."""


def _is_ours(asked: HTTPConnection, elsewhere: str) -> bool:
    """Return whether a page of this server asks, as the browser's header Origin tells."""
    host = asked.headers.get("host", "").lower()
    origin = asked.headers.get("origin")
    scheme = {"ws": "http", "wss": "https"}.get(asked.scope["scheme"], asked.scope["scheme"])
    # Before a server that does not encrypt, a proxy may.
    ours = {f"{one}://{host}" for one in {scheme, "https"} if host} | {elsewhere} - {""}
    return origin is not None and origin.lower() in ours


def _lasts_encrypted(request: Request) -> bool:
    """Return whether this server tells browsers to call it with encryption only (HSTS). Many
    programs on a machine share the name localhost, so that one is left out. So is a server with a
    plain page: who needs that page again, for a new certificate, must get it."""
    host, scope = request.headers.get("host", "").partition(":")[0], request.scope
    return scope["scheme"] == "https" and host.lower() != "localhost" and PLAIN_TOO not in scope


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
        """Listen at an address; ``::`` is all of IPv6 and of IPv4.

        :raises OSError: if nothing can listen there.
        """
        if not _is_name(host):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        if ":" not in host:
            return cls(fileno=socket.create_server((host, port)).detach())
        both = host == "::" and socket.has_dualstack_ipv6()
        listening = socket.create_server((host, port), family=socket.AF_INET6, dualstack_ipv6=both)
        return cls(fileno=listening.detach())

    def accept(self) -> tuple[socket.socket, Any]:
        while True:
            connection, peer = super().accept()
            still = [one for one in self._open if one[0].fileno() >= 0]
            if has_room(peer[0], [address for _, address in still]):
                self._open = (*still, (connection, peer[0]))
                return connection, peer
            connection.close()


def _is_name(host: str) -> bool:
    """Return whether this may be a name or an address. Nothing at all would be every address."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return bool(host) and host.isprintable()


class LimitedConnection(H11Protocol):
    """HTTP with a share of connections for each address, and a time limit for each request."""

    _refused = False
    _upgraded = False
    """It is the line of a phone now, and another protocol has it."""
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
        if self._upgraded:
            return
        if self.cycle is not None and not self.cycle.response_complete:
            self._served()
        elif self._patience is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._served()
        if not self._refused:
            super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._upgraded = True
        self._served()
        super().handle_websocket_upgrade(event)
        # What that protocol cannot read, such as a line of 8 KiB, it does not answer.
        if not getattr(self.transport.get_protocol(), "handshake_initiated", True):
            self.transport.close()

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
