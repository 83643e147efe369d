"""The hall's side of requests: nothing is kept for later."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.follower import Follower
from blindplay.hall.protocol import Request, RequestAnswer, Topic, decode, encode
from blindplay.hall.requesting import Requests, UnreachableError
from tests.waiting import until

from .conftest import Event
from .model_table import EVENT, ModelTable
from .playing import is_equal


def test_nothing_is_asked_of_a_table_that_has_gone(event: Event) -> None:
    hall, table = event.hall(), event.table()
    publisher = event.publish(table)
    assert until(lambda: is_equal(hall, table))
    publisher.close()
    assert until(lambda: not hall.follower.tables["1"].online)
    with pytest.raises(UnreachableError, match="Table 1"):
        hall.request("1", "B", "act", {})
    with pytest.raises(UnreachableError):
        hall.request("7", "B", "act", {})


class Wire:
    """The requests of a hall that knows one table, and what it publishes."""

    def __init__(self, folder: Path) -> None:
        self.published: list[tuple[Topic, bytes]] = []
        self.connected = True
        follower = Follower(EVENT, folder, lambda topic, payload: None)
        table = ModelTable()
        follower.receive(*table.presence(), 0.0)
        follower.receive(*table.head(), 0.0)
        self.requests = Requests(follower, self._send)

    def _send(self, topic: Topic, payload: bytes) -> bool:
        if self.connected:
            self.published.append((topic, payload))
        return self.connected

    def ids(self) -> list[str]:
        return [decode(Request, payload).id for _, payload in self.published]


@pytest.fixture
def wire(tmp_path: Path) -> Wire:
    return Wire(tmp_path)


def test_a_request_is_published_with_the_same_id_until_it_is_answered(wire: Wire) -> None:
    future = wire.requests.request("1", "B", "act", {}, 0.0)
    for now in (0.5, 1.5, 2.0, 3.0):
        wire.requests.tick(now)
    assert len(wire.published) == 3 and len(set(wire.ids())) == 1
    wire.requests.receive(
        str(Topic(EVENT, "2", "answer")), encode(RequestAnswer(wire.ids()[0], "done"))
    )
    assert not future.done()  # another table's answer
    answer = RequestAnswer(wire.ids()[0], "done", 7)
    wire.requests.receive(str(Topic(EVENT, "1", "answer")), encode(answer))
    assert future.result(timeout=0) == answer
    wire.requests.tick(10.0)
    assert len(wire.published) == 3


@pytest.mark.parametrize("second", ["done", "stale"])
def test_after_a_stale_answer_another_table_of_that_name_may_still_do_it(
    wire: Wire, second: str
) -> None:
    future = wire.requests.request("1", "B", "act", {}, 0.0)
    topic = str(Topic(EVENT, "1", "answer"))
    for status in ("stale", second):
        wire.requests.tick(0.1)
        assert not future.done()
        wire.requests.receive(topic, encode(RequestAnswer(wire.ids()[0], status)))
    for tenth in range(1, 15):
        wire.requests.tick(tenth / 10)
    assert future.result(timeout=0).status == second
    assert len(wire.published) <= 2


def test_a_request_that_was_published_cannot_be_taken_back(wire: Wire) -> None:
    future = wire.requests.request("1", "B", "act", {}, 0.0)
    assert not future.cancel()
    wire.requests.tick(9.0)
    assert future.done()


def test_nobody_waits_for_ever(wire: Wire) -> None:
    future = wire.requests.request("1", "B", "act", {}, 0.0)
    for now in range(10):
        wire.requests.tick(float(now))
    assert future.result(timeout=0).status == "unanswered"


def test_nothing_is_asked_without_a_connection_or_of_a_table_that_is_silent(wire: Wire) -> None:
    with pytest.raises(UnreachableError):
        wire.requests.request("1", "B", "act", {}, 30.0)
    wire.connected = False
    with pytest.raises(UnreachableError, match="broker"):
        wire.requests.request("1", "B", "act", {}, 1.0)
    wire.connected = True
    wire.requests.tick(5.0)
    assert wire.published == []


def test_a_status_that_is_not_known_counts_as_unknown(wire: Wire) -> None:
    future = wire.requests.request("1", "B", "act", {}, 0.0)
    answer = RequestAnswer(wire.ids()[0], "postponed")
    wire.requests.receive(str(Topic(EVENT, "1", "answer")), encode(answer))
    assert future.result(timeout=0).status == "unknown"
