"""Giving a round to the tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blindplay.hall.hall import TableCalls
from blindplay.hall.pairings.rounds import Assignment, Round, assign_round, with_tables
from blindplay.hall.table_side.between_games import NextGame, WaitingTable, publisher
from blindplay.laws import facts as f
from tests.hall.running import Event, play
from tests.waiting import until

ROUND = Round("4", (Assignment("4", "1", "Anna", "Bert"), Assignment("4", "2", "Cia", "David")))


def test_tables_are_found_by_their_names_or_by_their_numbers() -> None:
    games = with_tables(ROUND, ["table-01", "2", "hall-7"]).games
    assert [one.table for one in games] == ["table-01", "2"]
    assert with_tables(ROUND, []) == ROUND
    with pytest.raises(ValueError, match="number 2"):
        with_tables(ROUND, ["a-2", "b-2"])
    halls = replace(ROUND, games=tuple(replace(one, table=f"{one.white[0].lower()}-1")
                                       for one in ROUND.games))  # fmt: skip
    assert with_tables(halls, ["a-1", "c-1"]) == halls


def test_each_game_goes_to_its_table_and_people_hear_where_they_play(event: Event) -> None:
    """Bert sits at table 2, where the last round is over, and plays at table 1."""
    setup = f.Setup(white=f.Player(name="Eva"), black=f.Player(name="Bert"), round="3")
    over, following = event.table("2", setup=setup), NextGame()
    play(over, "e2e4")
    over.submit(f.Resign(by="black"))
    joined = {name: event.joined(name) for name in "12"}
    heard = publisher(over, joined["2"], dict, following)
    with WaitingTable(joined["1"], event.folder, {}) as waiting, heard:
        hall = event.joined()
        with TableCalls(hall) as calls:

            def known() -> bool:
                waiting.wait(0.01)
                tables = calls.follower.tables
                head, there = "2" in tables and tables["2"].head, "1" in tables
                return there and bool(head)

            assert until(known) and calls.gather(60)
            given = assign_round(calls, ROUND)
            assert [one.status for one in given] == ["done", "done"]
            assigned = waiting.wait(60)
            assert assigned is not None and assigned.game == ROUND.games[0]
            assert following.known is not None and following.known.game == ROUND.games[1]
            assert over.pairings.next_of("Bert") == ROUND.games[0].pairing


def test_a_table_that_is_not_there_is_named_and_nothing_waits_for_it(event: Event) -> None:
    with TableCalls(event.joined()) as calls:
        assert calls.gather(60)
        assert {one.status for one in assign_round(calls, ROUND)} == {"unreachable"}
