"""A server on this machine that answers pushes as Lichess describes it."""

from __future__ import annotations

import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import chess.pgn

TOKEN = "lip_a1B2c3D4"
ROUND = "abcd1234"


class LichessServer:
    """Takes pushes for one round. ``answers``: what it says instead, one for each of the next
    requests: (status, headers, body); None: it says nothing until it is closed."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, dict[str, str], bytes] | None] = []
        self.pushed: list[str] = []
        self.asked: list[str] = []
        self._closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.asked.append(self.path)
                planned: Any = outer.answers.pop(0) if outer.answers else ()
                if planned is None:
                    outer._closing.wait(30)
                    self.close_connection = True
                    return
                status, headers, content = planned or outer.answer(
                    self.path, self.headers.get("authorization", ""), body.decode()
                )
                self.send_response(status)
                for name, value in {**headers, "content-length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, path: str, right: str, text: str) -> tuple[int, dict[str, str], bytes]:
        if right != f"Bearer {TOKEN}":
            return 401, {}, b'{"error":"No such token"}'
        if path != f"/api/broadcast/round/{ROUND}/push":
            return 404, {}, b'{"error":"Not found"}'
        games = []
        stream = io.StringIO(text)
        while (game := chess.pgn.read_game(stream)) is not None:
            games.append(game)
        if not games or len(games) > 100:
            return 400, {}, b'{"error":"Too many games"}'
        self.pushed.append(text)
        told = []
        for game in games:
            one: dict[str, Any] = {"tags": dict(game.headers)}
            if game.errors:
                one["error"] = f"Cannot parse moves: {game.errors[0]}"
            else:
                one["moves"] = sum(1 for _ in game.mainline_moves())
            told.append(one)
        return 200, {}, json.dumps({"games": told}).encode()

    def close(self) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
