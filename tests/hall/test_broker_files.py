"""A real Mosquitto as it is configured for an event: who may do what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.broker import Broker, Link
from blindplay.hall.hall import Hall
from blindplay.hall.protocol import KINDS, Topic
from blindplay.hall.publisher import Publisher
from blindplay.record import Journal
from blindplay.table import Table
from tests.waiting import until

from .broker import EventBroker
from .conftest import SETUP
from .playing import is_equal, kinds, play


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventBroker]:
    broker = EventBroker(tmp_path_factory.mktemp("broker"))
    yield broker
    broker.kill()


END = b"end"


class Listener:
    """A client that hears all that its account may hear."""

    def __init__(self, broker: Broker) -> None:
        self.heard: set[str] = set()
        self.ended = False
        self.link = Link(broker, ["#"], self._take, lambda: None)
        self.link.start()

    def _take(self, topic: str, payload: bytes, *_: object) -> None:
        if payload == END:
            self.ended = True
        else:
            self.heard.add(topic.removeprefix("blindplay/1/try/"))

    def publish_everywhere(self) -> None:
        assert until(lambda: self.link.online)
        for table in ("1", "2"):
            for kind in KINDS:
                self.link.publish(str(Topic("try", table, kind)), b"x")
        assert until(lambda: self.link.unsent == 0)


def published(broker: EventBroker, table: str = "") -> tuple[set[str], set[str]]:
    """Of all topics that an account publishes to: which the hall hears, and which table 1 hears."""
    hall, one = (Listener(broker.event_file(name).broker) for name in ("", "1"))
    rogue = Listener(broker.event_file(table).broker)
    try:
        assert until(lambda: hall.link.online and one.link.online)
        rogue.publish_everywhere()
        # What comes last: all else has come. The hall hears what table 2 says, table 1 itself.
        last = Listener(broker.event_file("2").broker)
        assert until(lambda: last.link.online)
        last.link.publish(str(Topic("try", "2", "presence")), END)
        one.link.publish(str(Topic("try", "1", "presence")), END)
        assert until(lambda: hall.ended and one.ended)
        last.link.close()
        return hall.heard, one.heard
    finally:
        for client in (hall, one, rogue):
            client.link.close()


def test_a_table_writes_its_own_topics_and_no_others(broker: EventBroker) -> None:
    hall, table = published(broker, "1")
    assert hall == {f"1/{kind}" for kind in ("journal", "head", "presence", "answer", "signature")}
    assert table == {"1/head", "1/presence", "1/signature"}


def test_the_hall_alone_asks_and_requests(broker: EventBroker) -> None:
    hall, table = published(broker)
    assert hall == {f"{name}/{kind}" for name in "12" for kind in ("ask", "request")}
    assert table == {"1/ask", "1/request"}


@pytest.mark.parametrize(
    "changed", [{"password": "wrong"}, {"account": ""}, {"account": "table-2"}], ids=str
)
def test_another_password_or_none_is_refused(broker: EventBroker, changed: dict[str, str]) -> None:
    refused = Listener(replace(broker.event_file("1").broker, **changed))  # type: ignore[arg-type]
    allowed = Listener(broker.event_file("1").broker)
    assert until(lambda: allowed.link.online)
    assert not refused.link.online
    for client in (refused, allowed):
        client.link.close()


def test_a_broker_with_another_certificate_is_not_trusted(
    broker: EventBroker, tmp_path: Path
) -> None:
    other = EventBroker(tmp_path)
    mine = broker.event_file("1").broker
    try:
        lured = Listener(replace(mine, port=other.port))
        honest = Listener(other.event_file("1").broker)
        assert until(lambda: honest.link.online)
        assert not lured.link.online
    finally:
        other.kill()
    for client in (lured, honest):
        client.link.close()


def test_passwords_are_not_in_the_files_of_the_broker(broker: EventBroker) -> None:
    files = [one.read_text("utf-8") for one in (broker.folder / "broker").iterdir()]
    for table in ("", "1", "2"):
        password = broker.event_file(table).broker.password
        assert len(password) >= 32 and not any(password in text for text in files)


def test_a_hall_follows_a_table_and_keeps_what_it_signs(
    broker: EventBroker, tmp_path: Path
) -> None:
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP)
        with (
            Hall(broker.event_file()) as hall,
            Publisher(table, broker.event_file("1")),
        ):
            play(table, "f2f3", "e7e5")
            assert until(lambda: is_equal(hall, table))
            answer = hall.request("1", "Berta", "sign", {}).result()
            assert answer.status == "done" and answer.n == table.written[0]
            play(table, "g2g4", "d8h4")
            assert until(lambda: is_equal(hall, table) and table.game.over)
            mine = tmp_path / "game.signatures"

            def kept() -> set[bytes]:
                copy = hall.follower.tables["1"].copy
                assert copy is not None
                file = copy.path.with_suffix(".signatures")
                return set(file.read_bytes().splitlines()) if file.is_file() else set()

            assert until(lambda: mine.read_bytes().count(b"\n") == 2)
            assert until(lambda: kept() == set(mine.read_bytes().splitlines()))
            assert answer.body["signature"] == mine.read_text("utf-8").splitlines()[0]
            assert json.loads(answer.body["signature"])["n"] == answer.n
            assert kinds(hall) == set()
