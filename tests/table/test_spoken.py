"""Whatever the Laws rule can be said, in every language, in words only."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from blindplay import language
from blindplay.language.language import words_only
from blindplay.laws import Game
from blindplay.laws.facts import Fact
from blindplay.table.words import PackWords, spoken

from ..laws.test_game import games


@pytest.mark.parametrize("code", language.languages())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(facts=games())
def test_whatever_is_ruled_can_be_said(code: str, facts: list[Fact]) -> None:
    game, pack = Game(PackWords()), language.load(code)
    for fact in facts:
        for ruling in game.apply(fact):
            for _, words in spoken(ruling, game, pack):
                assert words_only(words), words
