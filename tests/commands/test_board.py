"""``blindplay board`` and ``emulate``."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TypeAlias

import pytest
from serial.tools import list_ports

from blindplay.boards import makers
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.emulator import EmulatedBoard
from tests.command_line import run
from tests.terminal import Terminal
from tests.waiting import until

LONE_KINGS = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"


def test_setup_ends_with_status_0_if_the_board_shows_the_position() -> None:
    with EmulatedBoard("4k3/8/8/8/8/8/8/4K3") as board:
        done = run("board", "setup", "--silent", "--port", board.url, "--fen", LONE_KINGS)
    assert (done.status, done.stderr) == (0, "")


def test_setup_ends_with_status_1_if_hands_give_up() -> None:
    with EmulatedBoard("8/8/8/8/8/8/8/8") as board:
        done = run("board", "setup", "--silent", "--port", board.url, stdin="end\n")
    assert (done.status, done.stderr) == (1, "")


@pytest.mark.parametrize("end", ["quit", "exit", "beenden"])
def test_an_emulated_board_prints_its_url_and_obeys(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    typed = f"lift e1\nplace e2\nfen\n{end}\nfen\n"
    done = run("emulate", "--socket", "--fen", LONE_KINGS, stdin=typed)
    url, placement = done.stdout.splitlines()
    assert url.startswith("socket://") and placement == "4k3/8/8/8/8/8/4K3/8"


def test_a_missing_recording_is_one_sentence() -> None:
    done = run("board", "decode", "no-such-file")
    assert done.stderr == "There is no file no-such-file; check the name.\n"
    assert done.status == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_a_served_board_says_where_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    with (
        EmulatedBoard() as board,
        Terminal(
            "board", "serve", "--livechess", "--board", board.url, "--livechess-port", "0",
            home=tmp_path,
        ) as terminal,
    ):  # fmt: skip
        terminal.shows("ws://127.0.0.1:", board.url)
        terminal.interrupt()
        assert terminal.status() == 0


def test_a_port_that_is_in_use_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, EmulatedBoard() as board:
        port = str(taken.getsockname()[1])
        words = ("board", "serve", "--livechess", "--board", board.url, "--livechess-port", port)
        done = run(*words)
    assert (done.status, done.stderr.count("\n")) == (2, 1) and "--livechess-port" in done.stderr


def test_an_origin_that_is_no_site_is_one_sentence() -> None:
    done = run("board", "serve", "--livechess", "--board", "COM3", "--origin", "example.org")
    assert done.stderr == "example.org is not a site: write it as https://example.org.\n"
    assert done.status == 2


# --- names --------------------------------------------------------------------------------------

Plug: TypeAlias = Callable[..., None]


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Plug:
    """Makes these boards the only ones at this machine."""

    def plugged(*boards: EmulatedBoard) -> None:
        found = [
            SimpleNamespace(
                device=board.url, description="", vid=0x1A86, pid=0x7523, serial_number=None
            )
            for board in boards
        ]
        monkeypatch.setattr(list_ports, "comports", lambda: found)

    monkeypatch.setattr(makers, "nearby", list)
    monkeypatch.setattr(makers, "plugged_in", lambda profile: [])
    return plugged


def test_a_board_is_named_buzzes_and_is_found_by_its_name(plug: Plug) -> None:
    with EmulatedBoard() as board, EmulatedBoard(LONE_KINGS.split()[0]) as other:
        plug(board)
        done = run("board", "name", " Club  Nord-3 ")
        assert (done.status, done.stderr) == (0, "")
        assert done.stdout == (
            f"The board at {board.url} is now named Club Nord-3.\nIt buzzes once now.\n"
        )
        assert board.which.name == "Club Nord-3" and board.which.id and board.buzzed == [1]
        plug(other, board)
        done = run("board", "setup", "--silent", "--port", "club nord-3")
        assert (done.status, done.stderr) == (0, "")
        done = run("board", "setup", "--silent", "--port", "Club 4")
        assert done.status == 2 and done.stderr == (
            "There is no port and no board named Club 4, but there are the boards Club Nord-3.\n"
        )
        before = other.which.id
        assert run("board", "name", "Club Nord-3", "--port", other.url).status == 0
        assert other.which == peg.Identity(before, "Club Nord-3")
        done = run("board", "--port", "Club Nord-3")
        assert done.status == 2 and "are all named Club Nord-3: give the port" in done.stderr


def test_a_board_that_another_table_uses_is_not_called_missing_alone(plug: Plug) -> None:
    with EmulatedBoard() as board, EmulatedBoard() as other:
        if "://" in board.url:
            pytest.skip("This system has no pseudo terminals.")
        assert run("board", "name", "Club 3", "--port", board.url).status == 0
        assert run("board", "name", "Club 4", "--port", other.url).status == 0
        plug(board, other)
        with PegBoard(board.url) as used:
            assert until(lambda: used.connected)
            done = run("board", "setup", "--silent", "--port", "Club 3")
    assert done.status == 2 and done.stderr == (
        "There is no port and no board named Club 3, but there are the boards Club 4. Port "
        f"{board.url} is in use by another program: close that program.\n"
    )


def test_a_name_for_one_of_several_boards_needs_its_port(plug: Plug) -> None:
    with EmulatedBoard() as board, EmulatedBoard() as other:
        plug(board, other)
        done = run("board", "name", "Club 3")
        assert done.status == 2 and done.stderr == (
            f"There are several boards, at {' and '.join(sorted((board.url, other.url)))}: give "
            "the port of one with --port.\n"
        )
        assert {board.which.name, other.which.name} == {""}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("dgt", "already means something else after --board"),
        ("com7", "already means something else after --board"),
        ("", "cannot be a board's name: use letters"),
        ("a/b", "cannot be a board's name: use letters"),
        ("x" * 30, "too long for a board: leave out 6 letters at least."),
    ],
)
def test_a_wrong_name_is_refused_before_any_board_is_asked(name: str, told: str) -> None:
    done = run("board", "name", name)
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1) and told in done.stderr


def test_an_old_firmware_keeps_no_name_and_says_so(plug: Plug) -> None:
    with EmulatedBoard(firmware=0x0101) as board:
        plug(board)
        done = run("board", "name", "Club 3")
        assert done.status == 2 and done.stderr == (
            f"The firmware of the board at {board.url} is too old to keep a name: write a newer "
            "one with blindplay board flash.\n"
        )


def test_a_memory_that_keeps_no_name_is_told(plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    with EmulatedBoard() as board:
        plug(board)
        monkeypatch.setattr(board._firmware, "keeps", False)
        done = run("board", "name", "Club 3")
        assert done.status == 2 and done.stderr == (
            f"The board at {board.url} has not kept the name: try again, or replace its "
            "controller.\n"
        )


def test_each_board_that_is_found_buzzes_as_often_as_its_line_says(plug: Plug) -> None:
    with (
        EmulatedBoard() as one_board,
        EmulatedBoard() as another_board,
    ):
        board, other = sorted((one_board, another_board), key=lambda board: board.url)
        board._firmware.which = peg.Identity(1, "Club 3")
        plug(board, other)
        done = run("board", "find")
        assert (done.status, done.stderr) == (0, "")
        one, buzz, two, twice = done.stdout.splitlines()
        assert one.startswith(f"{board.url}: pegged board Club 3, firmware ")
        assert (buzz, twice) == ("It buzzes once now.", "It buzzes 2 times now.")
        assert two.startswith(f"{other.url}: pegged board, firmware ")
        assert (board.buzzed, other.buzzed) == ([0b1], [0b101])
        done = run("board", "find", "--silent")
        assert done.stdout.splitlines() == [one, two]
        german = run("board", "find", "--silent", reader="de").stdout
        assert f"{board.url}: Steckbrett Club 3, Firmware 1.2, kennt jede Figur" in german
        assert (board.buzzed, other.buzzed) == ([0b1], [0b101])


def test_an_old_board_without_a_buzzer_says_how_else_to_find_it(plug: Plug) -> None:
    with EmulatedBoard(firmware=0x0100) as board:
        plug(board)
        *_, last = run("board", "find").stdout.splitlines()
        assert last == "It cannot buzz: to learn which one it is, unplug it and search again."


def test_a_copied_memory_is_noticed_and_gets_a_new_id(plug: Plug) -> None:
    with (
        EmulatedBoard(which=peg.Identity(1, "Club 3")) as one_board,
        EmulatedBoard(which=peg.Identity(1, "Club 3")) as another_board,
    ):
        board, copy = sorted((one_board, another_board), key=lambda board: board.url)
        plug(board, copy)
        done = run("board", "find", "--silent")
        assert done.stderr == (
            f"The boards at {board.url} and {copy.url} have the same id, because the memory of "
            f"one is a copy: run 'blindplay board name' with --port {copy.url} and --new-id.\n"
        )
        assert run("board", "name", "Club 4", "--port", copy.url, "--new-id").status == 0
        assert copy.which.id not in (0, 1) and board.which == peg.Identity(1, "Club 3")
        assert run("board", "find", "--silent").stderr == ""


@pytest.mark.usefixtures("firmware")
def test_the_real_firmware_is_named_and_buzzes(plug: Plug) -> None:
    from hardware.emulated import FirmwareBoard

    with FirmwareBoard() as board, FirmwareBoard(old=True) as old:
        plug(board, old)
        done = run("board", "name", "Öl-Brett 7", "--port", board.url)
        assert (done.status, done.stderr) == (0, "")
        assert until(lambda: board.buzzed == [0b1])
        done = run("board", "find")
        assert "pegged board Öl-Brett 7, firmware 1." in done.stdout
        assert "pegged board, firmware 1.1, " in done.stdout
        first = board.url < old.url
        patterns = [0b1, 0b1 if first else 0b101], [0b101 if first else 0b1]
        assert until(lambda: (board.buzzed, old.buzzed) == patterns), (board.buzzed, old.buzzed)
