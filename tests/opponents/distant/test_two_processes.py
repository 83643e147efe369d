"""Two real tables over a bad line, each killed again and again: one game."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.record import read_journal
from blindplay.wording.pack_words import PackWords
from tests.waiting import until

from .meeting_broker import MeetingBroker
from .proxy import Proxy
from .two_tables import moves_of


class RealTable:
    """``blindplay play`` in a process of its own, and somebody who types."""

    def __init__(self, folder: Path, name: str) -> None:
        self.journal = folder / f"{name}.jsonl"
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self.printed = ""

    def start(self, *options: str) -> None:
        homes = {"XDG_DATA_HOME": str(self._folder), "XDG_CONFIG_HOME": str(self._folder)}
        words = ["play", "--journal", str(self.journal), "--microphone", "none", "--silent"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "blindplay", *words, "--print", "words", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **homes, "PYTHONUNBUFFERED": "1"},
        )
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.printed += line

    def types(self, line: str) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def is_killed(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def ends(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.types("quit")
            self._process.wait(30)

    def facts(self) -> list[f.Fact]:
        return read_journal(self.journal).facts

    def game(self) -> Game:
        """The game as its journal has it now."""
        game = Game(PackWords())
        for fact in self.facts():
            game.apply(fact)
        return game

    def count(self, kind: type[f.Fact]) -> int:
        return sum(isinstance(fact, kind) for fact in self.facts())


def meet(folder: Path, at: int | None) -> tuple[dict[str, RealTable], Proxy]:
    """Two tables that meet over a bad line: directly, or at a broker with the port ``at``."""
    tables = {side: RealTable(folder, side) for side in f.SIDES}
    white, black = tables["white"], tables["black"]
    options = ("--language", "en", "--time-control", "90m+30s", "--lag-limit", "3")
    proxy = None if at is None else Proxy(at, 0.08)
    place = "wait:0" if proxy is None else f"wait@127.0.0.1:{proxy.port}"
    white.start("--against", place, "--white", "Ada", *options)
    assert until(lambda: re.search(r"@.*:\d+", white.printed)), white.printed
    called = re.search(r"(\d{6,8})@.*:(\d+)", white.printed)
    assert called is not None
    proxy = Proxy(int(called[2]), 0.15) if proxy is None else proxy
    address = f"{called[1]}@127.0.0.1:{proxy.port}"
    black.start("--against", address, "--black", "Bo", "--language", "de")
    assert until(lambda: "ja oder nein" in black.printed), black.printed
    black.types("ja")
    assert until(lambda: "Enter" in white.printed.split("agrees")[-1]), white.printed
    for one in tables.values():
        assert until(lambda one=one: one.journal.exists()), one.printed  # type: ignore[misc]
        one.types("")
    assert until(lambda: all(one.count(f.Start) for one in tables.values()), 60)
    return tables, proxy


@pytest.mark.long
@pytest.mark.parametrize("through_broker", [False, True])
def test_two_processes_over_a_bad_line_play_one_game(tmp_path: Path, through_broker: bool) -> None:
    chance = random.Random(5)
    moves = moves_of(40, 5)
    broker = MeetingBroker(tmp_path) if through_broker else None
    tables, proxy = meet(tmp_path, None if broker is None else broker.port)

    def trouble() -> None:
        what = chance.randrange(12)
        if what == 0:
            proxy.cut()
        elif what == 1:
            proxy.parted = True
            time.sleep(chance.choice((0.5, 5)))
            proxy.parted = False
        elif what == 2:
            proxy.spoils = True
        elif what == 3:
            one = tables[chance.choice(f.SIDES)]
            one.is_killed()
            one.start("--resume")
            one.types("")

    for ply, move in enumerate(moves, 1):
        mover = tables["white" if ply % 2 else "black"]
        deadline, again = time.monotonic() + 180, 0.0
        while any(len(one.game().history) < ply for one in tables.values()):
            assert time.monotonic() < deadline, [one.printed[-2000:] for one in tables.values()]
            game = mover.game()
            if time.monotonic() > again and len(game.history) < ply:
                again = time.monotonic() + 3
                mover.types(move if game.turn.announced is None else "")
            time.sleep(0.2)
        trouble()
    for one in tables.values():
        one.ends()
    facts = [one.facts() for one in tables.values()]
    shorter = min(map(len, facts))
    assert facts[0][:shorter] == facts[1][:shorter] and max(map(len, facts)) - shorter < 5
    assert [ply.move.uci() for ply in tables["white"].game().history] == moves
    proxy.close()
    if broker is not None:
        broker.kill()
