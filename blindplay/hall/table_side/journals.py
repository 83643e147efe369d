"""The journals of a table at an event: the present one, those of earlier games, which a hall may
request later, and their signatures."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from blindplay.record import JournalError, files, read_journal, signatures
from blindplay.record.journal import JournalContents, digest_of
from blindplay.record.signatures import RulingsDigest, SignedStatement
from blindplay.table.table import Table
from blindplay.translation import _
from blindplay.version import VERSION

from ..event_file import EventFile
from ..protocol import MOST_BYTES, LinesWanted, Request, RequestAnswer


def mark_journal(journal: Path, joined: EventFile) -> bool:
    """Note the event and the table beside the journal; False if the disk cannot be written."""
    with contextlib.suppress(OSError):
        files.write_new(files.beside(journal, ".hall"), _membership(joined))
        return True
    return False


def game_ends(folder: Path, joined: EventFile, journal: Path | None = None) -> dict[str, list[Any]]:
    """The number and the digest of the last line of each of this table's games in ``folder``,
    but for the one in ``journal``."""
    return {game: list(entry.end) for game, entry in _games(folder, joined, journal).items()}


def _games(folder: Path, joined: EventFile, journal: Path | None) -> dict[str, JournalContents]:
    """The games by their names. If a game has several journals, the longest counts."""
    games: dict[str, JournalContents] = {}
    for path in earlier_journals(folder, joined, journal):
        with contextlib.suppress(JournalError):
            content = read_journal(path)
            known = games.get(content.game)
            if content.facts and (known is None or known.end < content.end):
                games[content.game] = content
    return games


def earlier_lines(
    ask: LinesWanted, folder: Path, joined: EventFile, journal: Path | None = None
) -> Iterator[bytes]:
    """Messages with the requested lines of an earlier game."""
    content = _games(folder, joined, journal).get(ask.game)
    if content is not None:
        yield from batches(content.whole.splitlines(keepends=True)[ask.start - 1 :])


def batches(all_lines: list[bytes]) -> list[bytes]:
    """The lines, joined to as few messages as they fit into."""
    messages = [b""]
    for line in all_lines:
        if messages[-1] and len(messages[-1]) + len(line) > MOST_BYTES:
            messages.append(b"")
        messages[-1] += line
    return [message for message in messages if message]


def _membership(joined: EventFile) -> bytes:
    return json.dumps({"event": joined.event, "table": joined.table}).encode()


def earlier_journals(folder: Path, joined: EventFile, journal: Path | None = None) -> list[Path]:
    """The journals of this table's games at the event in ``folder``, but for ``journal``."""
    journals: list[Path] = []
    for mark in sorted(folder.glob("*.hall")):
        with contextlib.suppress(OSError):
            if mark.read_bytes() == _membership(joined):
                journals += filter(Path.is_file, files.journals_of(mark))
    return [path for path in journals if path != journal]


class JournalLines:
    """The lines of the table's journal that are on the disk."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._ends = [0]
        self.game = ""
        """The digest of the first line; empty while there is none."""

    @property
    def number(self) -> int:
        return len(self._ends) - 1

    def read(self) -> None:
        """Find the lines that have been added. Lines that are not synced yet are left out.

        :raises OSError: if the file cannot be read.
        """
        number, _rest = self._table.written
        if number <= self.number:
            return
        with self._table.path.open("rb") as file:
            file.seek(self._ends[-1])
            for line in file:
                if self.number == number or not line.endswith(b"\n"):
                    break
                self.game = self.game or digest_of(line)
                self._ends.append(self._ends[-1] + len(line))

    def reach(self, number: int, digest: str) -> bool:
        """Return whether line ``number`` is there, and has this digest.

        :raises OSError: if the file cannot be read.
        """
        if not 0 < number <= self.number:
            return False
        with self._table.path.open("rb") as file:
            file.seek(self._ends[number - 1])
            return digest_of(file.readline()) == digest

    def batch(self, index: int) -> tuple[bytes, int]:
        """Some lines from ``index`` on, as one message, and how many they are.

        :raises OSError: if the file cannot be read.
        """
        last = index + 1
        while last < self.number and self._ends[last + 1] - self._ends[index] <= MOST_BYTES:
            last += 1
        with self._table.path.open("rb") as file:
            file.seek(self._ends[index])
            return file.read(self._ends[last] - self._ends[index]), last - index


class JournalSigner:
    """Signs the journal of one table with the key in its event's file, if there is one.

    Use it in one thread.
    """

    def __init__(self, table: Table, joined: EventFile) -> None:
        self._table = table
        self._joined = joined
        self._signed = 0  # up to this line
        with contextlib.suppress(OSError, signatures.SignatureError):
            for line in signatures.lines_of(table.path):
                self._signed = max(self._signed, signatures.read_line(line).n)

    def sign_end(self, game: str) -> bool:
        """Sign the journal if the game is over and that was not done yet; True if it was done now.
        ``game`` is the digest of the first line."""
        over = self._joined.key and self._table.game.over
        if not over or self._table.written[0] <= self._signed:
            return False
        with contextlib.suppress(OSError):  # a full disk ends no game; the next round tries again
            return bool(self.sign(game))
        return False

    def sign(self, game: str) -> bytes:
        """Sign the journal as it is now. The line, or nothing if a part of it is not on the disk.

        :raises OSError: if the signature cannot be written.
        """
        with self._table.lock:
            number, digest = self._table.written
            if not (number and self._table.whole):
                return b""
            rulings = RulingsDigest()
            for taken in self._table.log:
                rulings.add(taken.rulings)
            statement = SignedStatement(
                self._joined.event, self._joined.table, game, number, digest, signatures.now(),
                **signatures.outcome(self._table.game), rulings=rulings.digest,
                version=VERSION, key=signatures.public_key(self._joined.key),
            )  # fmt: skip
        line = signatures.signed(statement, self._joined.key)
        signatures.add(self._table.path, line)
        self._signed = number
        return line

    def answer(self, request: Request, game: str) -> RequestAnswer:
        """Answer a request of the kind ``sign``."""
        if not self._joined.key:
            return self._refused(request, _("This table has no key; it cannot sign."))
        try:
            line = self.sign(game)
        except OSError:
            line = b""
        if not line:
            return self._refused(request, _("The table cannot write now; ask again later."))
        return RequestAnswer(
            request.id, "done", self._signed, body={"signature": line.decode().rstrip()}
        )

    def _refused(self, request: Request, why: str) -> RequestAnswer:
        return RequestAnswer(request.id, "refused", self._table.written[0], [why])
