"""The files of one table: their names, and how to create, write, sync and lock them safely.

``game.jsonl`` has ``game.pulse``, ``game.tape``, ``game.links``, ``game.options`` and, in a hall,
``game.hall`` and ``game.signatures`` beside it. If another table plays it, too, it has
``game.distant``. The copy of a damaged journal is ``game.damaged-1.jsonl``, and a game that goes on
beside another one that was put into its place is ``game.whole-1.jsonl``. A journal with another
ending keeps its ending in all these names:
``round.1`` and ``round.2`` are two games and share nothing.

Files are private to the user (mode 0600) and are never opened through a symbolic link, because a
link could lead to another program's file.
"""

import contextlib
import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args

from blindplay.given import KEPT
from blindplay.own_files import lock as lock
from blindplay.translation import _

SUFFIX = ".jsonl"
"""The usual ending of a journal's name."""
OwnEnd = Literal[".pulse", ".links", ".hall", ".distant", ".options", ".signatures"]
OWN_ENDS: tuple[OwnEnd, ...] = get_args(OwnEnd)
"""The ends of a table's own files beside the journal: its heartbeat, the links of the console, the
table's name in a hall, the keys of a distant table, its options and its signatures."""
PART = ".part"
"""The ending of a copy that is not complete."""
_PULSE: OwnEnd = ".pulse"
_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def beside(journal: Path, end: OwnEnd | Literal[".tape"]) -> Path:
    """The file or folder with this ``end``, for example ``.pulse``, that belongs to ``journal``."""
    name = journal.stem if journal.suffix == SUFFIX else journal.name
    return journal.with_name(name + end)


def journals_of(own: Path) -> tuple[Path, ...]:
    """The journals to which a file that :func:`beside` names may belong."""
    return own.with_suffix(SUFFIX), own.with_suffix("")


def pulse_of(journal: Path) -> Path:
    """The small file with the table's heartbeat; see :mod:`.pulse`."""
    return beside(journal, _PULSE)


def damaged_copies(journal: Path) -> Iterator[Path]:
    """The copies of ``journal`` that were kept as evidence of damage, with their pulses."""
    copy = re.escape(journal.stem) + r"\.damaged-\d+"
    ending = re.escape(journal.suffix)
    pulse = ("" if journal.suffix == SUFFIX else ending) + re.escape(_PULSE)
    pattern = re.compile(f"{copy}({ending}|{pulse})({re.escape(PART)})?")
    with contextlib.suppress(OSError):
        yield from (
            file for file in sorted(journal.parent.iterdir()) if pattern.fullmatch(file.name)
        )


def _copies(journal: Path) -> tuple[list[Path], Path]:
    """The damaged copies of a journal, the newest last, and the name for one more."""
    copies: list[Path] = []
    while True:
        name = f"{journal.stem}.damaged-{len(copies) + 1}{journal.suffix}"
        copy = journal.with_name(name)
        if not os.path.lexists(copy):
            return copies, copy
        copies.append(copy)


def keep_damaged(journal: Path, content: bytes) -> Path:
    """Write ``content``, the bytes of a damaged journal, and its pulse under names of their own.

    The copy is on the disk when this returns its path. If a power cut interrupted an earlier call,
    the copy that is already there is used again.

    :raises OSError: if the copy cannot be written.
    """
    copies, new = _copies(journal)
    for copy in copies:
        same = copy.is_file() and copy.stat().st_size == len(content)
        if same and _beginning(copy, len(content)) == content:
            return copy
    _copy(pulse_of(journal), pulse_of(new))
    write_new(new, content)
    return new


def continue_beside(journal: Path) -> Path:
    """A free name beside ``journal``, under which its game goes on because another one lies there.
    The files from which a game is continued are copied.

    :raises OSError: if they cannot be written.
    """
    number = 1
    while os.path.lexists(
        new := journal.with_name(f"{journal.stem}.whole-{number}{journal.suffix}")
    ):
        number += 1
    ends: tuple[OwnEnd, ...] = (".options", ".distant", ".signatures")
    for end in ends:
        _copy(beside(journal, end), beside(new, end))
    return new


def _copy(source: Path, target: Path) -> None:
    """Copy a small file beside a journal, if there is one."""
    with contextlib.suppress(FileNotFoundError):
        write_new(target, _beginning(source, KEPT.most_bytes))


def _beginning(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def damaged_before(journal: Path, content: bytes) -> Path | None:
    """The newest damaged copy, if ``content`` is its beginning: nothing was added since."""
    copies, _new = _copies(journal)
    with contextlib.suppress(OSError):
        if copies and _beginning(copies[-1], len(content)) == content:
            return copies[-1]
    return None


def write_new(path: Path, content: bytes) -> None:
    """Write a file that gets its name only when all of it is on the disk. A killed process leaves
    at most a file called ``.part``, a failure nothing.

    :raises OSError: if it cannot be written.
    """
    part = path.with_name(path.name + PART)
    part.unlink(missing_ok=True)
    handle = open_file(part, create=True)
    try:
        try:
            write(handle, content)
            sync(handle)
        finally:
            os.close(handle)
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    sync_folder(path.parent)


def open_file(path: Path, *, create: bool = False, append: bool = True, write: bool = True) -> int:
    """Open a regular file, with ``create`` a new one if there is none; the handle must be closed.

    :raises OSError: if that cannot be done, or if ``path`` is a symbolic link or no file.
    """
    if path.is_symlink():
        raise OSError(errno.ELOOP, _("it is a symbolic link"))
    flags = _BINARY | (os.O_RDWR if write else os.O_RDONLY) | (os.O_APPEND if append else 0)
    if create:
        with contextlib.suppress(FileExistsError):
            handle = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600)
            sync_folder(path.parent)
            return handle
    # Without O_NONBLOCK, opening a named pipe would wait for a writer.
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, _("it is not a file"))
    return handle


def write(handle: int, content: bytes) -> None:
    """Write all of ``content``, if necessary in several parts."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def truncate(handle: int, size: int) -> None:
    """Cut off an open file after ``size`` bytes."""
    os.ftruncate(handle, size)


def read(handle: int) -> bytes:
    """Everything in an open file."""
    os.lseek(handle, 0, os.SEEK_SET)
    parts = []
    while part := os.read(handle, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def sync(handle: int) -> None:
    """Return when everything written into the file is on the disk."""
    if sys.platform == "darwin":
        import fcntl

        # fsync on macOS leaves the bytes in the cache of the disk. Some file systems know no other.
        with contextlib.suppress(OSError):
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
    os.fsync(handle)


def sync_folder(folder: Path) -> None:
    """Return when new names in ``folder`` are on the disk. Windows needs no such call."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):  # some network file systems refuse it
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
