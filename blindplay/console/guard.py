"""The first check of every request: against other sites, and against too much."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
    answer in words, by the key of its sentence and its status.
    """

    def __init__(
        self,
        app: ASGIApp,
        allows: Callable[[Request], bool],
        trouble: Callable[[Request, str, int], Response],
    ) -> None:
        self._app, self._allows, self._trouble = app, allows, trouble

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
        refused = _refused(request)
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
