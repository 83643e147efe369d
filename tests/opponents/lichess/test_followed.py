"""The game that the lines of a stream tell, with Lichess's own examples, and its next step."""

from __future__ import annotations

from typing import Any

import chess
import pytest

from blindplay.opponents.lichess.followed import (
    Course,
    Do,
    DueStep,
    GameState,
    NetPlayer,
    Sending,
    ServedGame,
    read_about,
    start_of,
)

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


E4, E5, D4 = map(chess.Move.from_uci, ("e2e4", "e7e5", "d2d4"))


def next_step(
    course: Course, here: list[chess.Move], *there: chess.Move, since: int = 0, status: str = ""
) -> DueStep:
    """The next step of White."""
    state = GameState(there, {}, status or "started")
    return course.next(here, state, since, lambda plies: plies % 2 == 0)


def test_both_tables_are_brought_to_the_same_game() -> None:
    assert next_step(Course(), [E4], E4).do is Do.NOTHING
    assert next_step(Course(), [E4], E4, E5) == DueStep(Do.PLAY, 1, E5)
    assert next_step(Course(), [], E4) == DueStep(Do.EXECUTE, 0, E4)
    assert next_step(Course(), [E4]) == DueStep(Do.SEND, 0, E4)
    assert next_step(Course(), [D4], E4) == DueStep(Do.GO_BACK, 0, why="lichess_other_move")
    assert next_step(Course(), [E4, E5]) == DueStep(Do.GO_BACK, 0, why="lichess_taken_back")
    assert next_step(Course(), [E4], status="outoftime").why == "lichess_too_late"
    assert next_step(Course(confirmed=1), [E4]).why == "lichess_taken_back"


@pytest.mark.parametrize(
    ("outcome", "at_once", "on_a_newer_connection"),
    [
        (Sending.TAKEN, Do.WAIT, DueStep(Do.GO_BACK, 0, why="lichess_taken_back")),
        (Sending.REFUSED, Do.READ_ANEW, DueStep(Do.GO_BACK, 0, why="lichess_move_refused")),
        (Sending.UNKNOWN, Do.READ_ANEW, DueStep(Do.SEND, 0, E4)),
    ],
)
def test_a_move_is_sent_again_only_when_a_newer_connection_lacks_it(
    outcome: Sending, at_once: Do, on_a_newer_connection: DueStep
) -> None:
    course = Course()
    course.sent(next_step(course, [E4]), outcome, at=5)
    assert next_step(course, [E4], since=4).do is at_once
    assert next_step(course, [E4], since=6) == on_a_newer_connection
    assert next_step(course, [E4], E4, since=6).do is Do.NOTHING
    assert next_step(course, [E4], since=7).why == "lichess_taken_back"  # it had been there
    course.went_back(0)
    assert next_step(course, [E4], since=7) == DueStep(Do.SEND, 0, E4)
