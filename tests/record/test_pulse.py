"""The pulse tells the table's time at the moment when the table was killed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from blindplay.record.files import pulse_of
from blindplay.record.pulse import Beat, Pulse, last_beat

DIGEST = "0123456789abcdef" * 2


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """The name of a journal with a pulse that has beaten three times."""
    journal = tmp_path / "game.jsonl"
    pulse = Pulse(journal)
    for t in (100, 200, 300):
        pulse.beat(Beat(7, DIGEST, t, 1_800_000_000.25 + t / 1000))
    pulse.close()
    return journal


def test_the_last_beat_is_read_as_it_was_written(journal: Path) -> None:
    assert last_beat(journal) == Beat(7, DIGEST, 300, 1_800_000_000.55)
    assert pulse_of(journal).name == "game.pulse"


def test_a_beat_before_the_first_fact_has_no_digest(tmp_path: Path) -> None:
    pulse = Pulse(tmp_path / "game.jsonl")
    pulse.beat(Beat(0, "", 5, 1.0))
    pulse.close()
    assert last_beat(tmp_path / "game.jsonl") == Beat(0, "", 5, 1.0)


def test_a_beat_that_is_torn_or_spoiled_counts_for_nothing(journal: Path) -> None:
    """Two beats are kept in turn, so one is whole whenever the table dies."""
    whole = pulse_of(journal).read_bytes()
    beats = {last_beat(journal), Beat(7, DIGEST, 200, 1_800_000_000.45)}
    for at in range(len(whole)):
        for spoiled in (b"#", b" ", b"\xff"):
            pulse_of(journal).write_bytes(whole[:at] + spoiled + whole[at + 1 :])
            assert last_beat(journal) in beats
    for spoiled in (b"", whole[:50], bytes(len(whole)), b"#" * len(whole)):
        pulse_of(journal).write_bytes(spoiled)
        assert last_beat(journal) is None


def test_a_resumed_table_beats_on_in_the_same_file(journal: Path) -> None:
    pulse = Pulse(journal)
    pulse.beat(Beat(8, DIGEST, 400, 1_800_000_001.0))
    pulse.close()
    beat = last_beat(journal)
    assert beat is not None and (beat.facts, beat.t) == (8, 400)
    assert len(pulse_of(journal).read_bytes()) == 2 * 128


def test_a_pulse_that_cannot_be_written_is_left_out(tmp_path: Path) -> None:
    pulse = Pulse(tmp_path / "no" / "folder" / "game.jsonl")
    pulse.beat(Beat(1, DIGEST, 5, 1.0))
    pulse.forget()
    pulse.close()


def test_an_earlier_pulse_can_be_forgotten(journal: Path) -> None:
    Pulse(journal).forget()
    assert last_beat(journal) is None and not pulse_of(journal).exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody delete a file that is open.")
def test_a_pulse_that_is_deleted_in_the_game_beats_on(journal: Path) -> None:
    pulse = Pulse(journal)
    pulse.beat(Beat(8, DIGEST, 400, 1.0))
    pulse_of(journal).unlink()
    for t in (500, 600):
        pulse.beat(Beat(8, DIGEST, t, 2.0))
    pulse.close()
    beat = last_beat(journal)
    assert beat is not None and beat.t == 600
