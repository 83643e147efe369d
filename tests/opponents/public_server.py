"""A server on this machine with texts and streams for everybody, which are cut when a test says so.

The shapes of its streams are those that Lichess publishes for spectators.
"""

from __future__ import annotations

import json
import queue
import threading
from collections import defaultdict
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import chess

from blindplay.opponents.watching import WatchWaits

GAME = "q7ZvsdUF"
ROUND = "abcd1234"
GAME_STREAM = f"/api/stream/game/{GAME}"
ROUND_STREAM = f"/api/stream/broadcast/round/{ROUND}.pgn"
ROUND_PGN = f"/api/broadcast/round/{ROUND}.pgn"
AT_ONCE = WatchWaits(
    answer_s=20, quiet_s=60, file_s=0.01, address_s=0.01, settle_s=0.02, limited_s=0.01,
    retry_s=(0.01,),
)  # fmt: skip


class PublicServer:
    """``texts``: what is answered at each path. ``opening``: the first lines of each stream.
    ``statuses``: what is answered instead. ``asked``: the paths that were asked for."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.opening: dict[str, list[str]] = {}
        self.statuses: dict[str, int] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.connections = 0
        self._streams: dict[str, list[queue.SimpleQueue[str | None]]] = defaultdict(list)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with suppress(OSError):
                    outer._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def _answer(self, to: BaseHTTPRequestHandler) -> None:
        self.asked.append(to.path)
        self.headers.append({name.lower(): value for name, value in to.headers.items()})
        status = self.statuses.get(to.path, 0)
        if not status and to.path in self.opening:
            self._stream(to)
            return
        known = to.path in self.texts
        content = self.texts.get(to.path, "").encode()
        to.send_response(status or (200 if known else 404))
        to.send_header("content-length", str(len(content)))
        to.end_headers()
        to.wfile.write(content)

    def _stream(self, to: BaseHTTPRequestHandler) -> None:
        to.send_response(200)
        to.send_header("content-type", "application/x-ndjson")
        to.end_headers()
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        with self._lock:
            for first in self.opening[to.path]:
                to.wfile.write(f"{first}\n".encode())
            self._streams[to.path].append(lines)
            self.connections += 1
        while (line := lines.get()) is not None:
            to.wfile.write(f"{line}\n".encode())

    def say(self, path: str, *lines: str) -> None:
        """Send lines to every open stream at ``path``."""
        with self._lock:
            for one in self._streams[path]:
                for line in lines:
                    one.put(line)

    def cut(self, path: str) -> None:
        """End all streams at ``path``."""
        with self._lock:
            for one in self._streams.pop(path, []):
                one.put(None)

    def close(self) -> None:
        for path in list(self._streams):
            self.cut(path)
        self._server.shutdown()
        self._server.server_close()


def described(*, status: str = "started", winner: str = "", **more: Any) -> str:
    """The first line of a game's stream, and the last one."""
    people = {
        "white": {"user": {"name": "Salma", "title": "WGM", "id": "salma"}, "rating": 2400},
        "black": {"user": {"name": "Kenneth", "id": "kenneth"}, "rating": 2300},
    }
    line = {
        "id": GAME,
        "variant": {"key": "standard", "name": "Standard", "short": "Std"},
        "speed": "rapid",
        "rated": True,
        "fen": chess.STARTING_FEN,
        "turns": 0,
        "status": {"id": 20, "name": status},
        "players": people,
    }
    return json.dumps(line | ({"winner": winner} if winner else {}) | more)


def positions(*moves: str, start: chess.Board | None = None) -> list[str]:
    """The lines of a game's stream: the first position, and each move with the position after."""
    board = (start or chess.Board()).copy()
    lines = [{"fen": _short(board), "wc": 600, "bc": 600}]
    for at, word in enumerate(moves, 1):
        board.push(board.parse_uci(word))
        lines.append({"fen": _short(board), "lm": word, "wc": 600 - at, "bc": 600 - 2 * at})
    return [json.dumps(line) for line in lines]


def _short(board: chess.Board) -> str:
    return f"{board.board_fen()} {'w' if board.turn else 'b'}"


def pgn(
    white: str, black: str, moves: str, *, result: str = "*", board: int = 1, **tags: str
) -> str:
    """A game of a broadcast."""
    return "\n".join(
        (
            '[Event "Cup"]',
            f'[Round "1.{board}"]',
            f'[White "{white}"]',
            f'[Black "{black}"]',
            f'[Result "{result}"]',
            f'[GameURL "https://lichess.org/broadcast/cup/round-1/{ROUND}/board00{board}"]',
            *(f'[{name.title()} "{value}"]' for name, value in tags.items()),
            "",
            f"{moves} {result}",
            "",
            "",
        )
    )
