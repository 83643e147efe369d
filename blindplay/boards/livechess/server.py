"""Serves a board to programs and browser extensions, as DGT LiveChess does."""

import asyncio
import contextlib
import ipaddress
import itertools
import json
import logging
import math
import re
import time
from collections.abc import Callable, Collection

from websockets.asyncio.server import ServerConnection, broadcast
from websockets.asyncio.server import serve as serve_websockets
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from blindplay.translation import UserError, _

from .. import events
from ..driver import SensorBoard
from ..events import BoardEvent
from ..makers import board_at
from ..monitor import describe_event
from .service import Conversation, Feed, ServedBoard, eboards

PATH = "/api/v1.0"
MOST_BYTES = 16_384
MOST_CLIENTS = 32
MOST_REFUSALS = 20
"""Most refused origins that the user is told of."""
MOST_LETTERS = 100
"""A longer origin is not shown to the user."""
RESTS_S = 0.5
"""After this pause the hands rest."""
DOUBTS_S = 3.0
"""After this pause hardly anybody holds a piece in the hand."""
MOST_SQUARES = 6
"""Most squares that one sentence names."""

_KNOWN_ORIGINS = re.compile(
    r"https://(lichess\.org|www\.chess\.com)"
    r"|(chrome|moz|safari-web)-extension://[\w-]+"
    r"|https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?"
)
"""Chess servers that play with LiveChess, extensions that the user has installed, and pages of this
machine. Any other page that the user opens could read the board."""
_TOLD = (
    events.Connected,
    events.Disconnected,
    events.PositionUnknown,
    events.ContactFault,
    events.PieceDoubted,
)

_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())  # a screen reader would read messages about clients aloud


class LiveChessServer:
    """Serves ``board`` until the task is cancelled. ``tell`` takes a sentence for the user.

    Other ``origins`` are allowed besides the known ones. ``begun`` is called with the port.
    """

    def __init__(
        self,
        board: SensorBoard,
        address: str,
        tell: Callable[[str], None],
        origins: Collection[str] = (),
    ) -> None:
        self._driver = board
        self._board = ServedBoard(address)
        self._feed = Feed(self._board)
        self._tell = tell
        self._origins = frozenset(origin.rstrip("/") for origin in origins)
        self._refused: set[str] = set()
        self._clients: dict[ServerConnection, Conversation] = {}
        self._local = True
        self._changed_at, self._rested = -math.inf, True
        self._doubted = ""

    async def run(
        self, host: str, port: int, on_start: Callable[[int], None] = lambda port: None
    ) -> None:
        """Serve at this address.

        :raises ValueError: if it cannot be used.
        """
        self._local = _is_loopback(host)
        loop = asyncio.get_running_loop()
        happened: asyncio.Queue[BoardEvent] = asyncio.Queue()
        serving = serve_websockets(
            self._converse,
            host,
            port,
            process_request=self._admit,
            max_size=MOST_BYTES,
            server_header=None,
            close_timeout=1,
            logger=_log,
        )
        try:
            server = await serving
        except OSError as error:
            raise UserError(
                "Port {port} at {host} cannot be used: end DGT LiveChess if it runs "
                "here, or name another port with --livechess-port.",
                port=port,
                host=host,
            ) from error
        async with server:
            on_start(next(iter(server.sockets)).getsockname()[1])

            def hear(event: BoardEvent) -> None:
                loop.call_soon_threadsafe(happened.put_nowait, event)

            self._driver.listen(hear)
            try:
                self._driver.start()
                await self._watch(happened)
            finally:
                await asyncio.to_thread(self._driver.close)

    # --- clients -------------------------------------------------------------------------------

    def _admit(self, client: ServerConnection, request: Request) -> Response | None:
        """Return the answer to a request that opens no WebSocket here; None admits it."""
        origin, host = request.headers.get("Origin"), request.headers.get("Host", "")
        if self._local and not _is_loopback(re.sub(r":\d+$", "", host)):
            return client.respond(403, "")  # a page of another name for this machine
        if origin is not None and not (origin in self._origins or _KNOWN_ORIGINS.fullmatch(origin)):
            self._tell_refused(origin)
            return client.respond(403, "")
        path = request.path.partition("?")[0]
        if path == f"{PATH}/eboards":
            response = client.respond(200, json.dumps(eboards(self._board, self._feed)))
            del response.headers["Content-Type"]
            response.headers["Content-Type"] = "application/json"
            return response
        if path != PATH:
            return client.respond(404, "")
        return client.respond(503, "") if len(self._clients) >= MOST_CLIENTS else None

    def _tell_refused(self, origin: str) -> None:
        if len(origin) > MOST_LETTERS or origin in self._refused:
            return
        if len(self._refused) < MOST_REFUSALS:
            self._refused.add(origin)
            self._tell(
                _(
                    "A page of {origin} asked for the board and was refused. If you trust "
                    "this page, start with --origin {origin}",
                    origin=origin,
                )
            )

    async def _converse(self, client: ServerConnection) -> None:
        assert client.request is not None
        origin = client.request.headers.get("Origin")
        self._tell(
            _("A page of {origin} is connected.", origin=origin)
            if origin
            else _("A program is connected.")
        )
        conversation = self._clients[client] = Conversation(self._board, self._feed)
        try:
            async for text in client:
                for message in conversation.answer(text, _now()):
                    await client.send(message)
        except ConnectionClosed:
            pass
        finally:
            del self._clients[client]
            self._tell(
                _("A page of {origin} has gone.", origin=origin)
                if origin
                else _("A program has gone.")
            )

    # --- the board -----------------------------------------------------------------------------

    def _hear(self, event: BoardEvent) -> None:
        self._changed_at, self._rested = time.monotonic(), False
        self._board.hear(event)
        if isinstance(event, _TOLD):
            self._tell(describe_event(event))
        for feed in self._feeds():
            feed.hear(event)
        self._send_news()

    async def _watch(self, happened: asyncio.Queue[BoardEvent]) -> None:
        """Take what happens, and notice when the hands rest."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RESTS_S / 2):
                    self._hear(await happened.get())
            paused = time.monotonic() - self._changed_at
            if paused >= RESTS_S and not self._rested:
                self._rest()
            if paused >= DOUBTS_S:
                self._doubt()

    def _rest(self) -> None:
        self._rested = True
        for feed in self._feeds():
            feed.rest()
        self._send_news()
        # Several programs may follow one game.
        progress = (played for feed in self._feeds() if (played := feed.progress()) is not None)
        for moves in dict.fromkeys(", ".join(played) for played in progress):
            self._tell(_("Played: {moves}.", moves=moves) if moves else _("Moves were taken back."))

    def _doubt(self) -> None:
        """Say where the board differs from a game, once."""
        squares = sorted({square for feed in self._feeds() for square in feed.differing()})
        doubt = ""
        if len(squares) > MOST_SQUARES:
            doubt = _("The board shows another position than the game.")
        elif squares:
            doubt = _(
                "The board differs from the game: look at {squares}.", squares=", ".join(squares)
            )
        if doubt != self._doubted:
            self._doubted = doubt
            if doubt:
                self._tell(doubt)
            elif any(feed.is_set_up for feed in self._feeds()):
                self._tell(_("The board shows the position of the game."))

    def _feeds(self) -> list[Feed]:
        feeds = (client.feeds.values() for client in self._clients.values())
        return [self._feed, *itertools.chain.from_iterable(feeds)]

    def _send_news(self) -> None:
        for client, conversation in self._clients.items():
            for message in conversation.news(_now()):
                broadcast([client], message)  # never waits for a slow client


def _now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def serve(
    address: str | None, host: str, port: int, origins: Collection[str], tell: Callable[[str], None]
) -> None:
    """Serve the board at ``address``, or one that is found, until Ctrl-C.

    :raises BoardNotFoundError: if there is no board.
    :raises ValueError: if ``host`` and ``port`` cannot be used, or an origin is invalid.
    """
    for origin in origins:
        if "://" not in origin:
            raise UserError(
                "{origin} is not a site: write it as https://example.org.", origin=origin
            )
    driver, url = board_at(address)

    def begun(port: int) -> None:
        tell(
            _(
                "Programs reach the board at ws://{host}:{port}{path}; Ctrl-C ends it.",
                host=host,
                port=port,
                path=PATH,
            )
        )

    server = LiveChessServer(driver(url), address or url, tell, origins)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.run(host, port, begun))
