"""Tickets: six digits that a hall shows, with which a table fetches its file.

A ticket is for one table, one use and ten minutes. Each exchange counts as one of three tries, also
an exchange that was broken off. So a guess has three chances in a million, and an attacker can time
only three exchanges. The hall prepares its first message before a table asks.

The file travels encrypted with the key on which both sides agree (:mod:`blindplay.six_digits`). It
holds the certificate by which the table knows the broker, so the exchange needs no certificate.
"""

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from blindplay.console.access import RateLimiter
from blindplay.console.actions import value_of
from blindplay.console.requests import address_of, form_of
from blindplay.given import EVENT, read_bytes
from blindplay.six_digits import DigitsSide, WrongDigitsError, six_digits
from blindplay.translation import UserError

from .protocol import NAME

OPEN, BEGIN, FILE = "/ticket/open", "/ticket/begin", "/ticket/file"
"""Addresses of the three steps; docs/development/hall-protocol.md describes them."""
_TABLE, _HALL = b"blindplay table 1", b"blindplay hall 1 "


class TableSide(DigitsSide):
    """The side of ``table``, which knows the ``digits``."""

    def __init__(self, digits: str, table: str, *, first: bool = True) -> None:
        names = _TABLE, _HALL + table.encode()
        super().__init__(digits, names, _TABLE + _HALL, first=first)
        self.table = table

    @property
    def proof(self) -> bytes:
        """The proof for the hall that the table knows the ticket."""
        return self.shows(_TABLE + self.table.encode())

    def opened(self, sealed: bytes) -> bytes:
        """Return the content that the hall has sealed.

        :raises WrongDigitsError: if another hall than that of the ticket has sealed it.
        """
        return self.unseal(sealed, self.table.encode())


class HallSide(TableSide):
    """The side of the hall that has shown the ``digits`` for ``table``."""

    def __init__(self, digits: str, table: str) -> None:
        super().__init__(digits, table, first=False)

    def sealed(self, proof: bytes, content: bytes) -> bytes:
        """Return ``content``, readable only for the table that has given this ``proof``.

        :raises WrongDigitsError: if it does not know the ticket.
        """
        if not hmac.compare_digest(proof, self.proof):
            raise WrongDigitsError
        return self.seal(content, self.table.encode())


VALID_S = 600.0
TRIES = 3
_PREFIX, _SUFFIX = "table-", ".toml"
_MOST_EVENTS = 20


class NoTicketError(UserError):
    """There is no such ticket, or no such exchange."""


@dataclass(frozen=True)
class TicketEvent:
    """An event of a ticket: it was ``used``, or a table gave ``wrong`` digits."""

    kind: str
    table: str
    wall: float
    """The hall's time of day."""
    address: str
    """The address of the machine that did it."""


@dataclass
class _Ticket:
    table: str
    digits: str
    until: float
    wall: float
    sides: list[HallSide]
    """One for each try that is left."""
    begun: dict[str, HallSide] = field(default_factory=dict)


@dataclass(frozen=True)
class ShownTicket:
    """An open ticket: ``wall`` is the hall's time of day at its end."""

    table: str
    digits: str
    wall: float
    tries: int


class Tickets:
    """The tickets of the tables whose files, ``table-NAME.toml``, are in ``folder``. Safe to use
    from several threads."""

    def __init__(
        self,
        folder: Path,
        address: str,
        now: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.address = address
        """The hall's address for tables: a host and a port."""
        self._folder, self._now, self._wall = folder, now, wall
        self._open: dict[str, _Ticket] = {}
        self._lock = threading.Lock()
        self.events: list[TicketEvent] = []
        """The events of the tickets, the newest last."""
        self.wrong = 0
        """The number of exchanges with wrong digits."""

    def tables(self) -> list[str]:
        """The tables that can have a ticket."""
        files = (path.name for path in self._folder.glob(f"{_PREFIX}*{_SUFFIX}"))
        names = (name.removeprefix(_PREFIX).removesuffix(_SUFFIX) for name in files)
        return [name for name in names if NAME.fullmatch(name)]

    def show(self, table: str) -> None:
        """Open a new ticket for ``table``; it ends the one before.

        :raises KeyError: if there is no file for this table.
        """
        if table not in self.tables():
            raise KeyError(table)
        digits = six_digits()
        sides = [HallSide(digits, table) for _ in range(TRIES)]
        with self._lock:
            until, wall = self._now() + VALID_S, self._wall() + VALID_S
            self._open[table] = _Ticket(table, digits, until, wall, sides)

    def shown(self) -> list[ShownTicket]:
        """The tickets that are open, also those whose tries are used up."""
        with self._lock:
            return [
                ShownTicket(ticket.table, ticket.digits, ticket.wall, len(ticket.sides))
                for ticket in self._valid().values()
            ]

    def _valid(self) -> dict[str, _Ticket]:
        now = self._now()
        self._open = {name: ticket for name, ticket in self._open.items() if now < ticket.until}
        return self._open

    def begin(self, table: str, message: bytes) -> tuple[str, bytes]:
        """Begin an exchange for ``table``. Return a name for it, and the hall's message.

        :raises NoTicketError: if there is no ticket for this table.
        :raises WrongDigitsError: if ``message`` is invalid.
        """
        with self._lock:
            ticket = self._valid().get(table)
            if ticket is None or not ticket.sides:
                raise NoTicketError
            side = ticket.sides.pop()
        side.agree(message)
        name = secrets.token_hex(8)
        ticket.begun[name] = side
        return name, side.message

    def file(self, name: str, proof: bytes, address: str) -> bytes:
        """The sealed file for the table that has given this ``proof`` in the exchange ``name``. It
        ends the ticket.

        :raises NoTicketError: if there is no such exchange.
        :raises WrongDigitsError: if the table does not know the ticket.
        :raises ValueError, OSError: if the file cannot be read.
        """
        with self._lock:
            ticket = next(
                (ticket for ticket in self._valid().values() if name in ticket.begun), None
            )
            if ticket is None:
                raise NoTicketError
            side = ticket.begun.pop(name)
            content = read_bytes(self._folder / f"{_PREFIX}{ticket.table}{_SUFFIX}", EVENT)
            try:
                sealed = side.sealed(proof, content)
            except WrongDigitsError:
                self._note("wrong", ticket, address)
                raise
            self._note("used", ticket, address)
            del self._open[ticket.table]
            return sealed

    def _note(self, kind: str, ticket: _Ticket, address: str) -> None:
        self.wrong += kind == "wrong"
        self.events.append(TicketEvent(kind, ticket.table, self._wall(), address))
        del self.events[:-_MOST_EVENTS]


class TicketRoutes:
    """The addresses at which tables use ``tickets``. They are not for browsers."""

    def __init__(self, tickets: Tickets) -> None:
        self._tickets = tickets
        self._limit = RateLimiter(a_second=1, at_once=20)

    @property
    def routes(self) -> list[BaseRoute]:
        return [
            Route(OPEN, self._open),
            Route(BEGIN, self._begin, methods=["POST"]),
            Route(FILE, self._file, methods=["POST"]),
        ]

    async def _open(self, request: Request) -> Response:
        """The tables that have a ticket."""
        return JSONResponse(
            {"tables": [ticket.table for ticket in self._tickets.shown() if ticket.tries]}
        )

    async def _begin(self, request: Request) -> Response:
        if not self._limit.take(address_of(request)):
            return JSONResponse({}, 429)
        form = await form_of(request)
        try:
            exchange, message = await run_in_threadpool(
                self._tickets.begin,
                value_of(form, "table"),
                bytes.fromhex(value_of(form, "message")),
            )
        except NoTicketError:
            return JSONResponse({}, 404)
        except ValueError:
            return JSONResponse({}, 400)
        return JSONResponse({"exchange": exchange, "message": message.hex()})

    async def _file(self, request: Request) -> Response:
        form = await form_of(request)
        try:
            sealed = await run_in_threadpool(
                self._tickets.file,
                value_of(form, "exchange"),
                bytes.fromhex(value_of(form, "proof")),
                address_of(request),
            )
        except WrongDigitsError:
            return JSONResponse({}, 403)
        except NoTicketError:
            return JSONResponse({}, 404)
        except (ValueError, OSError):
            return JSONResponse({}, 400)
        return JSONResponse({"file": sealed.hex()})
