"""A scenario fails where a rule of an edition is broken: its rulings left out, its switch turned.

What this finds per rule, ``python -m tests.mutation`` finds per line, in more than a day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from blindplay.laws import Game
from blindplay.laws.editions import load, names
from blindplay.wording.pack_words import PackWords
from tests.laws.test_game_scenarios import PATHS, Scenario, play, scenarios

UNNOTICED: Mapping[str, set[str]] = {
    # Both flags decide the game before anybody asks whose time is left; no move of 1997 waits to
    # become a draw.
    "fide-1997": {"switch flag_claimant_needs_time", "switch illegal_position_draws"},
}
"""By edition: what makes no difference there."""
TAKES = {"basics-no": "fide-2023"}
"""A text that is silent takes these rules. They are tried in their own edition."""


class Watched(Game):
    """Notes by which rules and switches it rules."""

    def __init__(self) -> None:
        super().__init__(PackWords())
        self.used: set[str] = set()

    def rule(self, ruling: Any, *rules: str) -> Any:
        self.used.update(f"rule {one}" for one in rules)
        return super().rule(ruling, *rules)

    def switch(self, name: str) -> Any:
        self.used.add(f"switch {name}")
        return super().switch(name)


class Silent(Game):
    """Gives no ruling that rests on one rule."""

    def __init__(self, left_out: str) -> None:
        super().__init__(PackWords())
        self._left_out = left_out

    def rule(self, ruling: Any, *rules: str) -> Any:
        return ruling if self._left_out in rules else super().rule(ruling, *rules)


class Turned(Game):
    """Has another value of one switch."""

    def __init__(self, name: str) -> None:
        super().__init__(PackWords())
        self._turned = name

    def switch(self, name: str) -> Any:
        value = super().switch(name)
        return _another(value, name, self.regime) if name == self._turned else value


def _another(value: Any, name: str, regime: str) -> Any:
    """The value of a switch in another edition; else one that none has."""
    others = (load(edition).switch(name, regime) for edition in names())
    found = [one for one in others if one != value]
    if found:
        return found[0]
    return not value if isinstance(value, bool) else value + 1


@cache
def played() -> Mapping[tuple[str, str], list[Scenario]]:
    """By edition and by rule or switch: the scenarios in which it takes part, the short first."""
    found = defaultdict(list)
    every = [one for path in PATHS for one in scenarios(path)]
    for scenario in sorted(every, key=lambda one: len(one.lines)):
        game = Watched()
        play(scenario, game)
        for name in game.used:
            found[scenario.edition, name].append(scenario)
    return found


def notices(scenario: Scenario, broken: Game) -> bool:
    try:
        play(scenario, broken)
    except Exception:  # what a broken rule leads to
        return True
    return False


def is_taken(edition: str, kind: str, what: str) -> bool:
    """Whether an edition has this rule or switch from another."""
    own, base = load(edition), load(TAKES.get(edition, edition))
    if own is base:
        return False
    if kind == "rule":
        return base.has(what) and own.articles[what] == base.articles[what]
    return bool(own.switches[what] == base.switches[what])


def unnoticed(edition: str) -> Iterator[str]:
    for (own, name), found in sorted(played().items()):
        kind, what = name.split(" ")
        make = Silent if kind == "rule" else Turned
        if own != edition or is_taken(own, kind, what):
            continue
        if not any(notices(one, make(what)) for one in found):
            yield name


@pytest.mark.parametrize("edition", names())
def test_a_scenario_fails_where_a_rule_is_broken(edition: str) -> None:
    assert set(unnoticed(edition)) == UNNOTICED.get(edition, set())
