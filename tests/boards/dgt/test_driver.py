"""The driver of a DGT board against an emulated one, over a pseudo terminal and a socket; and its
state, in simulated time, against a line that flips bits.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator

import chess
import pytest

from blindplay.boards.dgt import DgtBoard, driver
from blindplay.boards.dgt.driver import DgtBoardState
from blindplay.boards.dgt.protocol import HostCommand
from blindplay.boards.diagram import START as START_DIAGRAM
from blindplay.boards.events import (
    BoardPosition,
    Connected,
    Disconnected,
    LeverPressed,
    Lifted,
    Placed,
)
from blindplay.boards.ports import BoardNotFoundError, FoundPort, NoAnswerError, UnfitBoardError
from blindplay.boards.reporting import BoardReport, ClockTimes
from tests.boards.dgt import hands
from tests.boards.dgt.emulated import FORBIDDEN, EmulatedDgtBoard
from tests.boards.event_log import EventLog
from tests.waiting import until


def test_the_side_of_the_clock_survives_a_pulled_cable() -> None:
    start = BoardReport(START_DIAGRAM)
    before = DgtBoardState("test")
    for now in (0.0, 0.1):
        before.hear(start, now)
    before.hear(ClockTimes(300, 300, "right"), 0.2)  # White's time runs first from the start
    after = DgtBoardState("test", before)
    after.hear(ClockTimes(300, 290, "right"), 9.0)
    after.hear(ClockTimes(300, 290, "left"), 10.0)
    assert after.rest(11.0) == [LeverPressed("white", 10.0)]


def test_a_pegged_board_in_the_place_of_a_dgt_board_is_refused() -> None:
    """It answers as one, but touches have no place in that protocol."""
    state = DgtBoardState("/dev/ttyUSB1")
    asked = state.requests(0.0)
    assert asked.index(HostCommand.TRADEMARK) < asked.index(HostCommand.SEND_BOARD)
    state.receive(hands.TRADEMARK, 0.1)
    with pytest.raises(UnfitBoardError, match="at /dev/ttyUSB1 is a pegged board: give its port"):
        state.receive(bytes((0x92, 0, 3 + 9)) + b"BlindPlay", 0.2)


def serial(number: str) -> bytes:
    return bytes((0x91, 0, 8)) + number.encode()


@pytest.mark.parametrize(
    ("numbers", "which"),
    [
        (["24567", "24567"], "24567"),
        (["24567"], None),  # no checksum protects it
        (["24567", "24563"], None),
        (["24563", "24567", "24567"], "24567"),
        (["00000", "00000"], ""),
        ([], None),
    ],
)
def test_a_serial_number_counts_when_the_board_has_told_it_twice(
    numbers: list[str], which: str | None
) -> None:
    state = DgtBoardState("test")
    assert state.requests(0.0).count(bytes([HostCommand.SERIAL_NUMBER])) == 2
    dump = hands.dump(hands.pieces_of(chess.Board()))
    stream = b"".join(map(serial, numbers)) + dump
    told = [*state.receive(stream, 0.1), *state.receive(dump, 0.4)]
    connected, position = told
    assert isinstance(connected, Connected) and isinstance(position, BoardPosition)
    assert connected.which == which


def test_boards_that_change_their_ports_lie_each_as_it_did() -> None:
    """One of two boards lies turned. In the middle of a game each answers at the other's port."""

    def told(state: DgtBoardState, number: str, board: chess.Board, *, turned: bool) -> str:
        dump = hands.dump(hands.pieces_of(board), turned=turned)
        state.receive(serial(number) * 2 + dump, 0.1)
        (position,) = state.receive(dump, 0.4)
        assert isinstance(position, BoardPosition)
        return position.placement

    start, played = chess.Board(), chess.Board()
    played.push_uci("e2e4")
    turned, straight = DgtBoardState("/dev/ttyUSB0"), DgtBoardState("/dev/ttyUSB1")
    assert told(turned, "11111", start, turned=True) == start.board_fen()
    assert told(straight, "22222", start, turned=False) == start.board_fen()
    first, second = (
        DgtBoardState(f"/dev/ttyUSB{at}", was) for at, was in enumerate((turned, straight))
    )
    assert told(first, "22222", played, turned=False) == played.board_fen()
    assert told(second, "11111", played, turned=True) == played.board_fen()
    third = DgtBoardState("/dev/ttyUSB0", first)
    assert told(third, "22222", played, turned=False) == played.board_fen()


PLAYED = "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("in_hand", [[], ["f3"], ["e1", "h1"]])
def test_a_game_that_goes_on_tells_how_the_board_lies(turned: bool, in_hand: list[str]) -> None:
    """The process was killed, so nobody knows it from the start position."""
    shown = chess.BaseBoard(PLAYED)
    for name in in_hand:
        shown.remove_piece_at(chess.parse_square(name))
    dump = hands.dump(hands.pieces_of(shown), turned=turned)
    board = DgtBoard("/dev/ttyUSB0")
    board.expect(PLAYED)
    state = board.new_state("/dev/ttyUSB0", None)
    state.receive(dump + dump, 0.1)
    assert state.placement() == shown.board_fen()
    again = board.new_state("/dev/ttyUSB0", state)  # pieces are put away while the cable is out
    shown.clear_board()
    shown.set_piece_at(chess.A1, chess.Piece.from_symbol("K"))
    dump = hands.dump(hands.pieces_of(shown), turned=turned)
    again.receive(dump + dump, 9.0)
    assert again.placement() == shown.board_fen()


def test_a_board_that_was_read_before_its_position_was_expected_is_turned_then() -> None:
    """A review leads hands to a position when the board has answered long before."""
    with EmulatedDgtBoard(turned=True) as emulated:
        emulated.pieces = hands.pieces_of(chess.BaseBoard(PLAYED))
        log = EventLog()
        with DgtBoard(emulated.url, log, ports=list) as board:
            log.wait_kinds(BoardPosition)
            assert board.placement() == PLAYED[::-1]
            log.clear()
            board.expect(PLAYED)
            log.wait_kinds(BoardPosition)
            assert board.placement() == PLAYED


def test_a_position_that_is_another_one_does_not_tell_how_the_board_lies() -> None:
    board = DgtBoard("/dev/ttyUSB0")
    board.expect(PLAYED)
    state = board.new_state("/dev/ttyUSB0", None)
    dump = hands.dump(hands.pieces_of(chess.BaseBoard("8/8/3k4/8/8/3K4/8/8")), turned=True)
    state.receive(dump + dump, 0.1)
    assert state.placement() == "8/8/4K3/8/8/4k3/8/8"


def test_of_another_board_at_its_port_a_state_knows_no_position() -> None:
    start = hands.dump(hands.pieces_of(chess.Board()))
    before = DgtBoardState("test")
    before.receive(serial("33333") * 2 + start + start, 0.1)
    assert before.placement() == chess.STARTING_BOARD_FEN
    same, other = DgtBoardState("test", before), DgtBoardState("test", before)
    same.receive(serial("33333") * 2, 9.0)
    other.receive(serial("44444") * 2, 9.0)
    assert (same.placement(), other.placement()) == (chess.STARTING_BOARD_FEN, None)


@pytest.mark.parametrize("ppm", [100, 1000])
def test_with_flipped_bits_on_the_line_no_wrong_position_is_reported(ppm: int) -> None:
    hand = random.Random(ppm)
    board, pieces = chess.Board(), hands.pieces_of(chess.Board())
    state = DgtBoardState("test")
    now, dumps, spoilt = 0.0, 0, 0

    def send(message: bytes) -> None:
        nonlocal spoilt
        heard = bytes(
            sum(1 << bit for bit in range(8) if hand.random() < ppm / 1e6) ^ byte
            for byte in message
        )
        spoilt += heard != message
        for event in state.receive(heard, now):
            if isinstance(event, BoardPosition):
                assert event.placement == board.board_fen()

    for move in hands.random_game(hand, 150):
        for square, piece in hands.by_hand(board, move, hand):
            if piece == ".":
                pieces.pop(square, None)
            else:
                pieces[square] = piece
            now += 0.1
            send(hands.update(square, piece))
        board.push(move)
        end = now + 4
        while now < end:
            now += 0.1
            state.receive(b"", now)
            if HostCommand.SEND_BOARD in state.requests(now):
                dumps += 1
                send(hands.dump(pieces))
        assert state.placement() == board.board_fen()
    assert dumps > 150
    assert spoilt > 0


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
LINES = [
    pytest.param(
        False,
        id="pty",
        marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows has no ptys"),
    ),
    pytest.param(True, id="socket"),
]


@pytest.fixture(params=LINES)
def emulated(request: pytest.FixtureRequest) -> Iterator[EmulatedDgtBoard]:
    with EmulatedDgtBoard(force_socket=request.param) as board:
        yield board


@pytest.fixture
def log() -> EventLog:
    return EventLog()


@pytest.fixture
def board(emulated: EmulatedDgtBoard, log: EventLog) -> Iterator[DgtBoard]:
    with DgtBoard(emulated.url, log, backoff=(0.1, 0.3), ports=list) as connected:
        log.wait_kinds(Connected, BoardPosition)
        yield connected


def test_it_connects_and_reports_the_position(
    emulated: EmulatedDgtBoard, board: DgtBoard, log: EventLog
) -> None:
    first, second = log.events[:2]
    assert isinstance(first, Connected)
    assert "DGT board" in first.board
    assert isinstance(second, BoardPosition)
    assert second.placement == board.placement() == START
    assert not FORBIDDEN & set(emulated.commands)
    assert {0x4B, 0x42} <= set(emulated.commands)


def test_a_move_is_reported_as_changes_and_then_as_a_position(
    emulated: EmulatedDgtBoard, board: DgtBoard, log: EventLog
) -> None:
    log.clear()
    emulated.move("e2e4")
    log.wait_kinds(BoardPosition)
    assert log.without_times() == [(Lifted, "e2"), (Placed, "e4", "P"), (BoardPosition, AFTER_E4)]


def test_a_press_of_the_clock_follows_the_position_it_was_pressed_in(
    emulated: EmulatedDgtBoard, board: DgtBoard, log: EventLog
) -> None:
    emulated.clock(300, 300, 0x09)
    log.clear()
    emulated.move("e2e4")
    emulated.clock(299, 300, 0x13)
    log.wait_kinds(LeverPressed)
    assert log.without_times()[-2:] == [(BoardPosition, AFTER_E4), (LeverPressed, "white")]
    emulated.clock(299, 298, 0x09)
    log.wait(lambda heard: sum(isinstance(event, LeverPressed) for event in heard) == 2)
    assert log.without_times()[-1] == (LeverPressed, "black")


def test_the_first_running_side_of_the_clock_is_whites(log: EventLog) -> None:
    with (
        EmulatedDgtBoard(turned=True) as emulated,
        DgtBoard(emulated.url, log, ports=list) as board,
    ):
        log.wait_kinds(BoardPosition)
        assert board.placement() == START
        emulated.clock(300, 300, 0x13)
        emulated.clock(300, 299, 0x09)
        log.wait_kinds(LeverPressed)
        assert log.without_times()[-1] == (LeverPressed, "white")


def test_a_change_lost_on_the_line_is_found_by_the_next_dump(
    emulated: EmulatedDgtBoard, board: DgtBoard, log: EventLog
) -> None:
    log.clear()
    emulated.lose = 1
    emulated.move("e2e4")
    log.wait_kinds(BoardPosition)
    assert log.without_times()[-1] == (BoardPosition, AFTER_E4)


def test_a_dump_with_a_flipped_bit_is_not_reported(
    emulated: EmulatedDgtBoard, board: DgtBoard, log: EventLog
) -> None:
    log.clear()
    emulated.spoil_dumps = 1
    emulated.move("e2e4")
    log.wait_kinds(BoardPosition)
    told = [event for event in log.events if isinstance(event, BoardPosition)]
    assert [event.placement for event in told] == [AFTER_E4]


def test_a_lost_link_is_no_lift_and_changes_made_meanwhile_are_a_position(
    emulated: EmulatedDgtBoard, board: DgtBoard, log: EventLog
) -> None:
    log.clear()
    emulated.unplug()
    log.wait_kinds(Disconnected)
    assert not board.connected
    assert board.placement() == START
    emulated.move("e2e4")
    emulated.plug()
    log.wait_kinds(Connected, BoardPosition)
    assert log.kinds() == [Disconnected, Connected, BoardPosition]
    assert board.placement() == AFTER_E4


def test_a_board_that_lost_power_for_a_moment_is_asked_again_to_report(
    emulated: EmulatedDgtBoard, board: DgtBoard, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "_REMIND", 0.2)
    emulated.forget()
    emulated.move("e2e4")
    log.wait(lambda heard: heard[-1] == BoardPosition(AFTER_E4, heard[-1].at))
    assert until(lambda: emulated.reports)
    emulated.move("e7e5")
    log.wait_kinds(Lifted, Placed)


def test_garbage_on_the_line_does_no_harm(
    emulated: EmulatedDgtBoard, board: DgtBoard, log: EventLog
) -> None:
    log.clear()
    emulated.send_raw(bytes((0x8E, 0, 5, 0x34, 0x81, 3, 0xFF, 0x8E, 0, 1, 7)))
    emulated.move("e2e4")
    log.wait_kinds(BoardPosition)
    assert log.without_times()[-1] == (BoardPosition, AFTER_E4)
    assert board.connected


def test_a_device_that_answers_nothing_is_no_dgt_board(
    emulated: EmulatedDgtBoard, log: EventLog
) -> None:
    emulated.silent = True
    with DgtBoard(emulated.url, log, answer_seconds=0.3, ports=list):
        log.wait_kinds(Disconnected)
    gone = log.events[0]
    assert isinstance(gone, Disconnected)
    assert "No DGT board answers" in gone.why
    with pytest.raises(NoAnswerError):
        DgtBoard.probe(emulated.url, seconds=0.3)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no ptys")
def test_the_board_is_found_by_its_usb_id_and_its_answer() -> None:
    with EmulatedDgtBoard() as emulated:

        def ports() -> list[FoundPort]:
            return [
                FoundPort("/dev/ttyS99", "another", 0x2341, 0x0043, None, True),
                FoundPort(emulated.url, "adapter", 0x0403, 0x6001, None, True),
            ]

        assert DgtBoard.find(ports) == emulated.url
        assert not FORBIDDEN & set(emulated.commands)
    with pytest.raises(BoardNotFoundError):
        DgtBoard.find(list)


def test_closing_ends_events(emulated: EmulatedDgtBoard, board: DgtBoard, log: EventLog) -> None:
    board.close()
    log.clear()
    emulated.move("e2e4")
    time.sleep(0.2)
    assert log.events == []


def test_two_dumps_with_a_doubled_byte_each_do_not_agree() -> None:
    """Which of several empty squares is doubled makes no difference: what follows is shifted."""
    state, pieces = DgtBoardState("test"), hands.pieces_of(chess.Board())
    right = hands.dump(pieces)
    for now in (0.1, 0.2):
        state.receive(right, now)
    pieces.pop(chess.E2)
    pieces[chess.E4] = "P"
    moved = hands.dump(pieces)
    first = 3 + moved[3:].index(0)
    assert moved[first : first + 3] == bytes(3)
    for at, now in ((first, 0.3), (first + 2, 0.4)):
        told = state.receive(moved[:at] + b"\0" + moved[at:], now)
        assert not [event for event in told if isinstance(event, BoardPosition)]
    assert state.placement() == chess.Board().board_fen()
    for now in (0.5, 0.6):
        state.receive(moved, now)
    assert state.placement() == AFTER_E4
