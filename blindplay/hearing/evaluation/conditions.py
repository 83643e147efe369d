"""What a room does to a voice: babble, pink noise, hum, reverberation. Seeded; samples in, out."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from blindplay.speech.audio import RATE

Samples: TypeAlias = npt.NDArray[np.float64]
"""Samples of 16-bit sound at 16 kHz, as floating-point numbers."""

REVERBERATION_S = 0.5
"""How long the synthetic room takes to fall by 60 dB."""
_ACTIVE = 0.02
"""What is louder than this share of the peak is speech: pauses do not count for its level."""
_FULL = 32_000.0
_MAINS_HZ = 50
_HARMONICS = (1, 2, 3, 4, 6)


class Noise(Enum):
    """What is heard besides the voice."""

    NONE = "clean"
    BABBLE = "babble"
    PINK = "pink"
    HUM = "hum"
    ROOM = "room"


_IN_WORDS = {
    Noise.NONE: "clean",
    Noise.BABBLE: "babble of six talkers",
    Noise.PINK: "pink noise",
    Noise.HUM: "mains hum",
    Noise.ROOM: f"room, {REVERBERATION_S:g} s of reverberation",
}


@dataclass(frozen=True)
class Condition:
    """A noise, and by how many dB the voice is louder; None where there is no level."""

    noise: Noise
    snr_db: float | None = None

    @property
    def name(self) -> str:
        """Return what `parse` takes: "clean", "babble10"."""
        return self.noise.value + ("" if self.snr_db is None else f"{self.snr_db:g}")

    def __str__(self) -> str:
        words = _IN_WORDS[self.noise]
        return words if self.snr_db is None else f"{words}, {self.snr_db:g} dB"


CLEAN = Condition(Noise.NONE)


def parse(names: str) -> list[Condition]:
    """Return the conditions in "clean,20,pink10,hum,room"; a number alone is babble. Raises
    ValueError for an unknown one."""
    return [_one(name.strip().lower()) for name in names.split(",") if name.strip()]


def _one(name: str) -> Condition:
    found = re.fullmatch(r"([a-z]*)(-?\d+(?:\.\d+)?)?", name)
    kinds = {noise.value: noise for noise in Noise}
    noise = None if found is None else kinds.get(found[1] or Noise.BABBLE.value)
    level = found and found[2]
    has_no_level = noise in (Noise.NONE, Noise.ROOM)
    if noise is None or (has_no_level and level):
        raise ValueError(
            f"There is no condition {name!r}; name clean, room, hum, or a level in dB "
            "such as 10 (babble) or pink10."
        )
    return Condition(noise) if has_no_level else Condition(noise, float(level or 10))


@dataclass(frozen=True)
class Surroundings:
    """Where utterances are recorded. ``babble`` is longer than any; ``seed`` is that of chance."""

    condition: Condition = CLEAN
    babble: Samples = field(default_factory=lambda: np.zeros(1))
    seed: int = 1

    def record(self, voice: Samples, number: int) -> bytes:
        """Return utterance ``number`` as a microphone hears it: 16-bit PCM of the same length."""
        return as_pcm(apply(self.condition, voice, self.babble, self.seed * 100_003 + number))


def as_pcm(sound: Samples) -> bytes:
    """Return the samples as 16-bit PCM."""
    return np.clip(sound, -32_768, 32_767).astype("<i2").tobytes()


def as_samples(pcm: bytes) -> Samples:
    """Return 16-bit PCM as samples."""
    return np.frombuffer(pcm, "<i2").astype(np.float64)


def apply(condition: Condition, voice: Samples, babble: Samples, seed: int) -> Samples:
    """Return the voice as a microphone in this condition hears it, as long as before.

    The level of the voice is that of its loud parts, the noise's that of all of it. ``babble`` is
    longer than any voice.
    """
    chance = np.random.default_rng(seed)
    if condition.noise is Noise.NONE:
        return voice
    if condition.noise is Noise.ROOM:
        return _within(_reverberant(voice, chance))
    noise = _NOISES[condition.noise](len(voice), babble, chance)
    assert condition.snr_db is not None
    return _within(voice + _at(noise, power(voice), condition.snr_db))


def power(voice: Samples) -> float:
    """Return the mean square of the parts of the voice that are not pauses; 0 for silence."""
    peak = np.abs(voice).max(initial=0.0)
    active = voice[np.abs(voice) > peak * _ACTIVE]
    return float(np.mean(active**2)) if len(active) else 0.0


def _at(noise: Samples, speech: float, snr_db: float) -> Samples:
    """Return ``noise`` so loud that speech of this power is ``snr_db`` louder."""
    wanted = speech * 10 ** (-snr_db / 10)
    loudness = (wanted / max(float(np.mean(noise**2)), 1e-12)) ** 0.5
    return np.asarray(noise * loudness)


def _within(sound: Samples) -> Samples:
    peak = float(np.abs(sound).max(initial=0.0))
    return sound * min(1.0, _FULL / max(peak, 1.0))


def _babble(length: int, babble: Samples, chance: np.random.Generator) -> Samples:
    first = int(chance.integers(0, max(1, len(babble) - length)))
    return np.resize(babble[first:], length)


def _pink(length: int, _: Samples, chance: np.random.Generator) -> Samples:
    spectrum = np.fft.rfft(chance.normal(size=length))
    falling = np.sqrt(np.maximum(1, np.arange(len(spectrum))))
    return np.asarray(np.fft.irfft(spectrum / falling, length))


def _hum(length: int, _: Samples, chance: np.random.Generator) -> Samples:
    t = np.arange(length) / RATE
    parts = [
        np.sin(2 * np.pi * _MAINS_HZ * k * t + chance.uniform(0, 2 * np.pi)) / k for k in _HARMONICS
    ]
    return np.asarray(np.sum(parts, axis=0))


_NOISES: Mapping[Noise, Callable[[int, Samples, np.random.Generator], Samples]] = {
    Noise.BABBLE: _babble,
    Noise.PINK: _pink,
    Noise.HUM: _hum,
}


def _reverberant(voice: Samples, chance: np.random.Generator) -> Samples:
    """Return direct sound, and an echo of noise that falls by 60 dB in REVERBERATION_S."""
    length = int(RATE * REVERBERATION_S)
    fall = np.exp(-np.arange(length) / length * np.log(1000))
    echo = chance.normal(size=length) * fall
    echo[: RATE // 400] = 0  # the nearest wall
    echo /= np.sqrt(np.sum(echo**2))  # as much power as comes directly
    echo[0] = 1.0
    size = len(voice) + length
    sound = np.fft.irfft(np.fft.rfft(voice, size) * np.fft.rfft(echo, size), size)[: len(voice)]
    return np.asarray(sound)
