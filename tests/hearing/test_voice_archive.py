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
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import corpus
from blindplay.hearing import voice_archive
from blindplay.hearing.prompting import RecordingFault
from blindplay.hearing.voice_archive import ArchiveError, speaker_of, squares_of
from blindplay.language import load
from blindplay.speech.audio import wav
from tests.command_line import run
from tests.sampling import examples

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


@examples(30)
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


OTHER = "h8h7h6h5h4h3h2h1"


@pytest.fixture
def voices(tmp_path: Path) -> Path:
    return tmp_path / "voices"


def test_good_archives_become_a_corpus_that_is_measured_by_voice(
    tmp_path: Path, voices: Path
) -> None:
    archive = donated()
    soft = replace(archive.recordings["002.wav"], pcm=noise(1, 1, loud=9.0))
    archive = replace(archive, recordings={**archive.recordings, "002.wav": soft})
    first = written(tmp_path, archive)
    second = written(tmp_path, donated(OTHER, seed=2), "other.zip")
    assert [one.good for one in voice_archive.check([first, second], voices)] == [True, True]
    found = corpus.recordings(GERMAN, voices, 200, 200, 1)
    spoken = [one.voice for one in found]
    # What cannot be used is not taken.
    assert (spoken.count(SPEAKER), spoken.count(speaker_of(OTHER))) == (59, 60)
    assert not corpus.recordings(load("en"), voices, 200, 200, 1)
    assert {one.name for one in voices.iterdir()} == {SPEAKER, speaker_of(OTHER)}


def test_only_what_was_checked_is_written(tmp_path: Path, voices: Path) -> None:
    """A WAV file may hold more than sound, such as a name."""
    archive = written(tmp_path)
    with zipfile.ZipFile(archive) as opened:
        files = {info.filename: opened.read(info) for info in opened.infolist()}
    name = f"{SPEAKER}/001.wav"
    extra = b"LIST\x10\0\0\0INFOIART\4\0\0\0Anna"
    sound = files[name] + extra
    files[name] = sound[:4] + (len(sound) - 8).to_bytes(4, "little") + sound[8:]
    with zipfile.ZipFile(archive, "w") as opened:
        for one, data in files.items():
            opened.writestr(one, data)
    (found,) = voice_archive.check([archive], voices)
    assert found.good and b"IART" in archive.read_bytes()
    assert not [file for file in voices.rglob("*.wav") if b"IART" in file.read_bytes()]


def test_a_voice_counts_once(tmp_path: Path, voices: Path) -> None:
    archive = written(tmp_path)
    # The same recordings again, as somebody else's.
    twin = replace(donated(), donation=replace(donated().donation, speaker=speaker_of(OTHER)))
    copies = [archive, written(tmp_path, name="same.zip"), written(tmp_path, twin, "twin.zip")]
    for collection in (None, voices):
        found = list(voice_archive.check(copies, collection))
        assert [one.good for one in found] == [True, False, False]
        assert f"has the voice {SPEAKER}, which is there already" in found[2].sentence
    (again,) = voice_archive.check([archive], voices)
    assert not again.good and "there already" in again.sentence


def test_a_voice_that_was_taken_back_goes_and_never_comes_again(
    tmp_path: Path, voices: Path
) -> None:
    archive = written(tmp_path)
    assert [one.good for one in voice_archive.check([archive], voices)] == [True]
    assert not voice_archive.revoke(voices, OTHER)
    assert voice_archive.revoke(voices, CODE) and not voice_archive.revoke(voices, CODE)
    assert not (voices / SPEAKER).exists()
    for one in voice_archive.check([archive, written(tmp_path, donated(OTHER))], voices):
        assert "was taken back" in one.sentence and not one.good


def test_what_is_not_complete_is_not_taken(tmp_path: Path, voices: Path) -> None:
    (found,) = voice_archive.check([written(tmp_path, donated(count=20))], voices)
    assert not found.good and "50 recordings are needed" in found.sentence
    assert not voices.exists()


def test_an_unknown_language_is_refused(tmp_path: Path) -> None:
    archive = replace(donated(), donation=replace(donated().donation, language="xx"))
    (found,) = voice_archive.check([written(tmp_path, archive)])
    assert not found.good and "xx" in found.sentence


def test_the_command_says_of_each_archive_what_it_is_worth(tmp_path: Path, voices: Path) -> None:
    good, bad = written(tmp_path), tmp_path / "bad.zip"
    bad.write_bytes(b"no archive")
    done = run("voice", "donate", "--check", str(good), str(bad), "--collect", str(voices))
    lines = done.stdout.splitlines()
    assert done.status == 1 and done.stderr == ""
    assert lines[0].startswith(f"{good} holds the voice {SPEAKER}, language de: usable recordings ")
    assert lines[1] == f"{bad} is not an archive of a voice, or is damaged; ask for it again."
    assert lines[2] == "Archives that can be used: 1 of 2."
    assert "consent.wav" in lines[3] and (voices / SPEAKER).is_dir()
    done = run("voice", "donate", "--check", "--json", str(good))
    figures = json.loads(done.stdout)
    assert (done.status, figures["good"], figures["recordings"]) == (0, True, 60)
    assert figures["statement"] == "Das ist meine." and figures["faults"] == {}
    done = run("voice", "donate", "--collect", str(voices), "--revoke", CODE)
    assert done.status == 0 and not (voices / SPEAKER).exists()
    assert run("voice", "donate", "--collect", str(voices), "--revoke", CODE).status == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--check"], "Name the archives to check."),
        (["voice.zip"], "Archives go with '--check'; alone, donate records your voice."),
        (["--revoke", CODE], "Name the folder of the collection with --collect."),
        (["--output", "nowhere"], "There is no folder nowhere; make it first."),
    ],
)
def test_what_is_missing_on_the_command_line_is_told(arguments: list[str], why: str) -> None:
    done = run("voice", "donate", *arguments)
    assert (done.status, done.stdout, done.stderr) == (2, "", f"{why}\n")
