"""Which games can be asked for, and how they are asked for."""

from __future__ import annotations

from typing import Any

import pytest

from blindplay.opponents.lichess.wishes import WantedGame, why_not


@pytest.mark.parametrize(
    ("wanted", "form"),
    [
        ({}, {"time": "15", "increment": "10", "rated": "false", "color": "random"}),
        ({"days": 3, "rated": True}, {"days": "3", "rated": "true"}),
        ({"whom": "Salma", "side": "black"}, {"clock.limit": "900", "color": "black"}),
        ({"ai": 3, "limit_s": None}, {"level": "3", "variant": "standard"}),
        ({"whom": "Salma", "limit_s": 180, "increment_s": 0}, {"clock.limit": "180"}),
        ({"ai": 1, "fen": "8/8"}, {"variant": "fromPosition", "fen": "8/8"}),
        ({"chess960": True}, {"variant": "chess960"}),
    ],
)
def test_a_wish_is_asked_for_as_the_api_takes_it(
    wanted: dict[str, Any], form: dict[str, str]
) -> None:
    wish = WantedGame(**wanted)
    wish.check()
    assert form.items() <= wish.form().items()


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"limit_s": 300, "increment_s": 3}, "bullet never"),  # 420 s: blitz is not sought
        ({"whom": "Salma", "limit_s": 60, "increment_s": 0}, "bullet never"),
        ({"limit_s": None}, "Nobody can be sought"),
        ({"limit_s": 930}, "whole minutes"),
        ({"ai": 3, "rated": True}, "never rated"),
        ({"ai": 3, "whom": "Salma"}, "Give one of"),
        ({"fen": "8/8"}, "from a position"),
    ],
)
def test_what_lichess_does_not_play_is_refused_with_the_remedy(
    wanted: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        WantedGame(**wanted).check()


@pytest.mark.parametrize(
    ("challenge", "why"),
    [
        ({"variant": {"key": "standard"}, "speed": "rapid"}, None),
        ({"variant": {"key": "chess960"}, "speed": "blitz", "initialFen": "startpos"}, None),
        ({"variant": {"key": "atomic"}, "speed": "rapid"}, "variant"),
        ({"variant": {"key": "standard"}, "speed": "bullet"}, "tooFast"),
        ({"variant": {"key": "fromPosition"}, "speed": "rapid", "initialFen": "8/8"}, "variant"),
    ],
)
def test_a_challenge_that_no_table_can_play_has_a_reason(
    challenge: dict[str, object], why: str | None
) -> None:
    assert why_not(challenge) == why
