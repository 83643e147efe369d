"""Boards of all makers behind lines that lose, change and double what passes: no position is told
that was not on the board. Time is simulated.

On a serial line that happens to bytes. A radio has checksums: it loses and doubles whole messages.
"""

from __future__ import annotations

import random
from typing import Any

import chess
import pytest

from blindplay.boards.dgt.driver import DgtBoardState
from blindplay.boards.diagram import EMPTY, NAMELESS, diagram_of_fen, fen_of
from blindplay.boards.driver import PositionState
from blindplay.boards.events import BoardPosition
from blindplay.boards.makers import DRIVERS
from tests.boards.dgt import hands
from tests.boards.wires import WIRES, Shown, Wire, game

STEP_S = 0.1
MOST_S = 60.0
"""A board is believed again within this time, however bad the line is."""


class Dgt(Wire):
    name = "dgt"

    def report(self, shown: Shown) -> bytes:
        return hands.dump(dict(shown))

    def change(self, square: int, letter: str) -> bytes:
        return hands.update(square, letter)

    def answer(self, asked: bytes, shown: Shown) -> bytes:
        return self.report(shown) * asked.count(b"B")


def is_shown(told: str, shown: str) -> bool:
    """Return whether a board told what it showed. A piece whose chip was not read has no name."""
    both = zip(diagram_of_fen(told), diagram_of_fen(shown), strict=True)
    return all(one == other or (one == NAMELESS and other != EMPTY) for one, other in both)


class BadLine:
    """A board of which each byte gets lost, doubled or changed with this ``share`` as chance, and
    whose host is sometimes not heard."""

    def __init__(self, wire: Wire, seed: int, share: float) -> None:
        self.wire, self._share = wire, share
        self._hand = random.Random(seed)
        self._by_radio = getattr(DRIVERS[wire.name], "BLE", None) is not None
        driver: Any = DRIVERS[wire.name]
        self.state: PositionState = (
            DgtBoardState("") if wire.name == "dgt" else driver.STATE(driver, "")
        )
        self.shown = hands.pieces_of(chess.Board())
        self.shows = [self.placement()]
        self.now, self.spoilt = 0.0, 0

    def placement(self) -> str:
        """What the board shows, as far as it can tell."""
        diagram = bytearray([EMPTY]) * 64
        for square, piece in self.shown.items():
            diagram[square] = ord(piece) if self.wire.names_pieces else NAMELESS
        return fen_of(bytes(diagram))

    def put(self, square: int, piece: str) -> None:
        if piece == ".":
            self.shown.pop(square, None)
        else:
            self.shown[square] = piece
        self.shows.append(self.placement())
        self._hear(self.wire.change(square, piece))

    def pass_time(self) -> None:
        self.now += STEP_S
        asked = self.state.requests(self.now)
        heard = self.wire.answer(asked, self.shown) if self._hand.random() > 0.05 else b""
        self._hear(heard + (self.wire.report(self.shown) if self.wire.streams else b""))

    def _hear(self, sent: bytes) -> None:
        heard = bytearray()
        for part in [sent] if self._by_radio and sent else [bytes((one,)) for one in sent]:
            fault = self._hand.random() / (self._share * len(part))
            if fault < 1:
                heard += b"" if self._by_radio else bytes((part[0] ^ 1 << self._hand.randrange(8),))
            elif fault < 2:
                heard += 2 * part
            elif fault > 3:
                heard += part
        self.spoilt += heard != sent
        for event in self.state.receive(bytes(heard), self.now):
            if isinstance(event, BoardPosition):
                assert any(is_shown(event.placement, one) for one in self.shows), event.placement

    def play(self, plies: int) -> None:
        board, hand, before = chess.Board(), self._hand, 0
        self._settle()
        for move in game(self.wire, hand, plies):
            # What hands did after the last position that was waited for may be told only now.
            del self.shows[:before]
            before = len(self.shows)
            for square, piece in hands.by_hand(board, move, hand):
                self.put(square, piece)
                for _ in range(hand.randint(0, 5)):
                    self.pass_time()
            board.push(move)
            self._settle()

    def _settle(self) -> None:
        until = self.now + MOST_S
        while self.state.placement() != self.shows[-1]:
            assert self.now < until
            self.pass_time()


@pytest.mark.parametrize("wire", [Dgt(), *WIRES], ids=lambda wire: type(wire).__name__)
@pytest.mark.parametrize("share", [0.0003, 0.002])
def test_a_bad_line_shows_no_position_that_was_not_there(wire: Wire, share: float) -> None:
    line = BadLine(wire, 7, share)
    line.play(25)
    assert line.spoilt


@pytest.mark.long
@pytest.mark.parametrize("wire", [Dgt(), *WIRES], ids=lambda wire: type(wire).__name__)
@pytest.mark.parametrize("share", [0.0003, 0.002])
def test_no_bad_line_shows_a_wrong_position_in_500_plies(wire: Wire, share: float) -> None:
    for seed in range(5):
        BadLine(wire, seed, share).play(100)
