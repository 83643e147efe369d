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

    def __init__(self, path: Path, *, create: bool = True) -> None:
        """Open or create the journal at ``path``.

        :raises JournalError: if there is no such file (unless ``create``), it is not a journal,
            or the folder cannot be written.
        """
        self.path = path
        self._lock = threading.Lock()
        if not create and not path.is_file():
            raise JournalError(f"There is no journal at {path}; check the name.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(
                f"The journal {path} cannot be opened ({error}); choose another place with "
                "--journal."
            ) from None
        try:
            application = self._db.execute("PRAGMA application_id").fetchone()[0]
            tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if application != _APPLICATION and tables:
                raise sqlite3.DatabaseError("another program's file")
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            if application != _APPLICATION:  # who only reads must not change the file
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

        :raises JournalError: at a row that is no fact; those before it have been given.
        """
        with self._lock:
            try:
                rows = self._db.execute("SELECT number, json FROM fact ORDER BY number").fetchall()
            except sqlite3.Error as error:
                raise JournalError(
                    f"The journal {self.path} is damaged ({error}); keep the file and start "
                    "from a copy."
                ) from None
        for number, text in rows:
            try:
                yield loads(text)
            except FactError as error:
                raise JournalError(f"{self.path}, fact {number}: {error}") from None

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
