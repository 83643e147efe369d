"""The table's side of requests: each is done once, or refused."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from blindplay.hall.protocol import Request, RequestAnswer
from blindplay.hall.taking_requests import RequestTaker
from blindplay.laws import facts as f
from blindplay.table import Table
from tests.waiting import PATIENCE_S, until

from .conftest import Event
from .playing import is_equal, is_there, play


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
