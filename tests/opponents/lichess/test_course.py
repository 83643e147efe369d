"""When a move is sent, sent again, waited for, or taken back."""

from __future__ import annotations

import chess
import pytest

from blindplay.opponents.lichess.course import Course, Do, DueStep, Sending
from blindplay.opponents.lichess.followed import GameState

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
