"""The journal: every fact of one table, one row each, in SQLite.

The journal *is* the game. :meth:`Journal.append` returns only when the row is on the disk, so a
ruling that is announced after it can never be lost: write-ahead logging with ``synchronous=FULL``
syncs at each commit (SQLite's documentation of that pragma).
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from blindplay.laws.facts import Fact, FactError, dumps, loads

_SCHEMA = """
CREATE TABLE IF NOT EXISTS fact (
    number INTEGER PRIMARY KEY,
    json TEXT NOT NULL
) STRICT
"""
_APPLICATION = 0x424C504C  # "BLPL": a journal says of itself that it is one


class JournalError(ValueError):
    """A journal that cannot be opened, read or written; the message says what to do."""


class Journal:
    """The facts of one table. Safe to use from several threads."""

    def __init__(self, path: Path, *, create: bool = True, read_only: bool = False) -> None:
        """Open or create the journal at ``path``.

        With ``read_only`` neither the file nor its folder is changed: a journal is evidence, and
        may lie where nothing can be written.

        :raises JournalError: if there is no such file (unless ``create``), it is not a journal,
            or the folder cannot be written (unless ``read_only``).
        """
        self.path = path
        self._lock = threading.Lock()
        if (read_only or not create) and not path.is_file():
            raise JournalError(f"There is no journal at {path}; check the name.")
        if read_only:
            self._db = _open_to_read(path)
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(
                f"The journal {path} cannot be opened ({error}); choose another place with "
                "--journal."
            ) from None
        try:
            tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if tables or not create:  # only what is empty may be made a journal, and if wanted
                _check(self._db)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            if not tables:
                self._db.execute(f"PRAGMA application_id={_APPLICATION}")
                self._db.execute(_SCHEMA)
        except sqlite3.Error as error:
            self._db.close()
            raise JournalError(
                f"{path} cannot be used as a BlindPlay journal ({error}); choose another file "
                "with --journal."
            ) from None

    def append(self, fact: Fact) -> None:
        """Write one fact; it is on the disk when this returns.

        :raises JournalError: if it could not be written (a full disk, a read-only folder).
        """
        with self._lock:
            try:
                self._db.execute("INSERT INTO fact (json) VALUES (?)", (dumps(fact),))
            except sqlite3.Error as error:
                raise JournalError(
                    f"The journal {self.path} cannot be written ({error}); "
                    "make room on the disk, and keep the scoresheets by hand meanwhile."
                ) from None

    def facts(self) -> Iterator[Fact]:
        """All facts in the order in which they were written.

        :raises JournalError: at a row that is no fact, or where rows are missing: what comes
            after them would be another game. Those before it have been given.
        """
        rows: list[tuple[int, str]] = []
        damage = None
        with self._lock:
            try:
                rows.extend(self._db.execute("SELECT number, json FROM fact ORDER BY number"))
            except sqlite3.Error as error:
                damage = error
        for expected, (number, text) in enumerate(rows, 1):
            if number != expected:
                alone = number == expected + 1
                missing = f"fact {expected}" if alone else f"facts {expected} to {number - 1}"
                raise JournalError(
                    f"The journal {self.path} lacks {missing}, so what comes after cannot be "
                    "relied on; keep the file as it is and go by the scoresheets from there."
                )
            try:
                yield loads(text)
            except FactError as error:
                raise JournalError(f"{self.path}, fact {number}: {error}") from None
        if damage is not None:
            raise JournalError(
                f"The journal {self.path} is damaged ({damage}); keep the file and start "
                "from a copy."
            )

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


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
        try:
            _check(db)
        except sqlite3.Error:
            db.close()
            raise
    except sqlite3.Error as error:
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
