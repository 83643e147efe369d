"""The service with real clients: a library's, and the WebSocket of a browser."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from blindplay.boards.livechess.server import MOST_BYTES, LiveChessServer
from blindplay.boards.makers import DRIVERS
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg.emulator import EmulatedBoard
from tests.boards.emulated import EmulatedReportingBoard
from tests.boards.wires import Pegasus
from tests.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from blindplay.boards.driver import SensorBoard

SETUP = {"fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"}


class Service:
    """A service in a thread. ``said`` is what its user reads."""

    def __init__(self, board: SensorBoard) -> None:
        self.said: list[str] = []
        self._server = LiveChessServer(board, "board", self.said.append, ["https://mine.example/"])
        self._loop = asyncio.new_event_loop()
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        self._task = self._loop.create_task(self._server.run("127.0.0.1", 0, self._begin))
        with contextlib.suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._task)
        self._loop.close()

    def _begin(self, port: int) -> None:
        self.place = f"localhost:{port}/api/v1.0"
        self._begun.set()

    def __enter__(self) -> Service:
        self._thread.start()
        assert self._begun.wait(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()

    def boards(self) -> Any:
        with urlopen(f"http://{self.place}/eboards") as answer:
            assert answer.headers["Content-Type"] == "application/json"
            return json.load(answer)

    def client(self, origin: Any = None) -> ClientConnection:
        return connect(f"ws://{self.place}", origin=origin)

    def says(self, sentence: str) -> bool:
        return bool(until(lambda: [one for one in self.said if sentence in one]))


def follow(client: ClientConnection, service: Service) -> None:
    """Subscribe to the board and set up a game, as programs do."""
    serial = service.boards()[0]["serialnr"]
    feed = {"feed": "eboardevent", "id": 7, "param": {"serialnr": serial}}
    client.send(json.dumps({"id": 1, "call": "subscribe", "param": feed}))
    method = {"id": 7, "method": "setup", "param": SETUP}
    client.send(json.dumps({"id": 2, "call": "call", "param": method}))


def told(client: ClientConnection, san: list[str]) -> dict[str, Any]:
    """Wait for these moves; what the feed says of them."""
    while True:
        message = json.loads(client.recv(PATIENCE_S))
        param = message["param"] if message["response"] == "feed" else {}
        if param.get("san") == san and param["match"]:
            return dict(param)


def play(hands: EmulatedBoard, start: str, goal: str, piece: str) -> None:
    hands.lift(start, wait=False)
    hands.place(goal, piece, wait=False)


def test_several_programs_follow_a_game_on_a_board_that_vanishes_and_returns() -> None:
    with (
        EmulatedBoard(force_socket=True) as hands,
        Service(PegBoard(hands.url, backoff=(0.05, 0.1), ports=list)) as service,
    ):
        assert service.says("Connected to")
        with service.client() as one, service.client() as other:
            for client in (one, other):
                follow(client, service)
                told(client, [])
            play(hands, "e2", "e4", "P")
            for client in (one, other):
                assert told(client, ["e4"])["board"].startswith("rnbqkbnr/pppppppp/8/8/4P3")
            assert service.says("Played: e4.") and service.said.count("Played: e4.") == 1
            hands.unplug()
            assert service.says("Disconnected.")
            assert service.boards()[0]["state"] == "NOTRESPONDING"
            play(hands, "e7", "e5", "p")
            hands.plug()
            told(one, ["e4", "e5"])
            assert service.boards()[0]["state"] == "ACTIVE"
            hands.lift("g1")
            assert service.says("The board differs from the game: look at g1.")
        assert service.says("A program has gone.")


def test_a_board_that_knows_only_occupied_squares_is_served_with_names() -> None:
    with (
        EmulatedReportingBoard(Pegasus(), force_socket=True) as hands,
        Service(DRIVERS["pegasus"](hands.url, ports=list)) as service,
    ):
        assert service.says("Connected to")
        with service.client() as client:
            follow(client, service)
            told(client, [])
            for move, san in (("e2e4", ["e4"]), ("d7d5", ["e4", "d5"])):
                hands.move(move)
                told(client, san)
            hands.move("e4d5")
            found = told(client, ["e4", "d5", "exd5"])
    assert found["board"] == "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR"


@pytest.fixture
def service() -> Iterator[Service]:
    with EmulatedBoard(force_socket=True) as hands, Service(PegBoard(hands.url)) as service:
        yield service


def test_only_pages_that_may_read_the_board_are_let_in(service: Service) -> None:
    for origin in (
        None, "https://lichess.org", "https://www.chess.com", "https://mine.example",
        "chrome-extension://abcdef", "moz-extension://12-ab", "http://localhost:8080",
    ):  # fmt: skip
        with service.client(origin):
            pass
    for origin in (
        "https://evil.example", "https://lichess.org.evil.example", "http://lichess.org", "null",
        "https://localhost.evil.example",
    ):  # fmt: skip
        with pytest.raises(InvalidStatus), service.client(origin):
            pass
    assert service.says("--origin https://evil.example")
    # A page may give its own name to this machine.
    host = {"Host": "evil.example:1982"}
    with pytest.raises(InvalidStatus), connect(f"ws://{service.place}", additional_headers=host):
        pass
    with pytest.raises(OSError, match="403"):
        urlopen(Request(f"http://{service.place}/eboards", headers={"Host": "evil.example"}))


def test_rubbish_ends_at_most_the_client_that_sends_it(service: Service) -> None:
    with service.client() as good, service.client() as bad:
        bad.send(b"\xff\0")
        assert json.loads(bad.recv(PATIENCE_S))["response"] == "error"
        bad.send("x" * (MOST_BYTES + 1))
        with pytest.raises(ConnectionClosed):
            bad.recv(PATIENCE_S)
        with pytest.raises(OSError, match="404"):
            urlopen(f"http://{service.place}/other")
        good.send('{"id":1,"call":"eboards"}')
        assert json.loads(good.recv(PATIENCE_S))["response"] == "call"


def test_a_page_in_a_browser_plays_with_the_board_unless_it_is_a_strange_one(
    service: Service, context: BrowserContext
) -> None:
    from playwright.sync_api import Error

    with contextlib.suppress(
        Error
    ):  # old browsers do not ask whether a page may reach this machine
        context.grant_permissions(["local-network-access"])
    page = context.new_page()
    page.route(re.compile("https://"), lambda route: route.fulfill(body="A page"))
    script = """place => new Promise(done => {
        const socket = new WebSocket("ws://" + place), messages = [];
        socket.onopen = () => socket.send('{"id":1,"call":"eboards"}');
        socket.onerror = () => done("refused");
        socket.onmessage = event => {
            const message = JSON.parse(event.data);
            messages.push(message);
            if (message.response == "call" && message.id == 1)
                socket.send(JSON.stringify({id: 2, call: "subscribe", param: {
                    feed: "eboardevent", id: 1, param: {serialnr: message.param[0].serialnr}}}));
            else if (message.response == "feed")
                done(message.param.board);
        };
    })"""
    assert service.says("Connected to")
    page.goto("https://lichess.org/")
    assert page.evaluate(script, service.place) == SETUP["fen"].split()[0]
    page.goto("https://evil.example/")
    assert page.evaluate(script, service.place) == "refused"
