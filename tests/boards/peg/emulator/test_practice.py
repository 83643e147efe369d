"""The emulated board, moved by typed words."""

from __future__ import annotations

import io
import sys

import pytest

from blindplay import cli
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.peg.emulator.practice import practise


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


def test_the_emulators_help_names_every_word_it_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["blindplay", "emulate", "--help"])
    with pytest.raises(SystemExit):
        cli.main()
    told = set(capsys.readouterr().out.replace(",", " ").split())
    assert told >= {"lift", "place", "move", "press", "fault", "mend", "unplug", "plug", "fen"}
