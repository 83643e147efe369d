"""The live monitor of what a board reports."""

from __future__ import annotations

import io
import json
import sys
import threading
import time

import pytest

from blindplay import cli
from blindplay.boards.monitor import monitor
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.ports import BoardNotFoundError


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


def test_the_monitor_refuses_what_cannot_be_a_board() -> None:
    with pytest.raises(BoardNotFoundError):
        monitor("no-such-port-anywhere", json=False, seconds=1, out=io.StringIO())


@pytest.mark.parametrize("url", ["socket://127.0.0.1:1", "loop://"])
def test_the_monitor_does_not_end_well_where_no_board_answered(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["blindplay", "board", "--port", url, "--seconds", "0.3"]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert told[0].startswith(f"No board answered at {url} within 0.3 seconds")
