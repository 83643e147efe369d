"""Only one table writes a game: the operating system holds the lock."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, files, read_journal
from blindplay.record.journal import is_running
from tests.record.disks import failing

TABLE = """
import pathlib, sys
from blindplay.record import Journal, JournalError
sys.stdin.readline()
try:
    journal = Journal(pathlib.Path(sys.argv[1]), resume=True)
except JournalError as error:
    print(error, flush=True)
else:
    print("plays", flush=True)
    sys.stdin.readline()
"""
BUSY = "at this moment; close that one first"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Journal(tmp_path / "game.jsonl") as journal:
        journal.append(f.Setup(t=0), f.Start(t=1))
    return tmp_path / "game.jsonl"


class Process:
    """A table in a process of its own, which opens the journal when it is told to."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", TABLE, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def open(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.communicate()


@contextlib.contextmanager
def processes(path: Path, number: int) -> Iterator[list[Process]]:
    made = [Process(path) for _ in range(number)]
    try:
        yield made
    finally:
        for one in made:
            one.end()


def test_a_second_table_is_refused_until_the_first_one_has_ended(path: Path) -> None:
    before = path.read_bytes()
    with Journal(path, resume=True) as journal:
        assert is_running(path)
        for resume in (True, False):
            with pytest.raises(JournalError, match=BUSY):
                Journal(path, resume=resume)
        assert len(read_journal(path).facts) == 2  # anybody may read
        assert path.read_bytes() == before
        journal.append(f.Tick(t=2))
    assert not is_running(path) and not is_running(path.with_name("other.jsonl"))
    with Journal(path, resume=True) as journal:
        assert len(journal.facts()) == 3


def test_a_table_that_could_not_open_its_journal_leaves_no_lock(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(b"#" + content)
    with pytest.raises(JournalError):
        Journal(path, resume=True)
    path.write_bytes(content)
    Journal(path, resume=True).close()


def test_a_table_that_is_suspended_keeps_its_game_and_one_that_is_killed_does_not(
    path: Path,
) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no signal that suspends a process.")
    with processes(path, 3) as (first, second, third):
        first.open()
        assert first.answer() == "plays"
        os.kill(first.process.pid, signal.SIGSTOP)
        second.open()
        assert BUSY in second.answer()
        assert is_running(path) and len(read_journal(path).facts) == 2
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
        third.open()
        assert third.answer() == "plays"


def test_of_two_tables_that_resume_at_once_exactly_one_gets_the_game(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"#\n")  # damage, so that both have something to repair
    with processes(path, 4) as tables:
        for table in tables:
            table.open()
        answers = [table.answer() for table in tables]
    assert answers.count("plays") == 1
    assert sum(BUSY in answer for answer in answers) == 3
    assert path.with_name("game.damaged-1.jsonl").is_file()
    assert not path.with_name("game.damaged-2.jsonl").exists()


def test_who_opened_the_damaged_file_before_it_was_put_right_does_not_play(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(path.read_bytes() + b"#\n")
    lock, playing = files.lock, list[Journal]()

    def late(handle: int) -> bool:
        monkeypatch.undo()
        playing.append(Journal(path, resume=True))  # in the moment between opening and locking
        return lock(handle)

    monkeypatch.setattr(files, "lock", late)
    with pytest.raises(JournalError, match=BUSY):
        Journal(path, resume=True)
    (journal,) = playing
    journal.append(f.Tick(t=2))
    journal.close()
    assert len(read_journal(path).facts) == 3
    assert not path.with_name("game.damaged-2.jsonl").exists()


@pytest.mark.parametrize("when", ["before", "after"])
def test_while_one_table_puts_a_file_right_no_other_one_gets_its_game(
    path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    path.write_bytes(path.read_bytes() + b"#\n")
    write_new, others = files.write_new, list[Journal | str]()

    def other() -> None:
        try:
            others.append(Journal(path, resume=True))
        except JournalError as error:
            others.append(str(error))

    def write(target: Path, content: bytes) -> None:
        if target != path:
            write_new(target, content)
        elif when == "before":
            other()
            write_new(target, content)
        else:
            monkeypatch.undo()
            write_new(target, content)
            other()

    monkeypatch.setattr(files, "write_new", write)
    try:
        others.append(Journal(path, resume=True))
    except JournalError as error:
        others.append(str(error))
    (journal,) = (one for one in others if isinstance(one, Journal))
    (refused,) = (one for one in others if isinstance(one, str))
    assert BUSY in refused
    journal.append(f.Tick(t=2))
    journal.close()
    assert len(read_journal(path).facts) == 3
    assert not path.with_name("game.damaged-2.jsonl").exists()


def test_where_the_system_has_no_locks_no_game_is_played(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "lock", lambda handle: False)
    with pytest.raises(JournalError, match=BUSY):
        Journal(path, resume=True)
    monkeypatch.undo()
    with (
        failing("lock", error=OSError(37, "No locks available")),
        pytest.raises(JournalError, match=r"No locks available.*on a disk of this machine"),
    ):
        Journal(path, resume=True)


def test_a_question_whether_a_table_runs_keeps_no_table_from_running(path: Path) -> None:
    """Whoever asks holds the lock for a moment."""
    handle = os.open(path, os.O_RDWR)
    assert files.lock(handle)
    threading.Timer(0.1, os.close, [handle]).start()
    with Journal(path, resume=True) as journal:
        assert len(journal.facts()) == 2


def test_of_many_that_resume_at_once_exactly_one_plays(path: Path) -> None:
    count = 6
    ready, opened, refused = threading.Barrier(count), list[Journal](), list[str]()

    def resume() -> None:
        ready.wait()
        try:
            opened.append(Journal(path, resume=True))
        except JournalError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=resume) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (journal,) = opened
    journal.close()
    assert len(refused) == count - 1 and all(BUSY in one for one in refused)
