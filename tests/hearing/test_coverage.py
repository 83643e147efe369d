"""Of many sentences those are chosen that together hold most."""

from __future__ import annotations

import random

from blindplay.hearing.coverage import Coverage
from blindplay.hearing.script import ScriptLine, announcement

from .player import GERMAN, line


def words(*said: str) -> list[ScriptLine]:
    return [line(one) for one in said]


def test_what_adds_new_words_comes_before_what_repeats_them() -> None:
    first, again, other = words("dame anna eins", "dame anna zwei", "turm bella drei")
    coverage = Coverage(GERMAN)
    assert coverage.chosen([first], 1) == [first]
    assert coverage.chosen([again, other], 1) == [other]


def test_a_pair_of_known_words_adds_something_and_the_same_again_less() -> None:
    coverage = Coverage(GERMAN)
    first, swapped = words("dame anna", "anna dame")
    assert coverage.chosen([first], 1) == [first]
    assert coverage.chosen([first, swapped], 1) == [swapped]


def test_each_line_is_chosen_once_and_all_if_there_are_too_few() -> None:
    asked = words("dame", "turm", "dame")
    assert sorted(one.words for one in Coverage(GERMAN).chosen(asked, 9)) == ["dame", "turm"]
    assert Coverage(GERMAN).chosen([], 3) == []


def test_chosen_moves_say_more_squares_than_as_many_others() -> None:
    chance = random.Random(3)
    moves = [announcement(GERMAN, chance) for _ in range(40)]

    def squares(lines: list[ScriptLine]) -> int:
        said = " ; ".join(one.words.lower() for one in lines)
        return sum(GERMAN.square(square).lower() in said for square in range(64))

    assert squares(Coverage(GERMAN).chosen(moves, 16)) > squares(moves[:16])
