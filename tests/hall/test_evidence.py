"""Which lines of each game are signed, on the hall's page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.hall.evidence import ShownEvidence, evidence
from blindplay.hall.publisher import Publisher
from blindplay.record import signatures
from blindplay.table import Table
from tests.waiting import PATIENCE_S, until

from .conftest import Event
from .playing import play
from .served import Arbiter, Served, served


@pytest.fixture
def hall(event: Event) -> Iterator[Served]:
    with served(event) as found:
        yield found


def publish(hall: Served, name: str, key: str) -> Table:
    table = hall.event.table(name)
    publisher = Publisher(table, replace(hall.event.joined(name), key=key))
    hall.event._stack.callback(publisher.close)
    play(table, "e2e4")
    assert hall.follows(table, name)
    return table


def test_an_arbiter_asks_a_table_to_sign_in_the_middle_of_a_game(hall: Served) -> None:
    table = publish(hall, "10", signatures.new_key())
    publish(hall, "2", "")
    follower = hall.hall.follower
    assert [(one.table, one.signed) for one in evidence(follower)] == [("2", 0), ("10", 0)]
    maria = Arbiter(hall).enter()
    page = maria.page("/hall/evidence")
    assert page.count("Sign now") == 2 and page.count("not yet") == 2
    number = table.written[0]
    answer = maria.client.post("/hall/sign", data={"table": "10"}, timeout=PATIENCE_S)
    assert answer.headers["location"] == "/hall/evidence"
    assert f"Table 10 has signed all lines up to line {number}." in maria.page("/hall/evidence")
    assert until(lambda: evidence(follower)[1].signed == number)
    one = evidence(follower)[1]
    assert one == ShownEvidence("10", "Anna", "", number, number, one.at) and ":" in one.at
    assert f"up to line {number} of {number}, at {one.at}" in maria.page("/hall/evidence")


def test_what_is_not_signed_is_said(hall: Served) -> None:
    publish(hall, "2", "")
    maria = Arbiter(hall).enter()
    for table, sentence in (
        ("2", "Table 2 has not signed: it has no key"),
        ("7", "Not done: table 7 cannot be reached now."),
    ):
        assert maria.client.post("/hall/sign", data={"table": table}).status_code == 303
        assert sentence in maria.page("/hall/evidence")


def test_without_a_game_there_is_nothing_to_sign(hall: Served, tmp_path: Path) -> None:
    assert "There is no game yet." in Arbiter(hall).enter().page("/hall/evidence")
