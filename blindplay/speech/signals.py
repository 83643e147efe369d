"""Short sounds that stand for a sentence."""

import numpy as np

from .speaker import Sound

_RATE = 16_000  # samples per second
_TONES = (880, 587)  # Hz: downwards, as a clock that stops
_TONE_S = 0.07
_LOUDNESS = 0.3  # of the loudest


def pressed() -> Sound:
    """Two falling tones: the press of the clock was taken."""
    times = np.arange(int(_RATE * _TONE_S)) / _RATE
    fade = np.sin(np.pi * times / _TONE_S)  # without it a tone begins and ends with a click
    tones = [np.sin(2 * np.pi * pitch * times) * fade for pitch in _TONES]
    samples = np.round(np.concatenate(tones) * _LOUDNESS * 32767)
    return samples.astype("<i2").tobytes(), _RATE
