"""The page of a phone that is the microphone, the ear and the keys of somebody who is recorded."""

import threading
import time
from collections.abc import Collection

from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute

from . import assets, views
from .access import AccessLinks, BrowserSession
from .phone import OVER, PHONE_HEADERS, PhoneLines, PhonePort
from .requests import path_of
from .sign_in import SignIn, guarded

PLAYER = "white"
"""The role of the person: their page is that of a player."""
_PATH = "/booth/"
_ENDING_S, _LOOK_S = 3.0, 0.05


class BoothPages:
    """The page, and the way to it with a link. ``hosts``, ``cookie`` and ``encrypted`` are as in
    :class:`~.app.Console`. ``keeps``: what is said is kept, and the page says so."""

    def __init__(
        self, port: PhonePort, hosts: Collection[str], cookie: str, *, encrypted: bool, keeps: bool
    ) -> None:
        self._keeps = keeps
        self._closing = threading.Event()
        self.sign_in = SignIn(
            AccessLinks(), cookie, encrypted=encrypted, remember_s=0, path=lambda role: _PATH
        )
        self._lines = PhoneLines(port, self.sign_in, self._closing, OVER)
        routes = [
            Route("/", self._front),
            Route("/enter", self._enter, methods=["POST"]),
            Route("/static/{digest}/{name}", assets.serve),
            Route(_PATH, self.sign_in.to_session(self._page)),
            WebSocketRoute(f"{_PATH}line", self._lines.serve),
        ]
        self.app = guarded(routes, hosts, self._allows)

    def close(self) -> None:
        """Tell the page that it is needed no more, and wait for some seconds until it knows."""
        self._closing.set()
        until = time.monotonic() + _ENDING_S
        while self._lines.open and time.monotonic() < until:
            time.sleep(_LOOK_S)

    def _allows(self, request: HTTPConnection) -> bool:
        return self.sign_in.allows(request, path_of(request).split("/")[1])

    async def _front(self, request: Request) -> Response:
        return self.sign_in.asks_for_link(request)

    async def _enter(self, request: Request) -> Response:
        return await self.sign_in.enter(request, self._place_of)

    async def _place_of(self, session: BrowserSession) -> str:
        return _PATH

    async def _page(self, request: Request, session: BrowserSession) -> Response:
        page = views.booth(session, keeps=self._keeps)
        return HTMLResponse(page, headers=PHONE_HEADERS)
