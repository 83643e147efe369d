"""A table as a process: lines are typed into it, its sentences and rulings are read, and it is
killed, stopped and resumed. Nothing of BlindPlay is imported here."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess

from tests.waiting import PATIENCE_S, until

READY = ("Press Enter", "is over. Type quit", " to move.")
"""What a table says last before it waits for people; without a clock it waits for none."""
OPTIONS = ("--language", "en", "--silent", "--print", "all", "--microphone", "none")


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a person who has just this folder, and reads English."""
    kept = {
        name: os.environ[name] for name in ("PATH", "HOME", "VIRTUAL_ENV") if name in os.environ
    }
    own = {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "settings")}
    return {**kept, **own, "LC_ALL": "C.UTF-8", "LANGUAGE": "en", "PYTHONUNBUFFERED": ""}


def command(*words: str | Path) -> list[str]:
    """Return a command line of BlindPlay."""
    return [sys.executable, "-m", "blindplay", *map(str, words)]


class Process:
    """A process of BlindPlay and what it has printed, line by line with its time."""

    def __init__(self, folder: Path, *words: str | Path, **more: str) -> None:
        line = command(*words)
        self.process = subprocess.Popen(
            line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**environment(folder), **more},
            text=True,
            encoding="utf-8",
            bufsize=1,
        )
        self.lines: list[str] = []
        self.times: list[float] = []
        self.typed_at: list[float] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.times.append(time.monotonic())
            self.lines.append(line.rstrip("\n"))

    @property
    def text(self) -> str:
        """Everything that was printed."""
        return "\n".join(self.lines)

    def type(self, line: str = "") -> None:
        """Type a line; a process that is gone gets nothing."""
        assert self.process.stdin
        self.typed_at.append(time.monotonic())
        with suppress(BrokenPipeError, ValueError):
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def says(self, *any_of: str, after: int = 0, seconds: float = PATIENCE_S) -> bool:
        """Wait until a line after the first ``after`` ones contains one of these texts, or the
        process has ended; return whether one does."""

        def there() -> bool:
            return any(text in line for line in self.lines[after:] for text in any_of)

        until(lambda: there() or self.process.poll() is not None, seconds)
        if self.process.poll() is not None:
            self._reader.join(10)
        return there()

    def stand_still(self, seconds: float) -> None:
        """Let the process stand still, as a computer does that sleeps."""
        if sys.platform != "win32":
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(seconds)
            self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill the process, as a power cut would, and read what it had printed."""
        self.process.kill()
        self.end()

    def end(self, seconds: float = PATIENCE_S) -> int:
        """Wait for the end of the process, and return its exit status."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            self._reader.join(10)
            raise AssertionError(f"it does not end: {self.lines[-5:]}") from None
        self._reader.join(10)
        if self.process.stdin:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        return status


def run(folder: Path, *words: str | Path, typed: str = "", **more: str) -> tuple[int, str]:
    """Run a command to its end; return its exit status and all that it printed."""
    done = subprocess.run(
        command(*words),
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        env={**environment(folder), **more},
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


_RULED = re.compile(r"^(\S+) ruled ([a-z ]+?)(?:: (.*?))?(?: \(([^()]*)\))?$")


@dataclass(frozen=True)
class Ruling:
    """A ruling as a table prints it with ``--print all``."""

    kind: str
    fields: Mapping[str, str]

    @classmethod
    def read(cls, line: str) -> Ruling | None:
        """Return the ruling of a printed line; None if it says something else."""
        found = _RULED.match(line)
        if not found:
            return None
        fields = (part.partition(" ") for part in (found[3] or "").split("; "))
        return cls(found[2].replace(" ", "_"), {name: value for name, _, value in fields})

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "")

    def is_that(self, other: Mapping[str, object]) -> bool:
        """Whether this is the ruling that ``blindplay replay`` prints as this JSON object."""
        if other["ruling"] != self.kind:
            return False
        for name, value in self.fields.items():
            stated = other.get(name)
            if isinstance(stated, str) and stated != value:
                return False
            if (
                isinstance(stated, int | float)
                and not isinstance(stated, bool)
                and (float(value) != float(stated))
            ):
                return False
        return True


def printed(lines: Iterable[str]) -> list[Ruling]:
    """Return the rulings among printed lines."""
    return [ruling for line in lines if (ruling := Ruling.read(line))]


def replayed(folder: Path, journal: Path, whole: bool = True) -> list[dict[str, Any]]:
    """Return the rulings that follow from a journal, which must be whole."""
    status, text = run(folder, "replay", "--journal", journal)
    assert (status == 0) is whole, text[-900:]
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def untold(
    told: Sequence[Ruling], held: Sequence[Mapping[str, Any]]
) -> tuple[list[Ruling], list[int]]:
    """Return the rulings that were told and do not follow from the journal, in its order, and the
    places in ``told`` before which the journal has rulings that were not told."""
    lost, gaps, at = [], [], 0
    for place, ruling in enumerate(told):
        found = next((n for n in range(at, len(held)) if ruling.is_that(held[n])), None)
        if found is None:
            lost.append(ruling)
        else:
            gaps += [place] * (found - at)
            at = found + 1
    return lost, gaps + [len(told)] * (len(held) - at)


class Person:
    """Types random legal moves of both sides, questions and nonsense; knows what was printed."""

    def __init__(self, chance: random.Random, own: str = "white black") -> None:
        self.chance = chance
        self.own = own
        self.board = chess.Board()
        self.made = ""
        self.over = False
        self.typed: list[str] = []
        self._table: Process | None = None
        self._heard = 0

    def resume(self, facts: Sequence[Mapping[str, Any]]) -> None:
        """Know the game from its facts, as a person who reads the scoresheets does."""
        self.board, self.made = chess.Board(), ""
        for fact in facts:
            self._moved(fact["fact"], fact.get("by", ""), fact.get("move", ""))

    def _moved(self, what: str, by: str, move: str) -> None:
        if by != self.side:
            return
        if what in ("make", "made"):
            if chess.Move.from_uci(move) in self.board.legal_moves:  # else the opponent's, executed
                self.made = move
        elif what in ("press", "completed") and self.made:
            self.board.push_uci(self.made)  # raises if it is illegal
            self.made = ""

    def follow(self, ruling: Ruling) -> None:
        """Know what was ruled."""
        self._moved(ruling.kind, ruling["by"], ruling["move"])
        self.over |= ruling.kind == "game_over"

    @property
    def side(self) -> str:
        """The side on move."""
        return "white" if self.board.turn else "black"

    def play(self, table: Process, plies: int = 999, seconds: float = 60) -> None:
        """Type until so many more plies are completed, or the time or the game is over."""
        if table is not self._table:
            self._table, self._heard = table, 0
        goal = len(self.board.move_stack) + plies
        limit = time.monotonic() + seconds
        while table.process.poll() is None and time.monotonic() < limit:
            for ruling in printed(table.lines[self._heard :]):
                self.follow(ruling)
            self._heard = len(table.lines)
            if self.over or len(self.board.move_stack) >= goal:
                break
            table.type(self.line())
            until(lambda: len(table.lines) > self._heard, 0.3)
            time.sleep(0.05)  # all sentences of one line

    def line(self) -> str:
        """Return what this person types next."""
        chosen = ""
        if self.side in self.own and not self.made:
            chosen = self.chance.choice([move.uci() for move in self.board.legal_moves] or [""])
        if self.chance.random() < 0.15:
            chosen = self.chance.choice(
                ["time", "last move", "?", "how many moves", "xyzzy", "e9e5", "clocks"]
            )
        self.typed.append(chosen)
        return chosen
