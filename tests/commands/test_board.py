"""``blindplay board`` and ``emulate``."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from blindplay.boards.peg.emulator import EmulatedBoard
from tests.command_line import run
from tests.terminal import Terminal

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
