"""What stays of a game: the journal."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def folder(path: Path) -> dict[str, tuple[bytes, int]]:
    """Every file in the folder of ``path``, with when it was last changed."""
    return {
        found.name: (found.read_bytes(), found.stat().st_mtime_ns)
        for found in path.parent.iterdir()
    }


def test_who_only_reads_a_journal_changes_no_file_and_leaves_none(tmp_path: Path) -> None:
    path = tmp_path / "a table? 100 % #1.db"
    with Journal(path) as journal:
        for fact in FACTS:
            journal.append(fact)
    before = folder(path)
    with Journal(path, read_only=True) as journal:
        assert list(journal.facts()) == FACTS
        with pytest.raises(JournalError, match="cannot be written"):
            journal.append(f.Tick(t=4))
    assert folder(path) == before


def test_a_journal_is_read_whole_while_its_table_runs_and_after_it_was_killed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "table.db"
    with Journal(path) as journal:
        for fact in FACTS:
            journal.append(fact)
        with Journal(path, read_only=True) as reader:
            assert list(reader.facts()) == FACTS
        journal.append(f.Tick(t=4))
        # What a table that is killed leaves: the last facts stand only in the log.
        killed = tmp_path / "killed.db"
        log = tmp_path / "killed.db-wal"
        killed.write_bytes(path.read_bytes())
        log.write_bytes((tmp_path / "table.db-wal").read_bytes())
    before = killed.read_bytes(), log.read_bytes()
    with Journal(killed, read_only=True) as reader:
        assert list(reader.facts()) == [*FACTS, f.Tick(t=4)]
    assert (killed.read_bytes(), log.read_bytes()) == before


@pytest.mark.parametrize("read_only", [True, False])
def test_what_is_no_journal_does_not_become_one_by_being_asked_for(
    tmp_path: Path, read_only: bool
) -> None:
    empty, other, text = tmp_path / "empty.txt", tmp_path / "other.db", tmp_path / "text.db"
    empty.touch()
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE fact (number INTEGER PRIMARY KEY, json TEXT)")
    db.close()
    text.write_text("no database at all " * 100)
    before = folder(empty)
    for path in (empty, other, text):
        with pytest.raises(JournalError, match="as a BlindPlay journal"):
            Journal(path, create=False, read_only=read_only)
    assert folder(empty) == before
    with pytest.raises(JournalError, match="no journal at"):
        Journal(tmp_path / "missing.db", read_only=True)
    assert not (tmp_path / "missing.db").exists()


@settings(deadline=None, max_examples=30)  # each writes a journal to the disk
@given(st.sets(st.integers(1, 8), min_size=1, max_size=7))
def test_where_facts_are_missing_only_those_before_are_given(lost: set[int]) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "game.db"
        with Journal(path) as journal:
            for t in range(1, 9):
                journal.append(f.Tick(t=t))
        db = sqlite3.connect(path)
        with db:
            db.executemany("DELETE FROM fact WHERE number = ?", [(number,) for number in lost])
        db.close()
        read: list[int] = []
        left = set(range(1, 9)) - lost
        with Journal(path, read_only=True) as journal:
            if max(lost) > max(left):  # at the end nobody can see it: a game may end anywhere
                lost = {number for number in lost if number < max(left)}
            if not lost:
                assert [fact.t for fact in journal.facts()] == sorted(left)
                return
            with pytest.raises(JournalError, match=rf"lacks facts? {min(lost)}\b"):
                for fact in journal.facts():
                    read.append(fact.t)
        assert read == list(range(1, min(lost)))


def test_missing_facts_are_named_and_the_facts_before_them_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    with Journal(path) as journal:
        for t in range(1, 9):
            journal.append(f.Tick(t=t))
    db = sqlite3.connect(path)
    with db:
        db.execute("DELETE FROM fact WHERE number BETWEEN 4 AND 6")
    db.close()
    read = []
    with (
        Journal(path, read_only=True) as journal,
        pytest.raises(JournalError, match=r"lacks facts 4 to 6, .* go by the scoresheets"),
    ):
        for fact in journal.facts():
            read.append(fact.t)
    assert read == [1, 2, 3]
