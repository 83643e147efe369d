"""Hands on boards: what executes a move, and when it is made."""

from __future__ import annotations

from tests.laws.table import impaired, kinds, lift, one, place

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
