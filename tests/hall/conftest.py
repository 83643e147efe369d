"""Running tables and halls with a real broker."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.broker import Broker
from blindplay.hall.event_file import EventFile
from blindplay.hall.hall import Hall
from blindplay.hall.table_side.publisher import Publisher
from blindplay.laws import facts as f
from blindplay.record import Journal
from blindplay.table import Table

from .broker import RealBroker
from .model_hall import ModelHall
from .model_table import ModelTable

SETUP = f.Setup(white=f.Player(name="Anna", impaired=True), time_control="5400+30", round="3")


@pytest.fixture(scope="session")
def shared_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealBroker]:
    """A broker for all tests that leave it alone; each has an event of its own."""
    broker = RealBroker(tmp_path_factory.mktemp("broker"))
    yield broker
    broker.kill()


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
        now: Callable[[], float] = time.monotonic,
    ) -> Table:
        """A table with its journal, not yet published; without ``setup`` it continues its game."""
        journal = Journal(self.folder / f"at-{name}" / file, resume=setup is None)
        self._stack.callback(journal.close)
        return Table(journal, setup, now=now)

    def publish(
        self, table: Table, name: str = "1", broker: Broker | None = None, **more: object
    ) -> Publisher:
        publisher = Publisher(table, self.joined(name, broker), **more)  # type: ignore[arg-type]
        self._stack.callback(publisher.close)
        return publisher


@pytest.fixture
def events(tmp_path: Path) -> Iterator[Callable[[RealBroker], Event]]:
    with ExitStack() as stack:
        yield lambda broker: Event(tmp_path, broker, f"event-{secrets.token_hex(4)}", stack)


@pytest.fixture
def event(events: Callable[[RealBroker], Event], shared_broker: RealBroker) -> Event:
    return events(shared_broker)


@pytest.fixture
def table() -> ModelTable:
    return ModelTable(facts=5)


@pytest.fixture
def hall(tmp_path: Path, table: ModelTable) -> ModelHall:
    hall = ModelHall(tmp_path / "hall", table)
    hall.publish(table.presence(), table.journal(table.lines), table.head())
    hall.wait(1)
    return hall
