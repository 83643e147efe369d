"""The inputs of networks: the samples themselves, or the logarithms of mel bands (NeMo)."""

from functools import cache

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]

RATE, WINDOW, HOP, FFT = 16_000, 400, 160, 512
_EMPHASIS = 0.97
_GUARD = 2.0**-24
# The mel scale of Slaney: linear up to 1000 hertz, logarithmic above.
_LINEAR_HZ, _BREAK_HZ, _STEP = 200 / 3, 1000.0, np.log(6.4) / 27


def samples(pcm: bytes) -> Samples:
    """Return 16-bit PCM as numbers from -1 to 1."""
    return (np.frombuffer(pcm, "<i2") / np.float32(32768)).astype(np.float32)


def normalised(sound: Samples) -> Samples:
    """Return the samples with mean 0 and variance 1, as wav2vec2 was trained."""
    return np.asarray((sound - sound.mean()) / np.sqrt(sound.var() + 1e-7), np.float32)


def log_mel(sound: Samples, bands: int) -> Samples:
    """Return the logarithms of so many mel bands (bands, frames) as NeMo makes them: a frame every
    10 ms, each band with mean 0 and variance 1 over the utterance."""
    emphasised = np.concatenate([sound[:1], sound[1:] - _EMPHASIS * sound[:-1]])
    padded = np.pad(emphasised, FFT // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, FFT)[::HOP]
    window = np.pad(np.hanning(WINDOW), (FFT - WINDOW) // 2)
    power = np.abs(np.fft.rfft(frames * window, FFT)) ** 2
    # NeMo counts one frame fewer than there are, and leaves the last at 0.
    count = len(sound) // HOP
    logs = np.log(power[:count] @ _bands(bands) + _GUARD)
    deviation = np.sqrt(logs.var(axis=0, ddof=1)) + 1e-5
    scaled = (logs - logs.mean(axis=0)) / deviation
    return np.asarray(scaled.T, np.float32)


@cache
def _bands(count: int) -> npt.NDArray[np.float64]:
    """Return the triangular bands as a matrix from the spectrum (257) to the bands."""
    frequencies = np.arange(FFT // 2 + 1) * RATE / FFT
    corners = _hertz(np.linspace(0.0, float(_mel(RATE / 2)), count + 2))
    left, middle, right = corners[:-2], corners[1:-1], corners[2:]
    rising = (frequencies[:, None] - left) / (middle - left)
    falling = (right - frequencies[:, None]) / (right - middle)
    return np.asarray(np.maximum(0.0, np.minimum(rising, falling)) * 2.0 / (right - left))


def _mel(hertz: float) -> float:
    if hertz < _BREAK_HZ:
        return hertz / _LINEAR_HZ
    return float(_BREAK_HZ / _LINEAR_HZ + np.log(hertz / _BREAK_HZ) / _STEP)


def _hertz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    above = _BREAK_HZ * np.exp(_STEP * (mel - _BREAK_HZ / _LINEAR_HZ))
    return np.where(mel < _BREAK_HZ / _LINEAR_HZ, mel * _LINEAR_HZ, above)
