"""A table of a hall without a process, whose facts a test tells."""

from __future__ import annotations

import time
from collections.abc import Iterable

from blindplay.hall.protocol import Head, encode
from blindplay.laws import facts as f
from blindplay.record.chain import digest_of, encoded

from .model_hall import ModelHall
from .model_table import Message, ModelTable


class ToldTable(ModelTable):
    """``clock`` is the table's time in seconds; it goes only as the test says."""

    def __init__(self, *facts: f.Fact, name: str = "1", run: str = "run-1") -> None:
        self.clock = 0.0
        super().__init__(name, run, facts=0)
        self.tell(*facts)

    def tell(self, *facts: f.Fact) -> list[bytes]:
        """Write facts; their lines."""
        before = len(self.lines)
        for fact in facts:
            end = (len(self.lines), digest_of(self.lines[-1]) if self.lines else "")
            self.lines.append(encoded(fact, end)[0])
        return self.lines[before:]

    def move(self, at: float, *moves: str, by: str = "white") -> list[bytes]:
        """Complete moves at ``at`` seconds, the first by ``by``."""
        told: list[f.Fact] = []
        sides = ("white", "black") if by == "white" else ("black", "white")
        for number, move in enumerate(moves):
            side, t = sides[number % 2], round(at * 1000)
            told.append(f.Announce(t=t, by=side, move=move))
            told += [f.Make(t=t, by=board, move=move) for board in ("white", "black")]
            told.append(f.Press(t=t, by=side))
        return self.tell(*told)

    def head(self) -> Message:
        self._seq += 1
        head = Head(
            self.run, self._seq, self.game, len(self.lines), digest_of(self.lines[-1]),
            t=self.clock, wall=time.time(),
        )  # fmt: skip
        return self.topic("head"), encode(head)

    def next_game(self, run: str, *facts: f.Fact) -> None:
        """The process has ended, and another one plays the next game."""
        self.before.append(self.lines)
        self.lines = []
        self.clock = 0.0
        self.restart(run)
        self.tell(*facts)


def setup(**more: object) -> f.Setup:
    """A game with names, a clock and a round."""
    told: dict[str, object] = {
        "white": f.Player(name="Anna Berg", impaired=True),
        "black": f.Player(name="Dahl, Bert"),
        "time_control": "5400+30",
        "round": "3",
        "date": "2026-11-23",
        "event": "Oslo Open",
        "site": "Oslo",
    }
    return f.Setup(**{**told, **more})  # type: ignore[arg-type]


def pass_time(hall: ModelHall, tables: Iterable[ToldTable], seconds: float) -> None:
    """Pass time in the hall and at the tables; then the heads of all come."""
    hall.now += seconds
    for table in tables:
        table.clock += seconds
        hall.publish(table.head())
    hall.wait(0.3)
