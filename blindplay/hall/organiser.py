"""The pages of a hall beside the overview: machines, the report of the round, evidence, tickets."""

import time
from asyncio import wrap_future
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from blindplay.console import views
from blindplay.console.access import BrowserSession
from blindplay.console.actions import value_of
from blindplay.console.door import Answering
from blindplay.console.limits import is_here
from blindplay.console.messages import catalogue
from blindplay.console.requests import form_of
from blindplay.console.views import NamedLink
from blindplay.given import plain

from .evidence import evidence
from .hall import Hall
from .machines import COLUMNS, machines
from .overview import natural
from .protocol import RequestAnswer
from .requests import UnreachableError
from .round_report import Reporter, as_csv
from .tickets import Tickets

ToSession = Callable[[Answering], Callable[[Request], Awaitable[Response]]]


class OrganiserPages:
    """The pages beside the overview. ``title``: the name of the event; ``tickets`` None: the hall
    has no files of tables."""

    def __init__(self, hall: Hall, title: str, tickets: Tickets | None) -> None:
        self._hall, self._title, self._tickets = hall, title, tickets
        self._follower = hall.follower
        self._reporter = Reporter(hall.follower)

    def routes(self, to_session: ToSession) -> list[BaseRoute]:
        """Their addresses; ``to_session`` admits browsers with a session."""
        found: list[BaseRoute] = [
            Route("/hall/machines", to_session(self._machines)),
            Route("/hall/report", to_session(self._report)),
            Route("/hall/report.csv", to_session(self._report)),
            Route("/hall/evidence", to_session(self._evidence)),
            Route("/hall/sign", to_session(self._sign), methods=["POST"]),
        ]
        if self._tickets is not None:
            found += [
                Route("/hall/tickets", to_session(self._tickets_page)),
                Route("/hall/ticket", to_session(self._show_ticket), methods=["POST"]),
            ]
        return found

    def links(self, language: str) -> list[NamedLink]:
        """Links to these pages."""
        names = ["machines", "report", "evidence"]
        names += [] if self._tickets is None else ["tickets"]
        return [NamedLink(name, name, catalogue(language)[f"hall_{name}"]) for name in names]

    async def _machines(self, request: Request, session: BrowserSession) -> Response:
        """The page of the data about each table's machine."""
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

    async def _evidence(self, request: Request, session: BrowserSession) -> Response:
        """The page of each journal's signatures."""
        games = await run_in_threadpool(evidence, self._follower)
        said, session.messages = session.messages, []
        return self._beside("evidence", session, games=games, said=said)

    async def _sign(self, request: Request, session: BrowserSession) -> Response:
        """Ask a table to sign its journal as it is now."""
        table, say = value_of(await form_of(request), "table"), catalogue(session.language)
        try:
            answer = await wrap_future(self._hall.request(table, session.role, "sign", {}))
        except UnreachableError:
            session.messages.append((True, say["hall_unreachable"].format(table=plain(table))))
        else:
            session.messages.append(self._signed(table, answer, say))
        return RedirectResponse("/hall/evidence", status_code=303)

    @staticmethod
    def _signed(table: str, answer: RequestAnswer, say: Mapping[str, str]) -> tuple[bool, str]:
        """Return the result of the request: whether it was refused, and a sentence."""
        if answer.status == "done":
            return False, say["hall_signed_now"].format(table=table, lines=answer.n)
        if answer.status == "refused":
            return True, say["hall_not_signed"].format(table=table)
        return True, say[f"hall_{answer.status}"].format(table=table)

    async def _tickets_page(self, request: Request, session: BrowserSession) -> Response:
        """The page of the open tickets and of the uses of tickets."""
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
