"""Claims of a draw, and the quickplay finish."""

from __future__ import annotations

import pytest

from tests.laws.table import Table, kinds, one, started

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def claim(**more: str) -> dict[str, str]:
    return {"fact": "claim_draw", "by": "white", "rule": "repetition", **more}


def repeated(**setup: object) -> Table:
    table = started(**setup)
    table.play(*SHUFFLE, *SHUFFLE)
    return table


@pytest.mark.parametrize(
    ("edition", "article"), [("fide-2023", "9.2.2"), ("fide-2014", "9.2 b"), ("fide-1997", "9.2 b")]
)
def test_a_correct_claim_of_repetition_ends_the_game(edition: str, article: str) -> None:
    table = repeated(edition=edition)
    claimed = one(table.feed(claim()), "claim")
    assert claimed.correct and f"{edition} {article}" in claimed.articles
    over = one(table.feed({"fact": "arbiter", "do": "confirm"}), "game_over")
    assert (over.result, over.reason) == ("1/2-1/2", "repetition")


def test_a_claim_with_a_written_move_looks_at_the_position_after_it() -> None:
    table = started()
    table.play(*SHUFFLE, *SHUFFLE[:3])
    claimed = one(table.feed(claim(by="black", move="f6g8")), "claim")
    assert claimed.correct and "fide-2023 9.2.1" in claimed.articles


def test_the_right_to_claim_is_lost_by_touching_a_piece() -> None:
    table = repeated()
    table.feed({"fact": "lift", "board": "white", "square": "e2"})
    refused = one(table.feed(claim()), "refused")
    assert (refused.why, refused.articles) == ("claim_lost", ("fide-2023 9.4",))


def test_in_the_oldest_text_the_right_is_lost_only_by_making_a_move() -> None:
    table = repeated(edition="fide-1997")
    table.feed({"fact": "lift", "board": "white", "square": "e2"})
    assert "claim" in kinds(table.feed(claim()))


def test_fifty_moves_without_a_capture_or_a_pawn_are_a_correct_claim() -> None:
    table = started(fen="4k3/8/8/8/8/8/3R4/4K3 w - - 100 80")
    assert one(table.feed(claim(rule="fifty_moves")), "claim").correct
    table = started(fen="4k3/8/8/8/8/8/3R4/4K3 w - - 99 80")
    assert not one(table.feed(claim(rule="fifty_moves")), "claim").correct


def test_a_claim_in_a_quickplay_finish_needs_less_than_two_minutes() -> None:
    table = started(quickplay_finish=True, time_control="120")
    assert one(table.feed(claim(rule="no_effort")), "refused").why == "two_minutes_or_more"
    got = table.feed(claim(t=1, rule="no_effort"))  # type: ignore[arg-type]
    assert one(got, "claim").correct is None
