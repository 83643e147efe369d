"""A table at which one person plays against an opponent who is not in the room."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import chess

from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.opponents.engine import EnginePlayer
from blindplay.opponents.uci import EngineProgram, Level
from blindplay.record import Journal, read_journal
from blindplay.table import Table
from tests import ROOT
from tests.waiting import until

SCRIPT = ROOT / "tests" / "opponents" / "scripted_engine.py"
WEAK = Level(800)


def scripted(folder: Path, *words: str) -> EngineProgram:
    """An engine that does these things, one at each search."""
    place = folder / "place"
    return EngineProgram("Scripted", (sys.executable, "-I", "-S", str(SCRIPT), str(place), *words))


def at_once(board: chess.Board, left_s: float | None, increment_s: float) -> float:
    """The pace of a test."""
    return 0.0


class Alone:
    """A blind White, or ``person``, against an engine. Without ``setup`` the game goes on."""

    def __init__(
        self,
        path: Path,
        program: EngineProgram,
        *,
        level: Level = WEAK,
        person: str = "white",
        new: bool = True,
        training: bool = False,
        patience_s: float = 20.0,
        **setup: Any,
    ) -> None:
        self.told: list[str] = []
        self.person = person
        self.journal = Journal(path, resume=not new)
        blind = {person: Player(impaired=True)}
        fields = {"arbiter": "automatic", "boards": 2, "time_control": "5400", **blind, **setup}
        self.player = EnginePlayer(program, level, pace=at_once, patience_s=patience_s)
        self.table = Table(
            self.journal,
            Setup(t=0, **fields) if new else None,
            training=training,
            opponent=self.player,
        )

    def __enter__(self) -> Self:
        self.table.go_on()
        self.player.sit(self.table, lambda key, **values: self.told.append(key))
        return self

    def __exit__(self, *error: object) -> None:
        self.player.close()
        self.journal.close()

    def start(self) -> None:
        """Start the game, or start the clocks again."""
        if not self.table.game.started:
            self.table.submit(f.Start())
        elif self.table.game.paused:
            self.table.submit(f.Arbiter(by="table", do="start_clocks"))

    def play(self, uci: str) -> None:
        """The person plays a move on a board without sensors, and presses the clock."""
        self.table.submit(f.Announce(by=self.person, move=uci))
        self.table.submit(f.Make(by=self.person, move=uci))
        self.table.submit(f.Press(by=self.person))

    def wait(self, what: Callable[[], object]) -> None:
        assert until(what), (self.told, [str(ply.move) for ply in self.table.game.history])

    def wait_for_moves(self, count: int) -> list[str]:
        """Wait until so many moves are completed, and give them."""
        self.wait(lambda: len(self.table.game.history) >= count or self.table.game.over)
        return [ply.move.uci() for ply in self.table.game.history]


def facts_in(path: Path) -> list[f.Fact]:
    """The facts of a journal."""
    return list(read_journal(path).facts)
