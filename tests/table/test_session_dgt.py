"""A DGT board as the sighted player's board at a table."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.laws.rulings import Touched
from blindplay.record import Journal
from blindplay.table.session import Session
from blindplay.table.table import Table
from blindplay.table.transcript import Transcript
from tests.boards.dgt.emulated import EmulatedDgtBoard

WHITES, BLACKS = 0x09, 0x13


class Sitting:
    """White is visually impaired and has a pegged board, Black a DGT board with its clock."""

    def __init__(self, folder: Path) -> None:
        self.out = io.StringIO()
        setup = Setup(t=0, time_control="900+10", white=Player(impaired=True), arbiter="automatic")
        self.journal = Journal(folder / "game.jsonl")
        self.table = Table(self.journal, setup)
        self.session = Session(self.table, load("de"), None, Transcript(self.out, self.table.time))
        self.pegs, self.dgt = EmulatedBoard(), EmulatedDgtBoard()
        self.session.attach_board("white", self.pegs.url)
        self.session.attach_board("black", "dgt:" + self.dgt.url)
        self.wait(lambda: all(seat.board.placement() for seat in self.session.boards.values()))
        self.dgt.clock(900, 900, WHITES)
        self.table.submit(f.Start())

    def wait(self, what: Callable[[], bool]) -> None:
        end = time.monotonic() + 10
        while not what():
            assert time.monotonic() < end, self.out.getvalue()
            time.sleep(0.01)

    def ruled(self, kind: str) -> int:
        return sum(ruling.kind == kind for ruling in self.session.rulings)

    def settle(self) -> None:
        """Hands rest until the board is believed."""
        shown = self.session.boards["black"].board
        self.wait(lambda: shown.placement() == self._real())
        self.wait(lambda: self._real() in self.out.getvalue())

    def _real(self) -> str:
        board = chess.BaseBoard(None)
        for square, letter in self.dgt.pieces.items():
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        return board.board_fen()

    def white_plays_e4(self) -> None:
        self.session.typed("white", "Eva zwei Eva vier")
        self.pegs.lift("e2")
        self.pegs.place("e4", "P")
        self.wait(lambda: self.ruled("made") == 1)

    def close(self) -> None:
        self.session.close()
        self.pegs.close()
        self.dgt.close()
        self.journal.close()


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Sitting]:
    sitting = Sitting(tmp_path)
    yield sitting
    sitting.close()


def test_a_game_is_played_with_the_dgt_clock_and_nothing_on_its_board_is_a_touch(
    at: Sitting,
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


def test_a_move_that_was_announced_is_made_when_it_stands_on_the_dgt_board(at: Sitting) -> None:
    at.white_plays_e4()
    at.pegs.press("white")
    at.wait(lambda: at.ruled("completed") == 1)
    at.dgt.move("e2e4")
    at.dgt.move("e7e5")
    at.settle()
    assert at.ruled("made") == 1
    at.session.typed("black", "Eva sieben Eva fünf")
    at.wait(lambda: at.ruled("made") == 2)


def test_a_press_elsewhere_takes_what_stands_on_the_dgt_board(at: Sitting) -> None:
    at.white_plays_e4()
    at.pegs.press("white")
    at.wait(lambda: at.ruled("completed") == 1)
    at.dgt.move("e2e4")
    at.dgt.move("c7c5")
    at.session.press("black")  # at once: the board has not yet been heard to rest
    at.wait(lambda: at.ruled("completed") == 2)
    assert at.table.game.history[-1].move.uci() == "c7c5"


def test_a_dgt_board_that_is_unplugged_is_told_and_comes_back(at: Sitting) -> None:
    at.dgt.unplug()
    at.wait(lambda: "trouble" in at.out.getvalue())
    at.dgt.plug()
    at.wait(lambda: at.out.getvalue().count("Black's board is connected") == 2)
