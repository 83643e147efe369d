"""A server on this machine that speaks the Board API as Lichess publishes it, with every cut.

The shapes of its answers are those of the examples in the published specification of the API.
"""

from __future__ import annotations

import json
import queue
import random
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import chess

from blindplay.opponents.lichess.api import Account, Waits

TOKEN = "lip_a1B2c3D4"
GAME = "xcoxhDvh"
ME = "Kenneth"
AT_ONCE = Waits(answer_s=20, quiet_s=20, limited_s=0, retry_s=(0.0,), unpressed_s=0)
Answer = tuple[int, Any]


@dataclass
class Faults:
    """What goes wrong, each with this chance at each line or request."""

    chance: random.Random = field(default_factory=lambda: random.Random(0))
    cut: float = 0.0
    twice: float = 0.0
    old: float = 0.0
    junk: float = 0.0
    lost_before: float = 0.0
    lost_after: float = 0.0
    limited: float = 0.0
    broken: float = 0.0

    def happens(self, name: str) -> bool:
        return bool(self.chance.random() < getattr(self, name))


class BoardServer:
    """One user, who has the side ``me``, and one game. ``replies`` chooses the opponent's answer to
    a position; None: the test moves for them. ``faults`` says what goes wrong."""

    def __init__(
        self,
        *,
        me: str = "white",
        start: chess.Board | None = None,
        variant: str = "standard",
        clock: tuple[int, int] | None = (900, 10),
        rated: bool = False,
        replies: Callable[[chess.Board], chess.Move | None] = lambda board: None,
        faults: Faults | None = None,
    ) -> None:
        self.me, self.other = me, "black" if me == "white" else "white"
        self.variant, self.clock, self.rated = variant, clock, rated
        self.start = start or chess.Board()
        self.board = self.start.copy()
        self.status, self.winner = "started", ""
        self.left = dict.fromkeys(("white", "black"), clock[0] * 1000 if clock else 2**31 - 1)
        self.draws: set[str] = set()
        self.takebacks: set[str] = set()
        self.chat: list[tuple[str, str]] = []
        self.accepted: list[str] = []
        """The moves of ``me`` that were taken."""
        self.asked: list[str] = []
        self.given: list[dict[str, str]] = []
        """The forms that came."""
        self.answers: dict[str, Answer] = {}
        """What is answered to a path instead, again and again."""
        self.playing: list[dict[str, Any]] = []
        self.scopes = "board:play, challenge:write"
        self.faults = faults or Faults()
        self.connections = 0
        self._replies = replies
        self._lock = threading.RLock()
        self._streams: dict[str, list[queue.SimpleQueue[str | None]]] = {}
        self._sent: list[str] = []
        self._closing = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.move_if_due()

    @property
    def account(self) -> Account:
        return Account(ME, TOKEN, self.url)

    # --- the game --------------------------------------------------------------------------------

    def full(self) -> dict[str, Any]:
        people = {
            self.me: {"id": ME.lower(), "name": ME, "title": None, "rating": 804},
            self.other: {"id": "salma", "name": "Salma", "title": None, "rating": 714},
        }
        usual = self.start == chess.Board(chess960=self.start.chess960)
        whole = {
            "id": GAME,
            "variant": {"key": self.variant, "name": self.variant, "short": "Std"},
            "speed": "rapid" if self.clock else "correspondence",
            "perf": {"name": "Rapid"},
            "rated": self.rated,
            "createdAt": 1789845859939,
            **people,
            "initialFen": "startpos" if usual else self.start.fen(),
            "type": "gameFull",
            "state": self.state(),
        }
        if self.clock:
            initial, increment = self.clock
            whole["clock"] = {"initial": initial * 1000, "increment": increment * 1000}
        return whole

    def state(self) -> dict[str, Any]:
        increment = self.clock[1] * 1000 if self.clock else 0
        state: dict[str, Any] = {
            "type": "gameState",
            "moves": " ".join(self._written()),
            "wtime": self.left["white"],
            "btime": self.left["black"],
            "winc": increment,
            "binc": increment,
            "status": self.status,
        }
        state |= {f"{side[0]}draw": True for side in self.draws}
        state |= {f"{side[0]}takeback": True for side in self.takebacks}
        return state | ({"winner": self.winner} if self.winner else {})

    def _written(self) -> list[str]:
        board, written = self.start.copy(), []
        for move in self.board.move_stack:
            written.append(board.uci(move, chess960=True))  # the king takes the rook
            board.push(move)
        return written

    def tell(self, event: dict[str, Any], path: str = f"/api/board/game/stream/{GAME}") -> None:
        """Send an event to every open stream."""
        line = json.dumps(event)
        self._sent.append(line)
        for one in self._streams.get(path, []):
            one.put(line)

    def offer_draw(self) -> None:
        """The opponent offers a draw."""
        self._wish(self.draws)

    def ask_to_take_back(self) -> None:
        """The opponent asks to take a move back."""
        self._wish(self.takebacks)

    def _wish(self, wishes: set[str]) -> None:
        with self._lock:
            wishes.add(self.other)
            self.tell(self.state())

    def decline_draw(self) -> None:
        """The opponent declines the draw that was offered."""
        with self._lock:
            self.draws.clear()
            self.tell(self.state())

    def event(self, event: dict[str, Any]) -> None:
        """Send an event of the user's."""
        self.tell(event, "/api/stream/event")

    def blank(self) -> None:
        """Send a keep-alive line."""
        with self._lock:
            for streams in self._streams.values():
                for one in streams:
                    one.put("")

    def cut(self) -> None:
        """Cut every stream."""
        with self._lock:
            for streams in self._streams.values():
                for one in streams:
                    one.put(None)

    def move(self, uci: str) -> None:
        """The side on move moves."""
        with self._lock:
            self.board.push_uci(uci)
            self.draws.discard(self.turn)
            self.takebacks.clear()
            if self.board.is_checkmate():
                self.status, self.winner = "mate", self.other_of(self.turn)
            elif self.board.is_stalemate():
                self.status = "stalemate"
            self.tell(self.state())

    def move_if_due(self) -> None:
        with self._lock:
            if self.status == "started" and self.turn == self.other:
                reply = self._replies(self.board)
                if reply is not None:
                    self.move(reply.uci())

    def end(self, status: str, winner: str = "") -> None:
        with self._lock:
            self.status, self.winner = status, winner
            self.tell(self.state())

    def take_back(self, plies: int) -> None:
        with self._lock:
            for _ in range(plies):
                self.board.pop()
            self.takebacks.clear()
            self.tell(self.state())

    @property
    def turn(self) -> str:
        return "white" if self.board.turn else "black"

    def other_of(self, side: str) -> str:
        return self.other if side == self.me else self.me

    # --- requests --------------------------------------------------------------------------------

    def answer(self, method: str, path: str, form: dict[str, str]) -> Answer:
        with self._lock:
            if path in self.answers:
                return self.answers[path]
            if path == "/api/account":
                return 200, {"id": ME.lower(), "username": ME}
            if path == "/api/account/playing":
                return 200, {"nowPlaying": self.playing}
            if path == f"/api/board/game/{GAME}/chat":
                return 200, [{"user": user, "text": text} for user, text in self.chat]
            base = f"/api/board/game/{GAME}/"
            if method == "POST" and path.startswith(base):
                return self._in_game(path.removeprefix(base))
            return 404, {"error": "Not found"}

    def _in_game(self, what: str) -> Answer:
        if self.status != "started":
            return 400, {"error": "Not your turn, or game already over"}
        kind, _, value = what.partition("/")
        if kind == "move":
            return self._moved(value)
        if kind == "resign":
            self.end("resign", self.other)
        elif kind in ("draw", "takeback"):
            self._agree(self.draws if kind == "draw" else self.takebacks, kind, value == "yes")
        elif kind == "claim-victory":
            self.end("timeout", self.me)
        else:
            return 404, {"error": "Not found"}
        return 200, {"ok": True}

    def _moved(self, uci: str) -> Answer:
        if self.turn != self.me:
            return 400, {"error": "Not your turn, or game already over"}
        try:
            move = self.board.parse_uci(uci)
        except ValueError:
            return 400, {"error": f"Piece on {uci[:2]} cannot move to {uci[2:4]}"}
        self.move(move.uci())
        self.accepted.append(uci)  # a test that waits for this changes the game next
        self.move_if_due()
        return 200, {"ok": True}

    def _agree(self, offers: set[str], kind: str, yes: bool) -> None:
        if yes and self.other in offers:
            offers.clear()
            if kind == "draw":
                self.end("draw")
            else:
                self.take_back(2 if self.turn == self.other else 1)
            return
        (offers.add if yes else offers.discard)(self.me if yes else self.other)
        self.tell(self.state())

    def is_streamed(self, path: str, form: dict[str, str]) -> bool:
        return "keepAliveStream" in form or (path == "/api/board/seek" and "days" not in form)

    # --- HTTP ------------------------------------------------------------------------------------

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                outer.asked.append(f"GET {self.path}")
                if self.path in outer.answers:
                    self._answer(*outer.answers[self.path])
                elif "/stream/" in self.path:
                    self._stream(self.path)
                else:
                    self._answer(*outer.answer("GET", self.path, {}))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
                form = {name: values[0] for name, values in parse_qs(body).items()}
                outer.given.append(form)
                outer.asked.append(f"POST {self.path}")
                faults = outer.faults
                if faults.happens("lost_before"):
                    self._drop()
                elif faults.happens("limited"):
                    self._answer(429, {"error": "Too many requests"})
                elif faults.happens("broken"):
                    self._answer(502, None)
                elif self.path not in outer.answers and outer.is_streamed(self.path, form):
                    self._stream(self.path)
                else:
                    status, value = outer.answer("POST", self.path, form)
                    if faults.happens("lost_after"):
                        self._drop()
                    else:
                        self._answer(status, value)

            def _drop(self) -> None:
                with suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True

            def _answer(self, status: int, value: Any) -> None:
                if self.headers.get("authorization") != f"Bearer {TOKEN}":
                    status, value = 401, {"error": "No such token"}
                content = b"" if value is None else json.dumps(value).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("x-oauth-scopes", outer.scopes)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def _stream(self, path: str) -> None:
                lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
                with outer._lock:
                    outer.connections += 1
                    outer._streams.setdefault(path, []).append(lines)
                    if path.startswith("/api/board/game/stream/"):
                        lines.put(json.dumps(outer.full()))
                self.send_response(200)
                self.send_header("content-type", "application/x-ndjson")
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                with suppress(OSError):
                    while (line := lines.get()) is not None and not outer._closing:
                        if not self._line(line):
                            break
                with outer._lock:
                    outer._streams[path].remove(lines)
                self._drop()

            def _line(self, line: str) -> bool:
                """Send a line, with what goes wrong; False if the connection is cut."""
                faults = outer.faults
                lines = [line]
                if faults.happens("twice"):
                    lines.append(line)
                if faults.happens("old") and outer._sent:
                    lines.append(faults.chance.choice(outer._sent[-6:]))
                if faults.happens("junk"):
                    lines.append("{")
                for one in lines:
                    if faults.happens("cut"):
                        return False
                    text = f"\n{one}\n".encode()
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
                    self.wfile.flush()
                return True

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def close(self) -> None:
        self._closing = True
        self.cut()
        self._server.shutdown()
        self._server.server_close()
