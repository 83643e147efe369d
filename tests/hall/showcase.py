"""A hall with forty tables that nobody plays at, for tests and pictures."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from blindplay.console.access import AccessLinks
from blindplay.console.server import PageServer
from blindplay.hall.follower import Follower
from blindplay.hall.pages import HallPages
from blindplay.hall.protocol import Head, Presence, Topic, encode

_KNIGHT = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"
_FRESH_S = 86_400.0  # no table falls silent, however long a test takes, and no clock runs down
HEAD = Head(
    run="r", seq=1, game="0" * 32, n=1, digest="0" * 32, t=60.0, wall=0.0, state="playing",
    white="Anna Lindqvist", black="Jürgen Müller", moves=23, last="g1f3", fen=_KNIGHT,
    left={"white": 5385.0, "black": 1254.0}, running="white",
)  # fmt: skip


class Showcase:
    """Forty tables and their pages."""

    def __init__(self, folder: Path) -> None:
        self._follower = Follower("open", folder, lambda topic, payload: None)
        self._numbers = itertools.count(1)
        for number in range(1, 41):
            self.tell(str(number))
        links, self._server = AccessLinks(), PageServer("127.0.0.1", 0)
        hall: Any = SimpleNamespace(follower=self._follower, online=True)
        self._pages = HallPages(hall, "Nordic Open", self._server.hosts, links)
        self._server.start(self._pages.app)
        self.link = f"{self._server.url}/#{links.issue('Maria Berg')}"

    def tell(self, table: str, **fields: Any) -> None:
        """Let a table publish a head with these fields."""
        head = replace(HEAD, seq=next(self._numbers), wall=time.time(), **fields)
        for kind, message in (("presence", Presence("p", True)), ("head", head)):
            topic = str(Topic("open", table, kind))
            self._follower.receive(topic, encode(message), time.monotonic() + _FRESH_S)

    def close(self) -> None:
        self._pages.close()
        self._server.close()


@contextmanager
def showcase(folder: Path) -> Iterator[Showcase]:
    found = Showcase(folder)
    try:
        yield found
    finally:
        found.close()
