"""Whatever the Laws rule can be said, in every language, in words only."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from blindplay import language
from blindplay.language.language import words_only
from blindplay.laws import Game
from blindplay.laws import rulings as r
from blindplay.laws.facts import Fact, parse
from blindplay.wording import announcements as module
from blindplay.wording.announcements import announcements
from blindplay.wording.pack_words import PackWords
from tests.laws.test_game import games


@pytest.mark.parametrize("code", language.languages())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(facts=games())
def test_whatever_is_ruled_can_be_said(code: str, facts: list[Fact]) -> None:
    game, pack = Game(PackWords()), language.load(code)
    for fact in facts:
        for one in announcements(game.apply(fact), game, pack):
            assert words_only(one.words), one.words


def test_every_kind_of_ruling_is_told_or_left_out_on_purpose() -> None:
    told = set(module._TELLERS)
    assert told | module.UNTOLD == set(r.KINDS.values())
    assert not told & module.UNTOLD


def test_a_corrected_slip_is_announced_once() -> None:
    game, pack = Game(PackWords()), language.load("en")
    for fact in (
        {"t": 0, "fact": "setup", "white": {"impaired": True}},
        {"t": 1, "fact": "announce", "by": "white", "move": "e2e4"},
    ):
        game.apply(parse(fact))
    rulings = game.apply(parse({"t": 2, "fact": "correct", "by": "white", "move": "d2d4"}))
    assert [one.kind for one in rulings][:2] == ["slip_corrected", "announced"]
    words = [one.words for one in announcements(rulings, game, pack)]
    move = pack.announce(game.board, game.board.parse_uci("d2d4"))
    assert words == [pack.sentence("corrected", move=move)]


def test_what_the_submitter_reports_is_left_out() -> None:
    game, pack = Game(PackWords()), language.load("en")
    game.apply(parse({"t": 0, "fact": "setup"}))
    rulings = game.apply(parse({"t": 1, "fact": "announce", "by": "black", "move": "e7e5"}))
    assert announcements(rulings, game, pack)
    assert announcements(rulings, game, pack, omit=(r.Refused,)) == []


def test_a_sighted_players_move_that_nobody_announced_is_told_when_it_is_completed() -> None:
    game, pack = Game(PackWords()), language.load("en")
    facts: list[dict[str, object]] = [
        {"t": 0, "fact": "setup", "black": {"impaired": True}},
        {"t": 1, "fact": "make", "by": "white", "move": "e2e4"},
        {"t": 2, "fact": "press", "by": "white"},
    ]
    words = [
        one.words for fact in facts for one in announcements(game.apply(parse(fact)), game, pack)
    ]
    move = pack.announce(game.start_board, game.start_board.parse_uci("e2e4"))
    assert words == [pack.sentence("last_move", player="White", move=move)]
