"""Whole moves at a table."""

from __future__ import annotations

from blindplay.laws import facts as f
from blindplay.table import Table


def play(table: Table, *moves: str) -> None:
    """Announce each move, execute it on every board, and press the clock."""
    for move in moves:
        side = table.game.side
        table.submit(f.Announce(by=side, move=move))
        for board in table.game.tables:
            table.submit(f.Make(by=board, move=move))
        table.submit(f.Press(by=side))
