"""The arbiter's page of a table, at the hall."""

from __future__ import annotations

import pytest

from blindplay.laws import facts as f
from blindplay.table import Table
from tests.waiting import until

from .running import Arbiter, Served, is_equal, play


@pytest.fixture
def table(hall_pages: Served) -> Table:
    table = hall_pages.event.table()
    hall_pages.event.publish(table)
    play(table, "e2e4", "e7e5")
    assert hall_pages.follows(table)
    return table


@pytest.fixture
def maria(hall_pages: Served, table: Table) -> Arbiter:
    return Arbiter(hall_pages).enter()


def decided(table: Table) -> list[tuple[str, str]]:
    """What arbiters have done at the table, and who."""
    return [(one.fact.do, one.fact.who) for one in table.log if isinstance(one.fact, f.Arbiter)]


def test_it_is_the_page_that_the_table_has(maria: Arbiter, hall_pages: Served) -> None:
    page = maria.page("/tables/1/arbiter/")
    assert "Table 1: The arbiter" in page and "Anna" in page
    assert 'data-page="arbiter"' in page and 'href="/hall/"' in page
    assert "1:30:" in page  # the clocks
    assert "1... e5" in maria.client.get("/tables/1/arbiter/papers/game.pgn").text


def test_what_arbiters_decide_is_done_at_the_table_with_their_names(
    maria: Arbiter, hall_pages: Served, table: Table
) -> None:
    jens = Arbiter(hall_pages, "Jens Dahl").enter()
    first = maria.do("1", act="arbiter", do="stop_clocks")
    assert (first.status_code, first.json()["refused"]) == (200, False)
    other = jens.do("1", act="arbiter", do="penalty", player="black", kind="warning")
    assert not other.json()["refused"]
    assert decided(table) == [("stop_clocks", "Maria Berg"), ("penalty", "Jens Dahl")]
    assert until(lambda: is_equal(hall_pages.hall, table))
    assert until(lambda: "(Jens Dahl)" in maria.page("/tables/1/arbiter/timeline"))


def test_an_arbiter_undoes_at_the_hall_what_was_decided_at_the_table(
    maria: Arbiter, hall_pages: Served, table: Table
) -> None:
    table.submit(f.Arbiter(do="declare", result="1-0"))
    assert until(lambda: "Undo my last decision" in maria.page("/tables/1/arbiter/"))
    undone = maria.do("1", act="arbiter", do="undo", reason="the wrong table")
    assert not undone.json()["refused"] and not table.game.over
    assert until(lambda: is_equal(hall_pages.hall, table))
    assert until(lambda: "the wrong table" in maria.page("/tables/1/arbiter/timeline"))


def test_what_is_sent_twice_is_done_once(maria: Arbiter, table: Table) -> None:
    fields = {"act": "arbiter", "do": "penalty", "player": "black", "kind": "warning"}
    assert maria.do("1", **fields, id="run-1").status_code == 200
    assert maria.do("1", **fields, id="run-1").status_code == 208
    assert decided(table) == [("penalty", "Maria Berg")]


def test_what_the_laws_refuse_is_told(maria: Arbiter, table: Table) -> None:
    answer = maria.do("1", act="arbiter", do="confirm")
    assert answer.status_code == 409 and answer.json()["refused"]
    assert answer.json()["said"][0]


def test_without_the_table_a_decision_is_refused_and_never_done_later(
    maria: Arbiter, hall_pages: Served
) -> None:
    other = hall_pages.event.table("2")
    publisher = hall_pages.event.publish(other, "2")
    play(other, "d2d4")
    assert hall_pages.follows(other, "2")
    publisher.close()
    assert until(lambda: not hall_pages.hall.follower.tables["2"].online)
    answer = maria.do("2", act="arbiter", do="stop_clocks")
    assert answer.status_code == 409
    assert "table 2 cannot be reached" in answer.json()["said"][0]
    hall_pages.event.publish(other, "2")
    assert until(lambda: hall_pages.hall.follower.tables["2"].online)
    play(other, "d7d5")
    assert hall_pages.follows(other, "2")
    assert decided(other) == []


def test_a_page_of_a_game_that_is_no_longer_played_decides_nothing(hall_pages: Served) -> None:
    event = hall_pages.event
    first = event.table()
    with event.publish(first):
        play(first, "e2e4", "e7e5")
        assert hall_pages.follows(first)
        maria = Arbiter(hall_pages).enter()
        console = hall_pages.host.pages.tables.console("1")
        assert console is not None
    second = event.table(file="second.jsonl")
    event.publish(second)
    play(second, "c2c4")
    assert hall_pages.follows(second)
    assert until(lambda: hall_pages.host.pages.tables.console("1") is not console)
    assert console.closing.is_set()
    pgn = "/tables/1/arbiter/papers/game.pgn"
    assert until(lambda: "1. c4" in maria.client.get(pgn).text)


def test_language_and_colours_hold_for_all_pages(maria: Arbiter) -> None:
    maria.client.post("/tables/1/arbiter/do", data={"language": "de", "theme": "dark"})
    assert 'lang="de" data-theme="dark"' in maria.page("/hall/")
    maria.client.post("/hall/do", data={"language": "sv", "theme": ""})
    assert '<html lang="sv">' in maria.page("/tables/1/arbiter/")


def test_a_table_that_the_hall_does_not_know_has_no_page(maria: Arbiter) -> None:
    assert maria.client.get("/tables/9/arbiter/").status_code == 404
    assert maria.client.get("/tables/1/white/").status_code == 401  # arbiters have one page
