"""A folder of recordings."""

from __future__ import annotations

import json
from pathlib import Path

import chess

from blindplay.hearing import kept_recordings
from blindplay.hearing.kept_recordings import SpeakerRecording
from blindplay.speech.audio import write_wav

DAME = SpeakerRecording("Dame", chess.STARTING_FEN, b"\1\0" * 800, apart=True)
TURM = SpeakerRecording("Turm", None, b"\2\0" * 800, doubted=True)


def keep(place: Path, *recordings: SpeakerRecording) -> None:
    for one in recordings:
        kept_recordings.add(place, one, speaker="Anna", language="de")


def test_what_was_kept_is_read_again(tmp_path: Path) -> None:
    keep(tmp_path, DAME, TURM)
    assert list(kept_recordings.read(tmp_path)) == [DAME, TURM]
    first = json.loads(kept_recordings.lines(tmp_path)[0])
    assert first == {"file": "001.wav", "speaker": "Anna", "language": "de", "words": "Dame",
                     "fen": chess.STARTING_FEN, "apart": True}  # fmt: skip


def test_a_line_that_was_cut_off_takes_no_other_with_it(tmp_path: Path) -> None:
    keep(tmp_path, DAME, TURM)
    index = tmp_path / "index.jsonl"
    index.write_bytes(index.read_bytes()[:-7])
    keep(tmp_path, TURM)
    assert list(kept_recordings.read(tmp_path)) == [DAME, TURM]


def test_no_file_is_written_over(tmp_path: Path) -> None:
    """Its line in the index may have been cut off, or other files may be there."""
    write_wav(tmp_path / "007.wav", DAME.pcm)
    write_wav(tmp_path / "consent.wav", DAME.pcm)
    keep(tmp_path, TURM)
    assert sorted(one.name for one in tmp_path.glob("*.wav")) == [
        "007.wav", "008.wav", "consent.wav",
    ]  # fmt: skip
