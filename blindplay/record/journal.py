"""The journal: every fact of one table, one row each, in SQLite.

The journal *is* the game. :meth:`Journal.append` returns only when the row is on the disk, so a
ruling that is announced after it can never be lost: write-ahead logging with ``synchronous=FULL``
syncs at each commit (SQLite's documentation of that pragma).

Each row holds a digest of itself and of the row before it: a chain. What is changed or taken out
later breaks it, and the last link, the journal's seal, stands for the whole game. Whether rows are
missing at the end is told by the pulse (see :mod:`.pulse`).

A file that is deleted or moved while it is open can be written on, and what is written is lost. So
it is looked whether the files still bear their names, and if not, all of it is written anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from blindplay.laws.facts import Fact, FactError, dumps, loads

from .files import around, aside
from .pulse import Beat, Pulse, beside, last_beat

_SCHEMA = """
CREATE TABLE IF NOT EXISTS fact (
    number INTEGER PRIMARY KEY,
    json TEXT NOT NULL,
    chain TEXT
) STRICT
"""
# SQLite quotes what it cannot read, and what is no text cannot be quoted.
_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
_APPLICATION = 0x424C504C  # "BLPL": a journal says of itself that it is one


class JournalError(ValueError):
    """A journal that cannot be opened, read or written; the message says what to do."""


class Journal:
    """The facts of one table. Safe to use from several threads."""

    def __init__(
        self,
        path: Path,
        *,
        create: bool = True,
        read_only: bool = False,
        whatever_happens: bool = False,
        restore: Callable[[], object] | None = None,
        restored: Sequence[Fact] = (),
    ) -> None:
        """Open or create the journal at ``path``.

        With ``read_only`` neither the file nor its folder is changed: a journal is evidence, and
        may lie where nothing can be written. With ``whatever_happens`` one that is there and can
        be read, but not written, is opened all the same: facts are kept until it can be. With
        ``restore`` the file is damaged: it is not touched, and holds ``restored`` after ``restore``
        could be called, which raises :exc:`JournalError` or :exc:`OSError` as long as it cannot.

        :raises JournalError: if there is no such file (unless ``create``), it is not a journal,
            or the folder cannot be written (unless ``read_only`` or ``whatever_happens``).
        """
        self.path = path
        self._lock = threading.Lock()
        self._unwritten: list[str] = []
        self._end = (0, "")  # the number and the chain of the last row
        self._certain = True  # that it is the last
        self._pulse = None if read_only else Pulse(beside(path))
        self._closed = False
        self._files: dict[Path, os.stat_result] = {}  # as they were when they were opened
        if read_only and not path.is_file():
            raise _no_journal(path)
        self.left: Beat | None = None
        """The last beat of the table that had this journal before; None if there is none."""
        self._db: sqlite3.Connection | None
        self._restore = restore
        if restore is not None:
            self._db, self._certain = None, False
            self._unwritten += map(dumps, restored)
            return
        if read_only:
            self._db = _open_to_read(path)
            self.left = last_beat(path)
            return
        try:
            self._db, self._end = _open_to_write(path, create=create)
            self._files = _files_of(path)
        except JournalError:
            if not whatever_happens or not path.is_file():
                raise
            self._db, self._certain = None, False
            self._end = self._read_end()
        if self._end[0]:
            self.left = last_beat(path)
        elif self._pulse is not None:  # one that is there is of a game whose journal is gone
            self._pulse.forget()

    def append(self, fact: Fact) -> None:
        """Write one fact; it is on the disk when this returns.

        A fact that cannot be written is kept, and written before any later one as soon as that
        can be done: the journal has no holes.

        :raises JournalError: if it could not be written (a full disk, a read-only folder).
        """
        self.extend([fact])

    def extend(self, facts: Iterable[Fact]) -> None:
        """Write facts, all or none, as :meth:`append` does one."""
        with self._lock:
            self._unwritten.extend(map(dumps, facts))
            self._write()

    def save(self) -> None:
        """Write what could not be written before.

        :raises JournalError: if it still cannot be; or if the journal was moved or deleted, and
            has been written anew.
        """
        with self._lock:
            if self._unwritten or self._is_moved():
                self._write()

    @property
    def unwritten(self) -> int:
        """How many facts wait until they can be written."""
        return len(self._unwritten)

    @property
    def seal(self) -> str:
        """The digest of everything that has been written; who keeps it can tell later whether
        anything was changed, added or taken away. Empty while there is no fact."""
        return self._end[1]

    def beat(self, t: int) -> None:
        """Leave word beside the journal that the table's time is ``t`` ms; never fails, waits for
        nothing but this."""
        if self._pulse is not None and not self._closed and self._restore is None:
            number, chain = self._end
            self._pulse.beat(Beat(number, chain, t, time.time()))

    def _write(self) -> None:
        """Write all that waits, in one transaction: wholly or not at all."""
        moved = False
        try:
            if self._closed:
                raise sqlite3.ProgrammingError("it is closed")
            while True:
                if self._is_moved():
                    self._begin_anew()
                    moved = True
                self._put()
                if not self._is_moved():
                    break
        except sqlite3.IntegrityError:
            raise JournalError(
                f"The journal {self.path} cannot be written, because somebody else has written "
                "into it; if another table plays this game, close one of them, and keep the "
                "scoresheets by hand meanwhile."
            ) from None
        except (OSError, ValueError, sqlite3.Error) as error:
            raise JournalError(
                f"The journal {self.path} cannot be written ({error}); "
                "make room on the disk, and keep the scoresheets by hand meanwhile."
            ) from None
        if moved:
            raise JournalError(
                f"The journal {self.path} was moved or deleted during the game. All of it has been "
                "written there once more; leave it where it is."
            )

    def _put(self) -> None:
        if self._restore is not None:
            self._restore()
            self._restore = None
        if self._db is None:
            # Only what nothing is to stand before may begin a new file.
            self._db, _ = _open_to_write(self.path, create=not self._end[0])
            self._files = _files_of(self.path)
        if not self._certain:
            self._find_end(self._db)
        number, chain = self._end
        rows = []
        for text in self._unwritten:
            number, chain = number + 1, linked(chain, text)
            rows.append((number, text, chain))
        self._certain = False
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.executemany("INSERT INTO fact VALUES (?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.Error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        self._unwritten.clear()
        self._end, self._certain = (number, chain), True

    def _is_moved(self) -> bool:
        """Whether what is written no longer comes into the files that bear the journal's names."""
        files = self._files.items() if self._db is not None else ()
        return not all(_still_there(file, opened) for file, opened in files)

    def _begin_anew(self) -> None:
        """What was written into files that are elsewhere now waits once more to be written."""
        assert self._db is not None
        # A disk was taken away, and may come back; or what we had opened last was not ours.
        with contextlib.suppress(sqlite3.Error):
            if not self._certain:
                self._find_end(self._db)
            rows = self._db.execute("SELECT json FROM fact ORDER BY number").fetchall()
            self._unwritten[:0] = [text for (text,) in rows]
            self._end = (0, "")
        self._certain = False
        # Before a new one is opened: SQLite knows the files beside a database by their names.
        self._db.close()
        self._db = None
        name, *besides = self._files.items()
        if not _still_there(*name):  # or SQLite would write our log into whatever is there now
            to = _free(self.path)
            for (file, opened), new in zip(besides, around(to), strict=False):
                if _still_there(file, opened):
                    file.replace(new)

    def _find_end(self, db: sqlite3.Connection) -> None:
        """After a failure: whether it failed before or after the rows were there."""
        number, chain = _end_of(db)
        ours = self._end
        written = 0
        while ours[0] < number and written < len(self._unwritten):
            ours = ours[0] + 1, linked(ours[1], self._unwritten[written])
            written += 1
        if ours != (number, chain):
            raise sqlite3.IntegrityError("somebody else has written into it")
        del self._unwritten[:written]
        self._end = ours

    def _read_end(self) -> tuple[int, str]:
        db = _open_to_read(self.path)
        try:
            return _end_of(db)
        except _UNREADABLE as error:
            raise JournalError(f"The journal {self.path} cannot be read ({error}).") from None
        finally:
            db.close()

    def facts(self) -> Iterator[Fact]:
        """All facts in the order in which they were written.

        :raises JournalError: at a row that is no fact or not as it was written, or where rows are
            missing: what comes after them would be another game. Those before it have been given.
        """
        if self._restore is not None:
            yield from [loads(text) for text in self._unwritten]
            return
        beat = last_beat(self.path)  # before the rows: a table that runs goes on meanwhile
        rows: list[tuple[int, str, str | None]] = []
        damage: object = None
        with self._lock:
            db = None
            try:
                db = self._db or _open_to_read(self.path)
                chained = _is_chained(db)
                column = "chain" if chained else "NULL"
                rows.extend(db.execute(f"SELECT number, json, {column} FROM fact ORDER BY number"))
            except (*_UNREADABLE, JournalError) as error:
                damage = error
            finally:
                if db is not None and db is not self._db:
                    db.close()
        before = ""
        for expected, (number, text, chain) in enumerate(rows, 1):
            if number < expected:
                damage = damage or "its rows are in disorder"
                break
            if number != expected:
                raise self._lacking(expected, number - 1)
            if chained and chain != linked(before, text):
                raise JournalError(
                    f"The journal {self.path} was changed at fact {number}, so what comes from "
                    "there on cannot be relied on; keep the file as it is and go by the "
                    "scoresheets from there."
                )
            try:
                yield loads(text)
            except FactError as error:
                raise JournalError(f"{self.path}, fact {number}: {error}") from None
            before = chain or ""
        if damage is not None:
            raise JournalError(
                f"The journal {self.path} is damaged ({damage}); keep the file and start "
                "from a copy."
            )
        if beat is not None and beat.facts > len(rows):
            raise self._lacking(len(rows) + 1, beat.facts)
        if beat is not None and chained and beat.facts and rows[beat.facts - 1][2] != beat.chain:
            raise JournalError(
                f"The journal {self.path} is not the one that its table left: "
                f"{beside(self.path).name} beside it tells of another; keep both as they are."
            )

    def _lacking(self, first: int, last: int) -> JournalError:
        missing = f"fact {first}" if first == last else f"facts {first} to {last}"
        return JournalError(
            f"The journal {self.path} lacks {missing}, so what comes after cannot be "
            "relied on; keep the file as it is and go by the scoresheets from there."
        )

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._db is not None:
                self._db.close()
                self._db = None
        if self._pulse is not None:
            self._pulse.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def linked(before: str, text: str) -> str:
    """The chain's next link after ``before``: half a SHA-256 in hexadecimal digits."""
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()[:32]


def _is_chained(db: sqlite3.Connection) -> bool:
    """Journals were once written without.

    :raises sqlite3.Error: if the table is neither as it is nor as it was then.
    """
    columns = [row[1] for row in db.execute("PRAGMA table_info(fact)")]
    if columns[:2] != ["number", "json"] or columns[2:] not in ([], ["chain"]):
        raise sqlite3.DatabaseError("it has no table of facts")
    return bool(columns[2:])


def _end_of(db: sqlite3.Connection) -> tuple[int, str]:
    column = "chain" if _is_chained(db) else "NULL"
    last = db.execute(f"SELECT number, {column} FROM fact ORDER BY number DESC LIMIT 1").fetchone()
    return (0, "") if last is None else (last[0], last[1] or "")


def _open_to_write(path: Path, *, create: bool) -> tuple[sqlite3.Connection, tuple[int, str]]:
    """The journal at ``path``, and the number and the chain of its last fact."""
    if not create and not path.is_file():
        raise _no_journal(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(path, timeout=1, check_same_thread=False, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(
            f"The journal {path} cannot be opened ({error}); choose another place with --journal."
        ) from None
    try:
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables or not create:  # only what is empty may be made a journal, and if wanted
            _check(db)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        if not tables:
            db.execute(f"PRAGMA application_id={_APPLICATION}")
            db.execute(_SCHEMA)
        elif not _is_chained(db):
            _chain(db)
        return db, _end_of(db)
    except _UNREADABLE as error:
        db.close()
        raise JournalError(
            f"{path} cannot be used as a BlindPlay journal ({error}); choose another file "
            "with --journal."
        ) from None


def _no_journal(path: Path) -> JournalError:
    return JournalError(f"There is no journal at {path}; check the name.")


def _files_of(path: Path) -> dict[Path, os.stat_result]:
    """The files that a journal which is open is written into, the database first."""
    name = path.resolve()
    found = {name: name.stat()}
    for file in around(name)[:2]:
        with contextlib.suppress(OSError):
            found[file] = file.stat()
    return found


def _still_there(file: Path, opened: os.stat_result) -> bool:
    """Whether this is the name of the file that was ``opened``."""
    try:
        now = file.stat()
        # Where a system does not tell files apart, as Windows of one it may not open, it is ours.
        return not (now.st_ino and opened.st_ino) or os.path.samestat(now, opened)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # a disk that cannot be asked cannot be written either, and says so itself
        return True


def _free(path: Path) -> Path:
    """A name for what is left of a journal that was moved, where nothing lies yet."""
    names = (aside(path, f"moved-{number}") for number in itertools.count(1))
    return next(name for name in names if not any(file.exists() for file in around(name)))


def _chain(db: sqlite3.Connection) -> None:
    """Give a journal that was written without it its chain, as it is found."""
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("ALTER TABLE fact ADD COLUMN chain TEXT")
        chain = ""
        for number, text in db.execute("SELECT number, json FROM fact ORDER BY number").fetchall():
            chain = linked(chain, text)
            db.execute("UPDATE fact SET chain = ? WHERE number = ?", (chain, number))
        db.execute("COMMIT")
    except sqlite3.Error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _open_to_read(path: Path) -> sqlite3.Connection:
    """The journal at ``path``, for reading only.

    Even a reader of a database with a write-ahead log makes two files beside it, unless it is told
    that the file cannot change. That may be said where no log is left: a table that runs, or was
    killed, has one, and its last facts stand only there.
    """
    log = path.resolve().with_name(path.resolve().name + "-wal")
    unchanging = not log.exists() or not log.stat().st_size
    name = quote(path.absolute().as_posix(), safe="/:")
    uri = f"file://{name if name.startswith('/') else f'/{name}'}?mode=ro"
    try:
        db = sqlite3.connect(
            f"{uri}&immutable=1" if unchanging else uri, uri=True, check_same_thread=False
        )
        # What is no text any more is found out by its digest, and is nothing to be read aloud.
        db.text_factory = lambda raw: raw.decode("utf-8", "replace")
        try:
            _check(db)
        except _UNREADABLE:
            db.close()
            raise
    except _UNREADABLE as error:
        raise JournalError(
            f"{path} cannot be read as a BlindPlay journal ({error}); check the name, or copy it "
            "with the files beside it to a folder of your own."
        ) from None
    return db


def _check(db: sqlite3.Connection) -> None:
    """:raises sqlite3.Error: if this is no journal, or cannot be read."""
    if db.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        empty = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        raise sqlite3.DatabaseError("there is nothing in it" if empty else "another program's file")
