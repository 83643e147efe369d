"""Levels in words and in Elo."""

from __future__ import annotations

import pytest

from blindplay.opponents.levels import ELO, Level, level


def test_each_word_and_each_number_is_a_level() -> None:
    assert [level(word).elo for word in ELO] == [800, 1100, 1500, 1900, 2300, None]
    assert level("1623") == Level(1623) and level("1623").name == "club"
    assert [level(word).name for word in ELO] == list(ELO)


@pytest.mark.parametrize("text", ["", "weak", "599", "3201", "-800", "1e3", "99999"])
def test_anything_else_is_none_and_the_levels_are_named(text: str) -> None:
    with pytest.raises(ValueError, match="is not a level; give beginner, learner, club"):
        level(text)
