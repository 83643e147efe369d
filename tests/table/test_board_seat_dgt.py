"""A DGT board as the sighted player's board at a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest

from blindplay.console.actions import act_after_hands, stamp
from blindplay.laws.facts import Player
from blindplay.laws.rulings import Touched
from blindplay.table.keyboard import Keyboard
from tests.boards.dgt.emulated import EmulatedDgtBoard
from tests.boards.dgt.hands import pieces_of
from tests.table.sitting import START, Sitting

WHITES, BLACKS = 0x09, 0x13


class Table(Sitting):
    """White has a pegged board, Black a DGT board with its clock."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, time_control="900+10")
        self.dgt = EmulatedDgtBoard()
        self.attach_boards(white=START)
        self.session.attach_board("black", "dgt:" + self.dgt.url)
        self.wait(lambda: all(seat.board.placement() for seat in self.session.boards.values()))
        self.dgt.clock(900, 900, WHITES)
        self.start()

    def settle(self) -> None:
        """Hands rest until the board is believed."""
        shown = self.session.boards["black"].board
        self.wait(lambda: shown.placement() == self._real())
        self.shows(self._real())

    def _real(self) -> str:
        board = chess.BaseBoard(None)
        for square, letter in self.dgt.pieces.items():
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        return board.board_fen()

    def white_plays_e4(self) -> None:
        self.session.typed("white", "Eva zwei Eva vier")
        self.boards["white"].lift("e2")
        self.boards["white"].place("e4", "P")
        self.wait(lambda: self.ruled("made") == 1)

    def close(self) -> None:
        super().close()
        self.dgt.close()


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path)
    yield table
    table.close()


def test_a_game_is_played_with_the_dgt_clock_and_nothing_on_its_board_is_a_touch(
    at: Table,
) -> None:
    at.white_plays_e4()
    at.dgt.move("e2e4")
    at.wait(lambda: at.ruled("executed") == 2)
    at.dgt.clock(890, 900, BLACKS)
    at.wait(lambda: at.ruled("completed") == 1)
    at.dgt.move("e7e6")  # on the way, and for a while
    at.settle()
    at.dgt.move("e6e5")
    at.settle()
    assert at.ruled("made") == 1
    at.dgt.clock(890, 880, WHITES)
    at.wait(lambda: at.ruled("completed") == 2)
    assert [move.move.uci() for move in at.table.game.history] == ["e2e4", "e7e5"]
    touched = [ruling for ruling in at.session.rulings if isinstance(ruling, Touched)]
    assert [ruling.by for ruling in touched] == ["white"]


def test_a_move_that_was_announced_is_made_when_it_stands_on_the_dgt_board(at: Table) -> None:
    at.white_plays_e4()
    at.boards["white"].press("white")
    at.wait(lambda: at.ruled("completed") == 1)
    at.dgt.move("e2e4")
    at.dgt.move("e7e5")
    at.settle()
    assert at.ruled("made") == 1
    at.session.typed("black", "Eva sieben Eva fünf")
    at.wait(lambda: at.ruled("made") == 2)


PRESSES: dict[str, Callable[[Table], object]] = {
    "lever": lambda at: at.session.press("black"),
    "key": lambda at: Keyboard(at.session).do(""),
    "fact": lambda at: Keyboard(at.session).do('{"fact": "press", "by": "black"}'),
    "page": lambda at: act_after_hands(
        at.table, "black", "en", {"act": ["press"], "seen": [stamp(at.table.game)]}, str
    ),
}


@pytest.mark.parametrize("given", PRESSES)
def test_a_press_elsewhere_takes_what_stands_on_the_dgt_board(at: Table, given: str) -> None:
    at.white_plays_e4()
    at.boards["white"].press("white")
    at.wait(lambda: at.ruled("completed") == 1)
    at.dgt.move("e2e4")
    at.dgt.move("c7c5")
    PRESSES[given](at)  # at once: the board has not yet been heard to rest
    at.wait(lambda: at.ruled("completed") == 2)
    assert at.table.game.history[-1].move.uci() == "c7c5"


def test_a_game_that_goes_on_at_a_turned_board_needs_no_correction(tmp_path: Path) -> None:
    sitting = Sitting(
        tmp_path, fen="4k3/pp6/8/8/8/8/6PP/4K3 w - - 0 1", black=Player(impaired=True)
    )
    with EmulatedDgtBoard(turned=True) as dgt:
        dgt.pieces = pieces_of(chess.BaseBoard("4k3/pp6/8/8/8/8/6PP/4K3"))
        sitting.session.attach_board("black", "dgt:" + dgt.url)
        board = sitting.session.boards["black"].board
        sitting.wait(lambda: board.placement() == "4k3/pp6/8/8/8/8/6PP/4K3")
    sitting.close()


def test_a_dgt_board_that_is_unplugged_is_told_and_comes_back(at: Table) -> None:
    at.dgt.unplug()
    at.shows("trouble")
    at.dgt.plug()
    at.shows("Black's board is connected", 2)
