"""The emulated board, moved by typed words."""

from __future__ import annotations

import io

import pytest

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.peg.emulator.practice import practise
from tests.command_line import run


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


def test_the_help_of_the_emulator_names_every_word_that_it_accepts() -> None:
    words = set(run("emulate", "--help").stdout.replace(",", " ").split())
    assert words >= {"lift", "place", "move", "press", "fault", "mend", "unplug", "plug", "fen"}
