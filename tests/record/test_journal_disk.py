"""A journal on a disk that fills up, or whose file somebody takes away during the game."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from blindplay.laws import Fact
from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, files, games, read_journal
from tests.record.disks import failing, in_folder, read_only
from tests.waiting import PATIENCE_S

FACTS: list[Fact] = [f.Setup(t=0), f.Start(t=1), *(f.Tick(t=t) for t in range(2, 100))]
FULL_DISK = """
import pathlib, resource, sys
from blindplay.laws.facts import Record
from blindplay.record import Journal, JournalError
def fact(t):
    return Record(t=t, by="white", ply=t, text="e4 " * 100)
for limit in sys.argv[2:]:
    with Journal(pathlib.Path(sys.argv[1], f"{limit}.jsonl")) as journal:
        journal.append(fact(1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
        for t in range(2, 12):
            try:
                journal.append(fact(t))
            except JournalError as error:
                assert "cannot be written (File too large)" in str(error), error
        print(journal.unwritten)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        journal.append(fact(12))
        assert journal.unwritten == 0
"""


# --- a full disk ---------------------------------------------------------------------------------


@pytest.mark.parametrize("taken", [0, 1, 40, 5000])
@pytest.mark.parametrize("calls", [("write",), ("sync",), ("write", "truncate"), ("open_file",)])
def test_what_could_not_be_written_is_written_first_as_soon_as_something_can_be(
    tmp_path: Path, calls: tuple[str, ...], taken: int
) -> None:
    path = tmp_path / "game.jsonl"
    texts: list[Fact] = [f.Record(t=t, by="white", ply=1, text="e4 " * 900) for t in range(1, 7)]
    with Journal(path) as journal:
        journal.append(FACTS[0])
        if calls == ("open_file",):
            path.unlink()  # so that it has to be made anew
        with failing(*calls, taken=taken):
            for fact in texts[:3]:
                with pytest.raises(JournalError, match=r"cannot be written \(No space left"):
                    journal.append(fact)
            with pytest.raises(JournalError):
                journal.save()
        assert journal.unwritten == 3 + (calls == ("open_file",))
        if calls == ("open_file",):
            with pytest.raises(JournalError, match="moved or deleted"):
                journal.append(texts[3])
        else:
            journal.append(texts[3])
        assert journal.unwritten == 0
        with failing("write", taken=taken), pytest.raises(JournalError):
            journal.append(texts[4])
        journal.save()
    read = read_journal(path)
    assert read.facts == [FACTS[0], *texts[:5]] and not read.trouble


def test_what_is_in_the_file_counts_as_written_only_when_it_was_synced(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(FACTS[0])
        seal = journal.seal
        with failing("sync"), pytest.raises(JournalError):
            journal.append(FACTS[1])
        assert journal.unwritten == 1 and journal.seal == seal
        journal.append(FACTS[2])
    read = read_journal(path)
    assert read.facts == FACTS[:3] and not read.trouble


@pytest.mark.parametrize("calls", [("write",), ("sync",), ("write", "truncate")])
def test_a_table_that_is_killed_on_a_full_disk_is_missed_facts_later(
    tmp_path: Path, calls: tuple[str, ...]
) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(*FACTS[:5])
        journal.beat(5)
        with failing(*calls, taken=40):
            for fact in FACTS[5:9]:  # all are told: the game goes on
                with pytest.raises(JournalError, match="No space left"):
                    journal.append(fact)
        journal.beat(9)  # into the bytes that the pulse has, which need no room
        if "truncate" not in calls:
            assert path.read_bytes().endswith(b"}\n")
    assert "lacks facts 6 to 9" in read_journal(path).trouble
    with Journal(path, resume=True) as journal:
        assert journal.damaged and "lacks facts 6 to 9" in journal.notes[0]
        assert journal.facts() == FACTS[:5]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot limit the size of a file")
def test_on_a_disk_that_is_really_full_no_torn_line_stays_before_later_facts(
    tmp_path: Path,
) -> None:
    limits = [str(limit) for limit in range(1000, 1400, 57)]
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path), *limits]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    assert all(int(unwritten) >= 8 for unwritten in done.stdout.split())  # of 400 bytes or so
    for limit in limits:
        read = read_journal(tmp_path / f"{limit}.jsonl")
        assert [fact.t for fact in read.facts] == list(range(1, 13)) and not read.trouble


def test_where_nothing_can_be_written_the_game_is_continued_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(*FACTS)
    with read_only():
        journal = Journal(path, resume=True)
        assert journal.facts() == FACTS
        with pytest.raises(JournalError, match="Read-only file system"):
            journal.append(f.Tick(t=5000))
        with pytest.raises(JournalError, match="at this moment"):
            Journal(path, resume=True)
    journal.append(f.Tick(t=6000))
    journal.close()
    assert read_journal(path).facts == [*FACTS, f.Tick(t=5000), f.Tick(t=6000)]


def test_a_journal_is_not_begun_where_nothing_can_be_written(tmp_path: Path) -> None:
    error = PermissionError(13, "Permission denied")
    with failing("open_file", error=error), pytest.raises(JournalError, match="choose another pl"):
        Journal(tmp_path / "game.jsonl")


# --- files that are moved ------------------------------------------------------------------------


def _deleted(folder: Path) -> None:
    shutil.rmtree(folder)


def _renamed(folder: Path) -> None:
    folder.replace(folder.with_name("elsewhere"))


def _file_deleted(folder: Path) -> None:
    (folder / "game.jsonl").unlink()


def _put_back(folder: Path) -> None:
    """A program that synchronises folders puts another file with the same content there."""
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    shutil.rmtree(folder)
    copy.replace(folder)


def _older(folder: Path) -> None:
    """A backup of some minutes ago is put back; it ends in the middle of a line."""
    path = folder / "game.jsonl"
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content[: len(content) * 2 // 3])


def _emptied(folder: Path) -> None:
    (folder / "game.jsonl").unlink()
    (folder / "game.jsonl").touch()


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody delete a file that is open.")
@pytest.mark.parametrize(
    "happens", [_deleted, _renamed, _file_deleted, _put_back, _older, _emptied]
)
@pytest.mark.parametrize("next_comes", ["a fact", "time"])
def test_a_journal_that_is_moved_or_deleted_in_the_game_is_told_and_written_anew(
    tmp_path: Path, happens: Callable[[Path], None], next_comes: str
) -> None:
    path = tmp_path / "folder" / "game.jsonl"
    with Journal(path) as journal:
        journal.append(*FACTS[:50])
        journal.append(FACTS[50])
        journal.beat(50)
        before = path.read_bytes()
        happens(path.parent)
        known = FACTS[:51]
        with pytest.raises(JournalError, match="moved or deleted"):
            if next_comes == "a fact":
                known = FACTS[:52]
                journal.append(FACTS[51])
            else:
                journal.save()
        assert journal.unwritten == 0
        read = read_journal(path)
        assert read.facts == known and not read.trouble
        assert path.read_bytes().startswith(before)  # the same lines, and so the same seal
        journal.save()  # it is told once
        with pytest.raises(JournalError, match="at this moment"):
            Journal(path, resume=True)
        journal.append(*FACTS[len(known) :])
    assert read_journal(path).facts == FACTS


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody move a file that is open.")
@pytest.mark.parametrize("theirs", [f.Setup(t=0, mode="blitz"), None])
def test_where_another_game_lies_in_its_place_a_game_is_written_whole_beside_it(
    tmp_path: Path, theirs: Fact | None
) -> None:
    path, other = tmp_path / "game.jsonl", tmp_path / "other.jsonl"
    other.write_text("Dear Sir or Madam\n")
    if theirs is not None:
        other.unlink()
        with Journal(other) as journal:
            journal.append(theirs)
    games.keep_options(path, {"language": "sv"})
    with Journal(path) as journal:
        journal.append(FACTS[0])
        path.replace(tmp_path / "away.jsonl")
        other.replace(path)
        lies_there = path.read_bytes()
        with pytest.raises(JournalError, match=r"goes on there; keep both"):
            journal.append(FACTS[1])
        assert journal.unwritten == 0 and journal.path == tmp_path / "game.whole-1.jsonl"
        journal.append(FACTS[2])  # it is told once
        journal.beat(5)
        assert path.read_bytes() == lies_there
        if theirs is not None:
            Journal(path, resume=True).close()  # nor is it locked against its own table
    with Journal(journal.path, resume=True) as again:
        assert again.facts() == FACTS[:3] and not again.damaged
        assert again.left is not None and again.left.t == 5
    assert games.kept_options(journal.path) == {"language": "sv"}


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody move a file that is open.")
@pytest.mark.parametrize("begun", [[], [f.Setup(t=0, mode="blitz")]])
def test_two_tables_do_not_mix_two_games_in_one_journal(tmp_path: Path, begun: list[Fact]) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(FACTS[0])
        path.unlink()
        with Journal(path) as other:
            other.append(*begun)
            with pytest.raises(JournalError, match=r"goes on there"):
                journal.append(FACTS[1])
            other.append(f.Start(t=5))
    assert read_journal(path).facts == [*begun, f.Start(t=5)]
    assert read_journal(journal.path).facts == FACTS[:2]


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody move a file that is open.")
def test_a_journal_that_is_moved_while_a_line_is_written_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    write = files.write

    def moved(handle: int, content: bytes) -> None:
        if path.exists():
            monkeypatch.undo()
            path.replace(tmp_path / "away.jsonl")
        write(handle, content)

    with Journal(path) as journal:
        journal.append(FACTS[0])
        monkeypatch.setattr(files, "write", moved)
        with pytest.raises(JournalError, match="moved or deleted"):
            journal.append(FACTS[1])
        assert read_journal(path).facts == FACTS[:2]


def _cut(content: bytes) -> bytes:
    return content[: content.index(b"\n", len(content) // 2) + 1]


def _cut_in_a_line(content: bytes) -> bytes:
    return content[: len(content) * 2 // 3]


def _nothing(content: bytes) -> bytes:
    return b""


def _more(content: bytes) -> bytes:
    return content + b"hello\n"


def _shorter_and_other(content: bytes) -> bytes:
    return _cut(content) + b"hello\n"


def _as_long(content: bytes) -> bytes:
    return content.replace(b"tick", b"kick")


def test_a_journal_that_is_written_over_while_a_line_is_synced_is_put_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    sync = files.sync

    def spoilt(handle: int) -> None:
        monkeypatch.undo()
        with path.open("r+b") as file:
            file.write(b"x" * path.stat().st_size)
        sync(handle)

    with Journal(path) as journal:
        journal.append(FACTS[0])
        monkeypatch.setattr(files, "sync", spoilt)
        journal.append(FACTS[1])
        with pytest.raises(JournalError, match="written there once more"):
            journal.save()
        assert read_journal(path).facts == FACTS[:2]


_CHANGES = [_cut, _cut_in_a_line, _nothing, _more, _shorter_and_other, _as_long]


@pytest.mark.parametrize("change", _CHANGES)
@pytest.mark.parametrize("how", ["in place", "by another file"])
@pytest.mark.parametrize("next_comes", ["a fact", "time"])
def test_a_journal_that_another_program_changes_is_made_whole_and_what_came_is_kept(
    tmp_path: Path, change: Callable[[bytes], bytes], how: str, next_comes: str
) -> None:
    if how == "by another file" and os.name == "nt":
        pytest.skip("Windows lets nobody move a file that is open.")
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(*FACTS[:30])
        journal.beat(30)
        before = path.read_bytes()
        changed = change(before)
        if how == "by another file":  # as editors do that save by renaming
            path.with_name("edited").write_bytes(changed)
            path.with_name("edited").replace(path)
        else:
            path.write_bytes(changed)
        known = FACTS[: 30 + (next_comes == "a fact")]
        with pytest.raises(JournalError, match="written there once more") as told:
            journal.append(*FACTS[30 : len(known)]) if len(known) > 30 else journal.save()
        assert journal.unwritten == 0 and journal.path == path
        assert path.read_bytes().startswith(before)
        evidence = path.with_name("game.damaged-1.jsonl")
        foreign = not before.startswith(changed)
        assert evidence.exists() is foreign is (str(evidence) in str(told.value))
        if foreign:
            assert evidence.read_bytes() == changed
        journal.save()  # it is told once
        journal.append(*FACTS[len(known) :])
    with Journal(path, resume=True) as journal:
        assert journal.facts() == FACTS and journal.notes == ()


def test_a_journal_that_is_cut_while_the_disk_is_full_has_no_hole_later(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(*FACTS[:9])
        with failing("write", taken=40), pytest.raises(JournalError, match="No space left"):
            journal.append(FACTS[9])
        os.truncate(path, 300)
        with pytest.raises(JournalError, match="written there once more"):
            journal.append(FACTS[10])
    assert read_journal(path).facts == FACTS[:11] and not read_journal(path).trouble


# --- links ---------------------------------------------------------------------------------------


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Another program's file, in a folder of its own."""
    folder = tmp_path / "else"
    folder.mkdir()
    try:
        (folder / "probe").symlink_to(folder)
    except OSError:
        pytest.skip("links may not be made here")
    (folder / "probe").unlink()
    return folder / "letter.txt"


@pytest.mark.parametrize("there", [True, False])
def test_a_journal_is_not_opened_through_a_symbolic_link(
    tmp_path: Path, target: Path, there: bool
) -> None:
    path = tmp_path / "game.jsonl"
    path.symlink_to(target)
    if there:
        with Journal(target) as journal:
            journal.append(*FACTS)
    before = in_folder(target)
    for resume in (True, False):
        with pytest.raises(JournalError, match=r"is a symbolic link; name the file .*letter.txt"):
            Journal(path, resume=resume)
    assert in_folder(target) == before and path.is_symlink()


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody move a file that is open.")
def test_a_link_in_the_place_of_our_journal_is_not_written_through(
    tmp_path: Path, target: Path
) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(FACTS[0])
        path.replace(target)
        path.symlink_to(target)
        before = in_folder(target)
        with pytest.raises(JournalError, match="goes on there"):
            journal.append(FACTS[1])
        assert in_folder(target) == before and path.is_symlink()
    assert read_journal(journal.path).facts == FACTS[:2]


def _pipe(path: Path) -> None:
    if sys.platform != "win32":
        os.mkfifo(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody move a file that is open.")
@pytest.mark.parametrize("make", [Path.mkdir, _pipe])
def test_where_no_file_lies_in_its_place_a_game_is_written_whole_beside_it(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(FACTS[0])
        path.unlink()
        make(path)
        with pytest.raises(JournalError, match="goes on there"):
            journal.save()
        journal.append(FACTS[1])
    assert read_journal(journal.path).facts == FACTS[:2] and not path.is_file()


def test_neither_a_pulse_nor_a_copy_of_damage_is_written_through_a_link(
    tmp_path: Path, target: Path
) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(*FACTS)
    path.write_bytes(path.read_bytes()[:-300] + b"#\n")
    target.write_bytes(b"Dear Sir or Madam")
    names = ["game.damaged-1.jsonl", "game.damaged-2.jsonl.part", "game.damaged-2.pulse.part"]
    for name in names:
        (tmp_path / name).symlink_to(target)
    with Journal(path, resume=True) as journal:
        assert journal.damaged
        (tmp_path / "game.pulse").unlink(missing_ok=True)
        (tmp_path / "game.pulse").symlink_to(target)
        for t in range(4):
            journal.beat(t)
    assert in_folder(target) == {"letter.txt": b"Dear Sir or Madam"}
    assert (tmp_path / "game.damaged-2.jsonl").is_file()
