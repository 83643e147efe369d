"""The features of the network: 40 mel-frequency cepstra every 10 ms, as Vosk (Kaldi) makes them.

Kaldi takes windows of 25 ms without their mean, a pre-emphasis of 0.97, a "Povey" window, 40
triangular bins from 20 to 7600 Hz on the mel scale, their natural logarithms, a cosine transform
and liftering by 22; no dither, no energy. ``mfcc.conf`` of an exported model says the same.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

RATE, WINDOW, HOP, FFT, BINS = 16_000, 400, 160, 512, 40
LOWEST, HIGHEST = 20.0, 7600.0
EMPHASIS = 0.97
_LIFTER = 22.0
# Between these frequencies a warped axis is linear, as in Kaldi's vocal tract length normalisation.
_STRAIGHT = 100.0, 7200.0

CONF = {
    "use-energy": "false",
    "num-mel-bins": str(BINS),
    "num-ceps": str(BINS),
    "low-freq": f"{LOWEST:g}",
    "high-freq": f"{HIGHEST:g}",
    "sample-frequency": str(RATE),
    "dither": "0",
}
"""The lines of a model's conf/mfcc.conf."""


def mel(frequency: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Convert hertz to the mel scale."""
    return np.asarray(1127.0 * np.log1p(frequency / 700.0))


def bins(warp: float = 1.0) -> Array:
    """Return the triangular bins as a matrix from the power spectrum (257) to the mel bins (40).

    ``warp`` bends the frequency axis as another length of the vocal tract would: at 1.1 every
    formant counts as a tenth higher than it is.
    """
    low, high = mel(np.array([LOWEST, HIGHEST]))
    edges = 700.0 * np.expm1(np.linspace(low, high, BINS + 2) / 1127.0)
    if warp != 1.0:
        first, last = _STRAIGHT[0] * max(1.0, warp), _STRAIGHT[1] * min(1.0, warp)
        edges = np.interp(
            edges, [LOWEST, first, last, HIGHEST], [LOWEST, first / warp, last / warp, HIGHEST]
        )
    corners = mel(edges)
    frequencies = mel(np.arange(FFT // 2 + 1) * RATE / FFT)[:, None]
    left, middle, right = corners[:-2], corners[1:-1], corners[2:]
    rising = (frequencies - left) / (middle - left)
    falling = (right - frequencies) / (right - middle)
    weights = np.clip(np.minimum(rising, falling), 0.0, None)
    weights[-1] = 0.0  # Kaldi uses 256 of the 257 frequencies
    return weights.astype(np.float32)


def window() -> Array:
    """Return Povey's window: a Hann window to the power of 0.85."""
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / (WINDOW - 1))
    return np.asarray(hann**0.85, np.float32)


def cosines() -> Array:
    """Return the cosine transform from the logarithms of the bins to the cepstra, and lifter."""
    k = np.arange(BINS)
    transform = np.sqrt(2 / BINS) * np.cos(np.pi / BINS * np.outer(k + 0.5, k))
    transform[:, 0] = np.sqrt(1 / BINS)
    return np.asarray(transform * (1 + 0.5 * _LIFTER * np.sin(np.pi * k / _LIFTER)), np.float32)


def mfcc(sound: npt.ArrayLike) -> Array:
    """Return the cepstra (frames, 40) of samples from -32768 to 32767; a frame needs 400."""
    samples = np.asarray(sound, np.float32)
    if len(samples) < WINDOW:
        return np.zeros((0, BINS), np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP].copy()
    frames -= frames.mean(axis=1, keepdims=True)
    before = np.concatenate([frames[:, :1], frames[:, :-1]], axis=1)
    spectrum = np.fft.rfft((frames - EMPHASIS * before) * window(), FFT)
    power = (spectrum.real**2 + spectrum.imag**2).astype(np.float32)
    smallest = np.finfo(np.float32).eps
    return np.asarray(np.log(np.maximum(power @ bins(), smallest)) @ cosines(), np.float32)
