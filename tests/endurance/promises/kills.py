"""A table that is killed at any moment, also in its first and last second."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Sequence
from pathlib import Path

import chess

from tests.endurance.promises import journal
from tests.endurance.promises.figures import Figures
from tests.endurance.promises.table import (
    OPTIONS,
    READY,
    Person,
    Process,
    Ruling,
    printed,
    replayed,
    untold,
)

MODES: dict[str, Sequence[str]] = {
    "two people": (),
    "an arbiter": ("--arbiter",),
    "the computer": ("--against", "engine", "--level", "beginner"),
    "training": ("--training",),
    "no clock": ("--time-control", "-"),
    "the Laws of 1997": ("--edition", "fide-1997"),
    "both blind": ("--impaired", "both"),
}
MOMENTS = ("starting", "beginning", "playing", "a line", "leaving", "the end")


class Killed:
    """One game that is killed again and again."""

    def __init__(self, folder: Path, chance: random.Random, mode: str) -> None:
        self.folder, self.chance, self.mode = folder, chance, mode
        self.journal = folder / "game.jsonl"
        self.person = Person(chance, "white" if mode == "the computer" else "white black")
        self.told: list[Ruling] = []
        self.edges: list[int] = []
        """After how many told rulings a process was killed."""
        self.clocks: list[tuple[float, float]] = []
        """For each edge, at least and at most how long the last clock that was told had run."""
        self.starts_in = 2.0
        """How many seconds a table needed to start."""
        self.faults: list[str] = []

    def _start(self) -> Process:
        resumes = self.journal.exists() and self.journal.stat().st_size > 0
        options = ("--resume",) if resumes else MODES[self.mode]
        table = Process(self.folder, "play", *OPTIONS, "--journal", self.journal, *options)
        self.known = journal.read(self.journal) if resumes else []
        self.person.resume(self.known)
        return table

    def life(self, moment: str, share: float) -> None:
        """Play, and kill the table at this moment, or up to a second later, as ``share`` says."""
        table, began = self._start(), time.monotonic()
        if moment == "starting":
            time.sleep(1.2 * share * self.starts_in)
        elif table.says(*READY):
            self.starts_in = time.monotonic() - began
            if moment != "beginning":
                table.type()
                self.person.play(table, seconds=3 * share if moment == "playing" else 0.5)
            last = {"a line": self.person.line(), "leaving": "quit", "the end": "resign"}
            table.type(last.get(moment, ""))
            if moment == "the end":
                table.type("yes")
            time.sleep(share / 10 if moment in last else 0)
        typed, before = table.typed_at, time.monotonic()
        table.kill()
        now = time.monotonic()
        self._look(table)
        rulings = [
            (at, ruling)
            for at, line in zip(table.times, table.lines, strict=True)
            if (ruling := Ruling.read(line))
        ]
        told_at = next((at for at, ruling in rulings[::-1] if ruling.kind == "clock"), now)
        asked_at = max((at for at in typed if at <= told_at), default=told_at)
        self.told += [ruling for _, ruling in rulings]
        self.edges.append(len(self.told))
        self.clocks.append((max(0, before - told_at), now - asked_at))

    def _look(self, table: Process) -> None:
        """Look at one life by itself."""
        if "Traceback" in table.text:
            self.faults.append(f"a traceback: {table.text[table.text.index('Traceback') :][-800:]}")
        if self.known and table.lines and not re.search("interrupted|begun earlier", table.text):
            self.faults.append(f"nobody was told that the game is resumed: {table.lines[:3]}")
        moved = [fact for fact in self.known if fact["fact"] == "announce"]
        if moved and len(table.lines) > 8 and not re.search("ast move|announced", table.text):
            self.faults.append(f"the last move was not told: {table.lines[:9]}")

    def finish(self, figures: Figures) -> None:
        """Resume once more, leave, and compare what was told with what is kept."""
        table = self._start()
        if table.says(*READY):
            table.type("quit")
        if status := table.end():
            self.faults.append(f"exit status {status}: {table.lines[-3:]}")
        self._look(table)
        self.told += printed(table.lines)
        held = replayed(self.folder, self.journal)
        facts = journal.read(self.journal)
        lost, gaps = untold(self.told, held)
        self.faults += [f"lost: {ruling}" for ruling in lost]
        self.faults += [
            f"invented before {self.told[gap : gap + 1]}" for gap in gaps if gap not in self.edges
        ]
        texts = list(self.person.typed)
        for fact in facts:
            if fact["fact"] == "announce" and fact["by"] in self.person.own:
                if fact["text"] in texts:
                    texts.remove(fact["text"])
                else:
                    self.faults.append(f"nobody typed {fact['text']}")
        self._compare_clocks(gaps, figures)
        board = chess.Board()
        moves = [ruling["move"] for ruling in held if ruling["ruling"] == "completed"]
        for move in moves:
            board.push_uci(move)  # raises if it is illegal
        figures.add("killed", len(self.edges), self.faults, f"{self.mode} in {self.folder}")
        figures.count("killed", rulings=len(self.told), moves=len(moves))

    def _compare_clocks(self, gaps: list[int], figures: Figures) -> None:
        seen = -1
        for edge, (least, most) in zip(self.edges, self.clocks, strict=True):
            if edge == seen:  # this process was killed before it told anything
                continue
            seen = edge
            before = next((r for r in self.told[:edge][::-1] if r.kind == "clock"), None)
            after = next((r for r in self.told[edge:] if r.kind == "clock"), None)
            if not before or not after or edge in gaps or before["running"] == "none":
                continue
            ran = before["running"]
            gone = float(before[ran]) - float(after[ran])
            if not -0.002 <= gone <= most + 0.002:
                self.faults.append(f"{ran} was charged {gone:.3f} s, {most:.3f} s at most")
            figures.measure("killed", "given back, s", max(0.0, least - gone))
            other = "black" if ran == "white" else "white"
            if before[other] != after[other]:
                self.faults.append(f"the clock of {other} was changed: {before}, {after}")


def killed(folder: Path, figures: Figures, seed: int, kills: int, mode: str = "") -> None:
    """Play one game with so many kills."""
    chance = random.Random(seed)
    game = Killed(folder, chance, mode or chance.choice(list(MODES)))
    first = chance.randrange(len(MOMENTS))
    for number in range(kills):
        moment = MOMENTS[(first + number) % len(MOMENTS)]
        if moment == "the end" and number < kills - 2:
            moment = "a line"
        game.life(moment, chance.random())
    game.finish(figures)
