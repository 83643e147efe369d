"""Lines that have come to a hall and have no place in a copy yet."""

from collections.abc import Iterable

from blindplay.record import chain

from .copies import JournalCopy, follows
from .protocol import number_of

_MOST = 5000  # lines of one table; later ones are dropped, and requested again


class WaitingLines:
    """The lines of one table that wait for lines before them, or for a word of the table."""

    def __init__(self) -> None:
        self._lines: dict[int, dict[bytes, float]] = {}  # by number, with the time of coming
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
        """The lines that came before ``moment``, by their numbers."""
        found = (lines.items() for _, lines in sorted(self._lines.items()))
        return [line for lines in found for line, since in lines if since < moment]

    def next_of(self, copy: JournalCopy) -> bytes | None:
        """A line that continues the copy; None if there is none."""
        number = copy.number + 1
        return next((line for line in self._at(number) if copy.fits(line, number)), None)

    def branch(self, copy: JournalCopy, number: int, digest: str) -> list[bytes]:
        """The lines that lead from a line of the copy to the one with this number and digest; none
        if one of them lacks."""
        found: list[bytes] = []
        while number > 0:
            step = self._step(copy, number, digest)
            if step is None:
                return []
            line, digest = step
            found.insert(0, line)
            if copy.fits(line, number):
                return found
            number -= 1
        return []

    def _step(self, copy: JournalCopy, number: int, digest: str) -> tuple[bytes, str] | None:
        """The line with this number and digest that follows one that is known, and the digest of
        that one."""
        for line in self._at(number):
            if chain.digest_of(line) != digest:
                continue
            if copy.fits(line, number):
                return line, copy.digest(number - 1)
            for before in self._at(number - 1):
                if follows(line, number, chain.digest_of(before)):
                    return line, chain.digest_of(before)
        return None

    def _at(self, number: int) -> Iterable[bytes]:
        return self._lines.get(number, {})
