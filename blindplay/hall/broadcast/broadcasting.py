"""The broadcast of a hall: pages for everybody, files for other programs, and pushes to Lichess.

The part ``[broadcast]`` of the hall's event file says what it shows, and where.
"""

import logging
import math
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from blindplay.console import PUBLIC_DELAY_S, assets
from blindplay.console.encryption import Encryption
from blindplay.console.limits import Guard
from blindplay.console.public import PATH, Audience
from blindplay.console.requests import INCOMPRESSIBLE
from blindplay.console.server import PageServer
from blindplay.given import EVENT, read_bytes, read_toml
from blindplay.laws import time_controls
from blindplay.translation import UserError, _

from ..event_file import check_keys, text_of
from ..follower import Follower
from .delayed import DelayedHall
from .lichess_push import LichessPush, LichessRounds, lichess_rounds
from .lists import EventLists
from .livechess_folder import LiveChessFolder
from .spectators import SpectatorsPages

_MOST_DELAY_S = 86_400
_KEYS = {"delay", "names", "folder", "report", "lichess"}


@dataclass(frozen=True)
class BroadcastSettings:
    """The part ``[broadcast]`` of an event file."""

    audience: Audience = field(default_factory=Audience)
    folder: Path | None = None
    """The folder for the files of broadcasting programs; None: no such files."""
    lichess: LichessRounds | None = None
    report: Path | None = None
    """The report file of the pairing program, for the lists; None: there is none."""


def read_broadcast(path: Path) -> BroadcastSettings:
    """The settings in the event file at ``path``. Without the part ``[broadcast]`` there are only
    pages, without names and with the usual delay. Paths are relative to the file's folder.

    :raises ValueError: one sentence, if it cannot be read or something in it is wrong.
    """
    values = read_toml(read_bytes(path, EVENT), str(path)).get("broadcast", {})
    try:
        check_keys(values, _KEYS, "[broadcast]")
        names = values.get("names", False)
        if type(names) is not bool:
            raise UserError("names must be true or false.")
        folder, report = text_of(values, "folder"), text_of(values, "report")
        lichess = values.get("lichess")
        return BroadcastSettings(
            audience=Audience(_delay(values.get("delay")), names),
            folder=path.parent / folder if folder else None,
            report=path.parent / report if report else None,
            lichess=None if lichess is None else lichess_rounds(lichess, path.parent),
        )
    except ValueError as error:
        raise UserError("Correct {path}: {error}", path=path, error=error) from None


def _delay(value: Any) -> int:
    """The delay in seconds, rounded up."""
    if value is None:
        return PUBLIC_DELAY_S
    if type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        raise UserError('delay must be a time in quotes, such as "15m".')
    seconds = math.ceil(time_controls.read_length(value) / 1000)
    if seconds > _MOST_DELAY_S:
        raise UserError('delay must be at most a day, "24h".')
    return seconds


_LOG = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())
_TICK_S = 0.25


class Broadcast:
    """Shows the games of a hall to everybody until it is closed."""

    def __init__(
        self,
        follower: Follower,
        settings: BroadcastSettings,
        title: str,
        pairings: Path | None = None,
    ) -> None:
        """``pairings``: the folder in which the hall keeps the pairings; None: the follower's.

        :raises ValueError: if the token for Lichess cannot be used.
        """
        self._push = LichessPush(settings.lichess) if settings.lichess else None
        self._folder = LiveChessFolder(settings.folder, title) if settings.folder else None
        self.hall = DelayedHall(follower, settings.audience, title)
        self._lists = None
        if settings.audience.names:
            self._lists = EventLists(pairings or follower.folder, settings.report, self.hall)
        self.pages = SpectatorsPages(self.hall, title, self._lists)
        self._pushed = self._fault = ""
        self._closing = threading.Event()
        works = [self._work, *([self._work_push] if self._push else [])]
        self._threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in self._threads:
            thread.start()

    def notices(self) -> list[str]:
        """Sentences for the organiser that hold now."""
        notices = [self._fault, self._pushed]
        if self._folder is not None and self._folder.trouble:
            notices.append(
                _(
                    "The files of the broadcast cannot be written ({trouble}); check the "
                    "disk and the folder.",
                    trouble=self._folder.trouble,
                )
            )
        if self._lists is not None:
            notices += [self._lists.trouble, *self._lists.remarks]
        notices += [
            _("Table {table}: {trouble}", table=board.table, trouble=board.past.trouble)
            for board in self.hall.boards()
            if board.past.trouble
        ]
        return [notice for notice in notices if notice]

    def close(self) -> None:
        self._closing.set()
        self.pages.close()
        for thread in self._threads:
            thread.join(timeout=5)
        self.hall.close()

    def _work(self) -> None:
        while not self._closing.wait(_TICK_S):
            try:
                self.hall.catch_up()
                self.pages.update()
                if self._folder is not None:
                    self._folder.write(self.hall.games())
            except Exception:  # the next round tries again
                _LOG.exception("The broadcast failed.")
                self._fault = _("The broadcast has a fault; start it again, and report it.")

    def _work_push(self) -> None:
        assert self._push is not None
        while not self._closing.wait(_TICK_S):
            if time.monotonic() < self._push.due:
                continue
            try:
                rounds: dict[int, list[str]] = {}
                for board in self.hall.games():
                    rounds.setdefault(board.round, []).append(board.pgn())
                self._pushed = self._push.push(rounds) or self._pushed
            except Exception:
                _LOG.exception("The push failed.")
                self._fault = _("The broadcast has a fault; start it again, and report it.")


class PublicHost(PageServer):
    """Serves only the pages for everybody, at ``host`` and ``port``, until it is closed."""

    hears = False

    def __init__(
        self,
        pages: SpectatorsPages,
        host: str,
        port: int,
        certificate: Encryption | None = None,
    ) -> None:
        """:raises ConsoleError: if nothing can listen there, or not with this certificate."""
        super().__init__(host, port, certificate)
        self._pages = pages
        self.start(
            Starlette(
                routes=[
                    Route("/", _redirect),
                    Route("/static/{digest}/{name}", assets.serve),
                    *pages.routes,
                ],
                middleware=[
                    Middleware(Guard, allows=lambda request: True, trouble=_trouble),
                    Middleware(GZipMiddleware, exclude_content_types=INCOMPRESSIBLE),
                ],
            )
        )

    @property
    def url(self) -> str:
        return f"{super().url}{PATH}"

    def close(self) -> None:
        self._pages.close()
        super().close()


async def _redirect(request: Request) -> Response:
    return RedirectResponse(PATH)


def _trouble(request: Request, key: str, status: int) -> Response:
    return Response(status_code=status)
