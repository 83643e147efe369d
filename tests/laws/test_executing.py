"""Hands on boards: what executes a move, and when it is made."""

from __future__ import annotations

from typing import Any

import pytest

from blindplay.laws.editions import names
from tests.laws.table import impaired, kinds, lift, one, place, started

CAPTURE = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"


def test_wrong_execution_on_the_opponents_board_is_said_at_once() -> None:
    table = impaired()
    table.feed({"fact": "announce", "by": "white", "text": "g1f3"})
    got = one(table.feed(lift("g1", "black"), place("h3", "N", "black")), "executed_differs")
    assert (got.announced, got.executed) == ("g1f3", "g1h3")
    assert "executed" in kinds(table.feed(lift("h3", "black"), place("f3", "N", "black")))


def test_sighted_players_move_is_made_by_releasing_it() -> None:
    table = impaired()
    table.play("e2e4")
    assert "made" in kinds(table.feed({"fact": "make", "by": "black", "move": "e7e5"}))


def test_captured_piece_may_leave_the_board_first() -> None:
    table = impaired(fen=CAPTURE)
    table.feed(lift("d5"), lift("e4"), place("d5", "P"))
    assert "made" in kinds(table.feed({"fact": "announce", "by": "white", "text": "e4d5"}))


def put(square: str, piece: str | None = None) -> dict[str, Any]:
    return {"fact": "place", "board": "white", "square": square, "piece": piece}


CASTLING = "r3k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
HALVES = {
    "the rook, unnamed": ([lift("a1"), put("c1")], "a1c1"),
    "the king, unnamed": ([lift("e1"), put("d1")], "e1d1"),
    "the rook, named": ([lift("a1"), put("d1", "R")], "a1d1"),
}


@pytest.mark.parametrize("edition", names())
@pytest.mark.parametrize("half", HALVES)
def test_half_of_the_announced_castling_is_asked_about_before_it_counts_as_another_move(
    edition: str, half: str
) -> None:
    """Two reports of a sighted player's board are lost."""
    table = started(edition=edition, fen=CASTLING, arbiter="automatic")
    reports, _ = HALVES[half]
    got = table.feed({"fact": "announce", "by": "white", "move": "e1c1"}, *reports)
    got += table.feed({"fact": "press", "by": "white"})
    assert {"made", "executed_differs", "completed", "arbiter_needed"}.isdisjoint(kinds(got))
    assert one(got, "not_made") and one(got, "check_board").board == "white"
    shown = {"fact": "position", "board": "white", "placement": "r3k3/8/8/8/8/8/8/2KR3R"}
    got = table.feed(shown, {"fact": "press", "by": "white"})
    assert one(got, "completed").move == "e1c1"


@pytest.mark.parametrize("edition", names())
@pytest.mark.parametrize("half", HALVES)
def test_what_still_stands_there_after_people_were_asked_is_the_move(
    edition: str, half: str
) -> None:
    table = started(edition=edition, fen=CASTLING, arbiter="automatic")
    reports, move = HALVES[half]
    table.feed({"fact": "announce", "by": "white", "move": "e1c1"}, *reports)
    press = {"fact": "press", "by": "white"}
    table.feed(press)
    got = table.feed(press)
    assert one(got, "executed_differs").executed == one(got, "completed").move == move


def test_a_board_that_shows_an_answer_after_the_end_completes_nothing() -> None:
    table = started(time_control="-", boards=2, black={"impaired": True})
    table.feed(
        {"fact": "announce", "by": "white", "move": "e2e4"},
        {"fact": "make", "by": "white", "move": "e2e4"},
        {"fact": "resign", "by": "black"},
    )
    placement = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR"
    got = table.feed({"fact": "position", "board": "black", "placement": placement})
    assert kinds(got) == []
