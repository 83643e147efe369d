"""The pages of a hall beside the overview: machines, the round's report, signatures, tickets."""

import contextlib
import time
from asyncio import wrap_future
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from blindplay.console import views
from blindplay.console.access import BrowserSession
from blindplay.console.actions import value_of
from blindplay.console.limits import is_here
from blindplay.console.messages import catalogue
from blindplay.console.requests import form_of
from blindplay.console.sign_in import Answering
from blindplay.console.views import NamedLink
from blindplay.given import plain
from blindplay.laws.facts import SIDES
from blindplay.record import signatures

from .follower import Follower
from .hall import Hall
from .overview import hour, natural
from .pairings.round_report import Reporter, as_csv
from .protocol import RequestAnswer
from .requests import UnreachableError
from .tickets import Tickets

# --- the machines of all tables ------------------------------------------------------------------

COLUMNS = ("table", "boards", "power", "microphone", "models", "voice", "version", "seen")


@dataclass(frozen=True)
class ShownMachine:
    """A table's machine in words; an empty text for unknown values."""

    table: str
    cells: tuple[tuple[str, str], ...]
    """The name of each column except the first, and its text."""
    online: bool
    silent_s: int | None
    """Seconds since its last message; None if there is none since the hall began."""


def machines(follower: Follower, language: str) -> list[ShownMachine]:
    """All tables of a hall, table 9 before table 10."""
    now, shown = time.monotonic(), []
    with follower.lock:
        for name in sorted(follower.tables, key=natural):
            table = follower.tables[name]
            about = table.presence.about if table.presence is not None else {}
            silent = round(now - table.heard_at) if table.heard_at else None
            words = _in_words(about, language)
            cells = tuple((column, words[column]) for column in COLUMNS[1:-1])
            shown.append(ShownMachine(name, cells, table.online, silent))
    return shown


def _in_words(about: dict[str, Any], language: str) -> dict[str, str]:
    """A table's description of its machine in words. It is not trusted: it may hold anything."""
    say = catalogue(language)
    boards, models = about.get("boards"), about.get("models")
    supply, percent = about.get("power"), about.get("battery")
    power = [say[f"hall_power_{supply}"]] if supply in ("mains", "battery") else []
    power += [f"{percent} %"] if type(percent) is int else []
    boards = boards if isinstance(boards, dict) else {}
    return {
        "boards": "; ".join(
            f"{say[side]}: {_text(boards[side]) or say['hall_not_online']}"
            for side in SIDES
            if side in boards
        ),
        "power": ", ".join(power),
        "microphone": _text(about.get("microphone")),
        "models": ", ".join(map(_text, models)) if isinstance(models, list) else "",
        "voice": _text(about.get("voice")),
        "version": _text(about.get("version")),
    }


def _text(value: Any) -> str:
    return value[:100] if isinstance(value, str) else ""


# --- signatures ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShownEvidence:
    """The signatures of a table's game."""

    table: str
    white: str
    black: str
    lines: int
    """The number of lines in the hall's copy."""
    signed: int
    """The number of the last signed line; 0: none is signed."""
    at: str
    """The table's time of day at its last signature; empty without one."""


def evidence(follower: Follower) -> list[ShownEvidence]:
    """Return the games with copies at the hall, table 9 before table 10."""
    with follower.lock:
        games = [
            (table.name, table.head, table.copy)
            for table in follower.tables.values()
            if table.head is not None and table.copy is not None and not table.waits
        ]
    shown = []
    for name, head, copy in sorted(games, key=lambda game: natural(game[0])):
        newest = None
        with contextlib.suppress(OSError, signatures.SignatureError):
            signed = map(signatures.read_line, signatures.lines_of(copy.path))
            newest = max(signed, key=lambda statement: statement.n, default=None)
        at = hour(newest.wall) if newest else ""
        number = newest.n if newest else 0
        shown.append(ShownEvidence(name, head.white, head.black, copy.number, number, at))
    return shown


# --- the pages -----------------------------------------------------------------------------------

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
        routes: list[BaseRoute] = [
            Route("/hall/machines", to_session(self._machines)),
            Route("/hall/report", to_session(self._report)),
            Route("/hall/report.csv", to_session(self._report)),
            Route("/hall/evidence", to_session(self._evidence)),
            Route("/hall/sign", to_session(self._sign), methods=["POST"]),
        ]
        if self._tickets is not None:
            routes += [
                Route("/hall/tickets", to_session(self._tickets_page)),
                Route("/hall/ticket", to_session(self._show_ticket), methods=["POST"]),
            ]
        return routes

    def links(self, language: str) -> list[NamedLink]:
        """Links to these pages."""
        names = ["machines", "report", "evidence"]
        names += [] if self._tickets is None else ["tickets"]
        return [NamedLink(name, name, catalogue(language)[f"hall_{name}"]) for name in names]

    async def _machines(self, request: Request, session: BrowserSession) -> Response:
        """The page of the data about each table's machine."""
        shown = machines(self._follower, session.language)
        return self._beside("machines", session, tables=shown, columns=COLUMNS)

    async def _report(self, request: Request, session: BrowserSession) -> Response:
        """The report of a round, as a page or for a spreadsheet."""
        asked = request.query_params.get("round", "")
        report = await run_in_threadpool(self._reporter.report, session.language, asked)
        if not request.url.path.endswith("csv"):
            return self._beside("report", session, report=report, asked=asked)
        headers = {"content-disposition": 'attachment; filename="round.csv"'}
        # With its mark, spreadsheets read UTF-8.
        text = "\ufeff" + as_csv(report, session.language)
        return Response(text, media_type="text/csv; charset=utf-8", headers=headers)

    async def _evidence(self, request: Request, session: BrowserSession) -> Response:
        """The page of each journal's signatures."""
        games = await run_in_threadpool(evidence, self._follower)
        return self._beside("evidence", session, games=games)

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
        shown = sorted(self._tickets.shown(), key=lambda ticket: natural(ticket.table))
        names = sorted(await run_in_threadpool(self._tickets.tables), key=natural)
        return self._beside(
            "tickets", session, shown=shown, address=self._tickets.address,
            here=is_here(self._tickets.address.rpartition(":")[0]),
            tables=[name for name in names if name not in online],
            events=self._tickets.events[::-1], time=hour,
        )  # fmt: skip

    async def _show_ticket(self, request: Request, session: BrowserSession) -> Response:
        assert self._tickets is not None
        table = value_of(await form_of(request), "table")
        if table in await run_in_threadpool(self._tickets.tables):
            await run_in_threadpool(self._tickets.show, table)
        return RedirectResponse("/hall/tickets", status_code=303)

    def _beside(self, name: str, session: BrowserSession, **values: Any) -> Response:
        """A further page, with a link back to the overview."""
        back = NamedLink("all-tables", "./", catalogue(session.language)["hall_all"])
        page = views.session_page(
            f"hall/{name}.html", session, styles=("hall.css",), title=self._title, around=(back,),
            **values,
        )  # fmt: skip
        return HTMLResponse(page)
