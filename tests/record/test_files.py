"""The names of a table's files, and creating them so that nothing is lost or overwritten."""

from __future__ import annotations

import os
import sys
import tracemalloc
from pathlib import Path

import pytest

from blindplay.record import files
from tests.record.disks import PowerCutError, failing, in_folder


def test_files_that_belong_to_a_journal_are_named_after_it() -> None:
    assert files.beside(Path("games/final.jsonl"), ".tape") == Path("games/final.tape")
    assert files.pulse_of(Path("final.jsonl")) == Path("final.pulse")


def test_journals_whose_names_differ_only_in_their_ending_share_no_file() -> None:
    for name in ("round.1", "round.2", "round"):
        assert files.pulse_of(Path(name)).name == f"{name}.pulse"


@pytest.mark.parametrize("name", ["game.jsonl", "round.1", "game"])
def test_damaged_copies_are_found_with_their_pulses_and_those_of_others_are_not(
    tmp_path: Path, name: str
) -> None:
    journal = tmp_path / name
    files.pulse_of(journal).write_bytes(b"beats")
    copies = []
    for content in (b"one", b"two"):
        copy = files.keep_damaged(journal, content)
        assert copy.read_bytes() == content
        copies += [copy, files.pulse_of(copy)]
    for other in ("other.jsonl", "game2.jsonl", "round.2", "game.damaged.jsonl", "rounds.1"):
        files.keep_damaged(tmp_path / other, b"not ours")
    assert set(files.damaged_copies(journal)) == set(copies)
    assert files.pulse_of(copies[0]).read_bytes() == b"beats"


def test_the_same_damage_is_kept_once(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    first = files.keep_damaged(journal, b"spoilt")
    assert files.keep_damaged(journal, b"spoilt") == first
    assert files.keep_damaged(journal, b"otherwise").name == "game.damaged-2.jsonl"
    assert files.damaged_before(journal, b"other") == tmp_path / "game.damaged-2.jsonl"
    assert files.damaged_before(journal, b"spoilt") is None
    assert files.damaged_before(tmp_path / "other.jsonl", b"other") is None


def test_a_huge_copy_is_not_read_to_see_that_it_is_another(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    for huge in (tmp_path / "game.damaged-1.jsonl", files.pulse_of(journal)):
        with huge.open("wb") as out:
            out.truncate(50_000_000)
    tracemalloc.start()
    assert files.damaged_before(journal, b"these bytes") is None
    assert files.keep_damaged(journal, b"these bytes").name == "game.damaged-2.jsonl"
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_a_new_file_has_its_name_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "sound.flac"
    calls = ("open_file", "write", "sync")
    for stop in range(3):
        cut = failing(*calls, after=stop, taken=3, error=PowerCutError())
        with cut, pytest.raises(PowerCutError):
            files.write_new(path, b"complete")
        assert not path.exists()
    files.write_new(path, b"complete")
    assert in_folder(path) == {"sound.flac": b"complete"}


def test_what_the_system_takes_in_pieces_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    handle = files.open_file(tmp_path / "file", create=True)
    monkeypatch.setattr(os, "write", lambda to, content: write(to, content[:3]))
    files.write(handle, b"more than three bytes")
    monkeypatch.undo()
    assert files.read(handle) == b"more than three bytes"
    os.close(handle)


def test_only_a_file_is_opened(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        files.open_file(tmp_path / "none")
    with pytest.raises(OSError):
        files.open_file(tmp_path)
    if sys.platform != "win32":
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(OSError, match="not a file"):
            files.open_file(tmp_path / "pipe")


def test_a_lock_keeps_others_out_until_the_file_is_closed(tmp_path: Path) -> None:
    first = files.open_file(tmp_path / "file", create=True)
    second = files.open_file(tmp_path / "file")
    assert files.lock(first) and not files.lock(second)
    files.write(first, b"written")
    assert (tmp_path / "file").read_bytes() == b"written"  # anybody may read
    os.close(first)
    assert files.lock(second)
    os.close(second)
