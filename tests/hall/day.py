"""The folder of an event after two rounds, as a hall leaves it, made without a broker.

Tables 1 to 4 play; nothing at them takes time.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from blindplay.hall.event_file import EventFile, read_event_file
from blindplay.hall.new_event import EventPlan, write_event
from blindplay.hall.pairings.rounds import Assignment, Round, keep_round
from blindplay.hall.table_side.journals import JournalSigner
from blindplay.laws import facts as f
from blindplay.record import Journal, signatures
from blindplay.record.chain import digest_of
from blindplay.table import Table

from .pairings.trf_text import Line
from .running import play

NAMES = (
    "Łukasz Núñez", "Siobhán O’Neill", "Jürgen Müller-Lüdenscheidt", "Åse Ødegård", "Anna Berg",
    "Bert Dahl", "Ida Ek", "Finn Öst", "Eva Gran",
)  # fmt: skip
PLAN = EventPlan(
    "Nordic Open", 2, "fide-2023", "90m+30s", 4, ("en", "de"), "127.0.0.1", encrypt=True
)
OVER = [f.Resign(by="black"), *(f.Sign(by=side, result="1-0") for side in ("white", "black"))]
SEALED = [f.Arbiter(do="adjourn"), f.Seal(by="white", text="d2d4"), f.Press(by="white")]
FIRST = Round(
    "1",
    tuple(
        Assignment("1", str(table), NAMES[2 * table - 2], NAMES[2 * table - 1], "black")
        for table in range(1, 5)
    ),
    (NAMES[8],),
    {NAMES[8]: "full"},
)


class Day:
    """The event of :data:`PLAN` in a new folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "nordic-open"
        self._play = folder / "play"
        write_event(PLAN, self.folder)

    @property
    def file(self) -> Path:
        return self.folder / "hall.toml"

    @property
    def joined(self) -> EventFile:
        return read_event_file(self.file, table=False)

    def pair(self, paired: Round = FIRST) -> None:
        keep_round(self.joined.folder, paired)

    def game(
        self,
        table: str,
        facts: Iterable[f.Fact] = OVER,
        *,
        paired: Round = FIRST,
        moves: int = 2,
        signed: bool = True,
    ) -> Path:
        """Play the game of a table, with so many plies and then these facts; return the copy."""
        game = next(one for one in paired.games if one.table == table)
        path = self._play / f"{paired.round}-{table}.jsonl"
        setup = f.Setup(
            white=f.Player(name=game.white), black=f.Player(name=game.black, impaired=True),
            round=paired.round, event=PLAN.title, time_control="5400+30",
        )  # fmt: skip
        with Journal(path) as journal:
            played = Table(journal, setup)
            if moves:
                play(played, *("e2e4", "e7e5", "g1f3", "b8c6")[:moves])
            for fact in facts:
                played.submit(fact)
            name = digest_of(path.read_bytes().splitlines(keepends=True)[0])
            if signed:
                file = read_event_file(self.folder / f"table-{table}.toml", table=True)
                JournalSigner(played, file).sign(name)
        copy = self.joined.folder / f"table-{table}" / f"{name}.jsonl"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        if signed:
            shutil.copy(signatures.file_of(path), signatures.file_of(copy))
        return copy

    def report(self, *results: tuple[str, str], paired: Round = FIRST) -> Path:
        """A report file (TRF) of one round with these results of White and Black, table by table.
        Ranks are those of the starting numbers."""
        numbers = {name: number for number, name in enumerate(NAMES, 1)}
        lines = []
        for game, (white, black) in zip(paired.games, results, strict=True):
            for name, colour, other, result in (
                (game.white, "w", game.black, white),
                (game.black, "b", game.white, black),
            ):
                points = {"1": "1.0", "+": "1.0", "=": "0.5"}.get(result, "0.0")
                own = Line(numbers[name], name, points, numbers[name])
                own.games.append((numbers[other], colour, result))
                lines.append(own)
        for name in paired.resting:
            own = Line(numbers[name], name, "1.0", numbers[name])
            own.games.append((0, "-", "U"))
            lines.append(own)
        path = self.folder.parent / "open.trf"
        text = "".join(f"{line}\n" for line in lines)
        path.write_text(f"012 {PLAN.title}\n{text}", "utf-8")
        return path
