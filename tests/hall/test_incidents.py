"""What a hall cannot set right is named once, and outlives the process."""

from __future__ import annotations

import errno
import json
import tracemalloc
from pathlib import Path

import pytest

from blindplay.hall import incidents
from blindplay.hall.incidents import Incidents
from blindplay.record import files


def test_an_incident_is_noted_once(tmp_path: Path) -> None:
    found = Incidents(tmp_path / "incidents.jsonl")
    assert found.note("1", "forged", "a", 7, "line")
    assert not found.note("1", "forged", "a", 7, "line")
    assert found.note("2", "forged", "a")
    assert [(one.table, one.n) for one in found] == [("1", 7), ("2", 0)]
    assert [one.text for one in found if one.table == "1"] == ["line"]


def test_what_was_withdrawn_stays_withdrawn_in_the_next_process(tmp_path: Path) -> None:
    file = tmp_path / "incidents.jsonl"
    found = Incidents(file)
    found.note("1", "clock")
    found.note("1", "storage")
    found.withdraw("1", "clock")
    found.withdraw("1", "damaged")
    assert [one.kind for one in Incidents(file)] == ["storage"]
    assert len(file.read_text("utf-8").splitlines()) == 3


def test_a_file_with_other_lines_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    file = tmp_path / "incidents.jsonl"
    good = json.dumps({"table": "1", "kind": "clock"})
    newer = json.dumps({"table": "1", "kind": "of a newer program"})
    file.write_bytes(b'{"torn": \n[]\n\xff\n' + f"{newer}\n{good}\n".encode() + b'{"table":')
    assert [one.kind for one in Incidents(file)] == ["clock"]


def test_an_endless_line_takes_no_memory_and_hides_nothing_after_it(tmp_path: Path) -> None:
    file = tmp_path / "incidents.jsonl"
    with file.open("wb") as out:
        out.truncate(50_000_000)
        out.seek(0, 2)
        out.write(b'\n{"table": "1", "kind": "clock"}\n')
    size = file.stat().st_size
    tracemalloc.start()
    found = Incidents(file)
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()
    assert [one.kind for one in found] == ["clock"]
    found.note("2", "storage")
    assert file.stat().st_size > size


def test_where_no_file_can_be_written_incidents_are_kept_in_memory(tmp_path: Path) -> None:
    found = Incidents(tmp_path / "missing" / "incidents.jsonl")
    assert found.note("1", "storage") and len(list(found)) == 1


def test_memory_is_bounded(tmp_path: Path) -> None:
    found = Incidents(tmp_path / "missing" / "incidents.jsonl")
    for number in range(incidents.MOST + 5):
        found.note(str(number), "forged")
    assert len(list(found)) == incidents.MOST


def test_a_table_that_floods_the_hall_pushes_nothing_of_others_out(tmp_path: Path) -> None:
    file = tmp_path / "incidents.jsonl"
    found = Incidents(file)
    found.note("2", "signature", "a", text="evidence")
    for number in range(3000):
        found.note("1", "head", str(number))
    for one in (found, Incidents(file)):
        kept = list(one)
        assert [incident.text for incident in kept if incident.table == "2"] == ["evidence"]
        assert len(kept) == 1 + incidents.MOST_OF_KIND + 1
        assert (kept[-1].key, kept[-1].n) == (incidents.MORE, 512)  # more than 512 are counted
    assert len(file.read_bytes().splitlines()) < 70


def test_incidents_that_were_only_counted_are_withdrawn_too(tmp_path: Path) -> None:
    found = Incidents(tmp_path / "incidents.jsonl")
    for number in range(60):
        found.note("1", "forged", str(number))
    for number in range(60):
        found.withdraw("1", "forged", str(number))
    assert not list(found)


def test_what_a_full_disk_has_cut_off_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int, content: bytes) -> None:
        write(handle, content[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    write, path = files.write, tmp_path / "incidents.jsonl"
    found = Incidents(path)
    found.note("1", "forged", "a")
    with monkeypatch.context() as patch:
        patch.setattr(files, "write", full)
        found.note("2", "forged", "b")
    with path.open("ab") as file:  # what a process that is killed may leave
        file.write(b'{"table":')
    assert [one.table for one in Incidents(path)] == ["1"]
    found.flush()
    assert [one.table for one in Incidents(path)] == ["1", "2"]
