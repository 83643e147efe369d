"""Short sounds that stand for a sentence."""

from __future__ import annotations

import numpy as np

from blindplay.speech.signals import pressed


def test_a_press_sounds_short_falls_and_does_not_click() -> None:
    pcm, rate = pressed()
    samples = np.frombuffer(pcm, "<i2").astype(float)
    assert len(samples) / rate < 0.25
    assert max(abs(samples[0]), abs(samples[-1])) < 100 < np.abs(samples).max()
    high, low = (np.argmax(np.abs(np.fft.rfft(half))) for half in np.array_split(samples, 2))
    assert high > low
