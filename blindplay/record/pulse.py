"""The pulse of a running table: its present time, written ten times a second.

The journal holds the facts. Between two facts only time passes, and a table that is killed
would lose that time. So the table keeps a small file beside its journal with the number of facts,
the digests of the last and the first one, the table's time and the time of day. From it a resumed
table knows where the clocks stood and how long no process ran. It also shows whether facts are
missing at the journal's end, and whether another game lies in its place, which the journal alone
cannot show.
"""

import contextlib
import math
import os
import threading
import zlib
from dataclasses import dataclass
from pathlib import Path

from . import files

BEAT_S = 0.1
"""Seconds between two beats: the most time that a killed table may give back to a clock."""
_SLOT = 128  # bytes of one beat
_SLOTS = 2  # written in turn, so that one beat is whole at any moment


@dataclass(frozen=True)
class Beat:
    """The journal holds ``facts`` facts; ``digest`` is that of the last and ``game`` that of the
    first, empty if unknown. ``t`` is the table's time in ms, ``wall`` the time of day in seconds
    since 1970."""

    facts: int
    digest: str
    t: int
    wall: float
    game: str = ""


class Pulse:
    """Writes beats. A beat that cannot be written is skipped: the table can do without it. Safe to
    use from several threads."""

    def __init__(self, journal: Path) -> None:
        self._path = files.pulse_of(journal)
        self._handle: int | None = None
        self._turn = 0
        self._lock = threading.Lock()

    @property
    def beats(self) -> bool:
        """True if the last beat could be written."""
        return self._handle is not None

    def beat(self, beat: Beat) -> None:
        """Write one beat over the last but one. It is not synced: after a power cut the facts in
        the journal give the time to the second."""
        with self._lock:
            try:
                if self._handle is None:
                    self._handle = files.open_file(self._path, create=True, append=False)
                elif not os.path.samestat(os.fstat(self._handle), os.lstat(self._path)):
                    raise FileNotFoundError  # it was moved; the next beat makes a new file
                self._turn = (self._turn + 1) % _SLOTS
                os.lseek(self._handle, self._turn * _SLOT, os.SEEK_SET)
                files.write(self._handle, _encoded(beat))
            except OSError:
                self.close()

    def forget(self) -> None:
        """Remove the beats of an earlier table."""
        self.close()
        with contextlib.suppress(OSError):
            self._path.unlink()

    def close(self) -> None:
        """Close the file. A later beat opens it again."""
        handle, self._handle = self._handle, None
        if handle is not None:
            with contextlib.suppress(OSError):
                os.close(handle)


def last_beat(journal: Path) -> Beat | None:
    """The last beat of the table with this journal; None if there is no whole one."""
    try:
        with files.pulse_of(journal).open("rb") as file:
            content = file.read(_SLOTS * _SLOT)
    except OSError:
        return None
    beats = (_decoded(content[at : at + _SLOT]) for at in range(0, _SLOTS * _SLOT, _SLOT))
    return max(
        (beat for beat in beats if beat),
        key=lambda beat: (beat.facts, beat.t, beat.wall),
        default=None,
    )


def _encoded(beat: Beat) -> bytes:
    fields = beat.facts, beat.digest or "-", beat.t, f"{beat.wall:.3f}", beat.game or "-"
    body = " ".join(map(str, fields)).encode()
    return (body + b" %08x" % zlib.crc32(body)).ljust(_SLOT - 1) + b"\n"


def _decoded(slot: bytes) -> Beat | None:
    """The beat in a slot; None if it was torn or spoiled."""
    body, _, checksum = slot.strip().rpartition(b" ")
    try:
        if int(checksum, 16) != zlib.crc32(body):
            return None
        facts, digest, t, wall, game = body.decode("ascii").split(" ")
        beat = Beat(int(facts), digest.strip("-"), int(t), float(wall), game.strip("-"))
        return beat if beat.facts >= 0 and math.isfinite(beat.wall) else None
    except ValueError:
        return None
