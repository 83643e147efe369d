"""The journals of a table at an event: the present one, those of earlier games, which a hall may
request later, and their signatures."""

import contextlib
import functools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blindplay.laws import FactError, Game
from blindplay.laws.facts import Setup
from blindplay.own_files import read_object
from blindplay.record import JournalError, files, read_journal, signatures
from blindplay.record.chain import digest_of
from blindplay.record.signatures import RulingsDigest, SignedStatement
from blindplay.table.table import Table
from blindplay.translation import _
from blindplay.version import VERSION
from blindplay.wording.pack_words import PackWords
from blindplay.wording.values import Pairing

from ..event_file import EventFile
from ..protocol import MOST_BYTES, LinesWanted, Request, RequestAnswer


def mark_journal(journal: Path, joined: EventFile) -> bool:
    """Note the event and the table beside the journal; False if the disk cannot be written."""
    with contextlib.suppress(OSError):
        content = json.dumps(_membership(joined)).encode()
        files.write_new(files.beside(journal, ".hall"), content)
        return True
    return False


def game_ends(folder: Path, joined: EventFile, journal: Path | None = None) -> dict[str, list[Any]]:
    """The number and the digest of the last line of each of this table's games in ``folder``,
    but for the one in ``journal``."""
    return {game: list(end) for game, (end, _path) in _games(folder, joined, journal).items()}


def _games(
    folder: Path, joined: EventFile, journal: Path | None
) -> dict[str, tuple[tuple[int, str], Path]]:
    """The end and the journal of each game, by the games' names. If a game has several journals,
    the longest counts."""
    games: dict[str, tuple[tuple[int, str], Path]] = {}
    for path in earlier_journals(folder, joined, journal):
        with contextlib.suppress(OSError, JournalError):
            stands = path.stat()
            game, end = _game_in(path, stands.st_size, stands.st_mtime_ns)
            if end[0] and (game not in games or games[game][0] < end):
                games[game] = end, path
    return games


@functools.lru_cache(maxsize=256)
def _game_in(path: Path, size: int, changed: int) -> tuple[str, tuple[int, str]]:
    """The name of the game in a journal, and the end of what is proved of it. A journal is read
    once while its ``size`` and the time at which it was ``changed`` stay.

    :raises JournalError: if it cannot be read.
    """
    content = read_journal(path)
    return content.game, content.proved_end


def earlier_lines(
    ask: LinesWanted, folder: Path, joined: EventFile, journal: Path | None = None
) -> Iterator[bytes]:
    """Messages with the requested lines of an earlier game."""
    _end, path = _games(folder, joined, journal).get(ask.game, (None, None))
    if path is not None:
        with contextlib.suppress(JournalError):
            lines = read_journal(path).proved.splitlines(keepends=True)
            yield from batches(lines[ask.start - 1 :])


def batches(all_lines: list[bytes]) -> list[bytes]:
    """The lines, joined to as few messages as they fit into."""
    messages = [b""]
    for line in all_lines:
        if messages[-1] and len(messages[-1]) + len(line) > MOST_BYTES:
            messages.append(b"")
        messages[-1] += line
    return [message for message in messages if message]


def _membership(joined: EventFile) -> dict[str, str]:
    return {"event": joined.event, "table": joined.table}


def earlier_journals(folder: Path, joined: EventFile, journal: Path | None = None) -> list[Path]:
    """The journals of this table's games at the event in ``folder``, but for ``journal``."""
    journals: list[Path] = []
    for mark in sorted(folder.glob("*.hall")):
        if read_object(mark) == _membership(joined):
            journals += filter(Path.is_file, files.journals_of(mark))
    return [path for path in journals if path != journal]


@dataclass(frozen=True)
class BegunGame:
    """A game that a table has begun, and whether it is over."""

    journal: Path
    over: bool


def begun_game(
    folders: Iterable[Path], joined: EventFile, pairing: Pairing, journal: Path | None = None
) -> BegunGame | None:
    """Return the game of ``pairing`` if this table has begun it, by a journal in ``folders`` but
    for ``journal``. If there are several journals of one game, the longest counts, as where the
    hall requests lines: a shorter one is a copy that was made before. If there are several games,
    one that is not over counts."""
    found: dict[str, tuple[int, BegunGame]] = {}  # by the games' names
    for path in (path for one in folders for path in earlier_journals(one, joined, journal)):
        with contextlib.suppress(JournalError, FactError):
            content = read_journal(path)
            facts, number = content.facts, content.proved_end[0]
            if (
                facts
                and number > found.get(content.game, (0,))[0]
                and isinstance(facts[0], Setup)
                and is_game_of(facts[0], pairing)
            ):
                game = Game(PackWords())
                for fact in facts:
                    game.apply(fact)
                if game.started or game.over:
                    found[content.game] = number, BegunGame(path, game.over)
    best = max(found.values(), key=lambda one: (not one[1].over, one[0]), default=None)
    return None if best is None else best[1]


def unreadable_journal(folders: Iterable[Path], joined: EventFile) -> Path | None:
    """Return a journal of this table's games in ``folders`` that cannot be read."""
    for path in (path for one in folders for path in earlier_journals(one, joined)):
        try:
            read_journal(path)
        except JournalError:
            return path
    return None


def is_game_of(setup: Setup, pairing: Pairing) -> bool:
    """Return whether ``setup`` is of the game of ``pairing``, at whatever table."""
    played = setup.round, setup.white.name, setup.black.name
    return played == (pairing.round, pairing.white, pairing.black)


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
