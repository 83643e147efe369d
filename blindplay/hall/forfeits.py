"""The pages on which arbiters declare forfeits and set when a round begins.

A forfeit takes two presses: the first one opens a page that names the players, the result and the
article; the second one, there, does it. A table that is connected and has the game records it, as
any decision of an arbiter; otherwise the hall keeps it.
"""

import threading
from asyncio import wrap_future
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from blindplay.console import views
from blindplay.console.access import BrowserSession
from blindplay.console.actions import Form, value_of
from blindplay.console.messages import catalogue
from blindplay.console.pages.timeline import cited
from blindplay.console.requests import form_of
from blindplay.console.sign_in import Answering
from blindplay.console.views import NamedLink
from blindplay.translation import translated

from .hall import Hall
from .missing import MissingGame, MissingList
from .overview import meant, moment
from .pairings.decided import (
    RESULTS,
    Forfeit,
    declare,
    set_resumption,
    set_start,
    take_back,
    time_of,
)
from .pairings.played import pair_of
from .requests import UnreachableError
from .table_pages import result_of

_ALL = "/hall/"
_LONGEST = 200
ToSession = Callable[[Answering], Callable[[Request], Awaitable[Response]]]


class ForfeitPages:
    """The pages. ``title``: the name of the event; ``changed`` is called after a decision."""

    def __init__(
        self, hall: Hall, missing: MissingList, title: str, changed: Callable[[], object]
    ) -> None:
        self._hall, self._missing, self._title, self._changed = hall, missing, title, changed
        self._folder = hall.follower.folder
        self._deciding = threading.Lock()  # of two arbiters at once, the second one finds it done

    def routes(self, to_session: ToSession) -> list[BaseRoute]:
        """Their addresses; ``to_session`` admits browsers with a session."""
        return [
            Route("/hall/forfeit", to_session(self._ask)),
            Route("/hall/forfeit", to_session(self._declare), methods=["POST"]),
            Route("/hall/take-back", to_session(self._ask_back)),
            Route("/hall/take-back", to_session(self._take_back), methods=["POST"]),
            Route("/hall/begins", to_session(self._begins), methods=["POST"]),
        ]

    # --- a forfeit -------------------------------------------------------------------------------

    async def _ask(self, request: Request, session: BrowserSession) -> Response:
        """The page before a forfeit."""
        form = {name: [value] for name, value in request.query_params.items()}
        return await run_in_threadpool(self._sure, form, session)

    def _sure(self, form: Form, session: BrowserSession, *, sooner: bool = False) -> Response:
        say, side = catalogue(session.language), value_of(form, "missing")
        now = self._missing.look()
        game = now.game(_key(form))
        if game is None or side not in game.forfeits:
            return self._refused(form, session)
        if sooner:
            session.messages.append((True, say["hall_forfeit_sooner"]))
        articles = cited([game.article], session.language)
        return self._page(
            "forfeit", session, game=game, missing=side, result=RESULTS[side],
            articles=articles, time=moment,
        )  # fmt: skip

    async def _declare(self, request: Request, session: BrowserSession) -> Response:
        form, say = await form_of(request), catalogue(session.language)
        side, key = value_of(form, "missing"), _key(form)
        game = (await run_in_threadpool(self._missing.look)).game(key)
        if game is None or side not in game.forfeits:
            return self._refused(form, session)
        if not game.passed and not value_of(form, "early"):
            return await run_in_threadpool(self._sure, form, session, sooner=True)
        if game.here:
            await self._at_table(game, side, session)
        else:
            done = await run_in_threadpool(self._in_hall, game, side, session.role)
            if done is None:
                return self._refused(form, session)
            names = {"white": game.white, "black": game.black, "result": RESULTS[side]}
            key_of = "hall_forfeit_done" if done else "hall_not_kept"
            session.messages.append((not done, say[key_of].format(**names)))
        return self._back()

    def _refused(self, form: Form, session: BrowserSession) -> Response:
        say = catalogue(session.language)
        names = {name: value_of(form, name)[:_LONGEST] for name in ("white", "black")}
        session.messages.append((True, say["hall_forfeit_gone"].format(**names)))
        return self._back()

    async def _at_table(self, game: MissingGame, side: str, session: BrowserSession) -> None:
        """Ask the table for it. The table refuses it if the player has come meanwhile."""
        language, say = session.language, catalogue(session.language)
        fields = {"act": ["arbiter"], "do": ["forfeit"]}
        fields |= {"player": [side]} if side != "both" else {}
        try:
            future = self._hall.request(
                game.table, session.role, "act", {"language": language, "form": fields}
            )
        except UnreachableError:
            said = say["hall_unreachable"].format(table=game.table)
            session.messages.append((True, said))
            return
        done = result_of(game.table, language, await wrap_future(future))
        names = {"white": game.white, "black": game.black, "result": RESULTS[side]}
        words = " ".join(done.sentences) or say["hall_forfeit_done"].format(**names)
        session.messages.append((done.refused, words))

    def _in_hall(self, game: MissingGame, side: str, who: str) -> bool | None:
        """Keep it; False if the disk does not take it, None if somebody has come or decided."""
        with self._deciding:
            now = self._missing.look().game(game.key)
            if now is None or now.here or side not in now.forfeits:
                return None
            forfeit = Forfeit(
                game.round, game.table, game.white, game.black, side, game.article, who
            )
            try:
                declare(self._folder, forfeit)
            except OSError:
                return False
        return True

    # --- taken back ------------------------------------------------------------------------------

    async def _ask_back(self, request: Request, session: BrowserSession) -> Response:
        """The page before a forfeit is taken back."""
        form = {name: [value] for name, value in request.query_params.items()}
        return await self._sure_back(form, session)

    async def _sure_back(self, form: Form, session: BrowserSession) -> Response:
        declared = (await run_in_threadpool(self._missing.look)).forfeit(_key(form))
        if declared is None:
            return self._refused(form, session)
        return self._page("take-back", session, forfeit=declared.forfeit, time=moment)

    async def _take_back(self, request: Request, session: BrowserSession) -> Response:
        form, say = await form_of(request), catalogue(session.language)
        reason = value_of(form, "reason")[:_LONGEST]
        if not reason:
            session.messages.append((True, say["v_reason_missing"]))
            return await self._sure_back(form, session)
        done = await run_in_threadpool(self._taken_back, form, session.role, reason)
        if done is None:
            return self._refused(form, session)
        key = "hall_taken_back" if done else "hall_not_kept"
        names = {name: value_of(form, name)[:_LONGEST] for name in ("white", "black")}
        session.messages.append((not done, say[key].format(**names)))
        return self._back()

    def _taken_back(self, form: Form, who: str, reason: str) -> bool | None:
        with self._deciding:
            declared = self._missing.look().forfeit(_key(form))
            if declared is None:
                return None
            try:
                take_back(self._folder, declared.forfeit, who, reason)
            except OSError:
                return False
        return True

    # --- when it begins --------------------------------------------------------------------------

    async def _begins(self, request: Request, session: BrowserSession) -> Response:
        """Set when a round begins, or when an adjourned game is resumed."""
        form, say = await form_of(request), catalogue(session.language)
        number, game = value_of(form, "round"), value_of(form, "game")
        try:
            at = time_of(value_of(form, "at"))
            if game:
                await run_in_threadpool(set_resumption, self._folder, game, at, session.role)
            else:
                await run_in_threadpool(set_start, self._folder, number, at, session.role)
        except OSError:
            session.messages.append((True, say["hall_not_kept"]))
        except ValueError as error:
            session.messages.append((True, translated(str(error), session.language)))
        else:
            session.messages.append((False, say["hall_begins_done"].format(time=meant(at))))
        return self._back()

    # --- pages -----------------------------------------------------------------------------------

    def _back(self) -> Response:
        self._changed()
        return RedirectResponse(_ALL, status_code=303)

    def _page(self, name: str, session: BrowserSession, **values: Any) -> Response:
        language = session.language
        messages, session.messages = session.messages, []
        back = NamedLink("all-tables", _ALL, catalogue(language)["hall_all"])
        return HTMLResponse(
            views.render(
                f"hall/{name}.html", language, styles=("hall.css",), theme=session.theme,
                title=self._title, around=(back,), said=messages, state={}, **values,
            )
        )  # fmt: skip


def _key(form: Form) -> tuple[str, str, str]:
    names = (value_of(form, name)[:_LONGEST] for name in ("white", "black"))
    return value_of(form, "round"), *pair_of(*names)
