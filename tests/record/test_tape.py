"""The tape keeps every utterance with its time and ply, whatever happens to the process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from blindplay.record import tape as tapes
from blindplay.record.tape import Tape, TapeError
from blindplay.speech.audio import read_audio
from tests.sampling import examples

RATE = 16_000
WRITER = """
import sys, pathlib
from blindplay.record.tape import Tape
tape = Tape(pathlib.Path(sys.argv[1]))
for ply in range(1, 10**6):
    pcm = bytes([ply % 256, 0]) * 16_000
    tape.keep(pcm, 16_000, t=ply, ply=ply, by="table", words=f"number {ply}")
    print(ply, flush=True)
"""


def tone(pitch: int, seconds: float = 0.1) -> bytes:
    wave = np.sin(2 * np.pi * pitch * np.arange(int(RATE * seconds)) / RATE) * 8000
    return wave.astype("<i2").tobytes()


def filled(folder: Path, *plies: int) -> Tape:
    tape = Tape(folder)
    for t, ply in enumerate(plies):
        tape.keep(tone(200 + ply), RATE, t=1000 * t, ply=ply, by="table", words=f"ply {ply}")
    return tape


def test_a_recording_keeps_every_sample_its_time_ply_and_words(
    tmp_path: Path,
) -> None:
    tape = Tape(tmp_path / "new" / "game.tape")
    words = "Weiß: „Läufer Cäsar eins schlägt Felix vier“"
    tape.keep(tone(440), RATE, t=83_125, ply=23, by="white", words=words)
    tape.keep(tone(220), 22_050, t=84_000, ply=24, by="table", words="Springer")
    first, second = Tape(tape.folder, create=False).recordings()
    assert (first.t, first.ply, first.by, first.words) == (83_125, 23, "white", words)
    assert (second.number, second.words) == (2, "Springer")
    samples, rate = soundfile.read(first.path, dtype="int16")
    assert (samples.tobytes(), rate) == (tone(440), RATE)
    assert soundfile.info(first.path).format == "FLAC"
    # What plays it at the table decodes it with another library.
    assert read_audio(first.path) == tone(440)


def test_a_writer_that_is_killed_loses_nothing_it_had_kept(tmp_path: Path) -> None:
    folder = tmp_path / "game.tape"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        told = [int(writer.stdout.readline()) for _ in range(20)]
        writer.kill()
        told += [int(line) for line in writer.stdout.read().splitlines() if line]
    tape = Tape(folder, create=False)
    kept = tape.recordings()
    assert [found.ply for found in kept][: len(told)] == told
    assert len(kept) <= len(told) + 1
    assert not tape.damaged()
    for found in kept:
        samples, _ = soundfile.read(found.path, dtype="int16")
        assert samples.tobytes() == bytes([found.ply % 256, 0]) * 16_000
    # It is gone on with behind what is there.
    assert tape.keep(tone(300), RATE, t=0, ply=1, by="table", words="on").number == len(kept) + 1


def test_an_incomplete_file_does_not_belong_to_the_tape(tmp_path: Path) -> None:
    tape = filled(tmp_path, 1, 2)
    half = (tmp_path / "000003-ply-3-table.flac.part", tmp_path / "cover.jpg")
    for path in half:
        path.write_bytes(b"fLaC")
    again = Tape(tmp_path)
    assert [found.ply for found in again.recordings()] == [1, 2]
    again.keep(tone(300), RATE, t=9, ply=3, by="table", words="three")
    assert [found.ply for found in tape.recordings()] == [1, 2, 3]
    assert not half[0].exists() and half[1].exists()


def test_a_damaged_file_is_named_and_the_rest_is_played(tmp_path: Path) -> None:
    tape = filled(tmp_path, 1, 2, 3)
    broken = tape.recordings()[1].path
    broken.write_bytes(broken.read_bytes()[:40])
    assert [found.ply for found in tape.recordings()] == [1, 3]
    assert tape.damaged() == [broken]


@examples(50)  # each writes a tape to the disk
@given(st.data())
def test_a_recording_that_is_cut_short_or_spoilt_anywhere_is_damaged(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        tape = filled(Path(name) / "game.tape", 1, 2, 3)
        broken = tape.recordings()[1].path
        whole = broken.read_bytes()
        head = len(whole) - _sound_bytes(whole)  # tags that are spoilt may still be some text
        at = data.draw(st.integers(head, len(whole) - 1))
        if data.draw(st.booleans(), "cut short"):
            broken.write_bytes(whole[:at])
        else:
            spoilt = bytes([whole[at] ^ data.draw(st.integers(1, 255))])
            broken.write_bytes(whole[:at] + spoilt + whole[at + 1 :])
        # Whatever still decodes to the very samples that were kept is not damage (padding bits).
        if tape.damaged():
            assert tape.damaged() == [broken]
            assert [found.ply for found in tape.recordings()] == [1, 3]
        else:
            samples, _ = soundfile.read(broken, dtype="int16")
            assert samples.tobytes() == tone(202)


def _sound_bytes(flac: bytes) -> int:
    """How many bytes of a FLAC file are sound: what follows the last block of its head."""
    at, last = 4, False
    while not last:
        last, at = bool(flac[at] & 0x80), at + 4 + int.from_bytes(flac[at + 1 : at + 4])
    return len(flac) - at


def test_a_tape_without_a_playable_file_refers_to_the_scoresheets(tmp_path: Path) -> None:
    tape = filled(tmp_path, 1, 2)
    for path in tmp_path.iterdir():
        path.write_bytes(b"")
    assert len(tape.damaged()) == 2
    for ply in (1, 2, 9):
        with pytest.raises(TapeError, match=r"nothing on the tape .* scoresheets"):
            tape.from_ply(ply)


def test_a_tape_is_played_from_the_last_time_that_a_ply_came_up(tmp_path: Path) -> None:
    # Ply 3 was taken back with ply 2; the whole is heard from the beginning.
    tape = filled(tmp_path, 1, 1, 2, 3, 2, 3, 4)
    heard = {ply: [found.number for found in tape.from_ply(ply)] for ply in (1, 2, 3, 4)}
    assert heard == {1: [1, 2, 3, 4, 5, 6, 7], 2: [3, 4, 5, 6, 7], 3: [6, 7], 4: [7]}
    with pytest.raises(TapeError, match="earlier"):
        tape.from_ply(5)


def test_a_ply_without_a_recording_plays_the_next_one(tmp_path: Path) -> None:
    tape = filled(tmp_path, 1, 5)
    assert [found.ply for found in tape.from_ply(3)] == [5]


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.integers(1, 6))
def test_playing_begins_at_the_ply_and_ends_with_the_tape(plies: list[int], ply: int) -> None:
    recordings = [
        tapes.Recording(n, n, at, "table", "", Path(str(n))) for n, at in enumerate(plies, 1)
    ]
    tape = object.__new__(Tape)
    tape.recordings = lambda: recordings  # type: ignore[method-assign]
    if plies[-1] < ply:
        with pytest.raises(TapeError):
            tape.from_ply(ply)
        return
    rest = tape.from_ply(ply)
    assert rest == recordings[-len(rest) :]
    assert all(found.ply >= ply for found in rest)
    earlier = recordings[: -len(rest)]
    assert not earlier or earlier[-1].ply < ply


def test_a_missing_tape_and_a_full_disk_are_one_sentence_each(tmp_path: Path) -> None:
    with pytest.raises(TapeError, match="--tape"):
        Tape(tmp_path / "none", create=False)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(TapeError, match="cannot be made"):
        Tape(tmp_path / "file")
    tape = filled(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(TapeError, match="cannot be written"):
        tape.keep(tone(300), RATE, t=0, ply=1, by="table", words="lost")


def test_a_missing_sound_library_is_reported_before_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(TapeError, match="install soundfile"):
        Tape(tmp_path / "game.tape")
    assert not (tmp_path / "game.tape").exists()


@pytest.mark.parametrize(
    ("name", "kind"), [("all.flac", "FLAC"), ("all.opus", "OGG"), ("all.WAV", "WAV")]
)
def test_a_whole_tape_is_written_into_one_file(tmp_path: Path, name: str, kind: str) -> None:
    pcm = np.frombuffer(tone(440, 2.0), "<i2")
    tapes.write_sound(tmp_path / name, pcm.tobytes())
    info = soundfile.info(tmp_path / name)
    assert (info.format, info.samplerate) == (kind, tapes.EXPORT_RATE)
    samples, _ = soundfile.read(tmp_path / name, dtype="int16")
    if kind == "OGG":  # it loses what nobody hears, and keeps the tone and its length
        assert abs(len(samples) - len(pcm)) <= tapes.EXPORT_RATE // 50
        spectrum = np.abs(np.fft.rfft(samples[: len(pcm)]))
        assert abs(np.argmax(spectrum) - np.argmax(np.abs(np.fft.rfft(pcm)))) <= 2
    else:
        assert (samples == pcm).all()


def test_an_unknown_kind_of_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TapeError, match=r"\.flac, \.mp3, \.opus or \.wav"):
        tapes.write_sound(tmp_path / "all.ogg", tone(440))
    with pytest.raises(TapeError, match="cannot be written"):
        tapes.write_sound(tmp_path / "no" / "all.wav", tone(440))


def test_a_tape_lies_beside_its_journal() -> None:
    assert tapes.tape_folder(Path("games/final.jsonl")) == Path("games/final.tape")
