"""The extent of each table's signatures on the journal of its game, from the hall's copies."""

import contextlib
import time
from dataclasses import dataclass

from blindplay.record import signatures

from .follower import Follower
from .overview import natural


@dataclass(frozen=True)
class ShownEvidence:
    """The signatures of a table's game."""

    table: str
    white: str
    black: str
    lines: int
    """The number of lines in the hall's copy."""
    signed: int
    """The number of the last signed line; 0: none is signed."""
    at: str
    """The table's time of day at its last signature; empty without one."""


def evidence(follower: Follower) -> list[ShownEvidence]:
    """Return the games with copies at the hall, table 9 before table 10."""
    with follower.lock:
        games = [
            (table.name, table.head, table.copy)
            for table in follower.tables.values()
            if table.head is not None and table.copy is not None and not table.waits
        ]
    found = []
    for name, head, copy in sorted(games, key=lambda one: natural(one[0])):
        newest = None
        with contextlib.suppress(OSError, signatures.SignatureError):
            signed = map(signatures.read_line, signatures.lines_of(copy.path))
            newest = max(signed, key=lambda one: one.n, default=None)
        at = time.strftime("%H:%M", time.localtime(newest.wall)) if newest else ""
        number = newest.n if newest else 0
        found.append(ShownEvidence(name, head.white, head.black, copy.number, number, at))
    return found
