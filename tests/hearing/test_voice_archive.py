"""Archives of voices come from anybody: what is wrong in one is found before it is used."""

from __future__ import annotations

import io
import json
import warnings
import wave
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blindplay.hearing import voice_archive
from blindplay.hearing.prompting import RecordingFault
from blindplay.hearing.voice_archive import ArchiveError, speaker_of, squares_of
from blindplay.speech.audio import wav

from .donated import CODE, SPEAKER, donated, noise, written
from .player import GERMAN

Files = dict[str, bytes]
FEW = donated(count=12)


def changed(
    archive: Path, change: Callable[[Files], object], compression: int = zipfile.ZIP_STORED
) -> Path:
    """The archive with other files in it."""
    with zipfile.ZipFile(archive) as opened:
        files = {info.filename: opened.read(info) for info in opened.infolist()}
    change(files)
    with zipfile.ZipFile(archive, "w", compression) as opened:
        for name, data in files.items():
            opened.writestr(name, data)
    return archive


def about(**values: object) -> Callable[[Files], object]:
    """Change what the archive says of its donor; None removes a key."""

    def change(files: Files) -> None:
        found = json.loads(files[f"{SPEAKER}/donation.json"]) | values
        whole = {key: value for key, value in found.items() if value is not None}
        files[f"{SPEAKER}/donation.json"] = json.dumps(whole).encode()

    return change


def entry(**values: object) -> Callable[[Files], object]:
    """Change what the archive says of its second recording."""

    def change(files: Files) -> None:
        lines = files[f"{SPEAKER}/index.jsonl"].splitlines()
        lines[1] = json.dumps({**json.loads(lines[1]), **values}).encode()
        files[f"{SPEAKER}/index.jsonl"] = b"\n".join(lines)

    return change


def put(name: str, data: bytes) -> Callable[[Files], object]:
    return lambda files: files.update({name: data})


def take(name: str) -> Callable[[Files], object]:
    return lambda files: files.pop(f"{SPEAKER}/{name}")


def sound(rate: int = 16_000, channels: int = 1, width: int = 2) -> bytes:
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setparams((channels, width, rate, 0, "NONE", ""))
        file.writeframes(bytes(9600))
    return made.getvalue()


def test_an_archive_gives_back_what_was_written_and_says_nothing_else(tmp_path: Path) -> None:
    archive = donated()
    third = replace(archive.recordings["003.wav"], doubted=True)
    archive = replace(archive, recordings={**archive.recordings, "003.wav": third})
    path = written(tmp_path, archive)
    assert voice_archive.read(path) == archive
    assert path.read_bytes() == written(tmp_path, archive, "again.zip").read_bytes()
    with zipfile.ZipFile(path) as opened:
        assert {info.date_time[0] for info in opened.infolist()} == {1980}
    assert CODE.encode() not in path.read_bytes()
    assert not list(tmp_path.glob("*.new"))


def test_two_languages_at_once_have_an_archive_too(tmp_path: Path) -> None:
    archive = replace(FEW, donation=replace(FEW.donation, language="de+nb"))
    assert voice_archive.read(written(tmp_path, archive)) == archive


def test_a_code_is_eight_squares_and_cannot_be_found_from_the_speaker() -> None:
    code = voice_archive.new_code()
    assert len(squares_of(code)) == 8 and code != voice_archive.new_code()
    assert speaker_of(f" {CODE[:6].upper()}, {CODE[6:]} ") == SPEAKER != speaker_of(code)
    for wrong in ("", CODE[:-2], CODE + "a1", "a9" * 8, "Anna"):
        with pytest.raises(ValueError, match="a code is eight squares"):
            squares_of(wrong)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (put("../outside.wav", b""), "does not belong"),
        (put(f"{SPEAKER}/../../outside.wav", b""), "does not belong"),
        (put("/etc/outside.wav", b""), "does not belong"),
        (put(f"{SPEAKER}\\001.wav", b""), "does not belong"),
        (put(f"{SPEAKER}/Anna.txt", b"Anna Muster"), "does not belong"),
        (put(f"{SPEAKER}/sub/001.wav", b""), "does not belong"),
        (put(f"{'0' * 16}/001.wav", wav(noise(1, 1))), "does not hold one voice"),
        (put(f"{SPEAKER}/999.wav", wav(noise(1, 1))), "in line 13 of its index"),
        (put(f"{SPEAKER}/001.wav", b"ID3 no wave"), "voice.zip/001.wav is not a WAV file"),
        (put(f"{SPEAKER}/001.wav", sound(rate=44_100)), "sixteen kilohertz"),
        (put(f"{SPEAKER}/001.wav", sound(channels=2)), "not a whole mono WAV file"),
        (put(f"{SPEAKER}/001.wav", sound(width=1)), "not a whole mono WAV file"),
        (put(f"{SPEAKER}/001.wav", wav(noise(1, 1))[:-99]), "is not a w"),
        (put(f"{SPEAKER}/index.jsonl", b"[" * 100_000), "in line 1 of its index"),
        (put(f"{SPEAKER}/index.jsonl", b"\xff"), "in line 1 of its index"),
        (put(f"{SPEAKER}/donation.json", b"5"), "nobody may use it"),
        (take("consent.wav"), "no spoken consent"),
        (take("donation.json"), "nobody may use it"),
        (take("index.jsonl"), "in line 1 of its index"),
        (take("002.wav"), "in line 2 of its index"),
        (about(licence="all rights reserved"), "nobody may use it"),
        (about(signed=None), "nobody may use it"),
        (about(statement=""), "nobody may use it"),
        (about(date="yesterday"), "nobody may use it"),
        (about(speaker="0" * 16), "nobody may use it"),
        (about(language="../.."), "nobody may use it"),
        (about(name="Anna Muster"), "nobody may use it"),
        (about(format=2), "nobody may use it"),
        (entry(name="Anna Muster"), "in line 2 of its index"),
        (entry(speaker="Anna"), "in line 2 of its index"),
        (entry(words=""), "in line 2 of its index"),
        (entry(words=["Dame"]), "in line 2 of its index"),
        (entry(words="Dame\x1b[2J"), "in line 2 of its index"),
        (entry(words="Dame " * 100), "in line 2 of its index"),
        (entry(fen="8/8/8/8/8/8/8/8 w - - 0 1"), "in line 2 of its index"),
        (entry(fen=None), "in line 2 of its index"),
        (entry(file="001.wav"), "in line 2 of its index"),
        (entry(file="../../001.wav"), "in line 2 of its index"),
        (entry(file={}), "in line 2 of its index"),
    ],
)  # fmt: skip
def test_what_does_not_belong_in_an_archive_is_refused(
    change: Callable[[Files], object], why: str, tmp_path: Path
) -> None:
    archive = changed(written(tmp_path, FEW), change)
    with pytest.raises(ArchiveError, match=why) as refused:
        voice_archive.read(archive)
    assert "\n" not in str(refused.value) and str(archive) in str(refused.value)
    assert [one.name for one in tmp_path.iterdir()] == [archive.name]


def test_an_archive_that_swells_is_refused_unread(tmp_path: Path) -> None:
    bomb = put(f"{SPEAKER}/001.wav", bytes(5_000_000))
    archive = changed(written(tmp_path, FEW), bomb, zipfile.ZIP_DEFLATED)
    with pytest.raises(ArchiveError, match="does not belong"):
        voice_archive.read(archive)


def test_links_and_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for mode, name in ((0o120777, "777.wav"), (0o100644, "001.wav")):
        archive = written(tmp_path, FEW)
        info = zipfile.ZipInfo(f"{SPEAKER}/{name}")
        info.external_attr = mode << 16
        with warnings.catch_warnings(), zipfile.ZipFile(archive, "a") as opened:
            warnings.simplefilter("ignore")  # Python says that a name is there twice
            opened.writestr(info, "/etc/passwd")
        with pytest.raises(ArchiveError, match="does not belong"):
            voice_archive.read(archive)


@settings(max_examples=30)
@given(data=st.data())
def test_no_damage_of_an_archive_does_more_than_refuse_it(data: Any, damaged: Path) -> None:
    whole = bytearray((damaged / "whole.zip").read_bytes())
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=4)):
        whole[at] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(whole)))
    (damaged / "damaged.zip").write_bytes(whole[:end] if end % 3 == 0 else whole)
    try:
        voice_archive.read(damaged / "damaged.zip")
    except ArchiveError as refused:
        assert "\n" not in str(refused)


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged")
    few = donated(count=2)
    short = replace(few, consent=few.consent[:400])
    written(folder, short, "whole.zip")
    return folder


@pytest.mark.parametrize(
    ("pcm", "fault"),
    [
        (noise(1.0, 1, loud=20.0), RecordingFault.SOFT),
        (noise(1.0, 1, loud=40_000.0), RecordingFault.LOUD),
        (noise(0.1, 1), RecordingFault.SHORT),
        (noise(15.0, 1), RecordingFault.LONG),
    ],
)
def test_what_is_too_soft_too_loud_or_of_a_wrong_length_does_not_count(
    pcm: bytes, fault: RecordingFault
) -> None:
    archive = donated()
    recordings = {**archive.recordings}
    recordings["001.wav"] = replace(recordings["001.wav"], pcm=pcm)
    found = voice_archive.quality(replace(archive, recordings=recordings), GERMAN)
    assert found.faults == {"001.wav": fault}
    assert found.complete and len(found.usable) == 59 and "001.wav" not in found.usable
    assert -25 < found.level < -23 and 18 < found.seconds < 25


def test_an_archive_is_complete_with_fifty_recordings_and_every_name() -> None:
    assert not voice_archive.quality(donated(count=49), GERMAN).complete
    assert voice_archive.quality(donated(count=50), GERMAN).complete
    archive = donated()
    without = {name: one for name, one in archive.recordings.items() if "Felix" not in one.words}
    found = voice_archive.quality(replace(archive, recordings=without), GERMAN)
    assert found.missing == ("Felix", "sechs") and not found.complete
