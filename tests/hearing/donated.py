"""Archives of voices without a voice: noise that is as loud and as long as speech."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import chess
import numpy as np

from blindplay.hearing import voice_archive
from blindplay.hearing.kept_recordings import SpeakerRecording
from blindplay.hearing.script import word_names
from blindplay.hearing.voice_archive import Donation, VoiceArchive
from blindplay.language import load

CODE = "a1b2c3d4e5f6g7h8"
SPEAKER = voice_archive.speaker_of(CODE)
_FILES, _RANKS, _PIECES = word_names(load("de"))


def noise(seconds: float, seed: int, loud: float = 2000.0) -> bytes:
    """So much noise; at 2000 it is about 24 dB below full scale."""
    samples = np.random.default_rng(seed).normal(0, loud, round(16_000 * seconds))
    return bytes(samples.clip(-32_768, 32_767).astype("<i2").tobytes())


@cache
def donated(code: str = CODE, count: int = 60, seed: int = 1) -> VoiceArchive:
    """A donation in German; each name is said in it."""
    about = Donation(voice_archive.speaker_of(code), "de", "Das ist meine.", "ja", "2026-11-23")
    chance = random.Random(seed)
    said = {}
    for number in range(count):
        names = (_PIECES[number % 6], _FILES[number % 8], _RANKS[number % 8])
        sound = noise(0.3 + chance.random() / 9, 1000 * seed + number)
        one = SpeakerRecording(" ".join(names), chess.STARTING_FEN, sound)
        said[f"{number + 1:03}.wav"] = one
    return VoiceArchive(about, noise(3.0, seed), said)


def written(folder: Path, archive: VoiceArchive | None = None, name: str = "voice.zip") -> Path:
    voice_archive.write(folder / name, archive or donated())
    return folder / name
