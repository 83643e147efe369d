"""What browsers send: whole requests as the console gets them, and what is done at a table."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from blindplay.console import assets
from blindplay.console.access import RateLimiter
from blindplay.console.actions import act, stamp
from blindplay.console.app import COOKIE, Console
from blindplay.console.views import roles, slug
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal
from blindplay.table import Table
from tests.coroutines import finished

_MANY = 40  # inputs at one table
_folders: list[Path] = []
_tables: list[_Served] = []
_count = itertools.count()


def folder(path: Path) -> None:
    """Journals are written below ``path`` from now on."""
    _folders[:] = [path]
    _tables.clear()


class _Served:
    """A table with its console and nobody there, in the middle of a game."""

    def __init__(self) -> None:
        path = _folders[0] / "pages.jsonl"
        for old in path.parent.glob("pages.jsonl*"):
            old.unlink()
        self.inputs = 0
        anna, bert = Player(name="Anna", impaired=True, assistant=True), Player(name="Bert")
        setup = Setup(t=0, time_control="300+5", white=anna, black=bert)
        self.journal = Journal(path)
        self.table = Table(self.journal, setup, now=lambda: 0.0)
        self.table.submit(f.Start())
        self.console = Console(self.table, ["localhost"])
        self.console.acting = self.console.sign_in.entering = RateLimiter(
            a_second=1e6, at_once=10**6
        )
        self.console.closing.set()  # streams end after what there is
        self.cookies = {}
        for role in roles(self.table.game):
            entered = self.console.sign_in.links.enter(self.console.issue(role), "de")
            assert entered is not None
            self.cookies[role] = f"{COOKIE}={entered[1]}"


def _served() -> _Served:
    if not _tables or _tables[0].inputs >= _MANY:
        for old in _tables:
            old.journal.close()
        _tables[:] = [_Served()]
    _tables[0].inputs += 1
    return _tables[0]


def requests() -> list[bytes]:
    """Requests of all pages: a method, a path and headers, an empty line, a body."""
    seats = ("white", "black", "arbiter", "assistant-white")
    paths = [
        f"/{seat}/{name}"
        for seat in seats
        for name in ("", "changes", "changes?since=ab.3", "tape/1", "sheet?ply=2", "log")
    ]
    got = ["/", assets.address("console.js"), "/static/ab/board.js", "/static/..%2fapp.py", *paths]
    found = [f"GET {path}\nhost: localhost\naccept-language: de, en;q=0.5\n\n" for path in got]
    found += [
        f"POST {path}\nhost: localhost\norigin: http://localhost\ncontent-length: 40\n"
        f"accept: application/json\n\n{body}"
        for path, body in (
            ("/enter", "token=http%3A%2F%2Flocalhost%2F%23abcdef"),
            ("/white/do", "act=move&text=Sf3&how=both&seen=x"),
            ("/arbiter/do", "language=nb&theme=dark"),
            ("/black/do", "act=arbiter&do=add_time&seconds=60&player=white"),
        )
    ]
    found.append(
        "GET /white/changes\nhost: localhost\nlast-event-id: ab.7\norigin: http://[::1\n\n"
    )
    return [one.encode() for one in found]


def request(data: bytes) -> object:
    """Send one request to the console. Whatever it is, the answer has a status and is none of 500
    and more."""
    served = _served()
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, _, target = first.partition(b" ")
    path, _, query = target.partition(b"?")
    headers = [
        (name.strip().lower(), value.strip())
        for name, _, value in (line.partition(b":") for line in lines)
    ]
    seat = path.decode("latin-1").split("/")[1:2]
    for role, cookie in served.cookies.items():
        if seat == [slug(role)]:
            headers.append((b"cookie", cookie.encode()))
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        "method": method.decode("latin-1"), "path": path.decode("utf-8", "replace"),
        "raw_path": path, "query_string": query, "root_path": "", "headers": headers,
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8000),
    }  # fmt: skip
    sent: list[Any] = []
    incoming = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        return incoming.pop() if incoming else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    finished(served.console.app(scope, receive, send))
    statuses = [one["status"] for one in sent if one["type"] == "http.response.start"]
    assert len(statuses) == 1 and 200 <= statuses[0] < 500, statuses
    return statuses[0]


def actions() -> list[bytes]:
    """What the pages of a game send, a line each."""
    both = "act=move&text={}&how=both&seen=STAMP"
    lines = [
        both.format("e4"), "act=press", both.format("e7+e5"), "act=press", both.format("Sf3"),
        "act=claim_draw&rule=repetition&text=Sc6", "act=offer_draw", "act=accept_draw",
        "act=ask&text=wie+viel+Zeit", "act=ask&about=clock_mine", "act=record&ply=1&text=e4",
        "act=arbiter&do=add_time&player=white&seconds=120", "act=arbiter&do=stop_clocks",
        "act=touch&square=e2", "act=resign", "act=seal&text=Sf3", "act=arbiter&do=adjourn",
        "act=irregular&what=two_hands&player=white", "act=inspect&board=white&fulfils=size",
        "act=lift&board=black&square=e7", "act=position&board=white&placement=8/8/8/8/8/8/8/8",
    ]  # fmt: skip
    return ["\n".join(lines).encode(), *(line.encode() for line in lines)]


def forms(data: bytes) -> object:
    """What everybody does at a table, a form a line, in turn."""
    served = _served()
    turn = itertools.cycle(served.cookies)
    for line in data.decode("utf-8", "replace").split("\n")[:12]:
        role = next(turn)
        line = line.replace("STAMP", stamp(served.table.game))
        try:
            form = parse_qs(line, keep_blank_values=True, max_num_fields=40)
        except ValueError:
            continue
        answer = act(served.table, role, "de", form)
        assert all(isinstance(sentence, str) for sentence in answer.sentences)
    return None
