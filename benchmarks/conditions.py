"""What a room and a line do to a voice: other talkers, pink noise, hum, reverberation, a telephone.

Seeded; samples in, out.
"""

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
    TALKERS = "talkers"
    PHONE = "phone"


_IN_WORDS = {
    Noise.NONE: "clean",
    Noise.BABBLE: "babble of six talkers",
    Noise.PINK: "pink noise",
    Noise.HUM: "mains hum",
    Noise.ROOM: f"room, {REVERBERATION_S:g} s of reverberation",
    Noise.TALKERS: "two other talkers",
    Noise.PHONE: "telephone",
}
_MOST_DB = 100
_WITHOUT_LEVEL = (Noise.NONE, Noise.ROOM, Noise.PHONE)


@dataclass(frozen=True)
class Condition:
    """A noise, and by how many dB the voice is louder; None where there is no level."""

    noise: Noise
    snr_db: float | None = None

    @property
    def name(self) -> str:
        """Return what ``parse`` takes: "clean", "babble10"."""
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
    has_no_level = noise in _WITHOUT_LEVEL
    if noise is None or (has_no_level and level) or abs(float(level or 0)) > _MOST_DB:
        raise ValueError(
            f"There is no condition {name!r}; name clean, room, phone, hum, or a level in dB "
            "such as 10 (babble), pink10 or talkers15."
        )
    return Condition(noise) if has_no_level else Condition(noise, float(level or 10))


@dataclass(frozen=True)
class Surroundings:
    """Where utterances are recorded. ``talkers`` has a row for each of the other people who talk,
    longer than any utterance; ``seed`` is that of chance."""

    condition: Condition = CLEAN
    talkers: Samples = field(default_factory=lambda: np.zeros((1, 1)))
    seed: int = 1

    def record(self, voice: Samples, number: int) -> bytes:
        """Return utterance ``number`` as a microphone hears it: 16-bit PCM of the same length."""
        return as_pcm(apply(self.condition, voice, self.talkers, self.seed * 100_003 + number))


def as_pcm(sound: Samples) -> bytes:
    """Return the samples as 16-bit PCM."""
    return np.clip(sound, -32_768, 32_767).astype("<i2").tobytes()


def as_samples(pcm: bytes) -> Samples:
    """Return 16-bit PCM as samples."""
    return np.frombuffer(pcm, "<i2").astype(np.float64)


def apply(condition: Condition, voice: Samples, talkers: Samples, seed: int) -> Samples:
    """Return the voice as a microphone in this condition hears it, as long as before.

    The level of the voice is that of its loud parts, the noise's that of all of it. ``talkers`` has
    a row for each of the other people who talk, longer than any voice.
    """
    chance = np.random.default_rng(seed)
    if condition.noise is Noise.NONE:
        return voice
    if condition.noise is Noise.ROOM:
        return _within(_reverberant(voice, chance))
    if condition.noise is Noise.PHONE:
        return _telephoned(voice)
    noise = _NOISES[condition.noise](len(voice), talkers, chance)
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


def _babble(length: int, talkers: Samples, chance: np.random.Generator) -> Samples:
    together = talkers.sum(axis=0)
    first = int(chance.integers(0, max(1, len(together) - length)))
    return np.resize(together[first:], length)


def _two_talkers(length: int, talkers: Samples, chance: np.random.Generator) -> Samples:
    return _babble(length, chance.permutation(talkers)[:2], chance)


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
    Noise.TALKERS: _two_talkers,
}


def _telephoned(voice: Samples) -> Samples:
    """Return the voice as a telephone transmits it: 300 to 3400 Hz, in eight bits (mu-law)."""
    spectrum, hertz = np.fft.rfft(voice), np.fft.rfftfreq(len(voice), 1 / RATE)
    narrow = np.fft.irfft(spectrum * ((hertz >= 300) & (hertz <= 3400)), len(voice)) / _FULL
    coded = np.sign(narrow) * np.log1p(255 * np.minimum(1, np.abs(narrow))) / np.log(256)
    steps = np.round(coded * 127) / 127
    return np.asarray(np.sign(steps) * (256 ** np.abs(steps) - 1) / 255 * _FULL)


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
