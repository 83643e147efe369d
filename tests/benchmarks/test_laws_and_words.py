"""The figures about the Laws and words."""

from __future__ import annotations

import pytest

from benchmarks import laws_and_words
from blindplay.language import load


@pytest.mark.long
def test_boards_with_one_slip_are_measured_for_short_and_long_games() -> None:
    lines = list(laws_and_words.measure_reconciling(load("de"), 1))
    assert [line.split(":")[0] for line in lines] == [
        "Boards with one slip, 100 plies",
        "Boards with one slip, 300 plies",
    ]
    assert all("1 cases, one explanation" in line for line in lines)


def test_the_long_game_is_legal_and_both_boards_follow_it() -> None:
    facts = list(laws_and_words.long_game())
    kinds = [type(fact).__name__ for fact in facts]
    assert kinds[:2] == ["Setup", "Start"]
    assert kinds.count("Announce") == kinds.count("Press") > 100
    assert {fact.board for fact in facts if hasattr(fact, "board")} == {"white", "black"}


def test_previews_are_measured_early_and_late_in_a_game() -> None:
    assert laws_and_words.previewing().count(" ms at ply ") == 3
