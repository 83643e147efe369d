"""The public page: the game as it was some time ago, for everybody, without a link.

The delay keeps it from helping a player. The page shows what a second game shows that takes each
fact when the delay has passed since; so nothing newer can be in it. One rendering serves all
readers.
"""

import dataclasses
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import chess
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from blindplay.language import About, Command, load
from blindplay.laws import Game
from blindplay.laws import rulings as r
from blindplay.laws.facts import SIDES
from blindplay.record.score import pgn
from blindplay.wording.announcements import result_in_words
from blindplay.wording.pack_words import PackWords
from blindplay.wording.position import look

from . import PUBLIC_DELAY_S, views
from .access import RateLimiter
from .messages import catalogue, negotiate
from .pages import boards, common
from .pieces import rows
from .table_port import TablePort

PATH = "/public/"
_STYLES = ("board.css", "public.css")
# A reader's connection would take the place of somebody at the table.
_HEADERS = {"connection": "close", "vary": "accept-language"}


@dataclass(frozen=True)
class Audience:
    """What everybody may see: the game ``delay`` seconds later, with the players' ``names`` or
    without them."""

    delay: int = PUBLIC_DELAY_S
    names: bool = False


class DelayedGame:
    """The game of ``table`` as it was ``delay`` ms ago. Safe to use from several threads."""

    def __init__(self, table: TablePort, delay: int) -> None:
        self._table, self._delay = table, delay
        self.lock = threading.RLock()
        """Held while facts are applied. Hold it to read a consistent game."""
        self.game = Game(PackWords())
        self.taken = 0
        """How many facts it has taken."""
        self.reason = ""
        """Why it ended; empty if it has not."""

    def catch_up(self) -> int:
        """Take what has come due. The time of the delayed game, in ms; negative before its begin.
        Hold the lock."""
        now, log = self._table.time() - self._delay, self._table.log
        while self.taken < len(log) and log[self.taken].fact.t <= now:
            for ruling in self.game.apply(log[self.taken].fact):
                if isinstance(ruling, r.GameOver):
                    self.reason = ruling.reason
            self.taken += 1
        return now


@dataclass
class _Rendered:
    """The page's changing part in one language, as it is for one second."""

    taken: int = -1
    values: Mapping[str, Any] = field(default_factory=dict)
    second: int = -1
    html: str = ""


class PublicPage:
    """Serves the page, its changes and its PGN, each to any number of readers."""

    def __init__(self, table: TablePort, audience: Audience) -> None:
        self._audience = audience
        self._delayed = DelayedGame(table, audience.delay * 1000)
        self._rendered: dict[str, _Rendered] = {}
        self.asking = RateLimiter(a_second=4, at_once=40)
        self.asking_all = RateLimiter(a_second=200, at_once=400)
        self.routes = [
            Route(PATH, self._limited(self._whole)),
            Route(f"{PATH}now", self._limited(self._changes)),
            Route(f"{PATH}past", self._limited(self._past)),
            Route(f"{PATH}game.pgn", self._limited(self._pgn)),
        ]

    def _limited(self, answer: Any) -> Any:
        async def route(request: Request) -> Response:
            client = request.client.host if request.client else ""
            if not (self.asking.take(client) and self.asking_all.take("")):
                headers = {**_HEADERS, "retry-after": "5"}
                return Response(status_code=429, headers=headers)
            language = negotiate(request.headers.get("accept-language", ""))
            found: Response = await run_in_threadpool(answer, request, language)
            found.headers.update(_HEADERS)
            return found

        return route

    def _part(self, language: str) -> tuple[int, int, str]:
        """The time of the delayed game in ms, how many facts it has taken, and the HTML."""
        with self._delayed.lock:
            now = self._delayed.catch_up()
            kept = self._rendered.setdefault(language, _Rendered())
            game, second, outdated = self._delayed.game, now // 1000, False
            if kept.taken != self._delayed.taken:
                kept.taken, outdated = self._delayed.taken, True
                kept.values = self._values(game, language)
            if outdated or kept.second != second:
                clocks = [_at(one, now) for one in common.clocks(game)] if kept.values else []
                clock = {one.side: one for one in clocks}
                values = {"begun": bool(kept.values), "clock": clock, **kept.values}
                kept.second = second
                kept.html = views.render("public_part.html", language, **values)
            return now, kept.taken, kept.html

    def _values(self, game: Game, language: str) -> Mapping[str, Any]:
        """What changes only with a fact; nothing before the set-up."""
        if game.setup is None:
            return {}
        pack = load(language)
        last = common.last_announced(game, language)
        return {
            "status": common.status(game, language),
            "ended": result_in_words(pack, game.result) if game.result else "",
            "last": last,
            "announced_in": common.spoken_in(game),
            "names": {side: self._name(game, side, language) for side in SIDES},
            "rows": rows(game.position_pieces(), language, black_below=False),
            "moved": {chess.square_name(square) for square in common.squares_of(last)},
            "in_words": look(pack, game, "white", Command.POSITION, About()),
            "moves": [
                common.told(game, common.Played(ply.before, ply.move, ply.side), language)
                for ply in game.history
            ],
        }

    def _name(self, game: Game, side: str, language: str) -> str:
        shown = self._audience.names
        return common.name_of(game, side, language) if shown else catalogue(language)[side]

    def _whole(self, request: Request, language: str) -> Response:
        now, taken, part = self._part(language)
        delay = load(language).duration(self._audience.delay * 1000)
        return HTMLResponse(
            views.render(
                "public.html",
                language,
                styles=_STYLES,
                part=part,
                now=now,
                taken=taken,
                delay=delay if self._audience.delay else "",
            )
        )

    def _changes(self, request: Request, language: str) -> Response:
        now, taken, part = self._part(language)
        found: dict[str, Any] = {"now": now, "taken": taken}
        if request.query_params.get("taken") != str(taken):
            found["html"] = part
        return JSONResponse(found)

    def _past(self, request: Request, language: str) -> Response:
        with self._delayed.lock:
            self._delayed.catch_up()
            if self._delayed.game.setup is None:
                return Response(status_code=404)
            ply = request.query_params.get("ply", "")
            past = boards.position_after(self._delayed.game, "public", language, ply)
        return HTMLResponse(
            views.render("past/whole_past.html", language, styles=_STYLES, past=past)
        )

    def _pgn(self, request: Request, language: str) -> Response:
        with self._delayed.lock:
            self._delayed.catch_up()
            game = self._delayed.game
            if game.setup is None:
                return Response(status_code=404)
            hidden = {} if self._audience.names else {"White": "?", "Black": "?"}
            text = pgn(game, self._delayed.reason, hidden)
        headers = {"content-disposition": 'inline; filename="game.pgn"'}
        return Response(f"{text}\n", media_type="application/vnd.chess-pgn", headers=headers)


def _at(clock: common.ShownClock, now: int) -> common.ShownClock:
    """A clock as it stands at ``now``."""
    if not clock.runs:
        return clock
    return dataclasses.replace(clock, left=clock.left - max(0, now - clock.at), at=now)
