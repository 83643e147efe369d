"""The pages of a hall for its organiser: machines, the report of the round, tickets."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from blindplay.console import views
from blindplay.console.access import BrowserSession
from blindplay.console.actions import value_of
from blindplay.console.app import form_of
from blindplay.console.limits import is_here
from blindplay.console.messages import catalogue
from blindplay.console.views import NamedLink

from .follower import Follower
from .machines import COLUMNS, machines
from .overview import natural
from .round_report import Reporter, as_csv
from .tickets import Tickets

Answering = Callable[[Request, BrowserSession], Awaitable[Response]]
ToSession = Callable[[Answering], Callable[[Request], Awaitable[Response]]]


class OrganiserPages:
    """The pages beside the overview. ``title``: the name of the event; ``tickets`` None: the hall
    has no files of tables."""

    def __init__(self, follower: Follower, title: str, tickets: Tickets | None) -> None:
        self._follower, self._title, self._tickets = follower, title, tickets
        self._reporter = Reporter(follower)

    def routes(self, to_session: ToSession) -> list[BaseRoute]:
        """Their addresses; ``to_session`` lets in who has a session."""
        found: list[BaseRoute] = [
            Route("/hall/machines", to_session(self._machines)),
            Route("/hall/report", to_session(self._report)),
            Route("/hall/report.csv", to_session(self._report)),
        ]
        if self._tickets is not None:
            found += [
                Route("/hall/tickets", to_session(self._tickets_page)),
                Route("/hall/ticket", to_session(self._show_ticket), methods=["POST"]),
            ]
        return found

    def links(self, language: str) -> list[NamedLink]:
        """Links to these pages."""
        names = ["machines", "report", *(["tickets"] if self._tickets is not None else [])]
        return [NamedLink(name, name, catalogue(language)[f"hall_{name}"]) for name in names]

    async def _machines(self, request: Request, session: BrowserSession) -> Response:
        """What each table's machine has."""
        found = machines(self._follower, session.language)
        return self._beside("machines", session, tables=found, columns=COLUMNS)

    async def _report(self, request: Request, session: BrowserSession) -> Response:
        """The report of the round, as a page or for a spreadsheet."""
        report = await run_in_threadpool(self._reporter.report, session.language)
        if not request.url.path.endswith("csv"):
            return self._beside("report", session, report=report)
        headers = {"content-disposition": 'attachment; filename="round.csv"'}
        # With its mark, spreadsheets read UTF-8.
        text = "\ufeff" + as_csv(report, session.language)
        return Response(text, media_type="text/csv; charset=utf-8", headers=headers)

    async def _tickets_page(self, request: Request, session: BrowserSession) -> Response:
        """The tickets that are open, and what came of the others."""
        assert self._tickets is not None
        with self._follower.lock:
            online = {table.name for table in self._follower.tables.values() if table.online}
        shown = sorted(self._tickets.shown(), key=lambda one: natural(one.table))
        names = sorted(await run_in_threadpool(self._tickets.tables), key=natural)
        return self._beside(
            "tickets", session, shown=shown, address=self._tickets.address,
            here=is_here(self._tickets.address.rpartition(":")[0]),
            tables=[name for name in names if name not in online],
            events=self._tickets.events[::-1], time=_hour,
        )  # fmt: skip

    async def _show_ticket(self, request: Request, session: BrowserSession) -> Response:
        assert self._tickets is not None
        table = value_of(await form_of(request), "table")
        if table in await run_in_threadpool(self._tickets.tables):
            await run_in_threadpool(self._tickets.show, table)
        return RedirectResponse("/hall/tickets", status_code=303)

    def _beside(self, name: str, session: BrowserSession, **values: Any) -> Response:
        """A further page, with the way back."""
        language = session.language
        way = NamedLink("all-tables", "./", catalogue(language)["hall_all"])
        return HTMLResponse(
            views.render(
                f"hall/{name}.html", language, styles=("hall.css",), theme=session.theme,
                title=self._title, around=(way,), **values,
            )
        )  # fmt: skip


def _hour(wall: float) -> str:
    return time.strftime("%H:%M", time.localtime(wall))
