"""A move that was made is completed: by the clock, by the next move, or by an answer."""

from __future__ import annotations

import pytest

from tests.laws.table import kinds, of, one, started


def make(by: str, move: str) -> dict[str, str]:
    return {"fact": "make", "by": by, "move": move}


def press(by: str) -> dict[str, str]:
    return {"fact": "press", "by": by}


def test_a_press_completes_the_move_and_starts_the_opponents_clock() -> None:
    table = started()
    got = table.feed(make("white", "e2e4"), {"t": 4, **press("white")})
    assert (one(got, "completed").ply, one(got, "clock").running) == (1, "black")
    assert one(got, "completed").articles == ("fide-2023 6.2.1",)


def test_a_move_may_be_answered_before_it_is_completed_and_pressed_afterwards() -> None:
    table = started()
    got = table.feed(make("white", "e2e4"), make("black", "e7e5"))
    assert "completed" not in kinds(got)
    assert table.game.clock.running == "white"
    got = table.feed(press("white"))
    assert one(got, "completed").articles == ("fide-2023 6.2.2",)
    assert table.game.clock.running == "black"


@pytest.mark.parametrize(
    ("edition", "article"), [("fide-2023", "6.2.1.2"), ("fide-2014", "6.2 a 2")]
)
def test_the_next_move_completes_one_that_was_never_pressed(edition: str, article: str) -> None:
    table = started(edition=edition)
    got = table.feed(make("white", "e2e4"), make("black", "e7e5"), make("white", "g1f3"))
    got += table.feed(make("black", "g8f6"))
    assert [ruling.ply for ruling in of(got, "completed")] == [1, 2]
    assert of(got, "completed")[0].articles == (f"{edition} {article}",)


def test_without_a_clock_the_answer_completes_the_move() -> None:
    table = started(time_control="-")
    got = table.feed(make("white", "e2e4"), make("black", "e7e5"))
    assert [ruling.move for ruling in of(got, "completed")] == ["e2e4"]


def test_both_kings_in_check_after_the_next_completed_move_are_a_draw_in_rapid() -> None:
    """A.5.4: the arbiter waits for the next completed move, then declares the draw."""
    fen = "4k3/8/8/8/8/8/4R3/r3K3 w - - 0 1"  # both kings are in check
    table = started(mode="rapid", fen=fen)
    table.feed(make("white", "e2d2"))  # the rook leaves the file; White's king stays in check
    got = table.feed(press("white"))
    assert "game_over" not in kinds(got)
