"""Resuming the game of a damaged journal: evidence is kept, and no other game is believed."""

from __future__ import annotations

import io
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest

from blindplay.commands import doctor
from blindplay.laws import Fact
from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, files, pulse, read_journal
from blindplay.record.games import kept_game
from blindplay.record.journal import is_journal
from blindplay.record.writing import BrokenGameError, RecordFormat, Scored
from blindplay.table.devices import WantedDevices
from blindplay.table.play import TableOptions, run
from tests import command_line
from tests.record.disks import PowerCutError, failing, in_folder, read_only

FACTS: list[Fact] = [
    f.Setup(t=0, time_control="300"),
    f.Start(t=1),
    *(f.Tick(t=t) for t in range(2, 60)),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The journal of a table that was killed a minute ago, with its pulse."""
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(*FACTS)
        end = journal.seal
    old = pulse.Pulse(path)
    for t in (998, 999):
        old.beat(pulse.Beat(len(FACTS), end, t, time.time() - 60))
    old.close()
    return path


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def change_the_last_line(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"t":0.059', b'"t":0.048'))


def change_a_line_in_the_middle(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"t":0.031', b'"t":0.042'))


def change_a_line_and_its_digest(path: Path) -> None:
    """A forger makes the digest of the changed line right, but not those after it."""
    lines = lines_of(path)
    with Journal(path.with_name("forged")) as journal:
        journal.append(*FACTS[:30], f.Tick(t=29), *FACTS[31:])
    lines[30] = lines_of(path.with_name("forged"))[30]
    path.with_name("forged").unlink()
    path.write_bytes(b"".join(lines))


def take_the_last_lines(path: Path) -> None:
    path.write_bytes(b"".join(lines_of(path)[:50]))


def take_a_line_in_the_middle(path: Path) -> None:
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines[:20], *lines[21:]]))


def cut_in_the_middle_of_a_line(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:3000])


def spoil_a_block(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[2048:2560] = random.Random(1).randbytes(512)
    path.write_bytes(content)


def lose_a_block(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[2048:2560] = bytes(512)
    path.write_bytes(content)


def add_garbage(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"hello\n")


DAMAGES = [
    change_the_last_line, change_a_line_in_the_middle, change_a_line_and_its_digest,
    take_the_last_lines, take_a_line_in_the_middle, cut_in_the_middle_of_a_line, spoil_a_block,
    lose_a_block, add_garbage,
]  # fmt: skip


def test_a_journal_of_a_killed_table_is_continued_as_it_is(path: Path) -> None:
    before = in_folder(path)
    with Journal(path, resume=True) as journal:
        assert journal.facts() == FACTS and journal.notes == () and not journal.damaged
        assert journal.left is not None and journal.left.t == 999
    assert in_folder(path) == before


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_journal_is_continued_from_its_last_whole_fact_and_kept(
    path: Path, damage: Callable[[Path], None]
) -> None:
    damage(path)
    kept = in_folder(path)
    trouble = read_journal(path).trouble
    evidence = path.with_name("game.damaged-1.jsonl")
    with Journal(path, resume=True) as journal:
        assert journal.damaged and journal.left is None
        assert journal.notes == (trouble, f"The damaged journal is kept as {evidence}.")
        whole = journal.facts()
        assert len(whole) > 2 and whole == FACTS[: len(whole)]
        assert len(whole) < len(FACTS) or damage is add_garbage
        journal.append(f.Tick(t=5000))
    assert evidence.read_bytes() == kept["game.jsonl"]
    assert path.with_name("game.damaged-1.pulse").read_bytes() == kept["game.pulse"]
    with Journal(path, resume=True) as journal:
        assert journal.facts() == [*whole, f.Tick(t=5000)] and journal.notes == ()
    assert in_folder(path).keys() == {
        "game.jsonl", "game.damaged-1.jsonl", "game.damaged-1.pulse"
    }  # fmt: skip


def test_an_incomplete_last_line_is_cut_off_with_a_message(path: Path) -> None:
    """The table was killed while it wrote the line, so nobody was told of the fact."""
    path.write_bytes(path.read_bytes() + b'{"n":61,"wall":17')
    before = in_folder(path)
    with Journal(path, resume=True) as journal:
        (note,) = journal.notes
        assert note.startswith("Line 61, the last one of the journal") and not journal.damaged
        assert journal.left is not None and journal.left.t == 999
        assert in_folder(path) == before  # nothing is changed until something is written
        journal.append(f.Tick(t=5000))
    read = read_journal(path)
    assert read.facts == [*FACTS, f.Tick(t=5000)] and not read.trouble


def test_a_second_damage_is_kept_beside_the_first_one(path: Path) -> None:
    for number in (1, 2, 3):
        add_garbage(path)
        spoilt = path.read_bytes()
        Journal(path, resume=True).close()
        assert path.with_name(f"game.damaged-{number}.jsonl").read_bytes() == spoilt
        with Journal(path, resume=True) as journal:
            journal.append(f.Tick(t=number * 1000))


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_power_cut_while_a_damaged_journal_is_kept_does_no_harm(
    path: Path, damage: Callable[[Path], None]
) -> None:
    damage(path)
    calls = ("open_file", "write", "sync", "sync_folder")
    was = in_folder(path)
    facts, trouble = read_journal(path).facts, read_journal(path).trouble
    for stop in range(30):
        for file in list(path.parent.iterdir()):
            file.unlink()
        for name, content in was.items():
            path.with_name(name).write_bytes(content)
        try:
            with failing(*calls, after=stop, taken=100, error=PowerCutError()):
                Journal(path, resume=True).close()
            break
        except PowerCutError:
            pass
        assert read_journal(path).facts == facts
        with Journal(path, resume=True) as journal:
            assert journal.facts() == facts
            assert journal.damaged and any("is kept" in note for note in journal.notes)
            journal.append(f.Tick(t=5000))
        assert path.with_name("game.damaged-1.jsonl").read_bytes() == was["game.jsonl"]
        assert path.with_name("game.damaged-1.pulse").read_bytes() == was["game.pulse"]
        assert not path.with_name("game.damaged-2.jsonl").exists()
        assert read_journal(path).facts == [*facts, f.Tick(t=5000)]
    assert 5 < stop < 29 and trouble


@pytest.mark.parametrize("call", ["open_file", "write", "sync"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_journal_is_continued_on_a_full_disk_and_left_as_it_is(
    path: Path, call: str, damage: Callable[[Path], None]
) -> None:
    damage(path)
    kept = in_folder(path)
    with failing(call, after=call == "open_file"):  # the journal itself can be opened
        journal = Journal(path, resume=True)
        assert journal.damaged and len(journal.notes) == 1
        whole = journal.facts()
        with pytest.raises(JournalError, match="No space left"):
            journal.append(f.Tick(t=5000))
        journal.beat(5000)
        assert path.read_bytes() == kept["game.jsonl"]
    journal.append(f.Tick(t=6000))
    assert journal.unwritten == 0
    assert journal.facts() == [*whole, f.Tick(t=5000), f.Tick(t=6000)]
    journal.close()
    for name, content in kept.items():
        assert path.with_name(name.replace("game", "game.damaged-1")).read_bytes() == content
    assert read_journal(path).facts == [*whole, f.Tick(t=5000), f.Tick(t=6000)]
    assert not read_journal(path).trouble


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_journal_on_a_protected_disk_is_continued_and_kept_later(
    path: Path, damage: Callable[[Path], None]
) -> None:
    damage(path)
    kept = in_folder(path)
    with read_only():
        journal = Journal(path, resume=True)
        whole = journal.facts()
        with pytest.raises(JournalError, match="Read-only file system"):
            journal.append(f.Tick(t=5000))
        assert in_folder(path) == kept
    journal.append(f.Tick(t=6000))
    journal.close()
    assert read_journal(path).facts == [*whole, f.Tick(t=5000), f.Tick(t=6000)]
    for name, content in kept.items():
        assert path.with_name(name.replace("game", "game.damaged-1")).read_bytes() == content


def test_a_copy_of_another_game_that_lies_in_the_folder_is_never_taken_for_ours(
    path: Path,
) -> None:
    names = ["game.restored.jsonl", "game.restoring.jsonl", "game.damaged-1.jsonl",
             "game.damaged-2.jsonl.part"]  # fmt: skip
    other = path.parent / "elsewhere" / "other.jsonl"
    with Journal(other) as journal:
        journal.append(f.Setup(t=0, mode="blitz"), f.Start(t=1))
    for name in names:
        path.with_name(name).write_bytes(other.read_bytes())
    add_garbage(path)
    with Journal(path, resume=True) as journal:
        assert journal.facts() == FACTS
    for name in names[:3]:
        assert path.with_name(name).read_bytes() == other.read_bytes()
    assert path.with_name("game.damaged-2.jsonl").is_file()
    path.unlink()
    with pytest.raises(JournalError, match="no journal at"):
        Journal(path, resume=True)


def test_a_journal_whose_first_line_is_damaged_cannot_be_resumed_and_is_left(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"setup"', b'"satop"'))
    before = in_folder(path)
    with pytest.raises(JournalError, match=r"damaged or was changed at line 1\."):
        Journal(path, resume=True)
    assert in_folder(path) == before


@pytest.mark.parametrize("damage", DAMAGES)
def test_all_commands_read_a_damaged_journal_alike(
    path: Path, damage: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(path)
    read = read_journal(path)
    before = in_folder(path)
    with pytest.raises(BrokenGameError) as broken:
        Scored.of(path)
    assert str(broken.value) == read.trouble
    assert "[Result" in broken.value.before.write(RecordFormat.PGN)
    (found,) = doctor._games(path.parent)
    assert (found.ok, found.sentence) == (False, read.trouble)
    assert in_folder(path) == before
    printed = io.StringIO()
    silent = WantedDevices(microphone="none", silent=True)
    run(path, None, silent, io.StringIO("quit\n"), printed, TableOptions("en"))
    assert read.trouble in printed.getvalue()
    assert "Warning: the record of the game was damaged." in printed.getvalue()


def test_score_and_replay_print_what_is_whole_and_then_the_same_sentence(path: Path) -> None:
    change_a_line_in_the_middle(path)
    before = in_folder(path)
    trouble = read_journal(path).trouble
    for arguments in (("score",), ("replay", "--journal")):
        done = command_line.run(*arguments, str(path))
        assert (done.status, done.stderr.strip()) == (2, trouble)
        assert done.stdout.strip()
    assert in_folder(path) == before


def test_a_right_chain_around_facts_that_no_game_takes_is_told_by_all_commands(
    path: Path,
) -> None:
    with Journal(path, resume=True) as journal:
        journal.append(f.Setup(t=100))
    told = f"{path} is not the journal of a game: setup must be the first fact and come only once."
    before = in_folder(path)
    for arguments in (("score",), ("replay", "--journal"), ("play", "--resume", "--journal")):
        done = command_line.run(*arguments, str(path))
        assert (done.status, done.stderr.strip()) == (2, told)
    (found,) = doctor._games(path.parent)
    assert (found.ok, found.sentence) == (False, told)
    assert in_folder(path) == before


# --- what the digests prove ----------------------------------------------------------------------


def flip_a_bit(content: bytes) -> bytes:
    at = content.index(b'"t":0.031') + 7
    return content[:at] + bytes((content[at] ^ 4,)) + content[at + 1 :]


def change_the_first_byte(content: bytes) -> bytes:
    return b"[" + content[1:]


def add_a_byte_order_mark(content: bytes) -> bytes:
    return b"\xef\xbb\xbf" + content


def add_an_empty_line(content: bytes) -> bytes:
    return b"\n" + content


def end_lines_as_windows_does(content: bytes) -> bytes:
    return content.replace(b"\n", b"\r\n")


def swap_lines(content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join([*lines[:20], lines[21], lines[20], *lines[22:]])


REPAIRED = [flip_a_bit, change_the_first_byte, add_a_byte_order_mark, add_an_empty_line,
            end_lines_as_windows_does, swap_lines]  # fmt: skip


@pytest.mark.parametrize("change", REPAIRED)
def test_a_journal_whose_lines_are_all_proved_is_put_right_and_continued_whole(
    path: Path, change: Callable[[bytes], bytes]
) -> None:
    whole = path.read_bytes()
    path.write_bytes(change(whole))
    before, told = in_folder(path), read_journal(path).repaired
    assert is_journal(path)
    with pytest.raises(JournalError, match="already holds a game"):
        Journal(path)
    assert in_folder(path) == before
    copy = path.with_name("game.damaged-1.jsonl")
    with Journal(path, resume=True) as journal:
        assert journal.facts() == FACTS and not journal.damaged and journal.unwritten == 0
        assert journal.left is not None and journal.left.t == 999
        assert journal.notes == (told, f"The damaged journal is kept as {copy}.")
        assert path.read_bytes() == whole and copy.read_bytes() == before["game.jsonl"]
        journal.append(f.Tick(t=5000))
    read = read_journal(path)
    assert read.facts == [*FACTS, f.Tick(t=5000)] and not read.trouble and not read.repaired


def power_cuts(path: Path) -> Iterator[int]:
    """Resume the same game again and again, and cut the power at each step of that in turn. The
    last time nothing is cut."""
    was = in_folder(path)
    for stop in range(40):
        for file in list(path.parent.iterdir()):
            file.unlink()
        for name, content in was.items():
            path.with_name(name).write_bytes(content)
        try:
            with failing("open_file", "write", "sync", "truncate", "sync_folder", after=stop,
                         taken=100, error=PowerCutError()):  # fmt: skip
                Journal(path, resume=True).close()
            break
        except PowerCutError:
            yield stop
    assert 5 < stop < 39


@pytest.mark.parametrize("change", REPAIRED)
def test_a_power_cut_while_a_journal_is_put_right_does_no_harm(
    path: Path, change: Callable[[bytes], bytes]
) -> None:
    whole = path.read_bytes()
    path.write_bytes(change(whole))
    was = path.read_bytes()
    for stop in power_cuts(path):
        with Journal(path, resume=True) as journal:
            assert journal.facts() == FACTS, stop
            journal.append(f.Tick(t=5000))
        assert read_journal(path).facts == [*FACTS, f.Tick(t=5000)]
        assert path.with_name("game.damaged-1.jsonl").read_bytes() == was
        assert not path.with_name("game.damaged-2.jsonl").exists()
    assert path.read_bytes() == whole


@pytest.mark.parametrize("change", REPAIRED)
def test_a_journal_that_cannot_be_put_right_now_is_continued_whole_and_put_right_later(
    path: Path, change: Callable[[bytes], bytes]
) -> None:
    path.write_bytes(change(path.read_bytes()))
    changed = path.read_bytes()
    with failing("write"):
        journal = Journal(path, resume=True)
        with pytest.raises(JournalError, match="No space left"):
            journal.append(f.Tick(t=5000))
        assert path.read_bytes() == changed
    journal.append(f.Tick(t=6000))
    journal.close()
    read = read_journal(path)
    assert read.facts == [*FACTS, f.Tick(t=5000), f.Tick(t=6000)]
    assert not read.trouble and not read.repaired
    assert path.with_name("game.damaged-1.jsonl").read_bytes() == changed


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("gap", [True, False])
def test_a_power_cut_before_the_first_line_is_written_again_does_no_harm(
    path: Path, gap: bool, known: bool
) -> None:
    """Another system's line ends change each line, so the file is empty for a moment."""
    lines = lines_of(path)
    path.write_bytes(end_lines_as_windows_does(b"".join(lines[:29] + lines[29 + gap :])))
    if not known:
        files.pulse_of(path).unlink()
    was, facts = path.read_bytes(), FACTS[:29] if gap else FACTS
    for stop in power_cuts(path):
        with Journal(path, resume=True) as journal:
            assert journal.facts() == facts, stop
        assert path.with_name("game.damaged-1.jsonl").read_bytes() == was


@pytest.mark.parametrize("after", range(4))
def test_a_table_that_is_killed_while_its_journal_is_empty_loses_no_saved_fact(
    path: Path, after: int
) -> None:
    path.write_bytes(end_lines_as_windows_does(path.read_bytes()))
    with failing("write", after=after):
        journal = Journal(path, resume=True)
        with suppress(JournalError):
            journal.append(f.Tick(t=5000))
        journal.beat(5000)
        journal.close()
    with Journal(path, resume=True) as journal:
        assert journal.facts()[: len(FACTS)] == FACTS


def test_a_copy_from_which_the_game_went_on_otherwise_is_never_continued(path: Path) -> None:
    """After a damage, the game went on from an earlier fact. Another damage comes before that."""
    path.with_name("game.damaged-1.jsonl").write_bytes(path.read_bytes())
    path.write_bytes(b"".join(lines_of(path)[:20]))
    files.pulse_of(path).unlink()
    with Journal(path) as journal:
        journal.append(f.Tick(t=7000))
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines[:10], *lines[11:]]))
    with Journal(path, resume=True) as journal:
        assert journal.facts() == FACTS[:10]


def test_commands_give_all_of_a_proved_journal_and_say_that_it_was_changed(path: Path) -> None:
    whole = command_line.run("score", str(path)), command_line.run("replay", "--journal", str(path))
    path.write_bytes(flip_a_bit(path.read_bytes()))
    before, told = in_folder(path), read_journal(path).repaired
    for arguments, right in zip((("score",), ("replay", "--journal")), whole, strict=True):
        done = command_line.run(*arguments, str(path))
        assert (done.status, done.stdout, done.stderr.strip()) == (0, right.stdout, told)
    verified = command_line.run("verify", str(path))
    assert verified.status == 1 and told in verified.stdout
    assert "holds:" not in verified.stdout and "All of this holds" not in verified.stdout
    found, read = doctor._games(path.parent)
    assert (found.ok, found.sentence, read.ok) == (False, told, True)
    assert kept_game(path).trouble == told
    assert in_folder(path) == before


def test_a_record_of_a_journal_that_breaks_off_says_so_itself(path: Path) -> None:
    change_a_line_in_the_middle(path)
    with pytest.raises(BrokenGameError) as broken:
        Scored.of(path)
    record = broken.value.before
    assert "cannot be read to its end" in record.write(RecordFormat.PGN)
    for form in (RecordFormat.SHEET, RecordFormat.LONGHAND, RecordFormat.HTML):
        assert "cannot be read to its end" in record.write(form, language="en")


# --- what a newer version wrote ------------------------------------------------------------------


def test_all_commands_call_a_journal_of_a_newer_version_that_and_touch_nothing(path: Path) -> None:
    with (
        Journal(path, resume=True) as journal,
        mock.patch.object(f, "dumps", lambda fact: '{"t":0.06,"fact":"dance"}'),
    ):
        journal.append(f.Tick(t=60))
    before, told = in_folder(path), read_journal(path).trouble
    assert told.startswith(f"A newer BlindPlay wrote the journal {path}: this one does not know ")
    for arguments in (("score",), ("replay", "--journal"), ("play", "--resume", "--journal")):
        done = command_line.run(*arguments, str(path))
        assert (done.status, done.stderr.strip()) == (2, told)
    verified = command_line.run("verify", str(path))
    assert verified.status == 1 and told in verified.stdout
    assert "What could not be checked: 1." in verified.stdout
    assert "All of this holds" not in verified.stdout and "not hold" not in verified.stdout
    (found,) = doctor._games(path.parent)
    assert (found.ok, found.sentence) == (False, told)
    assert kept_game(path).trouble == told
    assert in_folder(path) == before


def test_keeping_damage_does_not_follow_the_journal_to_another_folder(path: Path) -> None:
    add_garbage(path)
    with failing("truncate"):
        journal = Journal(path, resume=True)
    path.replace(path.with_name("moved.jsonl"))
    moved = path.with_name("moved.jsonl").read_bytes()
    with pytest.raises(JournalError, match="moved or deleted"):
        journal.append(f.Tick(t=5000))
    journal.close()
    assert read_journal(path).facts == [*FACTS, f.Tick(t=5000)]
    assert path.with_name("moved.jsonl").read_bytes() == moved
    assert list(files.damaged_copies(path))
