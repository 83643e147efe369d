"""The folder of tables on this machine, and the removal of one table's files."""

import contextlib
import datetime
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from .files import OWN_ENDS, PART, SUFFIX, beside, damaged_copies
from .journal import JournalError, is_journal, is_running
from .tape import is_recording, tape_folder


def tables_folder() -> Path:
    """The folder of journals, unless the user names another place."""
    return Path(platformdirs.user_data_path("blindplay", appauthor=False)) / "tables"


def halls_folder() -> Path:
    """The folder of the files that this machine's tables have fetched from halls."""
    return Path(platformdirs.user_data_path("blindplay", appauthor=False)) / "halls"


def new_journal() -> Path:
    """An unused name for a journal, in a folder that only this user can read: it holds names."""
    folder = tables_folder()
    with contextlib.suppress(OSError):  # opening the journal reports the fault
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Random, because two tables may begin within one tick of a machine's clock.
    return folder / f"{datetime.datetime.now():%Y-%m-%d-%H-%M-%S}-{secrets.token_hex(3)}{SUFFIX}"


@dataclass(frozen=True)
class Removed:
    """``recordings`` sound files of ``bytes`` together were removed, and other ``files``.
    ``left`` are files in the tape's folder that do not belong to the tape."""

    recordings: int
    bytes: int
    files: tuple[Path, ...]
    left: tuple[Path, ...]


def find(table: str) -> Path:
    """The journal of ``table``: its path, or its name in :func:`tables_folder`, with ``.jsonl`` or
    without. A journal that is gone counts as long as its tape is there.

    :raises ValueError: if there is none.
    """
    if not Path(table).name:
        raise ValueError("The name of a table is empty; name its journal.")
    places = [
        folder / name
        for folder in (Path(), tables_folder())
        for name in (table, f"{table}{SUFFIX}")
    ]
    for journal in places:
        if journal.is_file():
            return journal
    for journal in places:
        if tape_folder(journal).is_dir():
            return journal
    raise ValueError(
        f"There is no table {table}; name its journal, or one of those in {tables_folder()}."
    )


def forget(journal: Path, *, everything: bool = False) -> Removed:
    """Remove the tape of the game in ``journal``; with ``everything`` also the journal, damaged
    copies of it, and the files beside it.

    Only files that BlindPlay has written are removed. A call that was interrupted can be repeated.

    :raises ValueError: if a table is playing this game, or (``everything``) it is not a journal.
    :raises OSError: if something cannot be removed.
    """
    if is_running(journal):
        raise ValueError(
            f"A table is playing the game in {journal} at this moment; close that one first."
        )
    kept = everything or not tape_folder(journal).is_dir()
    if kept and journal.is_file() and journal.stat().st_size and not is_journal(journal):
        raise JournalError(f"{journal} is not a BlindPlay journal; check the name.")
    files = list(_files(journal)) if everything else []
    tape, count, size = tape_folder(journal), 0, 0
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
    """All files of a game but its tape. The journal comes last: while it is there, a call that was
    interrupted can find the rest by its name."""
    own = [beside(journal, end) for end in OWN_ENDS]
    parts = [path.with_name(path.name + PART) for path in own]
    for path in (*damaged_copies(journal), *own, *parts, journal):
        with contextlib.suppress(OSError):
            if path.is_file():
                yield path
