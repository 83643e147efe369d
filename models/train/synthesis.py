"""Speech to train with: phrases in many voices, as 16 kHz sound with the phones that are said.

It is made in shards, each with a seed of its own. So an interrupted synthesis continues, and the
order of the work does not matter. A shard has two files: ``NAME.raw`` has signed 16-bit samples,
one utterance after another; ``NAME.tsv`` has a line for each: the number of samples, the speaker,
the words and the phones. The second is written last: if it is there, the shard is whole.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.train.phrases import Phrases
from models.train.voices import Samples, Voice, VoiceError, engine

RATE = 16_000
SHARD = 250
"""Utterances in a shard."""

_ATTEMPTS = 3
_LONGEST_S = 7.0
_LEVEL = 0.7
_MARGIN = 800  # samples kept before and after the speech, 50 ms
_FRAME = 480  # samples in one step of the network; a phone needs at least one step


@dataclass(frozen=True)
class Shard:
    """A part of the synthesis: ``count`` utterances of one voice, drawn from ``seed``."""

    language: str
    voice: Voice
    number: int
    count: int
    seed: int

    @property
    def name(self) -> str:
        """Return the name of its files without suffix."""
        return f"{self.voice.name}-{self.number:03}"


@dataclass(frozen=True)
class Utterance:
    """An utterance of a shard as stored: where its samples are, the speaker and the words."""

    file: Path
    start: int
    samples: int
    kind: str
    speaker: str
    words: str
    phones: tuple[str, ...]

    def sound(self) -> npt.NDArray[np.float32]:
        """Return its samples, from -32768 to 32767."""
        stored = np.memmap(self.file, "<i2", "r", 2 * self.start, (self.samples,))
        return np.asarray(stored, np.float32)


def shards(language: str, chosen: list[Voice], utterances: int, seed: int) -> list[Shard]:
    """Return the shards of about so many utterances, the slowest voices first."""
    whole = sum(voice.share[language] for voice in chosen)
    found = []
    for voice in chosen:
        count = round(utterances * voice.share[language] / whole)
        for number, first in enumerate(range(0, count, SHARD)):
            found.append(Shard(language, voice, number, min(SHARD, count - first), seed))
    return sorted(found, key=lambda s: (s.voice.engine not in ("kokoro", "piper"), s.number))


def synthesise(shard: Shard, folder: Path) -> bool:
    """Make the shard's files in ``folder``. Return False if they are there already.

    A shard is reproducible only in a process of its own: see ``voices``.

    :raises VoiceError: if its voice is not installed.
    """
    index = folder / f"{shard.name}.tsv"
    if index.is_file():
        return False
    lines, sounds = [], []
    for speaker, text, phones, sound in utter(shard):
        lines.append(f"{len(sound)}\t{shard.voice.kind}\t{speaker}\t{text}\t{' '.join(phones)}\n")
        sounds.append(sound)
    (folder / f"{shard.name}.raw").write_bytes(b"".join(sound.tobytes() for sound in sounds))
    part = index.with_suffix(".part")
    part.write_text("".join(lines), encoding="utf-8", newline="\n")
    part.replace(index)
    return True


def synthesised(part: Shard, folder: Path) -> bool:
    """Call ``synthesise`` in a process of its own.

    espeak-ng crashes once in some ten thousand phrases. Then other phrases are said. Raises
    VoiceError if it crashes again and again, too.
    """
    new = multiprocessing.get_context("spawn")
    for attempt in range(_ATTEMPTS):
        other = replace(part, seed=part.seed + 1000 * attempt)
        with contextlib.suppress(BrokenProcessPool), ProcessPoolExecutor(1, new) as pool:
            return pool.submit(synthesise, other, folder).result()
    raise VoiceError(f"The synthesiser of {part.voice.name} crashes; leave out {part.voice.kind}.")


def utter(shard: Shard) -> Iterator[tuple[str, str, list[str], npt.NDArray[np.int16]]]:
    """Yield the shard's utterances: speaker, words, phones, samples; failed ones are missing."""
    chance = random.Random(f"{shard.seed} {shard.language} {shard.name}")
    voice = shard.voice
    speaks = engine(voice.engine, chance.randrange(1 << 31))
    phrases = Phrases(shard.language, voice.sounds.keys(), chance)
    different = math.ceil(shard.count / voice.uses)
    said = [(chance.choice(voice.speakers), next(phrases)) for _ in range(different)]
    for (speaker, phrase), (whole, rate) in zip(said, speaks.say(voice, said, chance), strict=True):
        for _ in range(voice.uses):
            # Played faster or slower, it is another voice: pitch, tract and tempo change together.
            change = chance.uniform(0.84, 1.22) if chance.random() < 0.8 else 1.0
            sound = cut(whole, rate * change)
            if sound is not None and len(sound) >= _FRAME * 1.15 * len(phrase.phones):
                yield speaker, phrase.text, phrase.phones, sound


def cut(said: Samples, rate: float) -> npt.NDArray[np.int16] | None:
    """Return the speech at 16 kHz and one level, without silence around it; None for silence."""
    if not len(said):
        return None
    sound = resample(said, rate)
    peak = float(np.abs(sound).max(initial=0.0))
    loud = np.flatnonzero(np.abs(sound) > 0.01 * peak)
    if peak < 1e-3 or len(loud) < RATE // 10:
        return None
    sound = sound[max(0, loud[0] - _MARGIN) : loud[-1] + _MARGIN]
    if len(sound) > _LONGEST_S * RATE:
        return None
    cut: npt.NDArray[np.int16] = (sound / peak * _LEVEL * 32767).astype("<i2")
    return cut


def resample(sound: Samples, rate: float) -> Samples:
    """Resample from ``rate`` Hz to 16 kHz, by the spectrum, without frequencies above 8 kHz.

    The beginning continues the end in this, so both must be quiet.
    """
    count = max(1, round(len(sound) * RATE / rate))
    spectrum = np.fft.rfft(sound)[: count // 2 + 1]
    return np.asarray(np.fft.irfft(spectrum, count) * (count / len(sound)), np.float32)


def utterances(folder: Path, keep: Callable[[str], bool] = lambda kind: True) -> list[Utterance]:
    """Return all utterances in ``folder`` of the kinds of voices to keep, in the order of names.

    :raises ValueError: if there are none.
    """
    found = []
    for index in sorted(folder.glob("*.tsv")):
        start = 0
        for line in index.read_text(encoding="utf-8").splitlines():
            length, kind, speaker, words, phones = line.split("\t")
            if keep(kind):
                one = Utterance(
                    index.with_suffix(".raw"),
                    start,
                    int(length),
                    kind,
                    speaker,
                    words,
                    tuple(phones.split()),
                )
                found.append(one)
            start += int(length)
    if not found:
        raise ValueError(f"There is no speech in {folder}; begin with: make model.")
    return found
