"""The live monitor of a board's events."""

from __future__ import annotations

import io
import json
import threading
import time

import pytest

from blindplay.boards.monitor import monitor
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.ports import BoardNotFoundError
from tests.command_line import run


def _watch(as_json: bool) -> list[str]:
    out = io.StringIO()
    with EmulatedBoard() as board:
        watcher = threading.Thread(
            target=monitor, args=(board.url,), kwargs={"json": as_json, "seconds": 3.0, "out": out}
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


def test_the_monitor_refuses_a_wrong_port() -> None:
    with pytest.raises(BoardNotFoundError):
        monitor("no-such-port-anywhere", json=False, seconds=1, out=io.StringIO())


@pytest.mark.parametrize("url", ["socket://127.0.0.1:1", "loop://"])
def test_the_monitor_fails_if_no_board_answered(
    url: str,
) -> None:
    done = run("board", "--port", url, "--seconds", "0.3")
    assert done.status == 2
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith(f"No board answered at {url} within 0.3 seconds")
