"""The values of facts' fields, checked one by one."""

from __future__ import annotations

from typing import Any

import chess
import pytest

from blindplay.laws import fact_values as v


@pytest.mark.parametrize(("milliseconds", "seconds"), [(0, 0), (2000, 2), (1500, 1.5)])
def test_seconds_are_whole_numbers_if_possible(milliseconds: int, seconds: float) -> None:
    assert v.seconds(milliseconds) == seconds
    assert isinstance(v.seconds(milliseconds), int) == (milliseconds % 1000 == 0)
    assert v.duration.read(seconds) == milliseconds


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_list_is_kept_in_the_order_of_what_is_allowed(kind: Any) -> None:
    some = v.some_of("size", "pegs")
    assert some.check(kind(("pegs", "size", "pegs"))) == ("size", "pegs")


@pytest.mark.parametrize(
    ("values", "value"),
    [
        (v.one_of("white", "black"), "red"),
        (v.some_of("pegs"), ["holes"]),
        (v.some_of("pegs"), "pegs"),
        (v.whole(1, 2), 3),
        (v.whole(1, 2), True),
        (v.text, 7),
        (v.text, "a" * 10_001),
        (v.label, 1.5),
        (v.switch, "true"),
        (v.square, "i9"),
        (v.piece, "x"),
        (v.move, "e2e2"),
        (v.placement, "8/8"),
        (v.fen, "8/8/8/8/8/8/8/8 w - - 0 1"),
        (v.duration, float("nan")),
        (v.duration, -1),
        (v.duration, 1.5),
        (v.duration, True),
        (v.one_of("white"), object()),
        (v.some_of("pegs"), {"pegs"}),
        (v.time_control, "soon"),
        (v.edition, "fide-1066"),
    ],
)
def test_every_check_says_in_one_sentence_what_is_wrong(values: v.Values, value: Any) -> None:
    with pytest.raises(v.FactError) as caught:
        values.check(value)
    assert "\n" not in str(caught.value)


def test_a_long_value_is_shortened_in_a_message() -> None:
    assert len(v.shown("a" * 1000)) == 60


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, "4k3/P7/8/8/8/8/8/P3K3 w - - 0 1"])
def test_positions_that_only_rapid_and_blitz_allow_are_accepted(fen: str) -> None:
    assert v.fen.check(fen) == fen


@pytest.mark.parametrize("values", [v.whole(1, 2), v.duration, v.text])
def test_a_number_that_python_does_not_print_is_a_sentence_too(values: v.Values) -> None:
    with pytest.raises(v.FactError):
        values.check(10**5000)
