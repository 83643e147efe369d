"""What a player without hands has to do, at every stage of a game."""

from __future__ import annotations

from typing import Any

import chess
import pytest

from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.opponents.duties import due, is_to_choose, position
from blindplay.wording.pack_words import PackWords

E4, E5 = f.Make(by="white", move="e2e4"), f.Make(by="black", move="e7e5")
SAYS_E4 = f.Announce(by="white", move="e2e4")


def game(*facts: f.Fact, started: bool = True, **setup: Any) -> Game:
    fields = {
        "arbiter": "automatic", "boards": 2, "time_control": "600",
        "white": Player(impaired=True), **setup,
    }  # fmt: skip
    made = Game(PackWords())
    for fact in (Setup(t=0, **fields), *([f.Start()] if started else []), *facts):
        made.apply(fact)
    return made


PLAYED = (SAYS_E4, E4, f.Press(by="white"))


def test_it_repeats_an_announcement_once() -> None:
    at = game(SAYS_E4)
    assert due(at, "black") == f.Repeat(by="black", move="e2e4")
    assert due(at, "white") == E4
    at.apply(f.Repeat(by="black", move="e2e4"))
    assert due(at, "black") is None


def test_it_executes_the_opponents_move_then_chooses_its_own() -> None:
    at = game(*PLAYED)
    assert due(at, "black") == f.Make(by="black", move="e2e4")
    at.apply(f.Make(by="black", move="e2e4"))
    assert due(at, "black") is None and is_to_choose(at, "black")
    assert not is_to_choose(at, "white")


def test_it_executes_its_announced_move_and_presses() -> None:
    at = game(*PLAYED, f.Make(by="black", move="e2e4"), f.Announce(by="black", move="e7e5"))
    assert due(at, "black") == E5 and not is_to_choose(at, "black")
    at.apply(E5)
    assert due(at, "black") == f.Press(by="black")
    at.apply(f.Press(by="black"))
    assert due(at, "black") is None and at.side == "white"


def test_it_agrees_to_what_both_players_are_asked() -> None:
    at = game(*PLAYED, f.Make(by="black", move="e2e4"), f.Announce(by="black", move="e7e5"))
    for fact in (E5, f.Make(by="white", move="e7e5"), f.Press(by="black")):
        at.apply(fact)
    at.apply(f.Irregular(by="white", what="wrong_start"))
    assert due(at, "black") == f.Consent(by="black")
    at.apply(f.Consent(by="black"))
    assert due(at, "black") is None and len(at.history) == 2
    at.apply(f.Consent(by="white"))
    assert not at.history


@pytest.mark.parametrize(
    "rests",
    [
        game(started=False),
        game(*PLAYED, f.Arbiter(do="stop_clocks")),
        game(*PLAYED, f.Resign(by="white")),
        game(*PLAYED, f.Arbiter(do="adjourn")),
    ],
    ids=["not begun", "paused", "over", "to be sealed"],
)
def test_it_rests_when_nobody_may_play(rests: Game) -> None:
    assert due(rests, "black") is None and not is_to_choose(rests, "black")


def test_without_a_clock_a_made_move_is_answered_and_with_one_it_is_awaited() -> None:
    made = PLAYED[:2]
    assert is_to_choose(game(*made, f.Repeat(by="black", move="e2e4"), time_control="-"), "black")
    assert not is_to_choose(game(*made), "black")


def test_the_position_has_the_moves_that_led_to_it_and_the_one_that_is_made() -> None:
    assert position(game(*PLAYED)).move_stack == [chess.Move.from_uci("e2e4")]
    assert position(game(*PLAYED[:2])).fen() == position(game(*PLAYED)).fen()
