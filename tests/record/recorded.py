"""A game that was recorded in a journal, with one scoresheet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from blindplay.laws import facts as f
from blindplay.laws.facts import parse
from blindplay.record import Journal
from blindplay.table import Table

MOVES = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1", "g8f6"]
WORDS = [
    "Bauer Eva zwei Eva vier", "Bauer Eva sieben Eva fünf", "Springer Gustav eins Felix drei",
    "Springer Bella acht Cäsar sechs", "Läufer Felix eins Bella fünf",
    "Bauer Anna sieben Anna sechs", "Kurze Rochade", "Springer Gustav acht Felix sechs",
]  # fmt: skip


def recorded(path: Path, texts: list[str], **setup: Any) -> Path:
    """The journal of a game with these moves, and with these entries on White's scoresheet."""
    start = {
        "t": 0, "fact": "setup", "arbiter": "automatic", "event": "Cup", "date": "2026-11-21",
        "time_control": "5400+30", "white": {"name": "Ada", "impaired": True}, **setup,
    }  # fmt: skip
    with Journal(path) as kept:
        made = parse(start)
        assert isinstance(made, f.Setup)
        table = Table(kept, made)
        table.submit(f.Start())
        for ply, (move, text) in enumerate(zip(MOVES, texts, strict=False), 1):
            side, other = ("white", "black") if ply % 2 else ("black", "white")
            table.submit(f.Make(by=side, move=move))
            table.submit(f.Announce(by=side, move=move))
            table.submit(f.Make(by=other, move=move))
            table.submit(f.Press(by=side))
            table.submit(f.Record(by="white", ply=ply, text=text))
        assert len(table.game.history) == len(texts)
    return path


def lose(path: Path, first: int, last: int) -> None:
    """Remove lines. Setup and start are the first two, and five facts make a ply."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: first - 1] + lines[last:]))
