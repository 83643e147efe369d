"""The driver against the board in software and against the real firmware in its emulator.

The same tests for all: a board is what it does on the line, a pseudo terminal or a socket.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
import serial

from blindplay.boards import driver as line
from blindplay.boards import events
from blindplay.boards.driver import BoardNotFoundError, FoundPort, NoAnswerError
from blindplay.boards.events import (
    BoardEvent,
    BoardPosition,
    Connected,
    ContactFault,
    Disconnected,
    LeverPressed,
    Lifted,
    Placed,
)
from blindplay.boards.peg import PegBoard, driver
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.emulator import START, EmulatedBoard

if TYPE_CHECKING:
    from hardware.emulated import FirmwareBoard

AnyBoard: TypeAlias = "EmulatedBoard | FirmwareBoard"

BOARDS = [
    pytest.param(
        "pty", marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows has no ptys")
    ),
    "socket",
    "firmware",
]


class Ear:
    """Collects events and waits for them."""

    def __init__(self) -> None:
        self.events: list[BoardEvent] = []
        self._news = threading.Condition()

    def __call__(self, event: BoardEvent) -> None:
        with self._news:
            self.events.append(event)
            self._news.notify_all()

    def wait(self, done: Callable[[list[BoardEvent]], bool], seconds: float = 15) -> None:
        with self._news:
            if not self._news.wait_for(lambda: done(self.events), seconds):
                raise AssertionError(f"not within {seconds} s; heard {self.events}")

    def wait_kinds(self, *kinds: type, seconds: float = 15) -> list[BoardEvent]:
        """Wait until events of these kinds came in this order since the last clear."""

        def done(heard: list[BoardEvent]) -> bool:
            left = list(kinds)
            for event in heard:
                if left and isinstance(event, left[0]):
                    left.pop(0)
            return not left

        self.wait(done, seconds)
        return list(self.events)

    def clear(self) -> None:
        with self._news:
            self.events.clear()

    def bare(self) -> list[tuple[object, ...]]:
        """The events without their times."""
        return [(type(e), *(v for k, v in vars(e).items() if k != "at")) for e in list(self.events)]


@pytest.fixture(params=BOARDS)
def emulated(request: pytest.FixtureRequest) -> Iterator[AnyBoard]:
    if request.param == "firmware":
        request.getfixturevalue("firmware")
        from hardware.emulated import FirmwareBoard

        with FirmwareBoard() as real:
            yield real
    else:
        with EmulatedBoard(force_socket=request.param == "socket") as board:
            yield board


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
def board(emulated: AnyBoard, ear: Ear) -> Iterator[PegBoard]:
    with PegBoard(emulated.url, ear, backoff=(0.1, 0.3), ports=list) as connected:
        ear.wait_kinds(Connected, BoardPosition)
        time.sleep(0.1)  # The count of presses follows the dump; nothing else for a second.
        yield connected


def test_it_connects_and_tells_the_position(emulated: AnyBoard, board: PegBoard, ear: Ear) -> None:
    assert board.connected
    assert board.placement() == START
    first, second = ear.events[:2]
    assert isinstance(first, Connected)
    assert first.url == emulated.url
    assert "pegged board" in first.board
    assert isinstance(second, BoardPosition)
    assert second.placement == START


def test_a_move_and_the_clock_are_felt_in_order_and_timed(
    emulated: AnyBoard, board: PegBoard, ear: Ear
) -> None:
    ear.clear()
    begun = time.monotonic()
    emulated.lift("e2")
    emulated.place("e4", "P")
    emulated.press("white")
    ear.wait_kinds(LeverPressed)
    assert ear.bare() == [(Lifted, "e2"), (Placed, "e4", "P"), (LeverPressed, "white")]
    # The lift carries the moment of the first opening, not of its confirmation 150 ms later.
    # A loaded machine emulates the firmware by fits and starts.
    assert ear.events[0].at - begun == pytest.approx(0, abs=0.3)
    assert ear.events[1].at - ear.events[0].at >= 0.14
    assert board.placement() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"


def test_a_felt_piece_is_not_a_lifted_one(emulated: AnyBoard, board: PegBoard, ear: Ear) -> None:
    ear.clear()
    emulated.open_contact("d2", 0.1)
    emulated.open_contact("d2", 0.149)
    emulated.press("black")
    ear.wait_kinds(LeverPressed)
    assert ear.bare() == [(LeverPressed, "black")]


def test_a_piece_lifted_long_enough_and_put_back_was_lifted(
    emulated: AnyBoard, board: PegBoard, ear: Ear
) -> None:
    ear.clear()
    emulated.open_contact("d2", 0.25)
    ear.wait_kinds(Placed)
    assert ear.bare() == [(Lifted, "d2"), (Placed, "d2", "P")]


def test_what_changed_while_unplugged_is_a_position_and_never_a_lift(
    emulated: AnyBoard, board: PegBoard, ear: Ear
) -> None:
    ear.clear()
    emulated.unplug()
    ear.wait_kinds(Disconnected)
    assert not board.connected
    assert board.placement() == START
    emulated.lift("d7")
    emulated.place("d5", "p")
    emulated.plug()
    ear.wait_kinds(Disconnected, Connected, BoardPosition)
    assert [type(e) for e in ear.events] == [Disconnected, Connected, BoardPosition]
    assert board.connected
    assert board.placement() == "rnbqkbnr/ppp1pppp/8/3p4/8/8/PPPPPPPP/RNBQKBNR"
    ear.clear()
    emulated.lift("e2")
    ear.wait_kinds(Lifted)


@pytest.mark.parametrize("harm", ["lose", "garble"])
def test_a_lost_or_damaged_event_is_made_good_by_a_dump(
    emulated: AnyBoard, board: PegBoard, ear: Ear, harm: str
) -> None:
    ear.clear()
    getattr(emulated, harm)(1)
    emulated.lift("e2")
    emulated.place("e4", "P")
    ear.wait_kinds(BoardPosition)
    ear.wait(lambda _: board.placement() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR")
    assert (Lifted, "e4") not in ear.bare()


def test_a_lost_last_event_is_noticed_by_the_next_ping(
    emulated: AnyBoard, board: PegBoard, ear: Ear
) -> None:
    ear.clear()
    emulated.lose(1)
    emulated.lift("e2")
    ear.wait(lambda _: board.placement() == "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR", 5)


@pytest.mark.parametrize("harm", ["lose", "garble"])
def test_a_press_whose_frame_is_lost_is_told_once_and_at_its_time(
    emulated: AnyBoard, board: PegBoard, ear: Ear, harm: str
) -> None:
    ear.clear()
    getattr(emulated, harm)(2)  # both the pressing and the springing back
    begun = time.monotonic()
    emulated.press("black")
    (press,) = [event for event in ear.wait_kinds(LeverPressed) if isinstance(event, LeverPressed)]
    assert abs(press.at - begun) < 0.25  # a loaded machine emulates the firmware by fits and starts
    emulated.press("white")
    ear.wait_kinds(LeverPressed, LeverPressed)
    time.sleep(1.2)
    pressed = [event.side for event in ear.events if isinstance(event, LeverPressed)]
    assert pressed == ["black", "white"]


def test_garbage_on_the_line_is_counted_and_harms_nothing(
    emulated: AnyBoard, board: PegBoard, ear: Ear
) -> None:
    ear.clear()
    emulated.send_raw(b"\x17garbage\0\xff\xff\0" + b"x" * 500)
    emulated.lift("g1")
    ear.wait_kinds(Lifted)
    assert ear.bare() == [(Lifted, "g1")]
    assert board.rejected == 3


def test_a_restart_of_the_board_behind_a_living_line_is_noticed(
    emulated: AnyBoard, board: PegBoard, ear: Ear
) -> None:
    time.sleep(0.2)
    ear.clear()
    emulated.reset()
    ear.wait_kinds(BoardPosition)
    emulated.lift("e2")
    ear.wait_kinds(BoardPosition, Lifted)
    assert Disconnected not in [type(e) for e in ear.events]


def test_no_lift_is_derived_from_a_fault(emulated: AnyBoard, board: PegBoard, ear: Ear) -> None:
    ear.clear()
    emulated.fault("e1")
    ear.wait_kinds(ContactFault)
    assert board.placement() == START  # the king is still taken to be there
    emulated.lift("e1")
    ear.wait_kinds(ContactFault, BoardPosition)
    assert Lifted not in [type(e) for e in ear.events]
    assert board.placement() == START.replace("RNBQKBNR", "RNBQ1BNR")


def test_a_fault_that_was_there_at_connection_is_told(ear: Ear) -> None:
    with EmulatedBoard(force_socket=True) as emulated:
        emulated.lift("a1")
        emulated.place("a1", "!")
        with PegBoard(emulated.url, ear, ports=list):
            ear.wait_kinds(BoardPosition, ContactFault)
            assert (ContactFault, "a1") in ear.bare()


def test_a_presence_only_board_names_no_piece(ear: Ear) -> None:
    with (
        EmulatedBoard("8/8/8/8/8/8/4P3/8", force_socket=True, identity=False) as emulated,
        PegBoard(emulated.url, ear, ports=list) as board,
    ):
        ear.wait_kinds(BoardPosition)
        assert board.placement() == "8/8/8/8/8/8/4?3/8"
        ear.clear()
        emulated.lift("e2")
        emulated.place("e4", "P")
        ear.wait_kinds(Placed)
        assert ear.bare() == [(Lifted, "e2"), (Placed, "e4", None)]


def test_a_board_deaf_while_it_boots_is_greeted_until_it_answers(ear: Ear) -> None:
    with (
        EmulatedBoard(boot_seconds=1.2) as emulated,
        PegBoard(emulated.url, ear, ports=list),
    ):
        ear.wait_kinds(Connected, BoardPosition, seconds=8)
        assert [type(e) for e in ear.events[:2]] == [Connected, BoardPosition]


@pytest.mark.skipif(sys.platform == "win32", reason="needs device files")
def test_a_board_plugged_in_under_another_name_is_found_by_its_usb_identity(
    tmp_path: Path, ear: Ear
) -> None:
    with EmulatedBoard() as first, EmulatedBoard("8/8/8/8/8/8/8/K6k") as second:
        present = [FoundPort(first.url, "board", 0x1A86, 0x7523, "A1", True)]
        with PegBoard(first.url, ear, backoff=(0.1, 0.2), ports=lambda: list(present)) as board:
            ear.wait_kinds(Connected, BoardPosition)
            ear.clear()
            present[0] = FoundPort(second.url, "board", 0x1A86, 0x7523, "A1", True)
            first.unplug()
            ear.wait_kinds(Disconnected, Connected, BoardPosition)
            assert board.url == second.url
            assert board.placement() == "8/8/8/8/8/8/8/K6k"


def test_an_absent_board_is_told_once_and_awaited(ear: Ear) -> None:
    with EmulatedBoard(force_socket=True) as emulated:
        emulated.unplug()
        with PegBoard(emulated.url, ear, backoff=(0.05, 0.1), ports=list):
            ear.wait_kinds(Disconnected)
            time.sleep(0.5)
            emulated.plug()
            ear.wait_kinds(Disconnected, Connected, BoardPosition)
            assert [type(e) for e in ear.events] == [Disconnected, Connected, BoardPosition]


def test_a_failing_receiver_does_not_stop_the_driver(ear: Ear) -> None:
    def fragile(event: BoardEvent) -> None:
        ear(event)
        raise RuntimeError("receiver")

    with (
        EmulatedBoard(force_socket=True) as emulated,
        PegBoard(emulated.url, fragile, ports=list),
    ):
        ear.wait_kinds(Connected, BoardPosition)
        emulated.lift("b1")
        ear.wait_kinds(Lifted)


def test_after_close_it_is_not_connected_and_tells_nothing_more(
    emulated: AnyBoard, board: PegBoard, ear: Ear
) -> None:
    board.close()
    ear.clear()
    assert not board.connected
    emulated.lift("e2")
    assert ear.events == []


def test_the_buzzer_sounds(emulated: AnyBoard, board: PegBoard) -> None:
    board.buzz(3)
    end = time.monotonic() + 5
    while not emulated.buzzed and time.monotonic() < end:
        time.sleep(0.01)
    assert emulated.buzzed == [3]


def test_probing_tells_what_board_it_is(emulated: AnyBoard) -> None:
    assert driver.probe(emulated.url).startswith("pegged board, firmware 1.0, knows each piece")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "no-such-port-anywhere",
        "nonsense://here",
        "socket://127.0.0.1",
        "socket://127.0.0.1:99999",
    ],
)
def test_probing_what_cannot_be_a_board_says_so(url: str) -> None:
    with pytest.raises(BoardNotFoundError) as refusal:
        driver.probe(url)
    assert "give" in str(refusal.value)


def test_probing_a_plain_file_says_it_is_no_port(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(BoardNotFoundError):
        driver.probe(str(path))


def test_probing_what_never_answers_gives_up() -> None:
    with (
        EmulatedBoard(force_socket=True, boot_seconds=60) as emulated,
        pytest.raises(NoAnswerError, match="does not answer"),
    ):
        driver.probe(emulated.url, seconds=0.4)


def test_wrong_speed_is_named_when_bytes_come_but_no_frame() -> None:
    with EmulatedBoard(force_socket=True, boot_seconds=60) as emulated:

        def chat() -> None:
            for _ in range(20):
                emulated.send_raw(b"\xf8\x80")
                time.sleep(0.05)

        chatter = threading.Thread(target=chat)
        chatter.start()
        with pytest.raises(NoAnswerError, match="baud rate"):
            driver.probe(emulated.url, seconds=0.6)
        chatter.join()


@pytest.mark.skipif(sys.platform != "linux", reason="dialout is a Linux group")
def test_a_denied_port_is_explained_with_the_remedy() -> None:
    sentence = line.explain_open_error(
        "/dev/ttyUSB0", serial.SerialException(13, "Permission denied")
    )
    assert "dialout" in sentence
    assert "log in again" in sentence


def test_brltty_is_named_where_it_took_the_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "_brltty_runs", lambda: True)
    error = serial.SerialException(2, "No such file or directory")
    assert "brltty" in line.explain_open_error("/dev/ttyUSB0", error)


def test_a_port_in_use_is_explained(emulated: AnyBoard) -> None:
    error = serial.SerialException(11, "Could not exclusively lock port")
    assert "another program" in line.explain_open_error("/dev/ttyUSB0", error)


# --- the mirror alone, for what a healthy emulator does not do --------------------------------


def _mirror() -> driver.BoardState:
    mirror = driver.BoardState("test")
    mirror.hear(peg.Hello(1, 0x100, 7, 64, 99, 0, 5000), 100.0)
    mirror.hear(peg.Dump(0xFFFF, 5010, peg.codes_of(START)), 100.01)
    assert not mirror.wants_dump
    return mirror


def test_the_sequence_wraps_without_a_gap() -> None:
    mirror = _mirror()
    assert mirror.hear(peg.HoleChanged(0, 6000, 12, 1, 0), 101.2) == [events.Lifted("e2", 101.0)]
    assert not mirror.wants_dump


def test_an_event_heard_twice_is_told_once() -> None:
    mirror = _mirror()
    mirror.hear(peg.HoleChanged(0, 6000, 12, 1, 0), 101.2)
    assert mirror.hear(peg.HoleChanged(0, 6000, 12, 1, 0), 101.3) == []


def test_a_wrong_state_checksum_asks_for_a_dump() -> None:
    mirror = _mirror()
    mirror.hear(peg.Ping(0xFFFF, 6000, peg.state_crc(peg.codes_of(START)), 0, 0, 0, 0), 101.0)
    assert not mirror.wants_dump
    mirror.hear(peg.Ping(0xFFFF, 7000, 1, 0, 0, 0, 0), 102.0)
    assert mirror.wants_dump


def test_the_uptime_counter_may_wrap_after_49_days() -> None:
    mirror = driver.BoardState("test")
    top = (1 << 32) - 1
    mirror.hear(peg.Hello(1, 0x100, 7, 64, 99, 0, top - 999), 100.0)
    mirror.hear(peg.Dump(0, top - 999, peg.codes_of(START)), 100.0)
    mirror.hear(peg.Ping(0, 1000, peg.state_crc(peg.codes_of(START)), 0, 0, 0, 0), 102.0)
    assert not mirror.wants_hello
    (before,) = mirror.hear(peg.HoleChanged(1, top - 499, 12, 1, 0), 102.2)
    assert before.at == pytest.approx(100.5)  # opened before the wrap, told after it
    (after,) = mirror.hear(peg.HoleChanged(2, 1100, 28, 0, 1), 102.3)
    assert after.at == pytest.approx(102.1)


def test_a_resonator_half_a_percent_slow_stays_within_50_ms() -> None:
    mirror = _mirror()
    for second in range(1, 3601):
        mirror.hear(peg.Ping(0xFFFF, 5010 + second * 995, 0, 0, 0, 0, 0), 100.01 + second)
    (event,) = mirror.hear(peg.HoleChanged(0, 5010 + 3600 * 995, 12, 1, 0), 100.01 + 3600.15)
    assert event.at == pytest.approx(100.01 + 3600, abs=0.05)


def test_a_board_of_another_protocol_is_refused_with_the_remedy() -> None:
    mirror = driver.BoardState("test")
    with pytest.raises(line.UnfitBoardError, match="update"):
        mirror.hear(peg.Hello(2, 0x100, 7, 64, 99, 0, 5000), 100.0)


def test_nothing_is_believed_before_the_hello() -> None:
    mirror = driver.BoardState("test")
    assert mirror.hear(peg.HoleChanged(7, 6000, 12, 1, 0), 101.2) == []
    assert mirror.placement() is None


def test_a_press_before_the_hello_is_not_told() -> None:
    mirror = _mirror()
    assert mirror.hear(peg.Presses(5020, 3, 4000, 250, 4999), 100.02) == []


def test_a_press_that_the_count_shows_is_told_at_its_time_and_once() -> None:
    mirror = _mirror()
    mirror.hear(peg.Presses(5020, 3, 4000, 255, 4999), 100.02)
    counted = peg.Presses(7000, 3, 4000, 0, 6500)
    assert mirror.hear(counted, 102.0) == [events.LeverPressed("black", 101.5)]
    assert mirror.hear(counted, 102.0) == []


def test_a_press_that_was_heard_is_not_told_again_by_the_count() -> None:
    mirror = _mirror()
    mirror.hear(peg.Presses(5020, 0, 0, 0, 0), 100.02)
    assert len(mirror.hear(peg.LeverMoved(0, 6000, 0, 1), 101.1)) == 1
    assert mirror.hear(peg.Presses(6100, 1, 6000, 0, 0), 101.1) == []
    assert mirror.hear(peg.LeverMoved(1, 6080, 0, 0), 101.1) == []


def test_a_press_after_the_hello_but_before_the_first_count_is_told_once() -> None:
    heard, lost = _mirror(), _mirror()
    assert heard.hear(peg.LeverMoved(0, 6000, 0, 1), 101.1) == [events.LeverPressed("white", 101.0)]
    counted = peg.Presses(6100, 9, 6000, 0, 0)
    assert heard.hear(counted, 101.1) == []
    assert lost.hear(counted, 101.1) == [events.LeverPressed("white", 101.0)]


def test_presses_lost_with_both_levers_come_in_the_order_of_their_times() -> None:
    mirror = _mirror()
    mirror.hear(peg.Presses(5020, 0, 0, 0, 0), 100.02)
    told = mirror.hear(peg.Presses(9000, 1, 8000, 1, 7000), 104.0)
    assert told == [events.LeverPressed("black", 102.0), events.LeverPressed("white", 103.0)]


def test_a_restarted_board_counts_from_nothing_and_no_press_is_invented() -> None:
    mirror = _mirror()
    mirror.hear(peg.Presses(5020, 7, 4000, 9, 4999), 100.02)
    assert mirror.hear(peg.Presses(300, 0, 0, 0, 0), 101.0) == []  # it restarted unnoticed
    assert mirror.wants_hello
    mirror.hear(peg.Hello(1, 0x100, 7, 64, 100, 0, 310), 101.0)
    assert mirror.hear(peg.Presses(320, 0, 0, 0, 0), 101.0) == []


def test_a_press_between_a_restart_and_its_hello_is_told_once() -> None:
    mirror = _mirror()
    mirror.hear(peg.Presses(5020, 7, 4000, 9, 4999), 100.02)
    assert mirror.hear(peg.LeverMoved(1, 250, 0, 1), 100.75) == []  # its hello was damaged
    mirror.hear(peg.Hello(1, 0x100, 7, 64, 100, 0, 500), 101.0)
    counted = peg.Presses(1000, 1, 250, 0, 0)
    assert mirror.hear(counted, 101.5) == [events.LeverPressed("white", 100.75)]
    assert mirror.hear(counted, 101.5) == []


def test_the_presses_of_another_board_in_place_of_the_first_are_not_told() -> None:
    mirror = driver.BoardState("test", _mirror())
    mirror.hear(peg.Hello(1, 0x100, 7, 64, 100, 0, 60_000), 103.0)  # it ran before we lost ours
    assert mirror.hear(peg.Presses(60_010, 5, 59_000, 0, 0), 103.01) == []


def test_a_press_while_the_line_was_down_is_told_if_the_board_lived_on() -> None:
    before = _mirror()
    before.hear(peg.Presses(5020, 1, 4000, 1, 4999), 100.02)
    counted = peg.Presses(20_020, 2, 15_000, 1, 4999)
    for nonce, told in ((99, [events.LeverPressed("white", 110.0)]), (98, [])):
        mirror = driver.BoardState("test", before)
        mirror.hear(peg.Hello(1, 0x100, 7, 64, nonce, 0, 20_000), 115.0)
        mirror.hear(peg.Dump(0, 20_010, peg.codes_of(START)), 115.01)
        assert mirror.hear(counted, 115.02) == told
