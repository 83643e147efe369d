"""The live monitor of a board's events."""

from __future__ import annotations

import io
import json
import re
import sys
import threading
from functools import partial

import pytest

from blindplay.boards.events import PieceCertain, PieceDoubted
from blindplay.boards.monitor import describe_event, monitor
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.ports import BoardNotFoundError
from blindplay.translation import translated
from tests.command_line import run
from tests.waiting import PATIENCE_S, until


class UntilPressed(io.StringIO):
    """The terminal of a person who presses Ctrl-C when the clock was pressed."""

    def flush(self) -> None:
        if re.search('White pressed|"lever"', self.getvalue()):
            raise KeyboardInterrupt


def _watch(as_json: bool) -> list[str]:
    out = UntilPressed()
    with EmulatedBoard() as board:
        watcher = threading.Thread(
            target=monitor, args=(board.url,), kwargs={"json": as_json, "seconds": None, "out": out}
        )
        watcher.start()
        assert until(lambda: "osition" in out.getvalue())
        board.lift("g1")
        board.place("f3", "N")
        board.press("white")
        watcher.join(PATIENCE_S)
        assert not watcher.is_alive()
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
    assert 0 <= lines[2]["at"] <= lines[3]["at"]


def test_the_monitor_says_what_makes_a_doubted_piece_certain() -> None:
    told = [describe_event(event) for event in (PieceDoubted("e2"), PieceCertain("e2"))]
    assert told == [
        "Another piece on e2 without a lift: press it down, or lift it once.",
        "It is certain again what is on e2.",
    ]


def test_the_monitor_refuses_a_wrong_port() -> None:
    with pytest.raises(BoardNotFoundError):
        monitor("no-such-port-anywhere", json=False, seconds=1, out=io.StringIO())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such device")
def test_the_monitor_does_not_wait_at_what_is_no_serial_port() -> None:
    with pytest.raises(BoardNotFoundError, match=r"^/dev/null is not a serial port: give the port"):
        monitor("/dev/null", json=False, seconds=None, out=io.StringIO())


@pytest.mark.parametrize("url", ["socket://127.0.0.1:1", "loop://"])
def test_the_monitor_fails_if_no_board_answered(
    url: str,
) -> None:
    done = run("board", "--port", url, "--seconds", "0.3")
    assert done.status == 2
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith(f"No board answered at {url} within 0.3 seconds")


class GermanUntilConnected(io.StringIO):
    """The terminal of a German, who presses Ctrl-C when the board is connected."""

    def write(self, text: str) -> int:
        return super().write(translated(text, "de"))

    def flush(self) -> None:
        raise KeyboardInterrupt


@pytest.mark.parametrize("as_json", [False, True], ids=["lines", "JSON"])
def test_a_german_reads_in_german_what_the_board_has(as_json: bool) -> None:
    out = GermanUntilConnected()
    with EmulatedBoard(signals=True) as board:
        told = partial(translated, language="de")
        monitor(board.url, json=as_json, seconds=None, out=out, told=told)
    assert "Steckbrett, Firmware " in out.getvalue()
    parts = "kennt jede Figur, Uhrhebel, Summer, Vibrationsmotor, Signallampe"
    assert parts in out.getvalue()
