"""How the end at Lichess ends the game here; :mod:`.test_player` shows the statuses."""

from __future__ import annotations

from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.opponents.lichess.ending import end_as_told
from blindplay.opponents.lichess.followed import GameState
from blindplay.wording.pack_words import PackWords

MATED = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"


def test_a_result_that_differs_is_told_and_changes_nothing() -> None:
    game = Game(PackWords())
    for fact in (
        f.Setup(t=0, arbiter="server", fen=MATED),
        f.Start(),
        f.Announce(by="white", move="f7g7"),
        f.Make(by="white", move="f7g7"),
    ):
        game.apply(fact)
    assert game.result == "1-0"
    told: list[str] = []
    submitted: list[Fact] = []
    state = GameState((), {}, "outoftime", "black")
    end_as_told(game, state, submitted.append, told.append)
    assert told == ["lichess_result_black"] and not submitted
