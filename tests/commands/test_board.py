"""``blindplay board`` and ``emulate``."""

from __future__ import annotations

import pytest

from blindplay.boards.peg.emulator import EmulatedBoard
from tests.command_line import run

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


@pytest.mark.usefixtures("reads_english")
def test_a_missing_recording_is_one_sentence() -> None:
    done = run("board", "decode", "no-such-file")
    assert done.stderr == "There is no file no-such-file; check the name.\n"
    assert done.status == 2
