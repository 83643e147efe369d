"""The addresses at which a table with a ticket fetches its file. They are not for browsers."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from blindplay.console.access import RateLimiter
from blindplay.console.actions import value_of
from blindplay.console.requests import address_of, form_of
from blindplay.six_digits import WrongDigitsError

from .ticket_exchange import BEGIN, FILE, OPEN
from .tickets import NoTicketError, Tickets


class TicketDoors:
    """The addresses for tables with ``tickets``."""

    def __init__(self, tickets: Tickets) -> None:
        self._tickets = tickets
        self._asking = RateLimiter(a_second=1, at_once=20)

    @property
    def routes(self) -> list[BaseRoute]:
        return [
            Route(OPEN, self._open),
            Route(BEGIN, self._begin, methods=["POST"]),
            Route(FILE, self._file, methods=["POST"]),
        ]

    async def _open(self, request: Request) -> Response:
        """The tables that have a ticket."""
        return JSONResponse({"tables": [one.table for one in self._tickets.shown() if one.tries]})

    async def _begin(self, request: Request) -> Response:
        if not self._asking.take(address_of(request)):
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
