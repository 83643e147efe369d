"""A player whose facts come from elsewhere: what all kinds of them do."""

from __future__ import annotations

from pathlib import Path

import chess

from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.opponents.duties import is_to_choose
from blindplay.opponents.player import AbsentPlayer
from blindplay.record import Journal
from blindplay.table import Table
from tests.waiting import until


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
