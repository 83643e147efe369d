"""The pages on which arbiters declare forfeits and set when a round begins.

A forfeit takes two presses: the first one opens a page that names the players, the result and the
article; the second one, there, does it. A table that is connected and has the game records it, as
any decision of an arbiter; otherwise the hall keeps it.
"""

import threading
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
            Route(f"/hall/{name}", to_session(_with_form(do)), methods=[method])
            for name, method, do in (
                ("forfeit", "GET", self._sure),
                ("forfeit", "POST", self._declare),
                ("take-back", "GET", self._sure_back),
                ("take-back", "POST", self._take_back),
                ("begins", "POST", self._begins),
            )
        ]

    # --- a forfeit -------------------------------------------------------------------------------

    def _sure(self, form: Form, session: BrowserSession) -> Response:
        """The page before a forfeit."""
        side, game = value_of(form, "missing"), self._missing.look().game(_key(form))
        if game is None or side not in game.forfeits:
            return self._refused(form, session)
        articles = cited([game.article], session.language)
        return self._page(
            "forfeit", session, game=game, missing=side, result=RESULTS[side],
            articles=articles, time=moment,
        )  # fmt: skip

    def _declare(self, form: Form, session: BrowserSession) -> Response:
        say, side = catalogue(session.language), value_of(form, "missing")
        game = self._missing.look().game(_key(form))
        if game is None or side not in game.forfeits:
            return self._refused(form, session)
        if not game.passed and not value_of(form, "early"):
            session.messages.append((True, say["hall_forfeit_sooner"]))
            return self._sure(form, session)
        names = {"white": game.white, "black": game.black, "result": RESULTS[side]}
        done: bool | None
        if game.here:
            done, said = self._at_table(game, side, session)
        else:
            done, said = self._in_hall(game, side, session.role), ""
            if done is None:
                return self._refused(form, session)
        words = say["hall_forfeit_done" if done else "hall_not_kept"].format(**names)
        session.messages.append((not done, said or words))
        return self._back()

    def _refused(self, form: Form, session: BrowserSession) -> Response:
        say = catalogue(session.language)
        session.messages.append((True, say["hall_forfeit_gone"].format(**_names(form))))
        return self._back()

    def _at_table(self, game: MissingGame, side: str, session: BrowserSession) -> tuple[bool, str]:
        """Ask the table for it; return whether it was done, and what the table says. It refuses it
        if the player has come meanwhile."""
        language = session.language
        fields = {"act": ["arbiter"], "do": ["forfeit"]}
        fields |= {"player": [side]} if side != "both" else {}
        body = {"language": language, "form": fields}
        try:
            answer = self._hall.request(game.table, session.role, "act", body).result()
        except UnreachableError:
            return False, catalogue(language)["hall_unreachable"].format(table=game.table)
        done = result_of(game.table, language, answer)
        return not done.refused, " ".join(done.sentences)

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

    def _sure_back(self, form: Form, session: BrowserSession) -> Response:
        """The page before a forfeit is taken back."""
        declared = self._missing.look().forfeit(_key(form))
        if declared is None:
            return self._refused(form, session)
        return self._page("take-back", session, forfeit=declared.forfeit, time=moment)

    def _take_back(self, form: Form, session: BrowserSession) -> Response:
        say, reason = catalogue(session.language), value_of(form, "reason")[:_LONGEST]
        if not reason:
            session.messages.append((True, say["v_reason_missing"]))
            return self._sure_back(form, session)
        with self._deciding:
            declared = self._missing.look().forfeit(_key(form))
            if declared is None:
                return self._refused(form, session)
            done = True
            try:
                take_back(self._folder, declared.forfeit, session.role, reason)
            except OSError:
                done = False
        words = say["hall_taken_back" if done else "hall_not_kept"].format(**_names(form))
        session.messages.append((not done, words))
        return self._back()

    # --- when it begins --------------------------------------------------------------------------

    def _begins(self, form: Form, session: BrowserSession) -> Response:
        """Set when a round begins, or when an adjourned game is resumed."""
        say, game = catalogue(session.language), value_of(form, "game")
        try:
            at = time_of(value_of(form, "at"))
            if game:
                set_resumption(self._folder, game, at, session.role)
            else:
                set_start(self._folder, value_of(form, "round"), at, session.role)
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
        back = NamedLink("all-tables", _ALL, catalogue(session.language)["hall_all"])
        page = views.session_page(
            f"hall/{name}.html", session, styles=("hall.css",), title=self._title, around=(back,),
            **values,
        )  # fmt: skip
        return HTMLResponse(page)


def _with_form(do: Callable[[Form, BrowserSession], Response]) -> Answering:
    """Do it with the fields that were sent, in another thread: it reads files, and may wait for a
    table."""

    async def answer(request: Request, session: BrowserSession) -> Response:
        asked: Form = {name: [value] for name, value in request.query_params.items()}
        form = await form_of(request) if request.method == "POST" else asked
        return await run_in_threadpool(do, form, session)

    return answer


def _names(form: Form) -> dict[str, str]:
    return {name: value_of(form, name)[:_LONGEST] for name in ("white", "black")}


def _key(form: Form) -> tuple[str, str, str]:
    return value_of(form, "round"), *pair_of(**_names(form))
