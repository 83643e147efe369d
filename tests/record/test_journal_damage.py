"""What becomes of a journal when the disk is full, or the power fails in the midst of it."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from blindplay.laws import Fact
from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, reopen
from blindplay.record import pulse as pulses

FACTS: list[Fact] = [f.Setup(t=0), f.Start(t=1), *(f.Tick(t=t) for t in range(2, 200))]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal whose table was killed a minute ago: its last facts stand only in the log."""
    running = tmp_path / "running" / "game.db"
    with Journal(running) as journal:
        journal.extend(FACTS[:100])
    with Journal(running, create=False) as journal:  # closing has emptied the log
        journal.extend(FACTS[100:190])
        for fact in FACTS[190:]:
            journal.append(fact)
        for t in (998, 999):
            journal.beat(t)
        left = tmp_path / "left"
        left.mkdir()
        for file in running.parent.iterdir():
            shutil.copy(file, left)
    late = pulses.last_beat(left / "game.db")
    assert late is not None and late.t == 999 and late.facts == len(FACTS)
    # Its beat is not that of a table which runs.
    old = pulses.Beat(late.facts, late.chain, late.t, late.wall - 60)
    (left / "game.pulse").write_bytes(pulses._written(old) * 2)
    return left / "game.db"


def in_the_folder(path: Path) -> set[str]:
    return {file.name for file in path.parent.iterdir()}


@contextmanager
def unwritable(journal: Journal, full: bool) -> Iterator[None]:
    """The disk is full, or nobody may write on it, as SQLite says it."""
    assert journal._db is not None
    on, off = ("max_page_count = 1", "max_page_count = 1000000") if full else (
        "query_only = 1", "query_only = 0")  # fmt: skip
    journal._db.execute(f"PRAGMA {on}")
    yield
    journal._db.execute(f"PRAGMA {off}")


@pytest.mark.parametrize("full", [True, False])
def test_what_could_not_be_written_is_written_first_as_soon_as_something_can_be(
    tmp_path: Path, full: bool
) -> None:
    texts = [f.Record(t=t, by="white", ply=1, text="e4 " * 3000) for t in range(1, 7)]
    with Journal(tmp_path / "game.db") as journal:
        journal.append(FACTS[0])
        with unwritable(journal, full):
            for fact in texts[:3]:
                with pytest.raises(JournalError, match="cannot be written"):
                    journal.append(fact)
            with pytest.raises(JournalError):
                journal.save()
            assert journal.unwritten == 3
        journal.append(texts[3])
        assert journal.unwritten == 0
        with unwritable(journal, full), pytest.raises(JournalError):
            journal.append(texts[4])
        journal.save()
        assert list(journal.facts()) == [FACTS[0], *texts[:5]]


def test_a_row_that_was_written_though_it_was_said_not_to_be_is_not_written_twice(
    tmp_path: Path,
) -> None:
    """As when the disk answers with an error after it has taken the bytes."""
    path = tmp_path / "game.db"
    with Journal(path) as journal:
        journal.append(FACTS[0])
        with unwritable(journal, full=False), pytest.raises(JournalError):
            journal.append(FACTS[1])
        with Journal(path, create=False) as disk:
            disk.append(FACTS[1])
        journal.append(FACTS[2])
        assert list(journal.facts()) == FACTS[:3]


def test_two_that_write_one_journal_do_not_mix_two_games(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    with Journal(path) as journal, Journal(path, create=False) as other:
        journal.append(FACTS[0])
        with pytest.raises(JournalError, match=r"cannot be written.*close one of them"):
            other.append(f.Setup(t=0, mode="blitz"))
        journal.append(FACTS[1])
        with pytest.raises(JournalError, match="somebody else"):
            other.append(f.Start(t=5))
        assert list(journal.facts()) == FACTS[:2]


def test_a_journal_of_a_killed_table_is_gone_on_with_as_it_is(path: Path) -> None:
    before = in_the_folder(path)
    opened = reopen(path)
    with opened.journal as journal:
        assert list(journal.facts()) == FACTS and not opened.damage
        assert journal.left is not None and journal.left.t == 999
    assert {"game.db", "game.pulse"} <= in_the_folder(path) <= before


def test_a_table_that_runs_is_not_gone_on_with_by_another(path: Path) -> None:
    class Running:
        """Each time somebody waits, the table's heart beats."""

        def __init__(self) -> None:
            self.t = 1000

        def __call__(self, seconds: float) -> None:
            self.t += 100
            journal.beat(self.t)

    with Journal(path, create=False) as journal:
        journal.beat(999)
        assert pulses.is_running(path, wait=Running())
        assert not pulses.is_running(path, wait=lambda seconds: None)
    assert not pulses.is_running(path.with_name("other.db"))


def change_last_row(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute(
            "UPDATE fact SET json = '{\"t\":0.3' WHERE number = (SELECT max(number) FROM fact)"
        )
    db.close()


def take_last_rows(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM fact WHERE number > 180")
    db.close()


def change_a_row_for_a_good_one(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute('UPDATE fact SET json = \'{"t":0.1,"fact":"tick"}\' WHERE number = 120')
    db.close()


def cut_the_log(path: Path) -> None:
    log = path.with_name(path.name + "-wal")
    os.truncate(log, log.stat().st_size * 2 // 3 + 77)


def lose_the_log(path: Path) -> None:
    path.with_name(path.name + "-wal").unlink()


def spoil(path: Path, page: int) -> None:
    lose_the_log(path)
    with path.open("r+b") as file:
        file.seek(page * 4096)
        file.write(random.Random(1).randbytes(4096))


def spoil_the_first_page(path: Path) -> None:
    spoil(path, 0)


def spoil_the_root_of_the_rows(path: Path) -> None:
    spoil(path, 1)


def spoil_a_page_of_rows(path: Path) -> None:
    spoil(path, path.stat().st_size // 4096 - 1)


DAMAGES = [change_last_row, take_last_rows, change_a_row_for_a_good_one, cut_the_log, lose_the_log,
           spoil_the_first_page, spoil_the_root_of_the_rows, spoil_a_page_of_rows]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda one: one.__name__)
def test_a_damaged_journal_is_gone_on_with_from_its_last_whole_fact_and_kept(
    path: Path, damage: object
) -> None:
    assert callable(damage)
    damage(path)
    kept = path.read_bytes()
    opened = reopen(path)
    evidence = path.with_name("game.damaged-1.db")
    assert opened.damage and opened.evidence == evidence
    assert evidence.read_bytes() == kept
    with opened.journal as journal:
        whole = list(journal.facts())
        assert 2 < len(whole) < len(FACTS) and whole == FACTS[: len(whole)]
        journal.append(f.Tick(t=5000))
    with reopen(path).journal as journal:
        assert list(journal.facts()) == [*whole, f.Tick(t=5000)]


def test_putting_a_damaged_journal_aside_goes_on_where_it_was_stopped(path: Path) -> None:
    change_last_row(path)
    was = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    stops = 0
    replace = Path.replace

    class PowerCutError(BaseException):
        pass

    for stop in range(7):
        for file in path.parent.iterdir():
            file.unlink()
        for name, data in was.items():
            (path.parent / name).write_bytes(data)
        left = stop

        def until_the_power_fails(self: Path, target: Path) -> Path:
            nonlocal left
            if not left:
                raise PowerCutError
            left -= 1
            return replace(self, target)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "replace", until_the_power_fails)
            try:
                reopen(path).journal.close()
                stopped = False
            except PowerCutError:
                stopped = True
                stops += 1
        opened = reopen(path)
        assert bool(opened.damage) is stopped  # it is told by whoever comes so far
        with opened.journal as journal:
            assert list(journal.facts()) == FACTS[:-1]
        kept = {name: (path.parent / name.replace("game", "game.damaged-1")) for name in was}
        assert kept["game.db"].read_bytes() == was["game.db"]
        assert kept["game.pulse"].read_bytes() == was["game.pulse"]
    assert stops >= 3


def test_where_nothing_can_be_written_the_game_is_gone_on_with_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from blindplay.record import journal as module

    opening = module._open_to_write

    def full(path: Path, *, create: bool) -> None:
        raise JournalError("the disk is full")

    monkeypatch.setattr(module, "_open_to_write", full)
    with reopen(path).journal as journal:
        assert list(journal.facts()) == FACTS
        with pytest.raises(JournalError):
            journal.append(f.Tick(t=5000))
        monkeypatch.setattr(module, "_open_to_write", opening)
        journal.append(f.Tick(t=6000))
        assert list(journal.facts()) == [*FACTS, f.Tick(t=5000), f.Tick(t=6000)]


def test_a_journal_from_before_there_was_a_chain_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with Journal(path) as journal:
        journal.extend(FACTS[:5])
    with sqlite3.connect(path) as db:
        db.execute("ALTER TABLE fact DROP COLUMN chain")
    db.close()
    with Journal(path, read_only=True) as journal:
        assert list(journal.facts()) == FACTS[:5]
    with reopen(path).journal as journal:
        journal.append(FACTS[5])
        assert list(journal.facts()) == FACTS[:6]
    with sqlite3.connect(path) as db:
        db.execute("""UPDATE fact SET json = '{"t":0.001,"fact":"tick"}' WHERE number = 3""")
    db.close()
    with Journal(path, read_only=True) as journal, pytest.raises(JournalError, match="fact 3"):
        list(journal.facts())


def test_the_seal_stands_for_everything_that_was_written(tmp_path: Path) -> None:
    seals = []
    for name, facts in (("a", FACTS[:9]), ("b", FACTS[:9]), ("c", FACTS[:8]), ("d", FACTS[1:9])):
        with Journal(tmp_path / f"{name}.db") as journal:
            journal.extend(facts)
            seals.append(journal.seal)
    assert seals[0] == seals[1] and len(set(seals)) == 3


def test_a_pulse_that_was_cut_short_or_spoiled_counts_for_nothing(path: Path) -> None:
    pulse = path.with_suffix(".pulse")
    whole = pulse.read_bytes()
    beat = pulses.last_beat(path)
    for at in range(0, len(whole), 7):
        pulse.write_bytes(whole[:at] + b"#" + whole[at + 1 :])
        assert pulses.last_beat(path) == beat  # the other one of the two
    for spoiled in (b"", whole[:50], bytes(len(whole)), b"#" * len(whole)):
        pulse.write_bytes(spoiled)
        assert pulses.last_beat(path) is None
        with Journal(path, read_only=True) as journal:
            assert list(journal.facts()) == FACTS


def _deleted(folder: Path) -> None:
    shutil.rmtree(folder)


def _renamed(folder: Path) -> None:
    folder.replace(folder.with_name("elsewhere"))


def _only(end: str) -> Callable[[Path], None]:
    return lambda folder: (folder / f"game{end}").unlink()


def _put_back(folder: Path) -> None:
    """As who synchronises folders, or restores a copy, does: another file of the same content."""
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    shutil.rmtree(folder)
    copy.replace(folder)


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody delete a file that is open.")
@pytest.mark.parametrize(
    "happens",
    [_deleted, _renamed, _only(".db"), _only(".db-wal"), _only(".db-shm"), _put_back],
    ids=["deleted", "renamed", "file", "log", "index", "put back"],
)
@pytest.mark.parametrize("next_comes", ["a fact", "time"])
def test_a_journal_that_is_moved_or_deleted_in_the_game_is_told_and_written_anew(
    tmp_path: Path, happens: Callable[[Path], None], next_comes: str
) -> None:
    path = tmp_path / "folder" / "game.db"
    with Journal(path) as journal:
        journal.extend(FACTS[:50])
        journal.append(FACTS[50])
        happens(path.parent)
        known = FACTS[:51]
        with pytest.raises(JournalError, match="moved or deleted"):
            if next_comes == "a fact":
                known = FACTS[:52]
                journal.append(FACTS[51])
            else:
                journal.save()
        assert journal.unwritten == 0
        with Journal(path, read_only=True) as there:
            assert list(there.facts()) == known
        journal.save()  # it is told once
        journal.extend(FACTS[len(known) :])
        seal = journal.seal
    with Journal(path, read_only=True) as there:
        assert list(there.facts()) == FACTS
    with Journal(tmp_path / "straight.db") as straight:
        straight.extend(FACTS)
        assert straight.seal == seal


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody move a file that is open.")
def test_another_games_journal_in_the_place_of_ours_is_not_written_into(tmp_path: Path) -> None:
    path, other = tmp_path / "game.db", tmp_path / "other.db"
    with Journal(other) as journal:
        journal.append(f.Setup(t=0, mode="blitz"))
    with Journal(path) as journal:
        journal.append(FACTS[0])
        path.replace(tmp_path / "away.db")
        other.replace(path)
        for fact in FACTS[1:4]:
            with pytest.raises(JournalError, match="somebody else"):
                journal.append(fact)
        with Journal(path, read_only=True) as there:
            assert list(there.facts()) == [f.Setup(t=0, mode="blitz")]
        path.unlink()  # somebody sees his error
        with pytest.raises(JournalError, match="moved or deleted"):
            journal.save()
        assert list(journal.facts()) == FACTS[:4]


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody delete a file that is open.")
def test_a_pulse_that_is_deleted_in_the_game_beats_on(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    with Journal(path) as journal:
        journal.append(FACTS[0])
        journal.beat(1)
        pulses.beside(path).unlink()
        for t in (2, 3):
            journal.beat(t)
        beat = pulses.last_beat(path)
        assert beat is not None and beat.t == 3


@pytest.mark.parametrize("when", ["full at once", "full while it is moved"])
def test_a_damaged_journal_is_gone_on_with_on_a_full_disk_and_left_as_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    spoil_a_page_of_rows(path)
    kept = {file.name: file.read_bytes() for file in path.parent.iterdir()}

    def full(*arguments: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as disk:
        if when == "full at once":
            disk.setattr("blindplay.record.journal._open_to_write", full)
        else:
            disk.setattr(Path, "replace", full)
        opened = reopen(path)
        journal = opened.journal
        assert opened.damage and opened.evidence is None
        whole = list(journal.facts())
        assert 2 < len(whole) < len(FACTS) and whole == FACTS[: len(whole)]
        with pytest.raises(JournalError, match="No space left"):
            journal.append(f.Tick(t=5000))
        journal.beat(5000)
        for name, data in kept.items():
            assert (path.parent / name).read_bytes() == data
    journal.append(f.Tick(t=6000))
    assert journal.unwritten == 0
    assert list(journal.facts()) == [*whole, f.Tick(t=5000), f.Tick(t=6000)]
    journal.close()
    for name, data in kept.items():
        assert path.with_name(name.replace("game", "game.damaged-1")).read_bytes() == data


def test_a_log_that_is_spoiled_in_its_middle_is_damage_without_a_pulse_too(path: Path) -> None:
    """SQLite itself passes over such a log's rest in silence."""
    path.with_suffix(".pulse").unlink()
    log = path.with_name(path.name + "-wal")
    data = bytearray(log.read_bytes())
    data[32 + 24 + 100] ^= 1  # of the first page in it
    log.write_bytes(data)
    with Journal(path, read_only=True) as journal:
        seen = list(journal.facts())
    opened = reopen(path)
    with opened.journal as journal:
        assert len(list(journal.facts())) > len(seen)
        assert list(journal.facts()) == FACTS
    assert "log beside" in opened.damage
    assert path.with_name("game.damaged-1.db-wal").read_bytes() == data


def test_a_spoiled_name_of_a_column_does_not_make_changed_facts_believed(path: Path) -> None:
    lose_the_log(path)
    data = path.read_bytes()
    assert data.count(b"chain TEXT") == 1
    path.write_bytes(data.replace(b"chain TEXT", b"chaIn TEXT").replace(b'{"t":0.15', b'{"t":0.14'))
    with Journal(path, read_only=True) as journal, pytest.raises(JournalError, match="damaged"):
        list(journal.facts())
    opened = reopen(path)
    with opened.journal as journal:
        whole = list(journal.facts())
    assert opened.damage and whole and whole == FACTS[: len(whole)]


def test_what_is_no_journal_is_told_by_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "letter.db"
    for content in (b"", b"Dear Sir or Madam"):
        path.write_bytes(content)
        with pytest.raises(JournalError) as error:
            reopen(path)
        assert str(path) in str(error.value)
        assert path.read_bytes() == content and in_the_folder(path) == {"letter.db"}
