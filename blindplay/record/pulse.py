"""The pulse of a table that runs: how far its time had come, many times a second.

The journal holds what happened; between two facts only time passes, and a table that is killed
would give that time back. So it leaves a small file beside its journal: how many facts there are,
the chain of the last one, the table's time and the time of day. Whoever goes on with the game
knows from it where the clocks stood, for how long the table was down, and whether facts are missing
at the journal's end, which the journal alone cannot show.
"""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from . import files

BEAT_S = 0.1
"""Seconds between two beats: so much of a clock's time a killed table may give back."""
_SLOT = 96  # bytes a beat; two of them by turns, so that one is whole whenever the table dies
_SLOTS = 2
_PATIENCE_S = 2.0  # a beat that is younger may be that of a table which runs


@dataclass(frozen=True)
class Beat:
    """``facts`` in the journal, the ``chain`` of the last, the table's time ``t`` in ms, and the
    time of day ``wall`` in seconds since 1970."""

    facts: int
    chain: str
    t: int
    wall: float


def beside(journal: Path) -> Path:
    """Where the pulse of the table with this journal is kept."""
    return files.beside(journal, ".pulse")


class Pulse:
    """Writes beats; what cannot be written is left out: a table lives without."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._turn = 0

    def beat(self, beat: Beat) -> None:
        """Write one beat, in the place of the last but one. It is not forced to the disk: after a
        power cut the journal's own facts say how late it was, to the second."""
        try:
            if self._file is None:
                self._file = _open(self._path)
            elif not os.path.samestat(os.fstat(self._file.fileno()), self._path.stat()):
                raise FileNotFoundError  # it was moved; the next beat makes another
            self._turn = (self._turn + 1) % _SLOTS
            self._file.seek(self._turn * _SLOT)
            self._file.write(_written(beat))
        except (OSError, ValueError):
            self.close()

    def forget(self) -> None:
        """Begin anew: there has been no table yet."""
        self.close()
        with contextlib.suppress(OSError):
            self._path.unlink()

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()


def _open(path: Path) -> BinaryIO:
    with contextlib.suppress(FileExistsError):
        path.open("xb").close()
    return path.open("r+b", buffering=0)


def _written(beat: Beat) -> bytes:
    body = f"{beat.facts} {beat.chain or '-'} {beat.t} {beat.wall:.3f}".encode()
    return (body + b" %08x" % zlib.crc32(body)).ljust(_SLOT - 1) + b"\n"


def _read(slot: bytes) -> Beat | None:
    body, _, check = slot.strip().rpartition(b" ")
    try:
        if int(check, 16) != zlib.crc32(body):
            return None
        facts, chain, t, wall = body.decode("ascii").split(" ")
        return Beat(int(facts), "" if chain == "-" else chain, int(t), float(wall))
    except ValueError:
        return None


def last_beat(journal: Path) -> Beat | None:
    """The last beat of the table with this journal; None if there is no whole one."""
    try:
        with beside(journal).open("rb") as file:
            data = file.read(_SLOTS * _SLOT)
    except OSError:
        return None
    found = (_read(data[at : at + _SLOT]) for at in range(0, _SLOTS * _SLOT, _SLOT))
    return max(
        (beat for beat in found if beat),
        key=lambda beat: (beat.t, beat.facts, beat.wall),
        default=None,
    )


def is_running(
    journal: Path,
    *,
    now: Callable[[], float] = time.time,
    wait: Callable[[float], None] = time.sleep,
) -> bool:
    """Whether a table writes this journal now. Where the last beat is young, it takes a moment:
    whether another follows is waited for."""
    before = last_beat(journal)
    if before is None or abs(now() - before.wall) >= _PATIENCE_S:
        return False
    for _ in range(10):
        wait(BEAT_S)
        if last_beat(journal) != before:
            return True
    return False
