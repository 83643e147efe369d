"""What touches a piece, and what does not."""

from __future__ import annotations

import pytest

from tests.laws.table import impaired, kinds, lift, one, place


@pytest.mark.parametrize(
    ("edition", "article"),
    [("fide-2023", "D.2.2"), ("fide-2014", "D.2.2"), ("fide-1997", "F.2")],
)
def test_touched_cites_the_article_of_the_edition(edition: str, article: str) -> None:
    table = impaired(edition=edition)
    assert one(table.feed(lift("e2")), "touched").articles == (f"{edition} {article}",)


def test_executing_the_opponents_move_on_the_own_board_is_no_touch() -> None:
    table = impaired()
    table.play("e2e4")
    table.feed(
        {"fact": "announce", "by": "black", "move": "d7d5"},
        {"fact": "make", "by": "black", "move": "d7d5"},
        {"fact": "press", "by": "black"},
    )
    got = table.feed(lift("d7"), place("d5", "p"))
    assert kinds(got) == ["executed"]
    assert "touched" in kinds(table.feed(lift("e4")))


@pytest.mark.parametrize("seen", [True, False])
def test_a_player_whose_move_is_made_adjusts_no_more(seen: bool) -> None:
    # 4.2.1 and 1.3: only the player on move may adjust, and the opponent is, once it is made.
    table = impaired()
    table.feed({"fact": "announce", "by": "white", "move": "e2e4"})
    placement = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
    made = {"fact": "position", "board": "white", "placement": placement}
    typed = {"fact": "make", "by": "white", "move": "e2e4"}
    assert "made" in kinds(table.feed(made if seen else typed))
    assert one(table.feed({"fact": "adjust", "by": "white"}), "refused").why == "too_late"
    table.feed(lift("g1"), place("g1", "N"))


def test_adjusting_ends_when_the_move_is_made() -> None:
    table = impaired()
    table.feed(
        {"fact": "announce", "by": "white", "move": "e2e4"},
        {"fact": "adjust", "by": "white"},
        {"fact": "make", "by": "white", "move": "e2e4"},
    )
    assert "touched" not in kinds(table.feed(lift("g1"), place("g1", "N")))


@pytest.mark.parametrize("kind", ["announce", "correct"])
def test_a_move_that_a_touched_piece_forbids_is_refused_before_anybody_hears_it(kind: str) -> None:
    """4.3.1: the knight was touched, so the pawn's move is not announced to anybody."""
    table = impaired()
    table.feed(lift("g1"))
    got = table.feed({"fact": kind, "by": "white", "move": "e2e4"})
    assert kinds(got) == ["refused", "obliged"]
    assert (one(got, "refused").why, one(got, "refused").articles) == (
        "touched_piece", ("fide-2023 4.3.1",),
    )  # fmt: skip
    assert kinds(table.feed({"fact": "announce", "by": "white", "move": "g1f3"})) == ["announced"]


def test_a_move_announced_before_another_piece_was_touched_is_withdrawn_when_refused() -> None:
    """4.3.1, D.2.1: nobody repeats a move that may not be made any more."""
    table = impaired()
    pawn = {"fact": "announce", "by": "white", "move": "e2e4"}
    table.feed(pawn, lift("g1"))
    got = table.feed(pawn)
    assert kinds(got) == ["refused", "announcement_void", "obliged"]
    assert table.game.turn.announced is None
    assert one(table.feed({"fact": "repeat", "by": "black", "move": "e2e4"}), "refused")
