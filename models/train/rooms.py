"""What rooms, microphones and other people do to speech, drawn anew for every utterance.

The network must not learn the silence of synthesisers. It hears each utterance in another room,
with another noise, through another microphone and from a vocal tract of another length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from models.train import features
from models.train.features import RATE
from models.train.network import CONTEXT

Array = npt.NDArray[np.float32]

WARPS = np.round(np.arange(0.78, 1.2801, 0.02), 2)
"""The lengths of vocal tracts (see ``features.bins``); the natural length is 1."""
_WARP_SPREAD = 0.09
_NOISE_S = 40
_REVERBERATED = 0.5
_ECHO = 8192
_ROOMS = 300
_FREQUENCIES = features.FFT // 2 + 1


class Rooms:
    """Noises and rooms, drawn once from ``seed``; some noises are babble made of ``speech``."""

    def __init__(self, speech: Sequence[Array], seed: int, device: torch.device) -> None:
        chance = np.random.default_rng([seed, 0])
        self._device = device
        self._noises = torch.tensor(np.stack(_noises(speech, chance)), device=device).flatten()
        rooms = np.stack([_room(chance) for _ in range(_ROOMS)])
        self._rooms = torch.tensor(rooms, device=device)
        self._bins = torch.tensor(np.stack([features.bins(w) for w in WARPS]), device=device)
        self._window = torch.tensor(features.window(), device=device)
        self._cosines = torch.tensor(features.cosines(), device=device)

    def __call__(
        self, sounds: Sequence[Array], chance: np.random.Generator, strength: float = 1.0
    ) -> torch.Tensor:
        """Return the cepstra (utterances, frames, 40) of the sounds in rooms of their own, with
        the frames at both ends that the network needs. ``strength``, from 0 to 1, is how often
        rooms reverberate; it is less at the beginning of the training."""
        count = len(sounds)
        length = max(map(len, sounds)) + int(chance.integers(3000, 14_000))
        length = length // 480 * 480 + 400
        mixed = np.zeros((count, length), np.float32)
        for row, sound in zip(mixed, sounds, strict=True):
            first = int(chance.integers(800, max(801, length - len(sound) - 800)))
            row[first : first + len(sound)] = sound[: length - first]
        x = torch.from_numpy(mixed).to(self._device)
        x = self._reverberate(x, chance, strength)
        loudness = x.square().mean(1, keepdim=True).sqrt() + 1e-6
        x = x + loudness * self._noise(count, length, chance)
        peak = x.abs().amax(1, keepdim=True) + 1e-6
        level = 32767 * 10 ** (-chance.uniform(0, 34, (count, 1)) / 20)
        clipped = np.where(chance.random((count, 1)) < 0.08, 10 ** chance.uniform(0, 0.7), 1.0)
        x = x / peak * self._tensor(level * clipped)
        x = x.clamp(-32768, 32767).round()
        drawn = np.round((chance.normal(1.0, _WARP_SPREAD, count) - WARPS[0]) / 0.02)
        warps = np.clip(drawn, 0, len(WARPS) - 1).astype(np.int64)
        gains = self._tensor(10 ** (_microphones(count, chance) / 10))
        cepstra = self._mfcc(x, self._bins[torch.from_numpy(warps).to(self._device)], gains)
        ends = cepstra[:, :1].expand(-1, CONTEXT, -1), cepstra[:, -1:].expand(-1, CONTEXT, -1)
        return torch.cat([ends[0], cepstra, ends[1]], 1)

    def _tensor(self, numbers: npt.ArrayLike) -> torch.Tensor:
        return torch.tensor(np.asarray(numbers, np.float32), device=self._device)

    def _reverberate(
        self, x: torch.Tensor, chance: np.random.Generator, strength: float
    ) -> torch.Tensor:
        chosen = torch.from_numpy(chance.random(len(x)) < _REVERBERATED * strength)
        if not chosen.any():
            return x
        rooms = torch.from_numpy(chance.integers(0, _ROOMS, int(chosen.sum())))
        length = x.shape[1]
        whole = 1 << (length + _ECHO - 1).bit_length()
        spectrum = torch.fft.rfft(x[chosen], n=whole) * torch.fft.rfft(self._rooms[rooms], n=whole)
        x = x.clone()
        x[chosen] = torch.fft.irfft(spectrum, n=whole)[:, :length]
        return x

    def _noise(self, count: int, length: int, chance: np.random.Generator) -> torch.Tensor:
        """Return one or two noises for each utterance, 2 to 65 dB below it."""
        whole = _NOISE_S * RATE
        samples = torch.arange(length, device=self._device)
        noise = torch.zeros(count, length, device=self._device)
        for share in (1.0, 0.3):
            which = chance.integers(len(self._noises) // whole, size=count)
            first = which * whole + chance.integers(0, whole - length, count)
            faint = chance.random(count) < 0.25
            below = np.where(faint, chance.uniform(40, 65, count), chance.uniform(2, 40, count))
            gain = np.where(chance.random(count) < share, 10 ** (-below / 20), 0)[:, None]
            at = torch.from_numpy(first)[:, None].to(self._device) + samples
            noise += self._noises[at] * self._tensor(gain)
        return noise

    def _mfcc(self, x: torch.Tensor, bins: torch.Tensor, gains: torch.Tensor) -> torch.Tensor:
        """Do what ``features.mfcc`` does, for many utterances, each with its bins and
        microphone."""
        frames = x.unfold(1, features.WINDOW, features.HOP)
        frames = frames - frames.mean(-1, keepdim=True)
        before = torch.cat([frames[..., :1], frames[..., :-1]], -1)
        spectrum = torch.fft.rfft(
            (frames - features.EMPHASIS * before) * self._window, features.FFT
        )
        power = (spectrum.real.square() + spectrum.imag.square()) * gains[:, None]
        mels = torch.bmm(power, bins)
        return mels.clamp_min(torch.finfo(torch.float32).eps).log() @ self._cosines


def _microphones(count: int, chance: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return what microphones and loudspeakers do to each frequency, in dB."""
    at = np.linspace(0, 8000, _FREQUENCIES)
    gains = np.zeros((count, _FREQUENCIES))
    for gain in gains:
        if chance.random() < 0.85:
            corners = np.r_[0, np.sort(chance.uniform(80, 7900, 5)), 8000]
            gain += np.interp(at, corners, np.cumsum(3.2 * chance.standard_normal(7)))
            gain -= gain.mean()
            # Recordings of people are up to 30 dB brighter than some synthesisers.
            gain += chance.normal(1.0, 3.0) * np.log2(np.maximum(at, 120) / 1000)
        if chance.random() < 0.22:  # a telephone or a headset
            lowest, highest = chance.uniform(40, 350), chance.uniform(3000, 7000)
            gain -= 4 * np.clip((lowest - at) / 20, 0, 8)
            gain -= np.clip((at - highest) / 20, 0, chance.choice([25, 50, 80]))
    return np.clip(gains, -80, 30)


def _noises(speech: Sequence[Array], chance: np.random.Generator) -> list[Array]:
    """Return noises of equal loudness: white to brown, babble, mains hum, pieces set down."""
    length = RATE * _NOISE_S
    found = [_coloured(steepness, length, chance) for steepness in (0, 0.5, 1, 1, 1.5, 2)]
    for talkers in (3, 6, 10, 15):
        babble = np.zeros(length)
        for _ in range(talkers):
            at = 0
            while at < length:
                said = speech[chance.integers(len(speech))][: length - at]
                babble[at : at + len(said)] += said * chance.uniform(0.3, 1)
                at += len(said) + int(chance.integers(0, 8000))
        found.append(babble)
    time = np.arange(length) / RATE
    hum = [np.sin(2 * np.pi * 50 * k * time + chance.uniform(0, 6)) / k for k in range(1, 9)]
    found.append(np.sum(hum, axis=0) + 0.2 * found[2])
    clicks = 0.05 * found[0]
    for _ in range(160):
        at = int(chance.integers(0, length - 2000))
        fading = np.exp(-np.arange(1600) / chance.uniform(20, 300))
        clicks[at : at + 1600] += chance.standard_normal(1600) * fading * chance.uniform(1, 12)
    found.append(clicks)
    return [(noise / noise.std()).astype(np.float32) for noise in found]


def _coloured(
    steepness: float, length: int, chance: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return noise whose power falls with the frequency to the power of ``steepness``."""
    frequencies = np.fft.rfftfreq(length, 1 / RATE)
    frequencies[0] = frequencies[1]
    drawn = chance.standard_normal((2, len(frequencies)))
    spectrum = (drawn[0] + 1j * drawn[1]) * frequencies ** (-steepness / 2)
    spectrum[frequencies < 40] *= 0.1
    noise = np.fft.irfft(spectrum)
    return np.asarray(noise / noise.std())


def _room(chance: np.random.Generator) -> Array:
    """Return a room's impulse response: the click, some first echoes, and a fading rest."""
    fading = np.exp(-6.9 * np.arange(_ECHO) / RATE / chance.uniform(0.12, 0.7))
    answer = chance.standard_normal(_ECHO) * fading
    answer[: chance.integers(16, 120)] = 0
    answer *= 10 ** (-chance.uniform(-2, 14) / 20) / (np.linalg.norm(answer) + 1e-9)
    answer[0] = 1
    for _ in range(chance.integers(0, 6)):
        answer[chance.integers(10, 700)] += chance.uniform(-0.4, 0.4)
    return (answer / np.linalg.norm(answer)).astype(np.float32)
