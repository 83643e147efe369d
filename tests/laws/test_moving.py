"""Announcing, repeating, correcting, and pressing the clock."""

from __future__ import annotations

import pytest

from tests.laws.table import impaired, kinds, lift, one, place, started


def test_clock_of_opponent_does_not_start_before_the_move_is_announced() -> None:
    table = impaired()
    assert "made" not in kinds(table.feed(lift("e2"), place("e4", "P")))
    got = table.feed({"fact": "press", "by": "white"})
    assert one(got, "not_made").missing == ("announced",)
    assert table.game.clock.running == "white"
    assert "made" in kinds(table.feed({"fact": "announce", "by": "white", "text": "e2e4"}))


def test_a_pawn_put_on_the_last_rank_misses_its_promotion_piece() -> None:
    table = impaired(fen="7k/4P3/8/8/8/8/8/4K3 w - - 0 1")
    table.feed({"fact": "announce", "by": "white", "text": "e7e8q"})
    table.feed(lift("e7"), place("e8", "P"))
    got = table.feed({"fact": "press", "by": "white"})
    assert one(got, "not_made").missing == ("promotion_piece",)
    assert "made" in kinds(table.feed(lift("e8"), place("e8", "Q")))


def test_repetition_that_differs_is_said() -> None:
    table = impaired()
    table.feed({"fact": "announce", "by": "white", "text": "g1f3"})
    assert kinds(table.feed({"fact": "repeat", "by": "black", "text": "g1f3"})) == ["repeated"]
    got = table.feed({"fact": "repeat", "by": "black", "text": "g1h3"})
    assert one(got, "repeat_differs").repeated == "g1h3"


def test_what_was_announced_is_repeated_even_where_the_hand_made_another_move() -> None:
    """D.2.1: the announcement is repeated; which of the two counts, the sheets decide (D.2.9)."""
    table = started(black={"impaired": True})
    table.feed(
        {"fact": "make", "by": "white", "move": "d2d4"},
        {"fact": "announce", "by": "white", "move": "e2e4"},
        {"fact": "press", "by": "white"},
    )
    assert table.game.history[0].misannounced
    assert "black" not in table.game.repeated
    got = table.feed({"fact": "repeat", "by": "black", "move": "e2e4"})
    assert kinds(got) == ["repeated"]
    assert table.game.repeated == {"black"}
    table.feed({"fact": "announce", "by": "black", "move": "e7e5"})
    assert table.game.repeated == {"black"}
    table.feed({"fact": "repeat", "by": "white", "move": "e7e5"})
    assert table.game.repeated == {"black", "white"}


def test_who_was_not_understood_has_begun_his_move_and_pressed_too_early() -> None:
    table = impaired()
    assert kinds(table.feed({"fact": "announce", "by": "white", "text": "mumble"})) == [
        "not_understood"
    ]
    got = table.feed({"fact": "press", "by": "white"})
    assert "announced" in one(got, "not_made").missing
    assert table.game.illegal_moves["white"] == 0


@pytest.mark.parametrize(("edition", "ruled"), [("fide-2023", "illegal"), ("fide-2014", "refused")])
def test_pressing_without_a_move(edition: str, ruled: str) -> None:
    table = started(edition=edition)
    assert kinds(table.feed({"fact": "press", "by": "white"}))[0] == ruled
