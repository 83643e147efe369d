"""What lies beside a journal, and what it is called.

``game.db`` has ``game.pulse``, ``game.tape`` and ``game.links`` beside it, and what was put aside
of it is called ``game.damaged-1.db``. A journal with another ending keeps it in all these names:
``round.1`` and ``round.2`` are two games, and share nothing.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

_USUAL = ".db"
_SQLITES = ("-wal", "-shm")  # what SQLite keeps beside a database that is open, or was not closed


def beside(journal: Path, end: str) -> Path:
    """The file or folder with this ``end``, for example ``.pulse``, that belongs to ``journal``."""
    name = journal.stem if journal.suffix == _USUAL else journal.name
    return journal.with_name(name + end)


def around(journal: Path) -> list[Path]:
    """The files that belong to a journal's own: SQLite's, and its pulse."""
    sqlites = [journal.with_name(journal.name + end) for end in _SQLITES]
    return [*sqlites, beside(journal, ".pulse")]


def aside(journal: Path, what: str) -> Path:
    """Another journal of the same game: ``game.restoring.db``."""
    return journal.with_name(f"{journal.stem}.{what}{journal.suffix}")


def put_aside(journal: Path) -> Iterator[Path]:
    """The files of all journals that were put aside of this one, or left while it was restored."""
    own = re.escape(journal.stem) + r"\.(restoring|restored|(damaged|moved)-\d+)"
    own += re.escape(journal.suffix)
    with contextlib.suppress(OSError):
        for file in sorted(journal.parent.iterdir()):
            for end in ("", *_SQLITES, ".pulse"):
                found = file.name.removesuffix(end)
                if end == ".pulse" and journal.suffix == _USUAL:
                    found += _USUAL
                if file.name.endswith(end) and re.fullmatch(own, found):
                    yield file
                    break
