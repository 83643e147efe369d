"""A collection takes each voice once, and gives it back when it is asked to."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import corpus
from blindplay.hearing import voice_collection
from blindplay.hearing.voice_archive import speaker_of
from blindplay.language import load
from tests.command_line import run

from .donated import CODE, SPEAKER, donated, noise, written
from .player import GERMAN

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
    assert [one.good for one in voice_collection.check([first, second], voices)] == [True, True]
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
    (found,) = voice_collection.check([archive], voices)
    assert found.good and b"IART" in archive.read_bytes()
    assert not [file for file in voices.rglob("*.wav") if b"IART" in file.read_bytes()]


def test_a_voice_counts_once(tmp_path: Path, voices: Path) -> None:
    archive = written(tmp_path)
    # The same recordings again, as somebody else's.
    twin = replace(donated(), donation=replace(donated().donation, speaker=speaker_of(OTHER)))
    copies = [archive, written(tmp_path, name="same.zip"), written(tmp_path, twin, "twin.zip")]
    for collection in (None, voices):
        found = list(voice_collection.check(copies, collection))
        assert [one.good for one in found] == [True, False, False]
        assert f"has the voice {SPEAKER}, which is there already" in found[2].sentence
    (again,) = voice_collection.check([archive], voices)
    assert not again.good and "there already" in again.sentence


def test_a_voice_that_was_taken_back_goes_and_never_comes_again(
    tmp_path: Path, voices: Path
) -> None:
    archive = written(tmp_path)
    assert [one.good for one in voice_collection.check([archive], voices)] == [True]
    assert not voice_collection.revoke(voices, OTHER)
    assert voice_collection.revoke(voices, CODE) and not voice_collection.revoke(voices, CODE)
    assert not (voices / SPEAKER).exists()
    for one in voice_collection.check([archive, written(tmp_path, donated(OTHER))], voices):
        assert "was taken back" in one.sentence and not one.good


def test_what_is_not_complete_is_not_taken(tmp_path: Path, voices: Path) -> None:
    (found,) = voice_collection.check([written(tmp_path, donated(count=20))], voices)
    assert not found.good and "50 recordings are needed" in found.sentence
    assert not voices.exists()


def test_an_unknown_language_is_refused(tmp_path: Path) -> None:
    archive = replace(donated(), donation=replace(donated().donation, language="xx"))
    (found,) = voice_collection.check([written(tmp_path, archive)])
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
