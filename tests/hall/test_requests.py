"""Requests to tables: each is done once, or refused; nothing is kept for later."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blindplay.hall.follower import Follower
from blindplay.hall.hall import ask_once
from blindplay.hall.protocol import Request, RequestAnswer, Topic, decode, encode
from blindplay.hall.requests import Requests, RequestTaker, UnreachableError
from blindplay.hall.table_side.publisher import Publisher
from blindplay.laws import facts as f
from blindplay.record import signatures
from blindplay.table import Table
from tests.waiting import PATIENCE_S, until

from .model import EVENT, ModelTable
from .running import Event, is_equal, is_there, play


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


def act(**form: str) -> dict[str, object]:
    return {"language": "en", "form": {name: [text] for name, text in form.items()}}


def test_a_decision_comes_back_as_a_fact_with_the_name_of_the_arbiter(event: Event) -> None:
    hall, table = event.hall(), event.table()
    event.publish(table)
    play(table, "e2e4")
    assert until(lambda: is_there(hall, table))
    future = hall.request("1", "Berta Berg", "act", act(act="arbiter", do="stop_clocks"))
    answer = future.result(timeout=PATIENCE_S)
    assert answer.status == "done"
    (fact,) = [one.fact for one in table.log if one.fact.request]
    assert isinstance(fact, f.Arbiter) and fact.do == "stop_clocks"
    assert (fact.by, fact.who, fact.request) == ("arbiter", "Berta Berg", answer.id)
    assert until(lambda: is_equal(hall, table))


def test_what_the_laws_refuse_is_refused_with_the_sentence_of_the_page(event: Event) -> None:
    hall, table = event.hall(), event.table()
    event.publish(table)
    play(table)
    assert until(lambda: is_there(hall, table))
    answer = hall.request("1", "B", "act", act(act="arbiter", do="confirm")).result(
        timeout=PATIENCE_S
    )
    assert answer.status == "refused" and answer.sentences


def test_an_unknown_kind_of_request_is_answered(event: Event) -> None:
    hall, table = event.hall(), event.table()
    event.publish(table)
    assert until(lambda: is_there(hall, table))
    assert hall.request("1", "B", "dance", {}).result(timeout=PATIENCE_S).status == "unknown"


def test_further_kinds_of_requests_are_done_by_their_handlers(event: Event) -> None:
    hall, table = event.hall(), event.table()
    done = threading.Event()
    event.publish(table, handlers={"assign": lambda request, reply: done.set()})
    assert until(lambda: is_there(hall, table))
    hall.request("1", "B", "assign", {})
    assert done.wait(PATIENCE_S)


class Desk:
    """A table's desk of requests, and what it answers."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.taker = RequestTaker(table)
        self.game = "a" * 32

    def take(self, which: str = "id", age: float = 0.0, game: str = "", **form: str) -> str:
        """The status of the answer to a request for what a form does."""
        now = self.table.time() / 1000
        body = act(**(form or {"act": "arbiter", "do": "stop_clocks"}))
        request = Request(which, game or self.game, now - age, "Berta", "act", body)
        answers: list[RequestAnswer] = []
        self.taker.take(request, self.game, answers.append)
        return answers[-1].status

    @property
    def done(self) -> list[str]:
        return [one.fact.request for one in self.table.log if one.fact.request]


@pytest.fixture
def desk(event: Event) -> Desk:
    table = event.table()
    play(table)
    return Desk(table)


def test_a_request_that_is_sent_twice_is_done_once(desk: Desk) -> None:
    assert [desk.take(), desk.take(), desk.take("other")] == ["done"] * 3
    assert desk.done == ["id", "other"]


def test_a_request_that_was_done_before_the_table_was_started_again_is_not_repeated(
    desk: Desk,
) -> None:
    desk.take()
    again = Desk(desk.table)
    assert (again.take(), again.take("new")) == ("done", "done")
    assert again.done == ["id", "new"]


def test_a_request_for_another_game_or_of_another_time_is_stale(desk: Desk) -> None:
    assert desk.take("1", game="b" * 32) == "stale"
    assert desk.take("2", age=31) == "stale"
    assert desk.take("3", age=-5) == "stale"
    assert desk.done == []
    assert desk.take("4", age=20) == "done"


def test_a_request_names_no_other_field_of_a_fact_than_a_page_may(desk: Desk) -> None:
    assert desk.take(act="arbiter", do="stop_clocks", who="Mallory", by="table") == "done"
    (fact,) = [one.fact for one in desk.table.log if one.fact.request]
    assert isinstance(fact, f.Arbiter) and (fact.who, fact.by) == ("Berta", "arbiter")


@pytest.mark.parametrize("body", [{}, {"form": [], "language": "en"}, {"form": {"act": "press"}},
                                  {"form": {"act": [1]}, "language": "en"},
                                  {"form": {"act": ["tick"]}, "language": "xx"},
                                  {"form": {"act": ["tick"]}, "language": []}])  # fmt: skip
def test_a_body_that_is_no_form_is_unknown(desk: Desk, body: dict[str, Any]) -> None:
    answers: list[RequestAnswer] = []
    request = Request("id", "", desk.table.time() / 1000, "B", "act", body)
    desk.taker.take(request, "", answers.append)
    assert [one.status for one in answers] == ["unknown"]


def test_a_table_signs_in_the_middle_of_a_game_when_it_is_asked(event: Event) -> None:
    table, key = event.table(), signatures.new_key()
    joined = replace(event.joined("1"), key=key)
    with Publisher(table, joined):
        play(table, "e2e4")
        asker = event.joined()
        answer = ask_once(asker, "1", "Berta", "sign")
        assert (answer.status, answer.n) == ("done", table.written[0])
        (line,) = signatures.lines_of(table.path)
        assert signatures.read_line(line).key == signatures.public_key(key)


def test_a_table_that_is_not_there_is_not_asked(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blindplay.hall.hall._PATIENCE_S", 0.2)
    asker = event.joined()
    with pytest.raises(UnreachableError, match="cannot be reached"):
        ask_once(asker, "7", "Berta", "sign")
