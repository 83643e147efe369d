"""Running tables and halls, what tests do with them, and an arbiter's browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import httpx

from blindplay.broker import Broker
from blindplay.hall.event_file import EventFile
from blindplay.hall.hall import Hall
from blindplay.hall.pages import HallHost
from blindplay.hall.table_side.publisher import Publisher
from blindplay.laws import facts as f
from blindplay.record import Journal
from blindplay.table import Table
from tests import web
from tests.waiting import PATIENCE_S, until

from .broker import RealBroker

SETUP = f.Setup(white=f.Player(name="Anna", impaired=True), time_control="5400+30", round="3")


class Event:
    """An event with its broker: starts tables and halls, and ends them after the test."""

    def __init__(self, folder: Path, broker: RealBroker, name: str, stack: ExitStack) -> None:
        self.folder = folder
        self.broker = broker
        self.name = name
        self._stack = stack

    def callback(self, close: Callable[[], object]) -> None:
        """Call ``close`` after the test."""
        self._stack.callback(close)

    def joined(self, table: str = "", broker: Broker | None = None) -> EventFile:
        """The file of a table or of the hall; ``broker`` if it connects in another way."""
        return EventFile(self.name, broker or self.broker.broker, table)

    def hall(self, name: str = "hall", broker: Broker | None = None) -> Hall:
        joined = replace(self.joined(broker=broker), folder=self.folder / name)
        hall = Hall(joined)
        self._stack.callback(hall.close)
        return hall

    def table(
        self,
        name: str = "1",
        file: str = "game.jsonl",
        setup: f.Setup | None = SETUP,
        now: Callable[[], float] = lambda: 0.0,
    ) -> Table:
        """A table with its journal, not yet published; without ``setup`` it continues its game. Its
        clocks stand, however long a test takes, unless they are given time."""
        journal = Journal(self.folder / f"at-{name}" / file, resume=setup is None)
        self._stack.callback(journal.close)
        return Table(journal, setup, now=now)

    def publish(
        self, table: Table, name: str = "1", broker: Broker | None = None, **more: object
    ) -> Publisher:
        table.hall.hear_first(0.0)  # people have begun to play
        publisher = Publisher(table, self.joined(name, broker), **more)  # type: ignore[arg-type]
        self._stack.callback(publisher.close)
        return publisher


def play(table: Table, *moves: str) -> None:
    """Complete moves, after White's clock has been started."""
    if not table.game.started:
        table.submit(f.Start())
    for move in moves:
        side = table.game.side
        table.submit(f.Announce(by=side, move=move))
        for by in ("white", "black"):
            table.submit(f.Make(by=by, move=move))
        table.submit(f.Press(by=side))


def is_equal(hall: Hall, table: Table, name: str = "1") -> bool:
    """Whether the hall's copy is the table's journal."""
    followed = hall.follower.tables.get(name)
    copy = followed.copy if followed is not None else None
    content = table.path.read_bytes()
    return copy is not None and copy.path.is_file() and copy.path.read_bytes() == content


def is_there(hall: Hall, table: Table, name: str = "1") -> bool:
    """Whether the hall has the table's journal, and can ask it for something."""
    followed = hall.follower.tables.get(name)
    known = followed is not None and followed.online and followed.head is not None
    return known and is_equal(hall, table, name)


def kinds(hall: Hall) -> set[str]:
    """The kinds of what the hall cannot set right."""
    return {one.kind for one in hall.follower.incidents}


class Served:
    """A hall, its pages at loopback, and the tables that it follows."""

    def __init__(self, event: Event, tables: Path | None = None, **play: str) -> None:
        """``play``: settings of the event's tables."""
        self.event = event
        self.hall: Hall = event.hall()
        rules = {name.replace("_", "-"): value for name, value in play.items()}
        joined = replace(
            event.joined(), folder=event.folder / "hall", title="Nordic Open", play=rules
        )
        self.host = HallHost(self.hall, joined, port=0, tables=tables)

    def link(self, arbiter: str = "Maria Berg") -> str:
        return self.host.links([arbiter], anew=True)[arbiter]

    def follows(self, table: Table, name: str = "1") -> bool:
        """Wait until the hall's page shows where the table stands."""
        overview = self.host.pages.overview

        def shown() -> bool:
            head = self.hall.follower.tables[name].head
            return head is not None and head.n == table.written[0] and name in overview.names

        return until(lambda: is_equal(self.hall, table, name) and shown())


@contextmanager
def served(event: Event, tables: Path | None = None, **play: str) -> Iterator[Served]:
    found = Served(event, tables, **play)
    try:
        yield found
    finally:
        found.host.close()


class Arbiter:
    """What an arbiter's browser does, without a screen."""

    def __init__(self, served: Served, name: str = "Maria Berg") -> None:
        base, _, self.token = served.link(name).partition("/#")
        self.client = web.Client(base_url=base, headers={"origin": base, "accept-language": "en"})

    def enter(self) -> Arbiter:
        answer = self.client.post("/enter", data={"token": self.token})
        assert (answer.status_code, answer.headers["location"]) == (303, "/hall/")
        return self

    def page(self, path: str) -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200, answer
        return answer.text

    def do(self, table: str, **fields: str) -> httpx.Response:
        """Do what a form of the arbiter's page of a table asks for."""
        headers = {"accept": "application/json"}
        path = f"/tables/{table}/arbiter/do"
        return self.client.post(path, data=fields, headers=headers, timeout=PATIENCE_S)
