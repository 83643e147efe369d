"""Signing browsers in: a link opens a session, and a cookie keeps it."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from .access import AccessLinks, BrowserSession, RateLimiter
from .actions import value_of
from .limits import Guard, OwnHosts, is_here
from .requests import (
    INCOMPRESSIBLE,
    accepted,
    address_of,
    asks_for_link,
    form_of,
    root_of,
    trouble_page,
)

Answering = Callable[[Request, BrowserSession], Awaitable[Response]]
"""The answer to a browser with a session."""


class SignIn:
    """Opens a session for a browser with its link, and limits how often each session, and each
    address without one, may ask.

    ``cookie``: the name of its cookies, which nothing else on the same machine has. ``encrypted``:
    the pages are served by HTTPS only. ``remember_s``: for how many seconds a browser that was
    closed comes in again without a new link; 0: not at all. ``role_at``: the role whose page is
    asked for; None: that of any role. ``is_former``: whether a page from before a change of
    colours is asked for. ``path``: where the pages of a role lie. ``words``: the beginning of the
    keys of its sentences.
    """

    def __init__(
        self,
        links: AccessLinks,
        cookie: str,
        *,
        encrypted: bool,
        remember_s: int,
        role_at: Callable[[HTTPConnection], str | None] = lambda request: None,
        is_former: Callable[[HTTPConnection], bool] = lambda request: False,
        path: Callable[[str], str] = lambda role: "/",
        words: str = "enter",
    ) -> None:
        self.links = links
        self._cookie, self._encrypted, self._remember_s = cookie, encrypted, remember_s
        self._role_at, self._is_former = role_at, is_former
        self._path, self._words = path, words
        self.asking = RateLimiter(a_second=20, at_once=200)
        self.entering = RateLimiter(a_second=1, at_once=20)

    def _secret(self, request: HTTPConnection) -> str:
        return request.cookies.get(self._cookie, "")

    def session(self, request: HTTPConnection) -> BrowserSession | None:
        """The session of the browser that asks; None if it has none."""
        secret = self._secret(request)
        return self.links.session(self._role_at(request), secret) if secret else None

    def allows(self, request: HTTPConnection, others: str = "") -> bool:
        """False if this is one request too many. Each session has a limit of its own: others
        at the same address, and wrong links, do not slow them down. ``others``: a name for requests
        of an address that are counted apart."""
        address = address_of(request)
        if is_here(address):
            return True
        session = self.session(request)
        return self.asking.take(session.digest.hex() if session else f"{address} {others}")

    def to_session(self, answer: Answering) -> Callable[[Request], Awaitable[Response]]:
        """``answer`` for browsers with a session. None of them forgets it while its page is open.
        The others are refused."""

        async def route(request: Request) -> Response:
            session = self.session(request)
            if session is None:
                return self._to_new_role(request) or self.refusal(request)
            found = await answer(request, session)
            if self._remember_s:
                self._let_keep(request, found, session.role, self._secret(request))
            return found

        return route

    def moved(self, request: HTTPConnection) -> BrowserSession | None:
        """The session of a browser that asks for a page from before its colour changed."""
        secret = self._secret(request)
        former = bool(secret) and self._is_former(request)
        return self.links.session(None, secret) if former else None

    def _to_new_role(self, request: Request) -> Response | None:
        """Send a browser to the page of its new colour; None if it has none."""
        session = self.moved(request)
        if session is None:
            return None
        place = request.scope.get("root_path", "") + self._path(session.role)
        name = request.path_params.get("name", "")  # of a page beside the main one
        if request.url.path.endswith("/phone"):
            name = "phone"
        if request.url.path.endswith(f"/{request.path_params['seat']}/{name}"):
            place += name
        answer = RedirectResponse(place, status_code=303)
        self._let_keep(request, answer, session.role, self._secret(request))
        return answer

    def refusal(self, request: Request) -> Response:
        """The answer to a browser without a session: 401, or 410 if newer browsers have displaced
        it."""
        if self.links.displaced(self._secret(request)):
            return self.asks_for_link(request, "displaced", 410)
        return self.asks_for_link(request, f"{self._words}_again", 401)

    def asks_for_link(self, request: Request, key: str = "", status: int = 200) -> Response:
        """The page that asks for a link; ``key`` is that of the reason."""
        return asks_for_link(request, key, status, self._words)

    async def enter(
        self, request: Request, place_of: Callable[[BrowserSession], Awaitable[str]]
    ) -> Response:
        """Let a browser in with the link that it sends, to the page at ``place_of`` its session."""
        token = value_of(await form_of(request), "token").rpartition("#")[2]
        entered = self.links.enter(token, accepted(request))
        if entered is None:
            # Only wrong links are counted: a right one opens the page from every address.
            if not self.entering.take(address_of(request)):
                return self.asks_for_link(request, "too_fast", 429)
            return self.asks_for_link(request, f"{self._words}_wrong", 403)
        session, secret = entered
        answer = RedirectResponse(root_of(request) + await place_of(session), status_code=303)
        self._let_keep(request, answer, session.role, secret)
        return answer

    def _let_keep(self, request: Request, answer: Response, role: str, secret: str) -> None:
        """Let a browser keep the ``secret`` of its session."""
        answer.set_cookie(
            self._cookie,
            secret,
            max_age=self._remember_s or None,
            path=root_of(request) + self._path(role),
            httponly=True,
            samesite="strict",
            secure=self._encrypted,
        )


def guarded(
    routes: Sequence[BaseRoute],
    hosts: Collection[str],
    allows: Callable[[HTTPConnection], bool],
    elsewhere: str = "",
) -> Starlette:
    """The application of these ``routes``, behind the guard. ``hosts``: the names and addresses by
    which browsers may call it, without ports. ``allows``: whether a request is not one too many.
    ``elsewhere``: as in :class:`~.limits.Guard`."""
    names = {*hosts, urlsplit(elsewhere).hostname or ""} - {""}
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(Guard, allows=allows, trouble=trouble_page, elsewhere=elsewhere),
            Middleware(OwnHosts, hosts=names),
            Middleware(GZipMiddleware, exclude_content_types=INCOMPRESSIBLE),
        ],
    )
