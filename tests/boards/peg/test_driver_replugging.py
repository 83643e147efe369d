"""A board whose cable is pulled again and again: no event is lost, and none is invented."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator

import chess
import pytest

from blindplay.boards.events import (
    BoardEvent,
    BoardPosition,
    Connected,
    Disconnected,
    LeverPressed,
    Lifted,
    Placed,
    PositionUnknown,
)
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg import protocol as peg
from tests.boards.event_log import EventLog
from tests.boards.peg.faulty import FaultyBoard
from tests.waiting import PATIENCE_S

SEED = 9


@pytest.fixture
def board() -> Iterator[FaultyBoard]:
    with FaultyBoard(lift_ms=20, place_ms=10) as emulated:
        yield emulated


def _move(board: FaultyBoard, rng: random.Random) -> tuple[str, str, str]:
    """Move any piece to any empty hole. Return both squares and the piece."""
    codes = peg.codes_of(board.placement)
    source = rng.choice([square for square, code in enumerate(codes) if code != peg.EMPTY])
    goal = rng.choice([square for square, code in enumerate(codes) if code == peg.EMPTY])
    piece = board.lift(chess.square_name(source))
    board.place(chess.square_name(goal), piece)
    return chess.square_name(source), chess.square_name(goal), piece


@pytest.mark.parametrize(
    "cycles", [20, pytest.param(1000, marks=pytest.mark.long)], ids=["20 times", "1000 times"]
)
def test_each_event_is_reported_once_however_often_the_cable_is_pulled(
    board: FaultyBoard, cycles: int
) -> None:
    """While the board is plugged in, the driver reports exactly the lifts, placings and presses.
    It reports changes made meanwhile as a position, never as a touch. A board without power has no
    presses."""
    rng, log = random.Random(SEED), EventLog()
    with PegBoard(board.url, log, backoff=(0.02, 0.1), ports=list) as driver:
        log.wait_kinds(Connected, BoardPosition)
        for cycle in range(cycles):
            log.clear()
            source, goal, piece = _move(board, rng)
            expected: list[tuple[object, ...]] = [(Lifted, source), (Placed, goal, piece)]
            if rng.random() < 0.5:
                side = rng.choice(("white", "black"))
                board.press(side)  # type: ignore[arg-type]
                expected.append((LeverPressed, side))
            log.wait_kinds(*(one[0] for one in expected))  # type: ignore[arg-type]
            assert log.without_times() == expected, f"cycle {cycle}"
            log.clear()
            board.unplug()
            log.wait_kinds(Disconnected)
            for _ in range(rng.randrange(3)):
                _move(board, rng)
            board.plug()
            log.wait_kinds(Disconnected, Connected, BoardPosition)
            # A count of presses follows the board's dump. It must give no event.
            kinds = log.kinds()
            assert kinds == [Disconnected, Connected, BoardPosition], f"cycle {cycle}: {log.events}"
            told = log.events[-1]
            assert isinstance(told, BoardPosition) and told.placement == board.placement
            assert driver.placement() == board.placement


@pytest.mark.parametrize(
    "cycles", [10, pytest.param(200, marks=pytest.mark.long)], ids=["10 times", "200 times"]
)
def test_a_cable_pulled_in_the_middle_of_a_move_invents_nothing(
    board: FaultyBoard, cycles: int
) -> None:
    """The last change may get through or not. The driver reports only changes that happened, in
    their order, and in the end it knows the position."""
    rng, log = random.Random(SEED), EventLog()
    with PegBoard(board.url, log, backoff=(0.02, 0.1), ports=list) as driver:
        log.wait_kinds(Connected, BoardPosition)
        for cycle in range(cycles):
            log.clear()
            codes = peg.codes_of(board.placement)
            square = chess.square_name(rng.choice([s for s, code in enumerate(codes) if code]))
            piece = board.lift(square, wait=False)
            time.sleep(rng.choice((0, 0.01, 0.02, 0.03)))
            board.unplug()
            board.place(square, piece, wait=False)
            log.wait_kinds(Disconnected)
            board.plug()
            log.wait_kinds(Disconnected, Connected, BoardPosition)
            touched = [
                one for one in log.without_times() if one[0] in (Lifted, Placed, LeverPressed)
            ]
            assert touched in ([], [(Lifted, square)]), f"cycle {cycle}"
            log.wait(lambda _: driver.placement() == board.placement)


def test_a_board_that_floods_the_line_is_reported_lost_and_comes_back(
    board: FaultyBoard,
) -> None:
    rng, log = random.Random(SEED), EventLog()
    with PegBoard(board.url, log, backoff=(0.02, 0.1), answer_seconds=0.5, ports=list) as driver:
        log.wait_kinds(Connected, BoardPosition)
        log.clear()
        board.lose(1_000_000)  # all its answers
        end = time.monotonic() + 20
        while not any(isinstance(event, Disconnected) for event in log.events):
            board.send_raw(rng.randbytes(200))
            time.sleep(0.001)
            assert time.monotonic() < end
        assert log.kinds() == [PositionUnknown, Disconnected]
        assert not driver.connected
        board.lose(0)
        log.wait_kinds(PositionUnknown, Disconnected, Connected, BoardPosition)
        assert not [
            event for event in log.events if isinstance(event, Lifted | Placed | LeverPressed)
        ]
        assert driver.placement() == board.placement


def test_touches_wait_for_a_slow_receiver(
    board: FaultyBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow disk may hold up a table for long. The board must not fall silent meanwhile."""
    monkeypatch.setattr("blindplay.boards.peg.emulator._HOST_SILENCE_MS", 1000.0)
    monkeypatch.setattr("blindplay.boards.peg.driver._KEEP_ALIVE", 0.3)
    log, held = EventLog(), threading.Event()

    def slow(event: BoardEvent) -> None:
        if isinstance(event, Lifted):
            held.wait(PATIENCE_S)
        log(event)

    with PegBoard(board.url, slow) as driver:
        log.wait(lambda told: any(isinstance(event, BoardPosition) for event in told))
        log.events.clear()
        for square in ("e2", "d2", "g1"):
            piece = board.lift(square)
            time.sleep(0.7)
            board.place(square, piece)
        assert not log.events
        held.set()
        log.wait(lambda told: len(told) >= 6)
        assert driver.connected
    assert [(type(event), getattr(event, "square", "")) for event in log.events] == [
        (kind, square) for square in ("e2", "d2", "g1") for kind in (Lifted, Placed)
    ]
