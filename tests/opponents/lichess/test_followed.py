"""What the lines of a stream make of a game: Lichess's own examples, and what contradicts."""

from __future__ import annotations

from typing import Any

import chess
import pytest

from blindplay.opponents.lichess.followed import NetPlayer, ServedGame, read_about, start_of

STATE = {"type": "gameState", "moves": "", "wtime": 300000, "btime": 300000, "winc": 0,
         "binc": 0, "status": "started"}  # fmt: skip
FULL: dict[str, Any] = {
    "id": "xcoxhDvh", "variant": {"key": "standard", "name": "Standard", "short": "Std"},
    "speed": "blitz", "perf": {"name": "Blitz"}, "rated": False, "createdAt": 1789845859939,
    "white": {"id": "kenneth", "name": "Kenneth", "title": None, "rating": 804},
    "black": {"aiLevel": 3}, "initialFen": "startpos",
    "clock": {"initial": 300000, "increment": 0}, "type": "gameFull", "state": STATE,
}  # fmt: skip


def moved(moves: str, **more: Any) -> dict[str, Any]:
    return {**STATE, "moves": moves, **more}


def test_later_lines_only_add_moves_and_nothing_follows_the_end() -> None:
    game = ServedGame()
    game.begin(FULL, 1)
    assert game.about is not None and game.state is not None
    assert game.about.players["white"] == NetPlayer("Kenneth", 804)
    assert game.about.players["black"].ai == 3 and game.about.initial_s == 300
    assert game.add(moved("e2e4", wdraw=True)) and game.state.offers == {"white"}
    assert game.add(moved("e2e4", wdraw=True))  # twice
    assert not game.add(moved("")) and not game.add(moved("d2d4 d7d5"))
    assert game.add({**FULL, "state": moved("e2e4 e7e5")})
    game.begin(FULL, 2)  # a new connection is believed: the moves are taken back
    assert game.state.moves == () and game.since == 2
    assert game.add(moved("e2e4", status="resign", winner="white"))
    assert game.add(moved("e2e4 e7e5"))
    game.begin(FULL, 3)
    assert game.state.ended and len(game.state.moves) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"variant": {"key": "crazyhouse"}}, {"variant": None}, {"white": None}, {"clock": 5},
        {"initialFen": "8/8/8/8/8/8/8/8 w - - 0 1"}, {"state": moved("e2e5")},
        {"state": moved("e2")}, {"state": {}}, {"type": "gameState"},
    ],
)  # fmt: skip
def test_what_is_no_game_for_a_table_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        ServedGame().begin({**FULL, **wrong}, 1)


def test_castling_of_a_position_decides_whether_it_is_chess960() -> None:
    assert not start_of("fromPosition", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").chess960
    assert start_of("fromPosition", "1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w GBgb - 0 1").chess960
    assert start_of("chess960", chess.STARTING_FEN).chess960
    assert read_about(FULL | {"clock": None}).initial_s is None
