"""A hall's copy of one journal, with the same bytes as at the table, and the lines that wait for
lines before them."""

import contextlib
import itertools
import os
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path

from blindplay.given import whole_lines
from blindplay.record import files
from blindplay.record.chain import DIGITS, checked, digest_of
from blindplay.translation import _

from .protocol import number_of

_BYTES = DIGITS // 2  # of a digest


class JournalCopy:
    """The lines of one game up to the last one that fits.

    New lines wait in memory for :meth:`flush`. They are not synced: lines lost in a power cut are
    requested again. The file is closed after each write, since a hall has a thousand of them.
    """

    def __init__(self, path: Path, game: str) -> None:
        """``game`` is the digest of the first line. An existing file is read; its damaged end is
        overwritten later."""
        self.path = path
        self.game = game
        self._digests = bytearray()
        self._ends = array("Q")  # where each line ends in the file
        self._unwritten = bytearray()
        self._written = 0  # number of bytes in the file
        self._clean = True  # and nothing else is
        self._load()

    def _load(self) -> None:
        self._digests.clear()
        del self._ends[:]
        self._unwritten.clear()
        self._written = 0
        self._clean = True
        with contextlib.suppress(OSError), self.path.open("rb") as file:
            self._clean = False
            for line in whole_lines(file):
                if not self.fits(line, self.number + 1):
                    return
                self._note(line)
                self._written += len(line)
            self._clean = True

    @property
    def number(self) -> int:
        """The number of lines."""
        return len(self._ends)

    @property
    def size(self) -> int:
        """The length of all lines, in bytes."""
        return self._ends[-1] if self._ends else 0

    @property
    def waits(self) -> bool:
        """True if there are lines to write, or the file has others to remove."""
        return bool(self._unwritten) or not self._clean

    def digest(self, number: int) -> str:
        """The digest of a line; empty for line 0."""
        return self._digests[_BYTES * (number - 1) : _BYTES * number].hex() if number else ""

    @property
    def end(self) -> tuple[int, str]:
        """The number and the digest of the last line; 0 and empty if there is none."""
        return self.number, self.digest(self.number)

    def reaches(self, number: int, digest: str) -> bool:
        """Return whether line ``number`` is in the copy and has this digest."""
        return self.number >= number and self.digest(number) == digest

    def fits(self, line: bytes, number: int) -> bool:
        """Return whether ``line`` is whole, and may be line ``number`` of this game."""
        if not line.endswith(b"\n") or number > self.number + 1:
            return False
        if number == 1 and digest_of(line) != self.game:
            return False
        return follows(line, number, self.digest(number - 1))

    def has(self, line: bytes, number: int) -> bool:
        """Return whether ``line`` is line ``number`` of this copy."""
        if not 0 < number <= self.number or digest_of(line) != self.digest(number):
            return False
        return self.fits(line, number)

    def append(self, line: bytes) -> None:
        """Add the next line, which :meth:`fits`."""
        self._note(line)
        self._unwritten += line

    def _note(self, line: bytes) -> None:
        self._digests += bytes.fromhex(digest_of(line))
        self._ends.append(self.size + len(line))

    def lines(self, first: int = 1) -> Iterator[bytes]:
        """The lines from number ``first`` on.

        :raises OSError: if the file cannot be read.
        """
        begin = self._ends[first - 2] if first > 1 else 0
        content = b""
        if begin < self._written:
            with self.path.open("rb") as file:
                file.seek(begin)
                content = file.read(self._written - begin)
        content += self._unwritten[max(0, begin - self._written) :]
        yield from content.splitlines(keepends=True)

    def cut(self, number: int) -> None:
        """Take away all lines after ``number``.

        :raises OSError: if the waiting lines cannot be written.
        """
        self.flush()
        del self._ends[number:], self._digests[_BYTES * number :]
        self._written, self._clean = self.size, False

    def flush(self) -> None:
        """Write the waiting lines.

        :raises OSError: if it cannot be written. Then the copy ends where the file ends, and the
            lines must be requested again.
        """
        if not self.waits:
            return
        try:
            self._put()
        except OSError:
            self._load()
            raise

    def _put(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = files.open_file(self.path, create=True, append=False)
        try:
            if os.fstat(handle).st_size < self._written:
                raise OSError(_("somebody has shortened it"))
            os.lseek(handle, self._written, os.SEEK_SET)
            files.write(handle, bytes(self._unwritten))
            if not self._clean or os.fstat(handle).st_size != self.size:
                files.truncate(handle, self.size)
        finally:
            os.close(handle)
        self._written, self._clean = self.size, True
        self._unwritten.clear()


_BRANCHES = "branches"
_MOST_BRANCHES = 8  # of one game; an impostor must not fill the disk


def branches_of(path: Path) -> list[Path]:
    """The other versions of the game in the copy ``path`` that a table has published, each as a
    whole journal."""
    return sorted(path.parent.joinpath(_BRANCHES).glob(f"{path.stem}-*{files.SUFFIX}"))


class Branches:
    """The versions of one game that contradict the hall's copy of it: perhaps it went on at two
    machines. They are kept beside the copy, so that no record is lost."""

    def __init__(self, copy: JournalCopy) -> None:
        self._copy = copy
        self._kept = [JournalCopy(path, copy.game) for path in branches_of(copy.path)]

    def __iter__(self) -> Iterator[JournalCopy]:
        return iter(self._kept)

    @property
    def full(self) -> bool:
        return len(self._kept) >= _MOST_BRANCHES

    def reach(self, number: int, digest: str) -> bool:
        """Return whether one of them has line ``number`` with this digest."""
        return any(branch.reaches(number, digest) for branch in self._kept)

    def keep(self, lines: list[bytes]) -> bool:
        """Keep ``lines``; the first follows a line of the copy or of a branch. False if there are
        too many branches, or the lines follow none: then they are nowhere else.

        :raises OSError: if they cannot be written.
        """
        first = number_of(lines[0])
        branch = next((one for one in self._kept if _goes_on(one, lines, first)), None)
        if branch is None:
            roots = [copy for copy in (*self._kept, self._copy) if copy.fits(lines[0], first)]
            if self.full or not roots:
                return False
            new = next(line for number, line in enumerate(lines, first)
                       if not any(one.has(line, number) for one in self._kept))  # fmt: skip
            name = f"{self._copy.game}-{digest_of(new)[:8]}{files.SUFFIX}"
            branch = JournalCopy(self._copy.path.parent / _BRANCHES / name, self._copy.game)
            # A disk that was full may have taken a part of it before.
            for line in itertools.islice(roots[0].lines(), branch.number, first - 1):
                branch.append(line)
        for number, line in enumerate(lines, first):
            if number == branch.number + 1 and branch.fits(line, number):
                branch.append(line)
        branch.flush()
        if branch not in self._kept:
            self._kept.append(branch)
        return branch.has(lines[-1], first + len(lines) - 1)


def _goes_on(branch: JournalCopy, lines: list[bytes], first: int) -> bool:
    """Return whether ``lines``, of which the first has the number ``first``, are in the branch, or
    continue it."""
    if branch.number == first - 1:
        return branch.fits(lines[0], first)
    common = lines[: max(0, branch.number - first + 1)]
    return bool(common) and branch.has(common[-1], first + len(common) - 1)


def follows(line: bytes, number: int, before: str) -> bool:
    """Return whether ``line``, with its line feed, is whole and follows the digest ``before`` as
    line ``number``."""
    try:
        checked(line[:-1], number, before)
    except (ValueError, RecursionError):
        return False
    return True


_MOST = 5000  # lines of one table; later ones are dropped, and requested again


class WaitingLines:
    """The lines of one table that wait for lines before them, or for a head that names them."""

    def __init__(self) -> None:
        self._lines: dict[int, dict[bytes, float]] = {}  # by number, with the time of arrival
        self._count = 0

    def __bool__(self) -> bool:
        return self._count > 0

    @property
    def last(self) -> int:
        """The largest number; 0 if there is no line."""
        return max(self._lines, default=0)

    def add(self, line: bytes, now: float) -> None:
        number = number_of(line)
        if self._count < _MOST and line not in self._at(number):
            self._lines.setdefault(number, {})[line] = now
            self._count += 1

    def remove(self, line: bytes) -> None:
        number = number_of(line)
        del self._lines[number][line]
        self._count -= 1
        if not self._lines[number]:
            del self._lines[number]

    def older_than(self, moment: float) -> list[bytes]:
        """The lines that arrived before ``moment``, by their numbers."""
        by_number = (lines.items() for _, lines in sorted(self._lines.items()))
        return [line for lines in by_number for line, since in lines if since < moment]

    def next_of(self, copy: JournalCopy) -> bytes | None:
        """A line that continues the copy; None if there is none."""
        number = copy.number + 1
        return next((line for line in self._at(number) if copy.fits(line, number)), None)

    def branch(self, copy: JournalCopy, number: int, digest: str) -> list[bytes]:
        """The lines that lead from a line of the copy to the one with this number and digest; none
        if one of them lacks."""
        branch: list[bytes] = []
        while number > 0:
            step = self._step(copy, number, digest)
            if step is None:
                return []
            line, digest = step
            branch.insert(0, line)
            if copy.fits(line, number):
                return branch
            number -= 1
        return []

    def _step(self, copy: JournalCopy, number: int, digest: str) -> tuple[bytes, str] | None:
        """The line with this number and digest that follows one that is known, and the digest of
        that one."""
        for line in self._at(number):
            if digest_of(line) != digest:
                continue
            if copy.fits(line, number):
                return line, copy.digest(number - 1)
            for before in self._at(number - 1):
                if follows(line, number, digest_of(before)):
                    return line, digest_of(before)
        return None

    def _at(self, number: int) -> Iterable[bytes]:
        return self._lines.get(number, {})
