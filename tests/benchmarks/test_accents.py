"""Announcements with strong foreign accents."""

import json
import random
import shutil
import struct
from pathlib import Path

import pytest

from benchmarks import corpus
from blindplay.language import load
from models import accents

from .utterances import PACK


def voice(folder: Path, *pairs: tuple[str, str]) -> accents.AccentedVoice:
    """A voice of 16 kHz whose period has 160 samples, with these pairs of phones."""
    head = b"MBROLA2.060" + struct.pack("<hhiihBB", len(pairs), 0, 0, 0, 16_000, 160, 1)
    entries = [b"%s\0%s\0" % (a.encode(), b.encode()) + bytes(4) for a, b in pairs]
    file = folder / "xx1"
    file.write_bytes(head + b"".join(entries))
    return accents.voice(file)


def phones(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines()]


def test_a_voice_has_a_pitch_and_pairs_of_phones(tmp_path: Path) -> None:
    found = voice(tmp_path, ("_", "a"), ("a", "ts"), ("ts", "_"))
    assert found.pitch == 100
    assert found.phones == {"_", "a", "ts"}
    assert ("a", "ts") in found.pairs


def test_no_other_file_is_a_voice(tmp_path: Path) -> None:
    file = tmp_path / "song"
    file.write_bytes(b"RIFF")
    with pytest.raises(ValueError, match="is no voice of MBROLA"):
        accents.voice(file)


def test_a_voice_says_a_sound_that_it_lacks_as_the_most_similar_one(tmp_path: Path) -> None:
    pairs = [("_", "t"), ("t", "s"), ("s", "v"), ("v", "a"), ("a", "i"), ("i", "_")]
    by = voice(tmp_path, *pairs)
    said = accents.score([("ts", "v", "aI")], by, random.Random(1))  # zwei
    assert [one for one in phones(said) if one != "_"] == ["t", "s", "v", "a", "i"]


def test_phones_that_a_voice_cannot_join_have_silence_between_them(tmp_path: Path) -> None:
    by = voice(tmp_path, ("_", "a"), ("a", "_"), ("_", "k"), ("k", "_"))
    said = accents.score([("a", "k")], by, random.Random(2))
    assert phones(said)[:4] == ["_", "a", "_", "k"]


def test_every_sound_of_the_packs_has_phones_in_some_voice() -> None:
    known = accents._data()["sounds"]
    for code in ("de", "en", "nb", "sv", "da"):
        pack, chance = load(code), random.Random(1)
        for line in corpus.lines(pack, 20, 10, chance):
            for word in accents.spoken(line, pack, chance):
                assert all(sound in known or len(sound) == 1 for sound in word), (line, word)


def test_no_voice_is_in_both_halves_nor_one_that_others_measure_with() -> None:
    fitted, measured = map(set, map(accents.voices, ("fitted", "measured")))
    assert not {name[:2] for name in fitted} & {name[:2] for name in measured}
    assert not {"de", "nl", "hu", "ee"} & {name[:2] for name in fitted | measured}


def test_without_mbrola_a_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ValueError, match="MBROLA is missing"):
        list(accents.say(PACK, ["pl1"], 4, tmp_path, 1))


@pytest.mark.long
@pytest.mark.skipif(
    shutil.which("mbrola") is None or not (accents.VOICES / "tr1").is_dir(), reason="no MBROLA"
)
def test_recordings_are_read_as_what_was_said(tmp_path: Path) -> None:
    (told,) = accents.say(PACK, ["tr1"], 4, tmp_path, 1)
    index = (tmp_path / "de-tr1" / "index.jsonl").read_text("utf-8").splitlines()
    assert told.endswith(f"{len(index)} utterances.")
    assert {json.loads(line)["speaker"] for line in index} == {"tr1"}
    assert len(corpus.recordings(PACK, tmp_path, 100, 100, 1)) == len(index)
