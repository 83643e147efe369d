"""Pieces that a player is asked to lift and put back."""

from __future__ import annotations

import chess
import pytest

from blindplay.boards import events
from blindplay.laws import facts as f
from tests.table.conversation import GERMAN
from tests.table.sitting import START, Sit, Sitting
from tests.table.test_board_seat import AFTER_E4, OwnBoard


def doubted(square: str, player: str = "white") -> str:
    words = GERMAN.sentence("contact_doubted", square=GERMAN.square(chess.parse_square(square)))
    return GERMAN.sentence("on_board_of", player=GERMAN.sentence(player), words=words)


class Changing(OwnBoard):
    """One whose pieces are lifted and placed one by one."""

    def lift(self, square: str) -> None:
        self.tell(events.Lifted(square))

    def place(self, square: str, piece: str) -> None:
        self.tell(events.Placed(square, piece))


@pytest.fixture
def sitting(sit: Sit) -> Sitting:
    made = sit(time_control="900")
    made.start()
    return made


@pytest.fixture
def changing(sitting: Sitting) -> Changing:
    board = Changing()
    sitting.session.attach(board, "white")
    board.tell(events.Connected("own", "own board"))
    sitting.said()
    return board


def hands(sitting: Sitting) -> list[tuple[str, str]]:
    """What hands have done, as the table has taken it."""
    facts = (taken.fact for taken in sitting.table.log)
    return [(fact.kind, fact.square) for fact in facts if isinstance(fact, f.Lift | f.Place)]


def test_a_doubted_piece_is_touched_neither_when_it_is_pressed_down_nor_when_it_is_lifted_as_asked(
    sitting: Sitting, changing: Changing
) -> None:
    changing.tell(events.PieceDoubted("e2"))
    assert sitting.said() == [doubted("e2")]
    changing.tell(events.PieceCertain("e2"))
    assert sitting.said() == ["Eva zwei: weißer Bauer."]
    for _ in range(2):  # a bad contact comes and goes: it is said once
        changing.tell(events.PieceDoubted("e2"))
        changing.lift("e2")
        changing.place("e2", "P")
    assert sitting.said() == [] and hands(sitting) == []
    assert not sitting.table.game.turn.touched


def test_a_doubted_piece_that_is_lifted_to_move_is_touched(
    sitting: Sitting, changing: Changing
) -> None:
    changing.tell(events.PieceDoubted("e2"))
    changing.lift("e2")
    assert hands(sitting) == []
    changing.place("e4", "P")
    assert hands(sitting) == [("lift", "e2"), ("place", "e4")]
    assert sitting.table.game.turn.touched == [chess.E2]
    changing.tell(events.PieceDoubted("d2"))
    changing.lift("d2")
    changing.lift("g1")
    assert hands(sitting)[2:] == [("lift", "d2"), ("lift", "g1")]


def test_a_capture_faster_than_a_lift_is_made_when_the_piece_has_been_lifted_once(
    sit: Sit,
) -> None:
    """The sighted player's press waits meanwhile: without a move it would be illegal (7.5.3)."""
    sitting = sit(time_control="900")
    sitting.start()
    sitting.play("e2e4", "d7d5", "a2a3")
    board = Changing("rnbqkbnr/ppp1pppp/8/3p4/4P3/P7/1PPP1PPP/RNBQKBNR")
    sitting.session.attach(board, "black")
    board.tell(events.Connected("own", "own board"))
    sitting.said()
    board.lift("d5")
    board.tell(events.PieceDoubted("e4"))
    board.tell(events.LeverPressed("black"))
    assert sitting.said() == [doubted("e4", "black")] * 2
    assert len(sitting.table.game.history) == 3 and not sitting.ruled("illegal")
    board.lift("e4")
    board.place("e4", "p")
    assert [ply.move.uci() for ply in sitting.table.game.history][3:] == ["d5e4"]
    touched = [one for one in sitting.session.rulings if one.kind == "touched"]
    assert [vars(one)["square"] for one in touched] == ["d5"]


def test_a_doubt_ends_with_the_position_that_no_longer_has_it(
    sitting: Sitting, changing: Changing
) -> None:
    changing.tell(events.BoardPosition(START, doubted=("e2", "d2")))
    assert sitting.said() == [doubted("e2"), doubted("d2")]
    sitting.session.typed("white", "Eva zwei Eva vier")
    changing.tell(events.LeverPressed("white"))
    assert sitting.said()[-2:] == [doubted("d2"), doubted("e2")]
    changing.lift("d2")
    changing.tell(events.BoardPosition(START, doubted=("e2",)))
    changing.tell(events.BoardPosition(AFTER_E4))
    assert hands(sitting) == []
    assert [ply.move.uci() for ply in sitting.table.game.history] == ["e2e4"]
