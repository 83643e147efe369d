"""Evaluate a trained network on voices and people that it never heard.

``phones_wrong`` evaluates the network alone, ``words_right`` single words that Vosk recognises with
the finished model. ``python -m benchmarks voice`` measures the use at a table, with questions and
read-back.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from blindplay.speech.audio import read_audio
from blindplay.speech.recogniser import Recogniser
from models.train.features import mfcc
from models.train.network import Network
from models.train.synthesis import Shard, synthesised, utterances
from models.train.voices import voices

Sound = npt.NDArray[np.float32]
_BEFORE, _AFTER = 3200, 4800  # samples of a quiet room before and after the speech
_HISS = 8.0


@dataclass(frozen=True)
class Test:
    """An utterance of a speaker that the network never heard; ``phones`` are empty if unknown."""

    kind: str
    words: str
    phones: tuple[str, ...]
    sound: Sound


def unheard(language: str, count: int, seed: int, without: Sequence[str] = ()) -> Iterator[Test]:
    """Return about ``count`` utterances of each kind of voice in ``without``, and of the speakers
    that are kept for measuring.

    :raises VoiceError: if a voice is not installed.
    """
    for voice in voices(language):
        if voice.kind in without:
            speakers = voice.speakers
        elif voice.unheard:
            speakers = voice.unheard
        else:
            continue
        tested = replace(voice, speakers=speakers)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            # Training shards are numbered from 0, so none of them occurs again.
            synthesised(Shard(language, tested, 999, count, seed), Path(folder))
            for one in utterances(Path(folder)):
                yield Test(one.kind, one.words, one.phones, one.sound())


def recordings(folder: Path) -> Iterator[Test]:
    """Yield the single words in a folder of recordings for ``python -m benchmarks voice``: its
    ``index.jsonl`` names a file, its speaker and its words in each line.

    :raises OSError, ValueError: if it cannot be read.
    """
    for line in (folder / "index.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        words = entry.get("words")
        if words and " " not in words:
            sound = np.frombuffer(read_audio(folder / entry["file"]), "<i2").astype(np.float32)
            yield Test(str(entry.get("speaker", "people")), words.lower(), (), sound)


def in_a_room(sound: Sound, seed: int = 0) -> Sound:
    """Return the sound with a moment of a quiet room before and after it."""
    room = np.random.default_rng(seed).normal(0, _HISS, _BEFORE + len(sound) + _AFTER)
    room[_BEFORE : _BEFORE + len(sound)] += sound
    return np.clip(np.round(room), -32768, 32767).astype(np.float32)


def phones_wrong(network: Network, tests: Iterable[Test]) -> dict[str, tuple[int, int]]:
    """Return for each kind how many phones were wrong, added or dropped, and of how many."""
    found: dict[str, tuple[int, int]] = {}
    for test in tests:
        if test.phones:
            wrong, count = found.get(test.kind, (0, 0))
            heard = network.heard(mfcc(in_a_room(test.sound)))
            found[test.kind] = wrong + distance(test.phones, heard), count + len(test.phones)
    return found


def words_right(model: Path, language: str, tests: Iterable[Test]) -> dict[str, tuple[int, int]]:
    """Return for each kind how many single words were right, and of how many, if any word of the
    model may come."""
    recogniser = Recogniser(model, language)
    single = sorted(word for word in recogniser.vocabulary if word.isalpha())
    found: dict[str, tuple[int, int]] = {}
    for test in tests:
        if test.words in recogniser.vocabulary:
            right, count = found.get(test.kind, (0, 0))
            heard = recogniser.recognise(in_a_room(test.sound).astype("<i2").tobytes(), single)
            found[test.kind] = right + (heard.words == test.words), count + 1
    return found


def distance(one: Sequence[object], other: Sequence[object]) -> int:
    """Return the edit distance of two sequences."""
    row = list(range(len(other) + 1))
    for k, a in enumerate(one, 1):
        above, row = row, [k]
        for j, b in enumerate(other, 1):
            row.append(min(above[j - 1] + (a != b), above[j] + 1, row[-1] + 1))
    return row[-1]
