"""The emulated board, moved by typed words."""

from __future__ import annotations

import io

import pytest

from blindplay.boards.driver import Notice
from blindplay.boards.events import BoardPosition, Connected, PieceCertain, PieceDoubted
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.peg.emulator.practice import practise
from tests.boards.event_log import EventLog
from tests.command_line import run
from tests.waiting import until


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fen bad", "'bad' is not a position: write eight ranks"),
        ("fen 8/8/8/8/8/8/8/8 w - - 0 1", "fen only prints the position"),
        ("dance", "'dance' is not a command"),
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
    assert words >= {
        "lift",
        "place",
        "move",
        "press",
        "fault",
        "mend",
        "unplug",
        "plug",
        "fen",
        "signals",
    }


@pytest.mark.parametrize(
    ("fen", "move", "after"),
    [
        ("8/8/8/8/8/8/4P3/8", "e2e4", "8/8/8/8/4P3/8/8/8"),
        ("8/8/8/3p4/4P3/8/8/8", "e4d5", "8/8/8/3P4/8/8/8/8"),
        ("8/8/8/3pP3/8/8/8/8", "e5d6", "8/8/3P4/8/8/8/8/8"),
        ("1r6/P7/8/8/8/8/8/8", "a7b8q", "1Q6/8/8/8/8/8/8/8"),
        ("8/8/8/8/8/8/8/R3K2R", "e1g1", "8/8/8/8/8/8/8/R4RK1"),
        ("r3k2r/8/8/8/8/8/8/8", "e8c8", "2kr3r/8/8/8/8/8/8/8"),
        ("8/8/8/8/8/8/8/4K3", "e1g1", "8/8/8/8/8/8/8/6K1"),
    ],
)
def test_a_typed_move_is_executed_with_all_its_pieces(fen: str, move: str, after: str) -> None:
    out = io.StringIO()
    with EmulatedBoard(fen, force_socket=True, lift_ms=1, place_ms=1) as board:
        practise(board, io.StringIO(f"move {move}\nfen\n"), out)
    assert out.getvalue().splitlines()[1:] == [after]


def test_a_contact_that_is_spoilt_reads_as_the_piece_that_is_typed() -> None:
    log = EventLog()
    with EmulatedBoard() as board, PegBoard(board.url, log, ports=list):
        log.wait_kinds(Connected, BoardPosition)
        practise(board, ["fault e2 p", "mend e2", "fault e2 x"], out := io.StringIO())
        log.wait_kinds(Connected, BoardPosition, PieceDoubted, PieceCertain)
    assert "trouble: 'x' is not a piece" in out.getvalue()


def test_motor_and_lamp_are_shown_tenth_by_tenth_of_a_second() -> None:
    out = io.StringIO()
    with EmulatedBoard(force_socket=True, signals=True) as board:
        with PegBoard(board.url, ports=list) as host:
            host.light([], [Notice.QUESTION])
            assert until(lambda: board.felt)
        practise(board, ["signals"], out)
    assert out.getvalue().splitlines()[1:] == ["motor 1100110011000000", "lamp 11110000"]
