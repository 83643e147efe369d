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


# --- a press that was on a line -----------------------------------------------------------------


def late_press(t: float, late: float, by: str = "white") -> dict[str, object]:
    return {"t": t, "late": late, **press(by)}


def test_the_time_of_a_press_on_the_line_is_charged_to_nobody() -> None:
    table = started(time_control="60")
    table.feed({"t": 9.5, "fact": "tick"}, make("white", "e2e4"), late_press(10, 2))
    assert table.game.clock.left == {"white": 52_000, "black": 60_000}
    table.feed({"t": 13, "fact": "tick"})
    assert table.game.clock.left == {"white": 52_000, "black": 57_000}


def test_a_press_without_a_move_stops_the_clock_at_the_time_of_the_finger() -> None:
    table = started(time_control="60")
    table.feed({"t": 10, "fact": "tick"}, late_press(10, 2))
    assert table.game.clock.running is None
    assert table.game.clock.left["white"] == 52_000


def test_a_press_that_was_made_in_time_keeps_the_flag_up_although_it_comes_after_it() -> None:
    table = started(time_control="60")
    got = table.feed({"t": 59.5, "fact": "tick"}, make("white", "e2e4"), late_press(60.5, 1.5))
    assert "flag" not in kinds(got)
    assert table.game.clock.left["white"] == 1_000


def test_a_flag_that_has_fallen_before_the_press_comes_stays_down() -> None:
    table = started(time_control="60")
    table.feed(make("white", "e2e4"))
    fallen = table.feed({"t": 60, "fact": "tick"})
    assert "flag" in kinds(fallen)
    table.feed(late_press(60.5, 1.5))
    assert table.game.clock.flags == ["white"]


def test_a_delay_comes_back_with_the_time_of_the_line_and_no_more() -> None:
    table = started(time_control="60+5", clock_mode="delay")
    before = table.game.clock.left["white"]
    table.feed({"t": 3, "fact": "tick"}, make("white", "e2e4"), late_press(4, 2))
    assert table.game.clock.left["white"] == before


def test_no_more_than_a_minute_on_the_line_counts() -> None:
    table = started(time_control="600")
    table.feed({"t": 300, "fact": "tick"}, make("white", "e2e4"), late_press(300, 5000))
    assert table.game.clock.left["white"] == 360_000


def test_the_clock_of_an_opponent_gives_nothing_back() -> None:
    table = started(time_control="60")
    table.feed(make("white", "e2e4"), {"t": 5, **press("white")}, {"t": 9, "fact": "tick"})
    table.feed(late_press(10, 3, "white"))
    assert table.game.clock.left == {"white": 55_000, "black": 55_000}


def test_a_press_on_the_line_gives_no_time_back_that_its_player_has_not_used() -> None:
    """The clock of White runs for half a second, though the press says that it took five."""
    table = started(time_control="60")
    table.feed(make("white", "e2e4"), {"t": 10, **press("white")})
    table.feed(make("black", "e7e5"), {"t": 20, **press("black")})
    table.feed({"t": 20.2, "fact": "tick"}, make("white", "g1f3"), late_press(20.5, 5))
    assert table.game.clock.left == {"white": 50_000, "black": 50_000}


def test_a_delay_that_has_passed_comes_back_after_the_time_that_was_charged() -> None:
    table = started(time_control="60+5", clock_mode="delay")
    table.feed({"t": 6, "fact": "tick"}, make("white", "e2e4"), late_press(6, 3))
    assert table.game.clock.left["white"] == 60_000
