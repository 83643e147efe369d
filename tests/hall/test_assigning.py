"""A table gets its next game: once, when it is free, and only what is asked now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import pytest

from blindplay.hall.assigning import ASSIGN, TELL, Assigned, NextGame, WaitingTable, handlers
from blindplay.hall.hall import Hall
from blindplay.hall.pairings.rounds import Assignment
from blindplay.laws import facts as f
from blindplay.table import Table
from blindplay.table.pairings import Pairings
from tests.waiting import PATIENCE_S, until

from .conftest import Event
from .playing import is_equal, play

GAME = Assignment("4", "1", "Cia Ek", "David Fors")


def body(game: Assignment = GAME) -> dict[str, Any]:
    return asdict(game)


class Desk:
    """A table of a hall that takes assignments, and what the hall's requests come to."""

    def __init__(self, event: Event, *, rounds: bool = True) -> None:
        self.table: Table = event.table()
        self.next = NextGame()
        joined = replace(event.broker.event_file("1"), event=event.name)
        following = self.next if rounds else None
        event.publish(self.table, handlers=handlers(self.table, joined, following))
        self.hall: Hall = event.hall()
        assert until(lambda: is_equal(self.hall, self.table))

    def status(self, kind: str = ASSIGN, body: dict[str, Any] | None = None) -> str:
        what = asdict(GAME) if body is None else body
        return self.hall.request("1", "Berta", kind, what).result(timeout=PATIENCE_S).status


@pytest.fixture
def desk(event: Event) -> Desk:
    return Desk(event)


def test_a_table_refuses_while_its_game_runs(desk: Desk) -> None:
    play(desk.table, "e2e4")
    assert desk.status() == "refused" and desk.next.known is None


def test_a_table_whose_game_is_over_takes_its_next_game(desk: Desk) -> None:
    play(desk.table, "e2e4")
    desk.table.submit(f.Resign(by="black"))
    assert desk.status() == "done"
    assert desk.next.known is not None and desk.next.known.game == GAME
    assert desk.table.pairings.next_of("cia ek") == GAME.pairing
    assert desk.next.take() is not None and desk.next.known is None


def test_a_table_that_has_its_game_already_stays_as_it_is(desk: Desk) -> None:
    assert desk.status() == "done"  # the game of the set-up has not begun
    setup = desk.table.game.setup
    assert setup is not None
    same = Assignment(setup.round, "1", "Anna", "Bert")
    desk.table.submit(f.Start())
    assert desk.status(body=body(same)) == "refused"  # another Black
    assert desk.next.known is not None


def test_a_pairing_that_was_corrected_back_leaves_the_game_that_is_set_up(event: Event) -> None:
    setup = f.Setup(white=f.Player(name="Cia Ek"), black=f.Player(name="David Fors"), round="4")
    table, following = event.table(setup=setup), NextGame()
    joined = replace(event.broker.event_file("1"), event=event.name)
    event.publish(table, handlers=handlers(table, joined, following))
    hall = event.hall()
    assert until(lambda: is_equal(hall, table))
    for white, known in (("Eva", True), ("Cia Ek", False)):
        game = replace(GAME, white=white)
        assert hall.request("1", "", ASSIGN, body(game)).result(timeout=PATIENCE_S).status == "done"
        assert (following.known is not None) is known


@pytest.mark.parametrize("wrong", [{"table": "2"}, {"white": ""}, {"impaired": "x"}, {"round": 4}])
def test_what_is_no_assignment_for_this_table_is_refused(desk: Desk, wrong: dict[str, Any]) -> None:
    assert desk.status(body={**asdict(GAME), **wrong}) == "refused"


def test_a_table_that_plays_one_game_only_takes_no_other(event: Event) -> None:
    desk = Desk(event, rounds=False)
    assert desk.status() == "unknown"
    told = {"pairings": [asdict(GAME.pairing)]}
    assert desk.status(TELL, told) == "done"
    assert desk.table.pairings.next_of("Cia Ek") == GAME.pairing
    assert desk.status(TELL, {"pairings": [{"white": 3}]}) == "refused"


@pytest.fixture
def waiting(event: Event) -> Iterator[WaitingTable]:
    joined = replace(event.broker.event_file("1"), event=event.name)
    with WaitingTable(joined, event.folder / "at-1", {}) as table:
        yield table


def heard_of(hall: Hall, waiting: WaitingTable) -> bool:
    """Let the table wait on until the hall knows that it waits."""

    def known() -> bool:
        waiting.wait(0.01)
        table = hall.follower.tables.get("1")
        return table is not None and table.presence is not None and table.presence.waits >= 0

    return until(known)


def test_a_waiting_table_takes_the_game_that_it_is_asked_for_once(
    event: Event, waiting: WaitingTable
) -> None:
    hall = event.hall()
    assert heard_of(hall, waiting)
    first = hall.request("1", "Berta", ASSIGN, body()).result(timeout=PATIENCE_S)
    assert first.status == "done"
    assert waiting.wait(60) == Assigned(GAME, "Berta", first.id)
    again = hall.request("1", "Berta", ASSIGN, body()).result(timeout=PATIENCE_S)
    assert again.status == "done"
    assert waiting.wait(0) == Assigned(GAME, "Berta", first.id)
    other = body(replace(GAME, white="Eva"))
    assert hall.request("1", "Berta", ASSIGN, other).result(timeout=PATIENCE_S).status == "refused"


def test_a_waiting_table_does_nothing_else(event: Event, waiting: WaitingTable) -> None:
    hall = event.hall()
    assert heard_of(hall, waiting)
    assert hall.request("1", "", "act", {}).result(timeout=PATIENCE_S).status == "unknown"
    bad = body(replace(GAME, table="2"))
    assert hall.request("1", "", ASSIGN, bad).result(timeout=PATIENCE_S).status == "refused"
    assert hall.request("1", "", ASSIGN, {}).result(timeout=PATIENCE_S).status == "refused"
    assert waiting.wait(0) is None


def test_a_waiting_table_learns_where_its_people_play_next(event: Event) -> None:
    joined, known = replace(event.broker.event_file("1"), event=event.name), Pairings("1")
    with WaitingTable(joined, event.folder / "at-1", {}, known) as waiting:
        hall = event.hall()
        assert heard_of(hall, waiting)
        body = {"pairings": [asdict(GAME)]}
        assert hall.request("1", "", TELL, body).result(timeout=PATIENCE_S).status == "done"
        assert known.told == (GAME.pairing,)
        bad = {"pairings": [3]}
        assert hall.request("1", "", TELL, bad).result(timeout=PATIENCE_S).status == "refused"
        assert waiting.wait(0) is None and known.told == (GAME.pairing,)


def test_an_assignment_for_an_earlier_wait_is_stale(event: Event, waiting: WaitingTable) -> None:
    hall = event.hall()
    assert heard_of(hall, waiting)
    followed = hall.follower.tables["1"]
    true = followed.presence
    assert true is not None
    for wrong in (replace(true, run="another"), replace(true, waits=true.waits + 3600)):
        followed.presence = wrong
        assert hall.request("1", "", ASSIGN, body()).result(timeout=PATIENCE_S).status == "stale"
    assert waiting.wait(0) is None


def test_a_waiting_table_gives_the_journals_of_its_earlier_games(event: Event) -> None:
    table = event.table()
    event.publish(table).close()
    joined = replace(event.broker.event_file("1"), event=event.name)
    with WaitingTable(joined, table.path.parent, {}) as waiting:
        hall = event.hall()
        assert heard_of(hall, waiting)
        copies = event.folder / "hall" / "table-1"

        def is_copied() -> bool:
            waiting.wait(0.01)
            return [one.read_bytes() for one in copies.glob("*")] == [table.path.read_bytes()]

        assert until(is_copied)
