"""Playing a tape, aloud or into a file."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchmarks.memory_audio import MemorySink
from blindplay.record import JournalError, Tape, TapeError
from blindplay.record.tape import tape_folder
from blindplay.record.tape_playback import find_tape, play_tape
from blindplay.speech.audio import read_audio
from tests.record.recorded import WORDS, lose, recorded


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return recorded(tmp_path / "game.jsonl", WORDS)


def test_the_tape_is_heard_from_a_move_on_and_printed(journal: Path) -> None:
    tape = Tape(tape_folder(journal))
    for ply, text in enumerate(WORDS, 1):
        pcm = bytes([ply, 0]) * 8_000
        tape.keep(pcm, 16_000, t=1500 * ply, ply=ply, by="table", words=text)
    sink, out = MemorySink(), io.StringIO()
    play_tape(journal, 4, None, sink, out)
    assert out.getvalue().splitlines() == [
        "10.5 4. table: Kurze Rochade",
        "12.0 4. … table: Springer Gustav acht Felix sechs",
    ]
    assert [played.seconds for played in sink.played] == [0.5, 0.5]
    play_tape(journal, None, journal.with_suffix(".flac"), None, out)
    assert len(read_audio(journal.with_suffix(".flac"), 16_000)) / 32_000 == pytest.approx(7.5)


def test_the_tape_of_a_damaged_journal_is_still_played(journal: Path) -> None:
    tape = Tape(tape_folder(journal))
    for ply, text in enumerate(WORDS, 1):
        tape.keep(bytes(800), 16_000, t=1500 * ply, ply=ply, by="table", words=text)
    lose(journal, 9, 9)
    sink, out = MemorySink(), io.StringIO()
    play_tape(journal, 4, None, sink, out)
    assert len(sink.played) == 2
    assert "trouble: " in out.getvalue() and "line 9" in out.getvalue()


def test_a_missing_tape_is_reported(journal: Path) -> None:
    with pytest.raises(TapeError, match="--tape"):
        find_tape(journal)
    with pytest.raises(JournalError, match="no journal at"):
        find_tape(journal.with_name("none.jsonl"))
    made = Tape(tape_folder(journal))
    assert find_tape(journal).folder == made.folder
