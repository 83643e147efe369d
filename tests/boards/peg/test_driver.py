"""The driver against the board in software and against the real firmware in its emulator.

The tests are the same for a pseudo terminal, a socket and the firmware.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import pytest
from chess import STARTING_BOARD_FEN as START

from blindplay.boards.driver import Notice
from blindplay.boards.events import (
    BoardPosition,
    Connected,
    ContactFault,
    Disconnected,
    LeverPressed,
    Lifted,
    Placed,
    Read,
)
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.peg.firmware import version_text
from tests.boards.event_log import EventLog
from tests.boards.peg.faulty import FaultyBoard
from tests.waiting import until

if TYPE_CHECKING:
    from hardware.emulated import FirmwareBoard

AnyBoard: TypeAlias = "FaultyBoard | FirmwareBoard"

BOARDS = [
    pytest.param(
        "pty", marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows has no ptys")
    ),
    "socket",
    "firmware",
]


@pytest.fixture(params=BOARDS)
def emulated(request: pytest.FixtureRequest) -> Iterator[AnyBoard]:
    if request.param == "firmware":
        request.getfixturevalue("firmware")
        from hardware.emulated import FirmwareBoard

        with FirmwareBoard(signals=True) as real:
            yield real
    else:
        with FaultyBoard(force_socket=request.param == "socket", signals=True) as board:
            yield board


@pytest.fixture
def log() -> EventLog:
    return EventLog()


@pytest.fixture
def board(emulated: AnyBoard, log: EventLog) -> Iterator[PegBoard]:
    with PegBoard(emulated.url, log, backoff=(0.1, 0.3), ports=list) as connected:
        log.wait_kinds(Connected, BoardPosition)
        time.sleep(0.1)  # The count of presses follows the dump; then nothing for a second.
        yield connected


def test_it_connects_and_reports_the_position(
    emulated: AnyBoard, board: PegBoard, log: EventLog
) -> None:
    assert board.connected
    assert board.placement() == START
    first, second = log.events[:2]
    assert isinstance(first, Connected)
    assert first.url == emulated.url
    assert "pegged board" in first.board
    assert isinstance(second, BoardPosition)
    assert second.placement == START


def test_a_move_and_the_clock_are_felt_in_order_and_timed(
    emulated: AnyBoard, board: PegBoard, log: EventLog
) -> None:
    log.clear()
    begun = time.monotonic()
    emulated.lift("e2")
    emulated.place("e4", "P")
    emulated.press("white")
    log.wait_kinds(LeverPressed)
    assert log.without_times() == [(Lifted, "e2"), (Placed, "e4", "P"), (LeverPressed, "white")]
    # The time of the lift is that of the first opening, not of its confirmation 150 ms later.
    # On a loaded machine the firmware's emulator runs unevenly, so the bounds are wide.
    assert begun - 0.5 <= log.events[0].at <= log.arrived[0] - 0.05
    assert log.events[1].at - log.events[0].at >= 0.14
    assert board.placement() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"


def test_a_felt_piece_is_not_a_lifted_one(
    emulated: AnyBoard, board: PegBoard, log: EventLog
) -> None:
    log.clear()
    emulated.open_contact("d2", 0.1)
    emulated.open_contact("d2", 0.149)
    emulated.press("black")
    log.wait_kinds(LeverPressed)
    assert log.without_times() == [(LeverPressed, "black")]


def test_a_piece_lifted_long_enough_and_put_back_was_lifted(
    emulated: AnyBoard, board: PegBoard, log: EventLog
) -> None:
    log.clear()
    emulated.open_contact("d2", 0.25)
    log.wait_kinds(Placed)
    assert log.without_times() == [(Lifted, "d2"), (Placed, "d2", "P")]


def test_changes_made_while_unplugged_are_a_position_and_never_a_lift(
    emulated: AnyBoard, board: PegBoard, log: EventLog
) -> None:
    log.clear()
    emulated.unplug()
    log.wait_kinds(Disconnected)
    assert not board.connected
    assert board.placement() == START
    emulated.lift("d7")
    emulated.place("d5", "p")
    emulated.plug()
    log.wait_kinds(Disconnected, Connected, BoardPosition)
    assert log.kinds() == [Disconnected, Connected, BoardPosition]
    assert board.connected
    assert board.placement() == "rnbqkbnr/ppp1pppp/8/3p4/8/8/PPPPPPPP/RNBQKBNR"
    log.clear()
    emulated.lift("e2")
    log.wait_kinds(Lifted)


@pytest.mark.parametrize("harm", ["lose", "garble"])
def test_a_dump_repairs_a_lost_or_damaged_event(
    emulated: AnyBoard, board: PegBoard, log: EventLog, harm: str
) -> None:
    log.clear()
    getattr(emulated, harm)(2)  # one of them may be the ping of each second
    emulated.lift("e2")
    emulated.place("e4", "P")
    log.wait_kinds(BoardPosition)
    log.wait(lambda _: board.placement() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR")
    assert (Lifted, "e4") not in log.without_times()


def test_a_lost_last_event_is_noticed_by_the_next_ping(
    emulated: AnyBoard, board: PegBoard, log: EventLog
) -> None:
    log.clear()
    emulated.lose(1)
    emulated.lift("e2")
    log.wait(lambda _: board.placement() == "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR", 5)


@pytest.mark.parametrize("harm", ["lose", "garble"])
def test_a_press_whose_frame_is_lost_is_reported_once_and_at_its_time(
    emulated: AnyBoard, board: PegBoard, log: EventLog, harm: str
) -> None:
    log.clear()
    getattr(emulated, harm)(2)  # the press and the release
    emulated.press("black")
    emulated.lift("e2")
    emulated.place("e2", "P")
    log.wait(lambda told: {LeverPressed, Placed} <= {type(event) for event in told})
    emulated.press("white")
    log.wait_kinds(LeverPressed, LeverPressed)
    board.read(1)
    log.wait_kinds(Read)  # the presses have been counted once more
    pressed = [event for event in log.events if isinstance(event, LeverPressed)]
    assert [press.side for press in pressed] == ["black", "white"]
    (placed,) = [event for event in log.events if isinstance(event, Placed)]
    assert pressed[0].at < placed.at < pressed[1].at


def test_garbage_on_the_line_is_counted_and_harms_nothing(
    emulated: AnyBoard, board: PegBoard, log: EventLog
) -> None:
    log.clear()
    emulated.send_raw(b"\x17garbage\0\xff\xff\0" + b"x" * 500)
    emulated.lift("g1")
    log.wait_kinds(Lifted)
    # A frame may have been lost in it, so the whole board was asked for.
    assert {kind for kind in log.kinds() if kind is not Lifted} == {BoardPosition}
    assert [event for event in log.without_times() if event[0] is Lifted] == [(Lifted, "g1")]


def test_a_restart_of_the_board_behind_a_living_line_is_noticed(
    emulated: AnyBoard, board: PegBoard, log: EventLog
) -> None:
    time.sleep(0.2)
    log.clear()
    emulated.reset()
    log.wait_kinds(BoardPosition)
    emulated.lift("e2")
    log.wait_kinds(BoardPosition, Lifted)
    assert Disconnected not in log.kinds()


def test_no_lift_is_derived_from_a_fault(
    emulated: AnyBoard, board: PegBoard, log: EventLog
) -> None:
    log.clear()
    emulated.fault("e1")
    log.wait_kinds(ContactFault)
    assert board.placement() == START  # the king is still taken to be there
    emulated.lift("e1")
    log.wait_kinds(ContactFault, BoardPosition)
    assert Lifted not in log.kinds()
    assert board.placement() == START.replace("RNBQKBNR", "RNBQ1BNR")


def test_a_fault_that_was_there_at_connection_is_reported(log: EventLog) -> None:
    with FaultyBoard(force_socket=True) as emulated:
        emulated.lift("a1")
        emulated.place("a1", "!")
        with PegBoard(emulated.url, log, ports=list):
            log.wait_kinds(BoardPosition, ContactFault)
            assert (ContactFault, "a1") in log.without_times()


def test_a_presence_only_board_names_no_piece(log: EventLog) -> None:
    with (
        FaultyBoard("8/8/8/8/8/8/4P3/8", force_socket=True, identity=False) as emulated,
        PegBoard(emulated.url, log, ports=list) as board,
    ):
        log.wait_kinds(BoardPosition)
        assert board.placement() == "8/8/8/8/8/8/4?3/8"
        log.clear()
        emulated.lift("e2")
        emulated.place("e4", "P")
        log.wait_kinds(Placed)
        assert log.without_times() == [(Lifted, "e2"), (Placed, "e4", None)]


def test_a_board_deaf_while_it_boots_is_greeted_until_it_answers(log: EventLog) -> None:
    with (
        FaultyBoard(boot_seconds=1.2) as emulated,
        PegBoard(emulated.url, log, ports=list),
    ):
        log.wait_kinds(Connected, BoardPosition, seconds=8)
        assert [type(e) for e in log.events[:2]] == [Connected, BoardPosition]


def test_the_buzzer_sounds(emulated: AnyBoard, board: PegBoard) -> None:
    board._enqueue(lambda state: peg.encode(peg.Buzz(3)))
    assert until(lambda: emulated.buzzed) == [3]


def test_the_motor_tells_what_is_new_and_only_once(emulated: AnyBoard, board: PegBoard) -> None:
    board.light([], [Notice.YOUR_MOVE])
    assert until(lambda: emulated.felt) == [0b111111]
    board.light([], [Notice.YOUR_MOVE])
    board.light([], [Notice.YOUR_MOVE, Notice.QUESTION])
    assert until(lambda: len(emulated.felt) == 2)
    assert emulated.felt == [0b111111, 0b1100110011]


def test_probing_describes_the_board(emulated: AnyBoard) -> None:
    assert PegBoard.probe(emulated.url).startswith("pegged board, firmware 1.2, knows each piece")


@pytest.mark.parametrize(("version", "older"), [(0x0101, True), (peg.FIRMWARE_VERSION, False)])
def test_a_board_with_an_older_firmware_says_which_this_program_brings(
    version: int, older: bool
) -> None:
    log = EventLog()
    with EmulatedBoard(firmware=version) as old:
        about = PegBoard.probe(old.url)
        with PegBoard(old.url, log):
            log.wait_kinds(Connected)
    connected = log.events[0]
    assert isinstance(connected, Connected)
    assert ("instead of which 'blindplay board flash' writes" in about) is older
    newest = version_text(peg.FIRMWARE_VERSION)
    advice = f"firmware 1.1, and this program brings {newest}: run 'blindplay board flash'"
    assert (advice in connected.advice) is older
    assert bool(connected.advice) is older
