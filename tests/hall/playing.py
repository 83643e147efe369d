"""What tests of halls do at a table."""

from __future__ import annotations

from blindplay.hall.hall import Hall
from blindplay.laws import facts as f
from blindplay.table import Table


def play(table: Table, *moves: str) -> None:
    """Complete moves, after White's clock has been started."""
    if not table.game.started:
        table.submit(f.Start())
    for move in moves:
        side = table.game.side
        table.submit(f.Announce(by=side, move=move))
        for by in ("white", "black"):
            table.submit(f.Make(by=by, move=move))
        table.submit(f.Press(by=side))


def is_equal(hall: Hall, table: Table, name: str = "1") -> bool:
    """Whether the hall's copy is the table's journal."""
    followed = hall.follower.tables.get(name)
    copy = followed.copy if followed is not None else None
    content = table.path.read_bytes()
    return copy is not None and copy.path.is_file() and copy.path.read_bytes() == content


def is_there(hall: Hall, table: Table, name: str = "1") -> bool:
    """Whether the hall has the table's journal, and can ask it for something."""
    followed = hall.follower.tables.get(name)
    known = followed is not None and followed.online and followed.head is not None
    return known and is_equal(hall, table, name)


def kinds(hall: Hall) -> set[str]:
    """The kinds of what the hall cannot set right."""
    return {one.kind for one in hall.follower.incidents}
