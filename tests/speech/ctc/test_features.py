"""What networks get to hear."""

import numpy as np
import pytest

from blindplay.speech.ctc.features import log_mel, normalised, samples

NEMO = {
    0: [9.5073, -0.0854, -0.0982, -0.1, 1.9473],
    20: [1.3534, 1.272, -0.5241, -0.5277, 0.8697],
    40: [0.718, -0.5816, 3.1211, -0.4844, 0.7367],
    60: [4.9258, -0.2489, -0.2483, -0.2269, 7.9129],
    79: [7.9898, -0.1498, -0.1498, -0.1498, 5.6777],
}
"""As onnx-asr 0.12 computes them (its own ONNX graph nemo80) from a rising tone: by bands, in the
frames 0, 25, 50, 75, 99."""


def test_samples_are_between_minus_one_and_one() -> None:
    pcm = np.array([-32768, 0, 16384], "<i2").tobytes()
    assert samples(pcm).tolist() == [-1.0, 0.0, 0.5]


def test_normalised_sound_has_mean_0_and_variance_1() -> None:
    found = normalised(np.array([1, 2, 3, 6], np.float32))
    assert found.mean() == pytest.approx(0, abs=1e-6) and found.var() == pytest.approx(1, abs=1e-5)
    assert not np.isnan(normalised(np.zeros(4, np.float32))).any()


def test_the_mel_bands_are_nemos() -> None:
    t = np.arange(16_000) / 16_000
    rising = 0.3 * np.sin(2 * np.pi * (200 * t + 1500 * t * t))
    tone = rising + 0.01 * np.sin(2 * np.pi * 50 * t)
    found = log_mel(tone.astype(np.float32), 80)
    assert found.shape == (80, 100)
    for band, wanted in NEMO.items():
        assert found[band, [0, 25, 50, 75, 99]].tolist() == pytest.approx(wanted, abs=2e-3)
    assert found.mean(axis=1) == pytest.approx(0, abs=1e-5)
    assert found.std(axis=1, ddof=1) == pytest.approx(1, abs=1e-3)
