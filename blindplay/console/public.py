"""The public page: the game as it was some time ago, for everybody, without a link.

The delay keeps it from helping a player. The page comes from a second game, which takes each
fact after the delay, so the page cannot hold newer facts. One rendering serves all
readers.
"""

import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from blindplay.language import About, Command, load
from blindplay.laws import Fact, Game
from blindplay.laws import rulings as r
from blindplay.laws.due import Played
from blindplay.laws.facts import SIDES
from blindplay.record.score import pgn
from blindplay.wording.announcements import result_in_words
from blindplay.wording.pack_words import PackWords
from blindplay.wording.position import look

from . import PUBLIC_DELAY_S, views
from .access import RateLimiter
from .messages import catalogue
from .pages import boards, common
from .pieces import rows
from .requests import accepted, address_of
from .table_port import TablePort

PATH = "/public/"
_STYLES = ("board.css", "public.css")
# A reader's connection would take the place of somebody at the table.
_HEADERS = {"connection": "close", "vary": "accept-language"}


@dataclass(frozen=True)
class Audience:
    """The public's view: the game ``delay`` seconds later, with the players' ``names`` or without
    them. ``before``: the page of the last game at the same table, whose end may not have been shown
    yet."""

    delay: int = PUBLIC_DELAY_S
    names: bool = False
    before: "PublicPage | None" = None


class PastGame:
    """A game as it was some time ago. Safe to use from several threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        """Held while facts are applied. Hold it to read a consistent game."""
        self.game = Game(PackWords())
        self.taken = 0
        """The number of facts applied, without ticks that had no effect."""
        self.reason = ""
        """The reason for its end; empty while it goes on."""
        self.former: list[str] = []
        """The results that the arbiter has corrected (8.7)."""

    def catch_up(self) -> int:
        """Apply the facts that have come due. Return the time of the past game, in ms; negative
        before its start. Hold the lock."""
        raise NotImplementedError

    def take(self, fact: Fact) -> None:
        """Apply the next fact, which has come due."""
        rulings = self.game.apply(fact)
        for ruling in rulings:
            if isinstance(ruling, r.GameOver):
                self.reason = ruling.reason
            elif isinstance(ruling, r.Undone) and ruling.reopened:
                self.reason = ""
            elif isinstance(ruling, r.ResultCorrected):
                self.former.append(ruling.before)
        if rulings or fact.kind != "tick":
            self.taken += 1


class DelayedGame(PastGame):
    """The game of ``table`` as it was ``delay`` ms ago."""

    def __init__(self, table: TablePort, delay: int) -> None:
        super().__init__()
        self._table, self._delay = table, delay

    def catch_up(self) -> int:
        now, log = self._table.time() - self._delay, self._table.log
        while self.taken < len(log) and log[self.taken].fact.t <= now:
            self.take(log[self.taken].fact)
        return now


@dataclass
class _Rendered:
    """The page's changing part in one language, after so many facts."""

    taken: int = -1
    html: str = ""


class PublicGame:
    """The public part of one game: the page, its changes and its PGN, each in any language. All
    readers of a language share one rendering."""

    def __init__(self, past: PastGame, audience: Audience, table: int = 0) -> None:
        """``table``: its number, if there are several; a link then leads to all."""
        self._past, self._audience, self._table = past, audience, table
        self._run = secrets.token_hex(4)  # another game may have taken as many facts
        self._rendered: dict[str, _Rendered] = {}

    def _part(self, language: str) -> tuple[int, str, str]:
        """The time of the past game in ms, the name of its state, and the HTML."""
        with self._past.lock:
            now = self._past.catch_up()
            kept = self._rendered.setdefault(language, _Rendered())
            if kept.taken != self._past.taken:
                kept.taken = self._past.taken
                values = self._values(self._past.game, language)
                kept.html = views.render("public_part.html", language, **values)
            return now, f"{self._run}.{kept.taken}", views.standing(kept.html, now)

    def _values(self, game: Game, language: str) -> Mapping[str, Any]:
        if game.setup is None:
            return {"begun": False, "clock": {}}
        pack = load(language)
        last = common.last_announced(game, language)
        return {
            "begun": True,
            "clock": {one.side: one for one in common.clocks(game)},
            "status": common.status(game, language),
            "ended": result_in_words(pack, game.result) if game.result else "",
            "last": last,
            "announced_in": common.spoken_in(game),
            "names": {side: self.name(game, side, language) for side in SIDES},
            "rows": rows(
                game.position_pieces(),
                language,
                black_below=False,
                marked=common.squares_of(last),
                check=boards.in_check(game.position),
            ),
            "in_words": look(pack, game, "white", Command.POSITION, About()),
            "moves": _moves(game, language),
        }

    def name(self, game: Game, side: str, language: str) -> str:
        """A player's side and, if everybody may know it, their name."""
        shown = self._audience.names
        return common.name_of(game, side, language) if shown else catalogue(language)[side]

    def whole(self, language: str) -> str:
        """The page."""
        now, taken, part = self._part(language)
        delay = load(language).duration(self._audience.delay * 1000)
        return views.render(
            "public.html",
            language,
            styles=_STYLES,
            part=part,
            now=now,
            taken=taken,
            delay=delay if self._audience.delay else "",
            table=self._table,
        )

    def changes(self, language: str, taken: str) -> dict[str, Any]:
        """The changes since the state with the name ``taken``."""
        now, here, part = self._part(language)
        found: dict[str, Any] = {"now": now, "taken": here}
        return found if taken == here else {**found, "html": part}

    def past(self, language: str, ply: str) -> str:
        """The page of the position after ``ply`` plies; empty before the set-up."""
        with self._past.lock:
            self._past.catch_up()
            if self._past.game.setup is None:
                return ""
            past = boards.position_after(self._past.game, "public", language, ply)
        return views.render("whole_past.html", language, styles=_STYLES, past=past)

    def pgn(self, more: Mapping[str, str] | None = None) -> str:
        """The moves; empty before the set-up. ``more``: tags that are added or replaced."""
        with self._past.lock:
            self._past.catch_up()
            game = self._past.game
            if game.setup is None:
                return ""
            hidden = {} if self._audience.names else {"White": "?", "Black": "?"}
            return pgn(game, self._past.reason, {**hidden, **(more or {})})


def _moves(game: Game, language: str) -> list[tuple[int, list[tuple[int, str]]]]:
    """The number of each move with the plies of White and of Black, each with its notation, which
    is empty for none."""
    rows = dict[int, list[tuple[int, str]]]()
    for number, ply in enumerate(game.history, 1):
        move = common.told(game, Played(ply.before, ply.move, ply.side), language)
        row = rows.setdefault(move.number, [(0, ""), (0, "")])
        row[SIDES.index(move.by)] = number, move.notation
    return list(rows.items())


class PublicPage:
    """Serves the page, its changes and its PGN, each to any number of readers."""

    def __init__(self, table: TablePort, audience: Audience) -> None:
        self._table, self._delay, self._before = table, audience.delay * 1000, audience.before
        if self._before is not None:
            self._before._drop_shown()
        self._own = PublicGame(DelayedGame(table, self._delay), replace(audience, before=None))
        self.limits = ReaderLimits()
        self.routes = [
            Route(PATH, self.limits.limited(self._whole)),
            Route(f"{PATH}now", self.limits.limited(self._changes)),
            Route(f"{PATH}past", self.limits.limited(self._past)),
            Route(f"{PATH}game.pgn", self.limits.limited(self._pgn)),
        ]

    @property
    def _game(self) -> PublicGame:
        """The game that is shown now: the one before, until this one's beginning has come due."""
        before = self._drop_shown()
        return self._own if before is None else before._game

    def _drop_shown(self) -> "PublicPage | None":
        """Return the page of the game before; forget it once this game has begun to be shown."""
        if self._table.time() >= self._delay:
            self._before = None
        return self._before

    def _whole(self, request: Request, language: str) -> Response:
        return HTMLResponse(self._game.whole(language))

    def _changes(self, request: Request, language: str) -> Response:
        return JSONResponse(self._game.changes(language, request.query_params.get("taken", "")))

    def _past(self, request: Request, language: str) -> Response:
        return past_page(self._game, request, language)

    def _pgn(self, request: Request, language: str) -> Response:
        return pgn_file(self._game.pgn(), "game.pgn")


class ReaderLimits:
    """Lets readers ask for public pages, but none of them too often."""

    def __init__(self, a_second: float = 4, at_once: int = 40) -> None:
        """``a_second``, ``at_once``: the requests of one address."""
        self.asking = RateLimiter(a_second, at_once)
        self.asking_all = RateLimiter(a_second=200, at_once=400)

    def limited(self, answer: Callable[[Request, str], Response]) -> Any:
        """A route that gives ``answer`` the request and its language, in another thread."""

        async def route(request: Request) -> Response:
            if not self.take(request):
                return too_fast()
            language = accepted(request)
            found = await run_in_threadpool(answer, request, language)
            found.headers.update(_HEADERS)
            return found

        return route

    def take(self, request: Request) -> bool:
        """Count one request; False if it is one too many."""
        return self.asking.take(address_of(request)) and self.asking_all.take("")


def too_fast() -> Response:
    """The answer to a reader who asks too often."""
    return Response(status_code=429, headers={**_HEADERS, "retry-after": "5"})


def past_page(game: PublicGame, request: Request, language: str) -> Response:
    """An answer with a past position of ``game``; there is none before the set-up."""
    html = game.past(language, request.query_params.get("ply", ""))
    return HTMLResponse(html) if html else Response(status_code=404)


def pgn_file(text: str, name: str) -> Response:
    """An answer with games in PGN; the text is empty if no game has begun."""
    headers = {"content-disposition": f'inline; filename="{name}"'}
    return Response(f"{text}\n", media_type="application/vnd.chess-pgn", headers=headers)
