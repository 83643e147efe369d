"""A player whose facts come from elsewhere: its duties at every stage of a game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chess
import pytest

from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.opponents.player import AbsentPlayer, duty, is_to_choose, position
from blindplay.record import Journal
from blindplay.table import Table
from blindplay.wording.pack_words import PackWords
from tests.waiting import until

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


REPEATED = f.Repeat(by="black", move="e2e4")
PLAYED = (SAYS_E4, E4, REPEATED, f.Press(by="white"))


def test_it_repeats_an_announcement_once() -> None:
    at = game(SAYS_E4)
    assert duty(at, "black") == f.Repeat(by="black", move="e2e4")
    assert duty(at, "white") == E4
    at.apply(f.Repeat(by="black", move="e2e4"))
    assert duty(at, "black") is None


def test_it_executes_the_opponents_move_then_chooses_its_own() -> None:
    at = game(*PLAYED)
    assert duty(at, "black") == f.Make(by="black", move="e2e4")
    at.apply(f.Make(by="black", move="e2e4"))
    assert duty(at, "black") is None and is_to_choose(at, "black")
    assert not is_to_choose(at, "white")


def test_it_executes_its_announced_move_and_presses() -> None:
    at = game(*PLAYED, f.Make(by="black", move="e2e4"), f.Announce(by="black", move="e7e5"))
    assert duty(at, "black") == E5 and not is_to_choose(at, "black")
    at.apply(E5)
    assert duty(at, "black") == f.Press(by="black")
    at.apply(f.Press(by="black"))
    assert duty(at, "black") is None and at.side == "white"


def test_it_agrees_to_what_both_players_are_asked() -> None:
    at = game(*PLAYED, f.Make(by="black", move="e2e4"), f.Announce(by="black", move="e7e5"))
    for fact in (E5, f.Make(by="white", move="e7e5"), f.Press(by="black")):
        at.apply(fact)
    at.apply(f.Irregular(by="white", what="wrong_start"))
    assert duty(at, "black") == f.Consent(by="black")
    at.apply(f.Consent(by="black"))
    assert duty(at, "black") is None and len(at.history) == 2
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
    assert duty(rests, "black") is None and not is_to_choose(rests, "black")


def test_without_a_clock_a_made_move_is_answered_and_with_one_it_is_awaited() -> None:
    made = PLAYED[:2]
    assert is_to_choose(game(*made, f.Repeat(by="black", move="e2e4"), time_control="-"), "black")
    assert not is_to_choose(game(*made), "black")


def test_the_position_has_the_moves_that_led_to_it_and_the_one_that_is_made() -> None:
    assert position(game(*PLAYED)).move_stack == [chess.Move.from_uci("e2e4")]
    assert position(game(*PLAYED[:2])).fen() == position(game(*PLAYED)).fen()


class FromAList(AbsentPlayer):
    """Plays these moves, and fails once before each."""

    def __init__(self, *moves: str) -> None:
        super().__init__()
        self.failures = 0
        self._moves = iter(moves)
        self._failed = False

    def _consider(self) -> None:
        game = self._table.game
        if not is_to_choose(game, self.side):
            return
        self._failed = not self._failed
        if self._failed:
            self.failures += 1
            raise RuntimeError
        move = chess.Move.from_uci(next(self._moves))
        self._play(move, lambda: is_to_choose(game, self.side))


def test_a_kind_of_player_only_chooses_moves_and_a_failure_is_tried_again(tmp_path: Path) -> None:
    player = FromAList("e7e5", "d7d5")
    with Journal(tmp_path / "game.jsonl") as journal:
        setup = Setup(
            t=0, arbiter="automatic", time_control="600", boards=2, white=Player(impaired=True)
        )
        table = Table(journal, setup, opponent=player)
        player.sit(table, lambda key, **values: None)
        table.submit(f.Start())
        for number, move in enumerate(("e2e4", "d2d4"), 1):
            table.submit(f.Announce(by="white", move=move))
            table.submit(f.Make(by="white", move=move))
            table.submit(f.Press(by="white"))
            assert until(lambda n=number: len(table.game.history) == 2 * n)  # type: ignore[misc]
        player.close()
        assert player.failures == 2 and table.absent == "black" and table.hint() is None


def test_nobody_hears_that_it_presses(tmp_path: Path) -> None:
    from tests.table.sitting import Sitting

    player = FromAList("e7e5")
    at = Sitting(tmp_path, opponent=player, boards=2, time_control="600")
    at.seat_opponent()
    at.start()
    at.said()
    at.play("e2e4")
    at.wait(lambda: len(at.table.game.history) == 2)
    said = at.said()
    at.close()
    assert said[-1] == "Bauer Eva sieben Eva fünf"
