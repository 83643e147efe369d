"""Running tables and halls with a real broker."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from .broker import RealBroker
from .model import ModelHall, ModelTable
from .running import Event, Served, served


@pytest.fixture(scope="session")
def shared_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealBroker]:
    """A broker for all tests that leave it alone; each has an event of its own."""
    broker = RealBroker(tmp_path_factory.mktemp("broker"))
    yield broker
    broker.kill()


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


@pytest.fixture
def hall_pages(event: Event) -> Iterator[Served]:
    with served(event) as pages:
        yield pages
