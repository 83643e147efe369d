"""Giving a round to the tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blindplay.hall.hall import TableCalls
from blindplay.hall.pairings.giving import TableState, assign_round, resume_games
from blindplay.hall.pairings.played import TableResult
from blindplay.hall.pairings.rounds import Assignment, Round, with_tables
from blindplay.hall.table_side.between_games import NextGame, WaitingTable, publisher
from blindplay.hall.table_side.journals import mark_journal
from blindplay.laws import facts as f
from blindplay.wording.values import Pairing
from tests.hall.running import Event, play
from tests.waiting import PATIENCE_S, until


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a table may answer later than a hall waits."""
    monkeypatch.setattr("blindplay.hall.requests._PATIENCE_S", PATIENCE_S)


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
                there = all(name in tables and tables[name].online for name in "12")
                return there and bool(tables["2"].head)

            assert until(known) and calls.gather(60)
            resting = replace(ROUND, resting=("Eva",), byes={"Eva": "full"})
            given, _back = assign_round(calls, resting)
            assert [one.status for one in given] == ["done", "done"]
            assigned = waiting.wait(60)
            assert assigned is not None and assigned.game == ROUND.games[0]
            assert following.known is not None and following.known.game == ROUND.games[1]
            assert over.pairings.next_of("Bert") == ROUND.games[0].pairing
            assert over.pairings.next_of("Eva") == Pairing("4", "", "Eva", "", "full")
            # Neither table has published that it has set the game up: nobody leaves table 2.
            assert not any(one.seen for one in given)


def test_a_table_that_is_not_there_is_named_and_nothing_waits_for_it(event: Event) -> None:
    with TableCalls(event.joined()) as calls:
        assert calls.gather(60)
        for before in (None, ROUND):
            now = Round("4", ()) if before else ROUND
            results = [one for some in assign_round(calls, now, before) for one in some]
            assert [one.status for one in results] == ["unreachable"] * 2
            assert not any(one.seen for one in results)


@pytest.mark.parametrize("following", [NextGame(), None])
def test_people_hear_their_next_game_at_any_table_and_that_it_is_withdrawn(
    event: Event, following: NextGame | None
) -> None:
    """Bert and Eva have played at table 2. First he is sent to table 1, then both stay there. A
    table that plays one game only is told so, too."""
    setup = f.Setup(white=f.Player(name="Eva"), black=f.Player(name="Bert"), round="3")
    over, lost = event.table("2", setup=setup), list[bool]()
    play(over, "e2e4")
    over.submit(f.Resign(by="black"))
    over.pairings.here = "2"
    over.pairings.on_lost(lambda: lost.append(True))
    gone, nothing = Round("4", ROUND.games[:1]), Round("4", ())
    stays = Round("4", (Assignment("4", "2", "Bert", "Eva"),))
    with publisher(over, event.joined("2"), dict, following), TableCalls(event.joined()) as calls:

        def known() -> bool:
            table = calls.follower.tables.get("2")
            return table is not None and table.head is not None and table.online

        assert until(known) and calls.gather(60)
        assign_round(calls, gone)
        assert over.pairings.told == (gone.games[0].pairing,)
        assign_round(calls, nothing, gone)
        assert not list(over.pairings.told) and lost == [True]
        assign_round(calls, gone)
        assign_round(calls, stays, gone)
        assert over.pairings.told == (stays.games[0].pairing,) and lost == [True] * 2
        assign_round(calls, stays, stays)
        assert over.pairings.next_of("Eva") == stays.games[0].pairing and lost == [True] * 2
        assign_round(calls, nothing, stays)
        assert not list(over.pairings.told) and lost == [True] * 3


def test_a_game_is_seen_when_its_table_has_published_it(event: Event) -> None:
    setup = f.Setup(white=f.Player(name="Anna"), black=f.Player(name="Bert"), round="4")
    table, following = event.table(setup=setup), NextGame()
    following.present = ROUND.games[0]
    first = replace(ROUND, games=ROUND.games[:1])
    with publisher(table, event.joined("1"), dict, following), TableCalls(event.joined()) as calls:

        def state() -> str:
            followed = calls.follower.tables.get("1")
            return followed.head.state if followed is not None and followed.head else ""

        for expected in ("setup", "playing"):
            assert until(lambda expected=expected: state() == expected)  # type: ignore[misc]
            assert calls.gather(60)
            (given,), _back = assign_round(calls, first)
            assert given.seen and given.state is not None
            assert given.state.value == ("set_up" if expected == "setup" else "plays")
            play(table, "e2e4")


@pytest.mark.parametrize("state", ["adjourned", "over"])
def test_people_are_told_of_a_game_that_goes_on_only_once_its_table_takes_it(
    event: Event, state: str
) -> None:
    """Bert has left a game at table 1. He plays at table 2, and was told where he plays then."""
    setup = f.Setup(white=f.Player(name="Eva"), black=f.Player(name="Bert"), round="5")
    later = Pairing("6", "7", "Bert", "Cia")
    left = TableResult("1", "Anna", "Bert", "", (), 1, False, state=state, round="4")
    other, following = event.table("2", setup=setup), NextGame()
    play(other, "e2e4")
    other.pairings.here = "2"
    other.pairings.tell([later])
    folder = event.folder / "at-1"
    heard = publisher(other, event.joined("2"), dict, following)
    with (
        WaitingTable(event.joined("1"), folder, {}) as waiting,
        heard,
        TableCalls(event.joined()) as calls,
    ):

        def known() -> bool:
            waiting.wait(0.01)
            head = "2" in calls.follower.tables and calls.follower.tables["2"].head
            return bool(head) and "1" in calls.follower.tables

        assert until(known) and calls.gather(60)
        (refused,) = resume_games(calls, [left])
        assert refused.status == "refused" and other.pairings.told == (later,)
        played = replace(setup, round="4", white=f.Player(name="Anna"))
        begun = event.table(setup=played)
        assert mark_journal(begun.path, event.joined("1"))
        play(begun, "e2e4")
        # The table says whether it takes the game, the hall's copy whether people play on.
        (taken,) = resume_games(calls, [left])
        assert taken.state is TableState.RESUMED and taken.is_unopened
        now = () if state == "over" else (Pairing("4", "1", "Anna", "Bert"),)
        assert other.pairings.told == (*now, later)


def test_a_table_that_is_gone_has_not_opened_its_game(event: Event) -> None:
    """Its newest head is that of the game that it was to go on with."""
    setup = f.Setup(white=f.Player(name="Anna"), black=f.Player(name="Bert"), round="4")
    left = TableResult("1", "Anna", "Bert", "", (), 1, False, state="adjourned", round="4")
    table = event.table(setup=setup)
    with TableCalls(event.joined()) as calls:
        with event.publish(table):
            play(table, "e2e4")
            assert until(lambda: "1" in calls.follower.tables and calls.follower.tables["1"].online)
            assert calls.gather(60)
            assert until(lambda: resume_games(calls, [left])[0].seen)
        assert until(lambda: not calls.follower.tables["1"].online)
        (gone,) = resume_games(calls, [left])
        assert calls.follower.tables["1"].head is not None and not gone.seen
