"""Giving the games of a round to the tables of a hall, and telling people where they play."""

import re
import tempfile
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from .assigning import ASSIGN, TELL
from .event_file import EventFile
from .follower import Follower
from .link import Link
from .protocol import ROOT, RequestAnswer, Topic
from .requesting import Requests, UnreachableError
from .rounds import Assignment, Round

_TICK_S = 0.05
_QUIET_S = 1.0
"""After so long without a new table, all have been heard of."""


class TableAsker(Protocol):
    """Asks tables for something: a :class:`~.hall.Hall`, or :class:`TableCalls` beside it."""

    @property
    def follower(self) -> Follower: ...

    def request(
        self, table: str, who: str, kind: str, body: dict[str, Any]
    ) -> "Future[RequestAnswer]": ...


class TableCalls:
    """Asks the tables of an event for something, also beside a running hall. It keeps nothing."""

    def __init__(self, joined: EventFile) -> None:
        """:raises ValueError: if the broker cannot be used as the file says."""
        self._folder = tempfile.TemporaryDirectory(prefix="blindplay-hall-")
        self.follower = Follower(joined.event, Path(self._folder.name), lambda *_: None)
        self._requests = Requests(self.follower, self._publish)
        topics = [f"{ROOT}/{joined.event}/+/{kind}" for kind in ("head", "presence", "answer")]
        self._link = Link(joined.broker, topics, self._receive, lambda: None)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="calls", daemon=True)
        self._thread.start()
        self._link.start()

    def request(
        self, table: str, who: str, kind: str, body: dict[str, Any]
    ) -> "Future[RequestAnswer]":
        """See :meth:`.Requests.request`."""
        return self._requests.request(table, who, kind, body, time.monotonic())

    def gather(self, seconds: float) -> bool:
        """Wait until the tables have been heard of; False if there is no broker for so long."""
        until = time.monotonic() + seconds
        known, since = -1, time.monotonic()
        while time.monotonic() < until:
            with self.follower.lock:
                number = len(self.follower.tables)
            if number != known or not self._link.online:
                known, since = number, time.monotonic()
            elif time.monotonic() - since >= _QUIET_S:
                return True
            time.sleep(_TICK_S)
        return self._link.online

    def close(self) -> None:
        """Disconnect."""
        self._link.close()
        self._closing.set()
        self._thread.join()
        self._folder.cleanup()

    def __enter__(self) -> "TableCalls":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _publish(self, topic: Topic, payload: bytes) -> bool:
        return self._link.publish(str(topic), payload)

    def _receive(self, topic: str, payload: bytes, retained: bool) -> None:
        if topic.endswith("/answer"):
            self._requests.receive(topic, payload)
        else:
            self.follower.receive(topic, payload, time.monotonic(), retained=retained)

    def _work(self) -> None:
        while not self._closing.wait(_TICK_S):
            self._requests.tick(time.monotonic())


@dataclass(frozen=True)
class Given:
    """What became of the assignment of one game. ``status`` is that of the table's answer, or
    ``unreachable``; ``sentence`` is what the table says of it."""

    game: Assignment
    status: str
    sentence: str = ""


def with_tables(paired: Round, tables: Iterable[str]) -> Round:
    """The round with the names that the tables have: table 4 of a file may be called ``table-4``.

    :raises ValueError: if two tables have the same number.
    """
    names: dict[str, str] = {}
    for name in sorted(tables):
        number = _number(name)
        if number and number in names:
            raise ValueError(f"Two tables have the number {number}: {names[number]} and {name}.")
        if number:
            names[number] = name
    known = set(tables)
    games = (
        one if one.table in known else replace(one, table=names.get(_number(one.table), one.table))
        for one in paired.games
    )
    return replace(paired, games=tuple(games))


def _number(name: str) -> str:
    found = re.search(r"(\d+)$", name)
    return found[1].lstrip("0") if found else ""


def assign_round(hall: TableAsker, paired: Round, who: str = "") -> list[Given]:
    """Give each game to its table, and tell the people who sit somewhere where they play. Tables
    that have their game already stay as they are."""
    asked: list[tuple[Assignment, Future[RequestAnswer] | None]] = []
    for game in paired.games:
        body = {name: value for name, value in asdict(game).items() if value}
        asked.append((game, _ask(hall, game.table, who, ASSIGN, body)))
    given = [_given(game, future) for game, future in asked]
    told = [_ask(hall, *one) for one in _to_tell(hall, paired, who)]
    for future in filter(None, told):
        future.result()
    return given


def _ask(
    hall: TableAsker, table: str, who: str, kind: str, body: dict[str, Any]
) -> "Future[RequestAnswer] | None":
    try:
        return hall.request(table, who, kind, body)
    except UnreachableError:
        return None


def _given(game: Assignment, future: "Future[RequestAnswer] | None") -> Given:
    if future is None:
        return Given(game, "unreachable")
    answer = future.result()
    return Given(game, answer.status, " ".join(answer.sentences))


def _to_tell(
    hall: TableAsker, paired: Round, who: str
) -> Iterable[tuple[str, str, str, dict[str, Any]]]:
    """The requests that tell the people at each table of the last round where they play now."""
    with hall.follower.lock:
        people = {
            name: (table.head.white, table.head.black)
            for name, table in hall.follower.tables.items()
            if table.head is not None and table.online
        }
    for table, names in sorted(people.items()):
        pairings = [one.pairing for one in paired.games if any(n in one.pairing for n in names)]
        if pairings:
            body = {"pairings": [asdict(one) for one in pairings]}
            yield table, who, TELL, body
