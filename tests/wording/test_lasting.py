"""A sentence holds as long as what it speaks of stays as it is."""

from __future__ import annotations

from typing import Any

import pytest

from blindplay import language
from blindplay.laws import Game, Taken
from blindplay.laws.facts import parse
from blindplay.wording.announcements import announcements
from blindplay.wording.lasting import aspects
from blindplay.wording.pack_words import PackWords

E4: list[dict[str, Any]] = [
    {"fact": "announce", "by": "white", "move": "e2e4"},
    {"fact": "make", "by": "white", "move": "e2e4"},
    {"fact": "make", "by": "black", "move": "e2e4"},
    {"fact": "press", "by": "white"},
]


@pytest.mark.parametrize(
    ("before", "told_by", "sentence", "keeps", "ends"),
    [
        (
            E4[:3], E4[3], ("pressed", "Black"),
            {"fact": "offer_draw", "by": "white"}, {"fact": "call_arbiter", "by": "black"},
        ),
        (
            E4, {"fact": "offer_draw", "by": "white"}, ("draw_offered", "White"),
            {"fact": "record", "by": "black", "ply": 1, "text": "e4"},
            {"fact": "decline_draw", "by": "black"},
        ),
        (
            E4, {"fact": "offer_draw", "by": "white"}, ("draw_offered", "White"),
            {"fact": "query", "by": "black", "about": "time"}, {"fact": "resign", "by": "black"},
        ),
        (
            E4, {"fact": "call_arbiter", "by": "black"},
            ("arbiter_needed", "Black"),
            {"fact": "record", "by": "black", "ply": 1, "text": "e4"},
            {"fact": "arbiter", "do": "start_clocks"},
        ),
        (
            [], {"fact": "claim_draw", "by": "white", "rule": "repetition"},
            ("claim_repetition", "White"),
            {"fact": "record", "by": "black", "ply": 1, "text": "e4"},
            {"fact": "arbiter", "do": "reject"},
        ),
    ],
)  # fmt: skip
def test_a_sentence_ends_with_what_it_speaks_of(
    before: list[dict[str, Any]],
    told_by: dict[str, Any],
    sentence: tuple[str, str],
    keeps: dict[str, Any],
    ends: dict[str, Any],
) -> None:
    game, pack = Game(PackWords()), language.load("en")

    def taken(fact: dict[str, Any]) -> Taken:
        parsed = parse({"t": 1, **fact})
        return Taken(parsed, tuple(game.apply(parsed)))

    taken({"fact": "setup", "t": 0, "white": {"impaired": True}, "time_control": "300"})
    for fact in ({"fact": "start"}, *before):
        taken(fact)
    said = announcements(taken(told_by), game, pack)
    key, player = sentence
    why = pack.sentence("needed_called", player=player)
    words = pack.sentence(key, **({"why": why} if key == "arbiter_needed" else {"player": player}))
    (found,) = (one for one in said if one.words == words)
    assert found.while_same

    def rests() -> dict[str, str]:
        return {name: aspects(game)[name] for name in found.while_same}

    then = rests()
    taken(keeps)
    assert rests() == then
    taken(ends)
    assert rests() != then


@pytest.mark.parametrize("fact", ["offer_draw", "call_arbiter"])
def test_what_is_repeated_is_told_once_until_something_happens(fact: str) -> None:
    game, pack = Game(PackWords()), language.load("en")

    def told(*facts: dict[str, Any]) -> list[str]:
        found: list[str] = []
        for one in facts:
            parsed = parse({"t": 1, **one})
            taken = Taken(parsed, tuple(game.apply(parsed)))
            found += [one.words for one in announcements(taken, game, pack)]
        return found

    told({"fact": "setup", "t": 0, "white": {"impaired": True}, "time_control": "300"})
    told({"fact": "start"}, *E4)
    again = {"fact": fact, "by": "white"}
    first = told(again)
    assert len(first) == 1
    assert told(again, again) == []
    if fact == "offer_draw":
        told({"fact": "decline_draw", "by": "black"})
    else:
        told({"fact": "arbiter", "do": "start_clocks"})
    assert told(again) == first
