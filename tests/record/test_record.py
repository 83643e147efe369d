"""What stays of a game: the journal."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError

FACTS = [f.Setup(t=0), f.Start(t=1), f.Announce(t=2, by="white", text="Läufer\n\0"), f.Tick(t=3)]
WRITER = """
import sys, pathlib
from blindplay.laws.facts import Tick
from blindplay.record import Journal
journal = Journal(pathlib.Path(sys.argv[1]))
for t in range(10**6):
    journal.append(Tick(t=t))
    print(t, flush=True)
"""


def test_a_journal_gives_back_its_facts_also_when_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "table.db"
    with Journal(path) as journal:
        for fact in FACTS[:2]:
            journal.append(fact)
    with Journal(path, create=False) as journal:
        for fact in FACTS[2:]:
            journal.append(fact)
        assert list(journal.facts()) == FACTS
    assert sqlite3.connect(path).execute("SELECT count(*) FROM fact").fetchone() == (4,)


def test_a_writer_that_is_killed_loses_nothing_it_had_appended(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        told = [int(writer.stdout.readline()) for _ in range(20)]
        writer.kill()
        told += [int(line) for line in writer.stdout.read().splitlines() if line]
    with Journal(path, create=False) as journal:
        written = [fact.t for fact in journal.facts()]
    assert written[: len(told)] == told
    assert len(written) <= len(told) + 1


def test_what_is_no_journal_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    other, text = tmp_path / "other.db", tmp_path / "text.db"
    db = sqlite3.connect(other)
    db.execute("CREATE TABLE mine (x)")
    db.close()
    text.write_text("no database at all " * 100)
    for path in (other, text):
        before = path.read_bytes()
        with pytest.raises(JournalError, match="choose another file"):
            Journal(path)
        assert path.read_bytes() == before
    with pytest.raises(JournalError, match="no journal at"):
        Journal(tmp_path / "missing.db", create=False)
    with pytest.raises(JournalError, match="choose another place"):
        Journal(text / "in" / "a-file.db")
