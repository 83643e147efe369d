"""The emulated board's hands, and the live monitor."""

from __future__ import annotations

import io
import json
import threading
import time

import pytest
from serial.tools import list_ports

from blindplay.boards import driver as line
from blindplay.boards import monitor
from blindplay.boards.driver import BoardNotFoundError, FoundPort
from blindplay.boards.monitor import find_board
from blindplay.boards.monitor import monitor as watch
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.peg.emulator.practice import practise
from tests.command_line import run


def test_hands_cannot_do_what_hands_cannot_do() -> None:
    with EmulatedBoard(force_socket=True) as board:
        with pytest.raises(ValueError, match="no piece on e4"):
            board.lift("e4")
        with pytest.raises(ValueError, match="occupied"):
            board.place("e2", "P")
        with pytest.raises(ValueError, match="no piece"):
            board.place("e4", "X")
        with pytest.raises(ValueError, match="no square"):
            board.lift("k1")
        with pytest.raises(ValueError, match="no piece on e5"):
            board.open_contact("e5", 0.01)


def test_a_placement_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="eight ranks"):
        EmulatedBoard("8/8")


def test_it_can_be_closed_plugged_and_unplugged_at_any_time() -> None:
    board = EmulatedBoard()
    for _ in range(20):
        board.unplug()
        board.unplug()
        board.plug()
        board.plug()
    board.close()
    board.close()
    board.plug()


def _watch(as_json: bool) -> list[str]:
    out = io.StringIO()
    with EmulatedBoard() as board:
        watcher = threading.Thread(
            target=watch, args=(board.url,), kwargs={"json": as_json, "seconds": 3.0, "out": out}
        )
        watcher.start()
        end = time.monotonic() + 2
        while "osition" not in out.getvalue() and time.monotonic() < end:
            time.sleep(0.02)
        board.lift("g1")
        board.place("f3", "N")
        board.press("white")
        watcher.join(timeout=15)
    return out.getvalue().splitlines()


def test_the_monitor_prints_one_plain_line_per_event() -> None:
    lines = [line.partition(" ")[2] for line in _watch(False)]
    assert lines[0].startswith("Connected to ")
    assert lines[1] == "Position: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
    assert lines[2:] == [
        "Lifted from g1.",
        "Placed on f3: white knight.",
        "White pressed the clock.",
    ]


def test_the_monitor_prints_json_lines() -> None:
    lines = [json.loads(line) for line in _watch(True)]
    assert [line["event"] for line in lines] == [
        "connected",
        "position",
        "lifted",
        "placed",
        "lever",
    ]
    assert (lines[3]["square"], lines[3]["piece"]) == ("f3", "N")
    assert 0 <= lines[2]["at"] <= 3


def test_the_monitor_refuses_what_cannot_be_a_board() -> None:
    with pytest.raises(BoardNotFoundError):
        watch("no-such-port-anywhere", json=False, seconds=1, out=io.StringIO())


@pytest.mark.parametrize("url", ["socket://127.0.0.1:1", "loop://"])
def test_the_monitor_does_not_end_well_where_no_board_answered(
    url: str,
) -> None:
    done = run("board", "--port", url, "--seconds", "0.3")
    assert done.status == 2
    told = done.stderr.splitlines()
    assert len(told) == 1
    assert told[0].startswith(f"No board answered at {url} within 0.3 seconds")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fen bad", "'bad' is no position: write eight ranks"),
        ("fen 8/8/8/8/8/8/8/8 w - - 0 1", "fen only prints the position"),
        ("dance", "'dance' is no command"),
    ],
)
def test_practice_says_what_is_wrong_with_a_line(line: str, said: str) -> None:
    out = io.StringIO()
    with EmulatedBoard(force_socket=True) as board:
        before = board.placement
        practise(board, io.StringIO(f"{line}\nfen\n"), out)
    _, trouble, placement = out.getvalue().splitlines()
    assert trouble.startswith(f"trouble: {said}")
    assert placement == before


def test_the_emulators_help_names_every_word_it_takes() -> None:
    told = set(run("emulate", "--help").stdout.replace(",", " ").split())
    assert told >= {"lift", "place", "move", "press", "fault", "mend", "unplug", "plug", "fen"}


def test_searching_finds_the_board_that_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    with EmulatedBoard(force_socket=True) as board:
        ports = [
            FoundPort("no-such-port-anywhere", "gone", 0x2341, 1, None, True),
            FoundPort(board.url, "board", 0x1A86, 0x7523, None, True),
        ]
        monkeypatch.setattr(monitor, "discover", lambda: ports)
        assert find_board() == board.url


def test_searching_in_vain_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "discover", list)
    with pytest.raises(BoardNotFoundError, match="plug it in"):
        find_board()


def test_discovery_lists_likely_boards_first(monkeypatch: pytest.MonkeyPatch) -> None:
    class Port:
        def __init__(self, device: str, vid: int | None) -> None:
            self.device, self.vid, self.pid = device, vid, 1
            self.description, self.serial_number = device, None

    ports = [Port("A", None), Port("B", 0x1234), Port("C", 0x1A86)]
    monkeypatch.setattr(list_ports, "comports", lambda: ports)
    assert [(p.url, p.likely) for p in line.discover()] == [("C", True), ("B", False)]
