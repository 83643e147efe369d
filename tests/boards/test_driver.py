"""The common part of all drivers, tried on pegged boards in software."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest
from chess import STARTING_BOARD_FEN

from blindplay.boards import ports
from blindplay.boards.dgt import DgtBoard
from blindplay.boards.events import BoardEvent, BoardPosition, Connected, Disconnected, Lifted
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.peg.raw_board import RawBoard
from blindplay.boards.ports import BoardNotFoundError, FoundPort, NoAnswerError
from tests.boards.event_log import EventLog
from tests.boards.peg.faulty import FaultyBoard
from tests.waiting import until

WITHOUT_ID = 0x0101
"""A firmware whose boards have no ids."""


@pytest.fixture
def log() -> EventLog:
    return EventLog()


@pytest.mark.skipif(sys.platform == "win32", reason="needs device files")
def test_a_board_plugged_in_under_another_name_is_found_by_its_usb_identity(
    tmp_path: Path, log: EventLog
) -> None:
    with (
        EmulatedBoard(firmware=WITHOUT_ID) as first,
        EmulatedBoard("8/8/8/8/8/8/8/K6k", firmware=WITHOUT_ID) as second,
    ):
        present = [FoundPort(first.url, "board", 0x1A86, 0x7523, "A1", True)]
        with PegBoard(first.url, log, backoff=(0.1, 0.2), ports=lambda: list(present)) as board:
            log.wait_kinds(Connected, BoardPosition)
            log.clear()
            present[0] = FoundPort(second.url, "board", 0x1A86, 0x7523, "A1", True)
            first.unplug()
            log.wait_kinds(Disconnected, Connected, BoardPosition)
            assert board.url == second.url
            assert board.placement() == "8/8/8/8/8/8/8/K6k"


@pytest.mark.skipif(sys.platform == "win32", reason="needs device files")
@pytest.mark.parametrize("known", [False, True])
def test_a_board_of_another_table_is_not_taken_at_another_port(known: bool, log: EventLog) -> None:
    """Adapters without a serial number are alike; the ids of boards are not."""
    with EmulatedBoard() as mine, EmulatedBoard("8/8/8/8/8/8/8/K6k") as other:
        with RawBoard(other.url) as asked:
            which = asked.which
        present = [
            FoundPort(board.url, "board", 0x1A86, 0x7523, None, True) for board in (mine, other)
        ]
        with PegBoard(mine.url, log, backoff=(0.1, 0.2), ports=lambda: list(present)) as board:
            board.know([which] if known else [])
            log.wait_kinds(Connected, BoardPosition)
            log.clear()
            del present[0]
            mine.unplug()
            if known:  # the two boards of a table may exchange their ports
                log.wait_kinds(Disconnected, Connected, BoardPosition)
                assert (board.url, board.placement()) == (other.url, "8/8/8/8/8/8/8/K6k")
                return
            heard = log.wait_kinds(Disconnected, Disconnected)
            assert [one.why for one in heard if isinstance(one, Disconnected)][1] == (
                f"The board at {other.url} is another one than before and is not read: to use it, "
                "unplug the one from before, and plug it in there."
            )
            assert (board.connected, board.placement()) == (False, STARTING_BOARD_FEN)
            log.clear()
            mine.plug()
            log.wait_kinds(Connected, BoardPosition)
            assert (board.url, board.placement()) == (mine.url, STARTING_BOARD_FEN)


@pytest.mark.skipif(sys.platform == "win32", reason="needs device files")
@pytest.mark.parametrize("elsewhere", [True, False])
def test_another_board_at_the_own_port_is_taken_only_if_the_own_one_is_nowhere_else(
    tmp_path: Path, elsewhere: bool, log: EventLog
) -> None:
    links = [tmp_path / "ttyUSB0", tmp_path / "ttyUSB1"]
    present = [FoundPort(str(link), "board", 0x1A86, 0x7523, None, True) for link in links]
    exchanged = threading.Event()
    with EmulatedBoard() as mine, EmulatedBoard("8/8/8/8/8/8/8/K6k") as other:

        def listed() -> list[FoundPort]:
            if exchanged.is_set() and not links[0].exists():
                links[0].symlink_to(other.url)
                if elsewhere:
                    links[1].symlink_to(mine.url)
            return present

        links[0].symlink_to(mine.url)
        with PegBoard(str(links[0]), log, backoff=(0.1, 0.2), ports=listed) as board:
            log.wait_kinds(Connected, BoardPosition)
            log.clear()
            links[0].unlink()
            mine.unplug()
            log.wait_kinds(Disconnected)
            mine.plug()
            exchanged.set()
            log.wait_kinds(Disconnected, Connected, BoardPosition)
            assert board.url == str(links[elsewhere])
            kept = STARTING_BOARD_FEN if elsewhere else "8/8/8/8/8/8/8/K6k"
            assert board.placement() == kept


def test_a_board_answers_since_a_time_on_the_connection_that_its_user_knows(log: EventLog) -> None:
    with (
        EmulatedBoard(force_socket=True) as emulated,
        PegBoard(emulated.url, log, backoff=(0.05, 0.1), ports=list) as board,
    ):
        log.wait_kinds(Connected, BoardPosition)
        now = time.monotonic()
        assert until(lambda: board.answers_since(now, 1))
        assert not board.answers_since(time.monotonic() + 60, 1)
        emulated.unplug()
        log.wait_kinds(Connected, BoardPosition, Disconnected)
        assert not board.answers_since(now, 1)
        emulated.plug()
        log.wait_kinds(Connected, BoardPosition, Disconnected, Connected, BoardPosition)
        assert until(lambda: board.answers_since(now, 2)) and not board.answers_since(now, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="needs device files")
@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ((0x1A86, 0x7523, None), (0x1A86, 0x7523, None), True),
        ((0x10C4, 0xEA60, "0001"), (0x10C4, 0xEA60, "0001"), True),  # as many adapters come
        ((0x0403, 0x6001, "A1"), (0x0403, 0x6001, "A2"), False),
        ((0x1A86, 0x7523, None), (0x0403, 0x6001, "A1"), False),
        (None, None, True),
    ],
)
def test_only_usb_identities_tell_two_boards_of_one_maker_apart(
    one: tuple[int, int, str | None] | None,
    other: tuple[int, int, str | None] | None,
    alike: bool,
) -> None:
    with EmulatedBoard() as first, EmulatedBoard() as second:
        present = [
            FoundPort(board.url, "adapter", *usb, likely=True)
            for board, usb in ((first, one), (second, other))
            if usb is not None
        ]
        with (
            PegBoard(first.url, ports=lambda: present) as mine,
            PegBoard(second.url, ports=lambda: present) as theirs,
        ):
            assert until(lambda: mine.placement() and theirs.placement())
            assert mine.may_be(theirs) is alike
            assert mine.may_be(theirs, by_name=True)  # the names are all that is known


def test_boards_of_two_makers_and_addresses_of_their_own_are_never_taken_for_each_other() -> None:
    mine = PegBoard("/dev/ttyUSB0")
    assert mine.may_be(PegBoard("/dev/ttyUSB1"))
    for other in (DgtBoard("/dev/ttyUSB1"), PegBoard("socket://127.0.0.1:9")):
        assert not mine.may_be(other, by_name=True) and not other.may_be(mine, by_name=True)


def test_an_absent_board_is_reported_once_and_awaited(log: EventLog) -> None:
    with EmulatedBoard(force_socket=True) as emulated:
        emulated.unplug()
        with PegBoard(emulated.url, log, backoff=(0.05, 0.1), ports=list):
            log.wait_kinds(Disconnected)
            time.sleep(0.5)
            emulated.plug()
            log.wait_kinds(Disconnected, Connected, BoardPosition)
            assert log.kinds() == [Disconnected, Connected, BoardPosition]


def test_a_failing_receiver_does_not_stop_the_driver(log: EventLog) -> None:
    def fragile(event: BoardEvent) -> None:
        log(event)
        raise RuntimeError("receiver")

    with (
        EmulatedBoard(force_socket=True) as emulated,
        PegBoard(emulated.url, fragile, ports=list),
    ):
        log.wait_kinds(Connected, BoardPosition)
        emulated.lift("b1")
        log.wait_kinds(Lifted)


def test_an_unexpected_fault_is_a_lost_line(log: EventLog) -> None:
    """Else the board would count as connected, and nothing more would come from it."""
    faults = [TypeError("a device vanished during the scan"), RuntimeError("a fault of a driver")]

    def scan() -> list[FoundPort]:
        if faults:
            raise faults.pop()
        return []

    with (
        EmulatedBoard(force_socket=True) as emulated,
        PegBoard(emulated.url, log, backoff=(0.05, 0.1), ports=scan) as board,
    ):
        log.wait_kinds(Disconnected, Connected, BoardPosition)
        assert board.connected


def test_after_close_it_is_not_connected_and_reports_nothing_more(log: EventLog) -> None:
    with EmulatedBoard(force_socket=True) as emulated:
        board = PegBoard(emulated.url, log, ports=list)
        board.start()
        log.wait_kinds(BoardPosition)
        board.close()
        log.clear()
        assert not board.connected
        emulated.lift("e2")
        assert log.events == []


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
def test_probing_a_wrong_url_says_what_to_give(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "brltty_runs", lambda: False)  # a blind developer has it
    with pytest.raises(BoardNotFoundError) as refusal:
        PegBoard.probe(url)
    assert "give" in str(refusal.value)


def test_probing_a_plain_file_says_it_is_no_port(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(BoardNotFoundError):
        PegBoard.probe(str(path))


def test_probing_a_silent_device_gives_up() -> None:
    with (
        EmulatedBoard(force_socket=True, boot_seconds=60) as emulated,
        pytest.raises(NoAnswerError, match="No pegged board answers"),
    ):
        PegBoard.probe(emulated.url, seconds=0.4)


def test_wrong_speed_is_named_when_bytes_come_but_no_frame() -> None:
    with FaultyBoard(force_socket=True, boot_seconds=60) as emulated:
        answered = threading.Event()

        def chat() -> None:
            while not answered.wait(0.02):
                emulated.send_raw(b"\xf8\x80")

        chatter = threading.Thread(target=chat)
        chatter.start()
        try:
            with pytest.raises(NoAnswerError, match="baud rate"):
                PegBoard.probe(emulated.url, seconds=0.6)
        finally:
            answered.set()
            chatter.join()


def test_searching_finds_the_board_that_answers() -> None:
    with EmulatedBoard(force_socket=True) as board:
        ports = [
            FoundPort("no-such-port-anywhere", "gone", 0x2341, 1, None, True),
            FoundPort(board.url, "board", 0x1A86, 0x7523, None, True),
        ]
        assert PegBoard.find(lambda: ports) == board.url


def test_searching_in_vain_says_what_to_do() -> None:
    with pytest.raises(BoardNotFoundError, match="No pegged board was found: plug it in"):
        PegBoard.find(list)


def test_a_board_is_started_only_once(log: EventLog) -> None:
    with (
        EmulatedBoard(force_socket=True) as emulated,
        PegBoard(emulated.url, log, ports=list) as board,
        pytest.raises(RuntimeError, match="make a new PegBoard"),
    ):
        board.start()
