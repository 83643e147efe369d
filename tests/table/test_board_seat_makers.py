"""Boards of other makers as the sighted player's board at a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from blindplay.laws import facts as f
from blindplay.laws.rulings import Obliged, Touched
from tests.boards.emulated import EmulatedReportingBoard
from tests.boards.wires import WIRES, ChessnutUsb, ChessUp, MillenniumEone, Pegasus, Wire
from tests.table.sitting import Sitting


class Table(Sitting):
    """White has a pegged board, Black a board that tells positions only."""

    def __init__(self, folder: Path, wire: Wire, fen: str = chess.STARTING_FEN) -> None:
        super().__init__(folder, time_control="900+10", fen=fen)
        self.other = EmulatedReportingBoard(wire, fen)
        self.attach_boards(white=fen.split()[0])
        self.session.attach_board("black", f"{wire.name}:{self.other.url}")
        self.wait(lambda: all(seat.board.placement() for seat in self.session.boards.values()))
        self.start()

    def white(self, move: str, words: str) -> None:
        """White announces and executes a move, presses, and Black executes it, too."""
        made = self.ruled("completed")
        piece = chess.Board(self.table.game.board.fen()).piece_at(chess.parse_square(move[:2]))
        assert piece is not None
        self.session.typed("white", words)
        self.boards["white"].lift(move[:2])
        if self.table.game.board.piece_at(chess.parse_square(move[2:4])):
            self.boards["white"].lift(move[2:4])
        self.boards["white"].place(move[2:4], piece.symbol())
        self.wait(lambda: self.table.game.turn.made)
        self.boards["white"].press("white")
        self.wait(lambda: self.ruled("completed") == made + 1)
        executed = self.table.game.tables["black"]
        self.other.move(move)
        self.wait(lambda: executed.plies == len(self.table.game.history))

    def settle(self) -> None:
        """Hands rest until the board is believed."""
        self.shows(f"position {self.other.placement()}")

    def close(self) -> None:
        super().close()
        self.other.close()


EACH = [wire for wire in WIRES if not isinstance(wire, MillenniumEone | ChessnutUsb | ChessUp)]
"""A board of each kind that feels no fingers. The first two have the drivers of others."""


@pytest.fixture(params=EACH, ids=lambda wire: type(wire).__name__)
def at(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Table]:
    table = Table(tmp_path, request.param)
    yield table
    table.close()


def test_a_short_game_is_played_and_nothing_on_the_board_is_a_touch(at: Table) -> None:
    at.white("e2e4", "Eva zwei Eva vier")
    at.other.move("d7d6")  # on the way, and for a while
    at.settle()
    at.other.move("d6d5")
    at.settle()
    assert at.ruled("made") == 1
    at.session.press("black")
    at.wait(lambda: at.ruled("completed") == 2)
    at.boards["white"].lift("d7")
    at.boards["white"].place("d5", "p")
    at.wait(lambda: at.table.game.tables["white"].plies == 2)
    at.white("e4d5", "Eva vier David fünf")
    assert [ply.move.uci() for ply in at.table.game.history] == ["e2e4", "d7d5", "e4d5"]
    touched = [ruling for ruling in at.session.rulings if isinstance(ruling, Touched)]
    assert {ruling.by for ruling in touched} == {"white"}
    lit = at.other.wire.lamps([chess.E2, chess.E4])
    assert lit in at.other.heard


def test_a_finger_touches_the_piece_that_leaves_its_square(tmp_path: Path) -> None:
    at = Table(tmp_path, ChessUp())
    try:
        at.white("e2e4", "Eva zwei Eva vier")
        assert not touches_of_black(at)  # it was White's move that hands executed
        at.other.finger("a7")  # and the pawn stays there
        at.other.put("d7", ".")
        at.wait(lambda: touches_of_black(at))
        at.other.put("d6", "p")
        at.settle()
        assert touches_of_black(at) == ["d7"]
        (bound,) = (
            one for one in at.session.rulings if isinstance(one, Obliged) and one.by == "black"
        )
        assert set(bound.moves) == {"d7d6", "d7d5"}  # 4.3.1
        at.other.vanish("a7")  # the finger was there before the last position
        at.shows("a7 is empty")
        at.table.submit(f.Resign(by="white"))
        at.other.put("e7", ".")
        at.shows("e7 touched")  # after the game nothing binds
        assert touches_of_black(at) == ["d7"] and not at.ruled("refused")
    finally:
        at.close()


def touches_of_black(at: Table) -> list[str]:
    felt = (one for one in at.session.rulings if isinstance(one, Touched) and one.by == "black")
    return [one.square for one in felt]


def test_a_press_waits_until_the_move_is_said_if_the_board_shows_several(tmp_path: Path) -> None:
    at = Table(tmp_path, Pegasus(), "4k3/8/8/3p4/2P1P3/8/8/4K3 b - - 0 1")
    try:
        at.other.put("d5", ".")  # it takes on c4, so fast that nobody sees that square empty
        at.settle()
        at.session.press("black")
        at.shows("zeigt nicht, welcher Zug gespielt wurde")
        assert not at.ruled("completed")
        at.session.typed("black", "David fünf Cäsar vier")
        at.wait(lambda: at.ruled("completed") == 1)
        assert at.table.game.history[-1].move.uci() == "d5c4"
    finally:
        at.close()
