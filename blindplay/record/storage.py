"""Where tables are kept on this machine, and removing what is kept of one: its tape, and, if
wanted, its journal too."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from . import Journal
from . import files as names
from .pulse import is_running
from .tape import beside, is_recording


def tables_folder() -> Path:
    """Where journals are kept if no other place was named."""
    return Path(platformdirs.user_data_path("blindplay", appauthor=False)) / "tables"


def new_journal() -> Path:
    """A journal's name that is not taken, in a folder which is for nobody else: names are in it."""
    folder = tables_folder()
    with contextlib.suppress(OSError):  # who opens the journal says what is wrong
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{datetime.datetime.now():%Y-%m-%d-%H-%M-%S-%f}.db"


@dataclass(frozen=True)
class Removed:
    """What was removed: how many ``recordings`` of ``bytes`` together, and other ``files``; and
    what was found in the tape's folder and is not the tape's, which is ``left``."""

    recordings: int
    bytes: int
    files: tuple[Path, ...]
    left: tuple[Path, ...]


def find(table: str) -> Path:
    """The journal of ``table``: its path, or its name in :func:`tables_folder`, with ``.db`` or
    without. A journal that is gone counts as long as its tape is there.

    :raises ValueError: if there is none.
    """
    places = [
        folder / name for folder in (Path(), tables_folder()) for name in (table, f"{table}.db")
    ]
    for journal in places:
        if journal.is_file():
            return journal
    for journal in places:
        if beside(journal).is_dir():
            return journal
    raise ValueError(
        f"There is no table {table}; name its journal, or one of those in {tables_folder()}."
    )


def forget(journal: Path, *, everything: bool = False) -> Removed:
    """Remove the tape of the game in ``journal``, and with ``everything`` the journal, damaged
    ones that were put aside, and all that lies beside them.

    Only what BlindPlay has written is removed. It can be said again where it was cut off.

    :raises ValueError: if a table is playing this game, or (``everything``) it is no journal.
    :raises OSError: if something cannot be removed.
    """
    if is_running(journal):
        raise ValueError(
            f"A table is playing the game in {journal} at this moment; close that one first."
        )
    files = list(_files(journal)) if everything else []
    if everything and journal.is_file():
        Journal(journal, read_only=True).close()  # nobody loses another program's file
    tape, count, size = beside(journal), 0, 0
    left: tuple[Path, ...] = ()
    if tape.is_dir():
        for path in sorted(tape.iterdir()):
            if is_recording(path):
                size += path.stat().st_size
                path.unlink()
                count += 1
        left = tuple(sorted(tape.iterdir()))
        if not left:
            tape.rmdir()
    for path in files:
        path.unlink(missing_ok=True)
    return Removed(count, size, tuple(files), left)


def _files(journal: Path) -> Iterator[Path]:
    """The journal last: as long as it is there, what is left can be found by its name."""
    links = [names.beside(journal, end) for end in (".links", ".links.new")]
    for path in (*names.put_aside(journal), *names.around(journal), *links, journal):
        with contextlib.suppress(OSError):
            if path.is_file():
                yield path
