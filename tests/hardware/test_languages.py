"""The real firmware as a DGT board, as a peripheral of CPP, and with motor and lamp."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

import chess
import pytest
from chess import STARTING_BOARD_FEN as START

from benchmarks.boards import Host
from blindplay.boards import events
from blindplay.boards.dgt import DgtBoard
from blindplay.boards.dgt.driver import DgtBoardState
from blindplay.boards.dgt.moves import MoveFound
from blindplay.boards.driver import Notice
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.driver import MOTOR, PegBoardState
from blindplay.boards.ports import UnfitBoardError
from blindplay.boards.recordings import decode
from tests.boards.event_log import EventLog

if TYPE_CHECKING:
    from hardware.emulated import LockstepFirmware

MOVES = "e2e4 e7e6 e4e5 d7d5 e5d6 g8f6 d6c7 f8d6 c7b8q e8g8 e1e2"
"""En passant, a capture that promotes, castling."""
GAME = MOVES.split()


@pytest.fixture
def real(firmware: None) -> Iterator[LockstepFirmware]:
    from hardware.emulated import LockstepFirmware

    with closing(LockstepFirmware(signals=True)) as board:
        board.run(50)
        yield board


def hands(position: chess.Board, move: chess.Move) -> Iterator[tuple[str, str]]:
    """What hands do with each hole: what is taken goes first, and a castling king."""
    after = position.copy(stack=False)
    after.push(move)
    changed = [at for at in chess.SQUARES if position.piece_at(at) != after.piece_at(at)]
    for square in sorted(changed, key=lambda square: square != move.to_square):
        if position.piece_at(square):
            yield chess.square_name(square), "."
    for square in sorted(changed, key=lambda square: square != move.to_square):
        if piece := after.piece_at(square):
            yield chess.square_name(square), piece.symbol()


@pytest.fixture
def any_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our driver for DGT boards takes a pegged board for one, as other programs do."""
    monkeypatch.setattr("blindplay.boards.dgt.driver.PEGGED", "")


class DgtHost:
    """A program for DGT boards at the firmware's line."""

    def __init__(self, board: LockstepFirmware) -> None:
        self.board = board
        self.stream = b""
        self.told: list[events.BoardEvent] = []
        self.state = DgtBoardState("lock-step")

    def run(self, ms: float, done: Callable[[], object] = lambda: False) -> None:
        end = self.board.time + ms
        while self.board.time < end and not done():
            for at, data in self.board.run(10):
                self.stream += data
                self.told += self.state.receive(data, at / 1000)
            now = self.board.time / 1000
            self.told += self.state.receive(b"", now)
            self.board.hear(self.state.requests(now))


def test_a_program_for_dgt_boards_follows_a_whole_game(
    real: LockstepFirmware, any_program: None
) -> None:
    host, position = DgtHost(real), chess.Board()
    host.run(2000, host.state.placement)
    assert [type(event) for event in host.told] == [events.Connected, events.BoardPosition]
    for uci in GAME:
        host.told.clear()
        done = list(hands(position, chess.Move.from_uci(uci)))
        for square, piece in done:
            real.set(square, piece, 3)
            host.run(180 if piece == "." else 50)
        position.push_uci(uci)
        host.run(3000, lambda: host.state.placement() == position.board_fen())
        changes = [
            (e.square, "." if isinstance(e, events.Lifted) else e.piece)
            for e in host.told
            if isinstance(e, events.Lifted | events.Placed)
        ]
        assert changes == done
        assert isinstance(host.told[-1], events.BoardPosition)
    assert [one.uci for one in decode(host.stream) if isinstance(one, MoveFound)] == GAME


def test_our_own_driver_of_dgt_boards_refuses_it(firmware: None) -> None:
    from hardware.emulated import FirmwareBoard

    with FirmwareBoard() as board, pytest.raises(UnfitBoardError, match="is a pegged board"):
        DgtBoard.probe(board.url)


def test_a_driver_of_dgt_boards_connects_to_it(firmware: None, any_program: None) -> None:
    from hardware.emulated import FirmwareBoard

    log = EventLog()
    with FirmwareBoard(boot_seconds=0.5) as board, DgtBoard(board.url, log, ports=list):
        log.wait_kinds(events.Connected, events.BoardPosition)
        log.clear()
        board.lift("g1")
        board.place("f3", "N")
        log.wait_kinds(events.Lifted, events.Placed, events.BoardPosition)
        assert log.without_times() == [
            (events.Lifted, "g1"),
            (events.Placed, "f3", "N"),
            (events.BoardPosition, "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R"),
        ]


class Central:
    """An app at the firmware's line, which speaks CPP."""

    def __init__(self, board: LockstepFirmware) -> None:
        self.board = board

    def says(self, line: str = "", ms: float = 120) -> str:
        self.board.hear(f"{line}\n".encode() if line else b"")
        return b"".join(data for _, data in self.board.run(ms)).decode()

    def puts(self, square: str, piece: str) -> str:
        self.board.set(square, piece, 3)
        return self.says(ms=180 if piece == "." else 100)


def test_an_app_and_a_player_play_by_cpp(real: LockstepFirmware) -> None:
    app, position = Central(real), chess.Board()
    assert app.says("feature get_state") == "ok\n"
    assert app.says("feature undo") == "nok\n"
    assert app.says("get_state") == f"state {START}\n"
    assert app.says(f"begin {START} w", 180) == f"sync {START}\n"
    for uci in GAME:
        move = chess.Move.from_uci(uci)
        if position.turn == chess.BLACK:
            assert app.says(f"move {uci}", 20) == ""
        said = "".join(app.puts(*change) for change in hands(position, move))
        assert said == (f"move {uci}\n" if position.turn == chess.WHITE else "")
        if position.turn == chess.WHITE:
            assert app.says("ok", 10) == ""
        position.push(move)
    real.fault("e2")
    shown = position.board_fen()
    assert app.says(ms=320) == f"unsync {shown.replace('K', '?')}\n"
    real.mend("e2")
    assert app.says(ms=150) == f"sync {shown}\n"


def test_a_program_that_says_hello_takes_the_board_from_the_others(real: LockstepFirmware) -> None:
    real.hear(b"\x4b\x42")
    assert len(real.run(120)) > 0
    host = Host(real)
    host.run(300)
    assert host.placement == START
    real.hear(b"\x42")
    real.set("e2", ".")
    assert [type(event) for event in host.run(300)] == [events.Lifted]
    assert host.rejected == 0


def test_the_motor_disturbs_no_hole_while_it_runs(real: LockstepFirmware) -> None:
    """In the emulator each reading is worthless while the motor has current."""
    state, decoder = PegBoardState("lock-step"), peg.Decoder()
    told: list[events.BoardEvent] = []
    pings: list[peg.Ping] = []

    def run(ms: float) -> None:
        end = real.time + ms
        while real.time < end:
            for at, data in real.run(10):
                told.extend(state.receive(data, at / 1000))
                pings.extend(m for m in decoder.feed(data) if isinstance(m, peg.Ping))
            real.hear(state.requests(real.time / 1000))

    run(400)
    state.signals.show([Notice.YOUR_MOVE, Notice.QUESTION])
    told.clear()
    run(30)
    for square, piece in [("e2", "."), ("e4", "P"), ("d8", "."), ("d8", "q")]:
        real.set(square, piece)
        run(200)
    assert [(type(event), vars(event)["square"]) for event in told] == [
        (events.Lifted, "e2"), (events.Placed, "e4"), (events.Lifted, "d8"), (events.Placed, "d8"),
    ]  # fmt: skip
    run(400)
    assert pings[-1].wobbles == 0
    edges = real.shown("motor")
    felt = sum(1 << tenth for tenth in range(16) if _on(edges, edges[0][0] + 100 * tenth + 50))
    assert felt == MOTOR[Notice.QUESTION]
    blinks = [at for at, _ in real.shown("lamp")]
    assert all(later - at == pytest.approx(400, abs=10) for at, later in pairwise(blinks))
    assert len(blinks) > 2


def _on(edges: list[tuple[float, bool]], at: float) -> bool:
    return [on for when, on in edges if when <= at][-1]
