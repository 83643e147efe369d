"""The tickets that a hall shows: six digits, with which a table fetches its file.

A ticket is for one table, one use and ten minutes. Each exchange counts as one of three tries, also
one that was broken off. So a guess has three chances in a million, and an attacker can time only
three exchanges. The hall prepares its first message before a table asks.
"""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from blindplay.given import read_bytes
from blindplay.six_digits import WrongDigitsError, six_digits

from .event_file import MOST_BYTES
from .protocol import NAME
from .ticket_exchange import HallSide

VALID_S = 600.0
TRIES = 3
_BEGIN, _END = "table-", ".toml"
_MOST_EVENTS = 20


class NoTicketError(ValueError):
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
        found = (path.name for path in self._folder.glob(f"{_BEGIN}*{_END}"))
        names = (name.removeprefix(_BEGIN).removesuffix(_END) for name in found)
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
                ShownTicket(one.table, one.digits, one.wall, len(one.sides))
                for one in self._valid().values()
            ]

    def _valid(self) -> dict[str, _Ticket]:
        now = self._now()
        self._open = {name: one for name, one in self._open.items() if now < one.until}
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
            ticket = next((one for one in self._valid().values() if name in one.begun), None)
            if ticket is None:
                raise NoTicketError
            side = ticket.begun.pop(name)
            content = read_bytes(self._folder / f"{_BEGIN}{ticket.table}{_END}", MOST_BYTES)
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
