"""The pages of a hall for everybody: many small boards, each game by itself, and all as PGN."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

import chess
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from blindplay.console import views
from blindplay.console.messages import catalogue
from blindplay.console.pages import common
from blindplay.console.pieces import rows
from blindplay.console.public import PATH, PublicGame, ReaderLimits, past_page, pgn_file, too_fast
from blindplay.console.requests import accepted, address_of
from blindplay.console.stream import HEARTBEAT_S, EventStream, Stream
from blindplay.language import load
from blindplay.laws.facts import SIDES
from blindplay.wording.announcements import result_in_words

from .delayed import DelayedHall, ShownGame
from .lists import EventLists, ListPages

_STYLES = ("board.css", "spectators.css")
_RETRY_MS = 3000


class SpectatorsPages:
    """The pages of all games of ``hall``. ``title``: the event's name for people. ``lists``: those
    of the event; None: nobody may see them.

    A reader's stream of changes takes a connection as long as the page is open. So there are only
    ``most`` streams, and ``an_address`` of them for one address; other pages ask now and then.
    """

    def __init__(
        self,
        hall: DelayedHall,
        title: str,
        lists: EventLists | None = None,
        *,
        most: int = 100,
        an_address: int = 10,
    ) -> None:
        self._hall, self._title = hall, title
        self._most, self._an_address = most, an_address
        self._streams: dict[str, Stream] = {}
        self._boards: dict[tuple[str, str], tuple[object, str]] = {}
        self._rendering = threading.Lock()
        self._open: Counter[str] = Counter()
        self._closing = threading.Event()
        self.limits = ReaderLimits(a_second=20, at_once=200)  # a room may share an address
        limited = self.limits.limited
        delay = hall.audience.delay
        self._lists = None if lists is None else ListPages(lists, title, delay, self.limits)
        self.routes = [
            Route(PATH, limited(self._whole)),
            Route(f"{PATH}now", limited(self._now)),
            Route(f"{PATH}changes", self._changes),
            Route(f"{PATH}games.pgn", limited(self._all_games)),
            *([] if self._lists is None else self._lists.routes),
            Route(f"{PATH}{{table}}/", limited(self._game)),
            Route(f"{PATH}{{table}}/now", limited(self._game_now)),
            Route(f"{PATH}{{table}}/past", limited(self._game_past)),
            Route(f"{PATH}{{table}}/game.pgn", limited(self._game_pgn)),
        ]

    def update(self) -> None:
        """Send changes to the open pages. Called many times a second."""
        for language in list(self._streams):
            self._render(language)

    def close(self) -> None:
        """End all streams, so that the server can stop."""
        self._closing.set()
        for stream in list(self._streams.values()):
            stream.wake()

    # --- all boards ----------------------------------------------------------------------------

    def _render(self, language: str) -> Stream:
        """The stream of a language, up to date."""
        with self._rendering:
            stream = self._streams.setdefault(language, Stream())
            parts = {board.table: self._board(board, language) for board in self._hall.boards()}
            stream.update(parts, "")
            return stream

    def _board(self, board: ShownGame, language: str) -> str:
        with board.past.lock:
            key = board.past.id, board.past.taken, board.past.zero
            known, html = self._boards.get((board.table, language), (None, ""))
            if known != key:
                html = views.render("spectators_board.html", language, **_values(board, language))
                self._boards[board.table, language] = key, html
            return html

    def _time(self) -> int:
        """The hall's time in ms, which the clocks of all boards share."""
        return round(self._hall.now() * 1000)

    def _whole(self, request: Request, language: str) -> Response:
        now, seen = self._time(), self._render(language).now()
        delay = self._hall.audience.delay
        page = views.render(
            "spectators.html",
            language,
            styles=_STYLES,
            title=self._title,
            boards=seen.parts,
            now=now,
            place=seen.place,
            around=() if self._lists is None else self._lists.links(language),
            delay=load(language).duration(delay * 1000) if delay else "",
        )
        return HTMLResponse(page)

    def _now(self, request: Request, language: str) -> Response:
        stream = self._render(language)
        missed = stream.since(request.query_params.get("since", ""))
        if missed is None:
            return JSONResponse({"now": self._time(), "place": stream.now().place})
        place, change = missed
        body = f'{{"now":{self._time()},"place":"{place}","change":{change}}}'
        return Response(body, media_type="application/json")

    def _all_games(self, request: Request, language: str) -> Response:
        return pgn_file("\n\n".join(board.pgn() for board in self._hall.boards()), "games.pgn")

    async def _changes(self, request: Request) -> Response:
        """The stream of changes, as server-sent events. Their ids are places in it."""
        client = address_of(request)
        if not self.limits.take(request):
            return too_fast()
        if self._open.total() >= self._most or self._open[client] >= self._an_address:
            return Response(status_code=503, headers={"retry-after": "10"})
        language = accepted(request)
        stream = await run_in_threadpool(self._render, language)
        place = request.headers.get("last-event-id") or request.query_params.get("since", "")
        return EventStream(self._events(client, stream, place))

    async def _events(self, client: str, stream: Stream, place: str) -> AsyncGenerator[str]:
        self._open[client] += 1
        try:
            with stream.changed() as changed:
                yield f"retry: {_RETRY_MS}\n\nevent: time\ndata: {self._time()}\n\n"
                while not self._closing.is_set():
                    changed.clear()
                    missed = stream.since(place)
                    if missed is not None:
                        place, data = missed
                        yield f"id: {place}\ndata: {data}\n\n"
                    try:
                        await asyncio.wait_for(changed.wait(), HEARTBEAT_S)
                    except TimeoutError:
                        yield f"event: time\ndata: {self._time()}\n\n"
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]

    # --- one game ------------------------------------------------------------------------------

    def _with_game(self, request: Request, answer: Callable[[PublicGame], Response]) -> Response:
        board = self._hall.board(request.path_params["table"])
        return Response(status_code=404) if board is None else answer(board.public)

    def _game(self, request: Request, language: str) -> Response:
        return self._with_game(request, lambda public: HTMLResponse(public.whole(language)))

    def _game_now(self, request: Request, language: str) -> Response:
        taken = request.query_params.get("taken", "")
        return self._with_game(
            request, lambda public: JSONResponse(public.changes(language, taken))
        )

    def _game_past(self, request: Request, language: str) -> Response:
        return self._with_game(request, lambda public: past_page(public, request, language))

    def _game_pgn(self, request: Request, language: str) -> Response:
        board = self._hall.board(request.path_params["table"])
        return pgn_file(board.pgn() if board else "", "game.pgn")


def _values(board: ShownGame, language: str) -> dict[str, object]:
    """The values of a small board. Hold the lock of the game."""
    game, say = board.game, catalogue(language)
    named, last = board.hall.audience.names, common.last_announced(game, language)
    clocks = [replace(clock, at=clock.at + board.past.zero) for clock in common.clocks(game)]
    shown = {clock.side: clock for clock in clocks}
    return {
        "number": board.number,
        "table": board.table,
        "heading": say["public_table"].format(table=board.number),
        "names": {side: game.player(side).name if named else "" for side in SIDES},
        "clock": {side: shown.get(side) for side in SIDES},
        "rows": rows(game.position_pieces(), language, black_below=False),
        "moved": {chess.square_name(square) for square in common.squares_of(last)},
        "status": common.status(game, language),
        "ended": result_in_words(load(language), game.result) if game.result else "",
        "last": last,
        "announced_in": common.spoken_in(game),
    }
