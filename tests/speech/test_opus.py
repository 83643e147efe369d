"""Opus, there and back."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

from blindplay.extras import install_command
from blindplay.speech import opus
from blindplay.speech.audio import BLOCK_BYTES, RATE, AudioError


def test_a_tone_comes_back_and_damage_is_silence() -> None:
    pytest.importorskip("av", reason=f"av is not installed; run: {install_command('voices')}")
    tone = (8000 * np.sin(np.arange(RATE) * 2 * np.pi * 440 / RATE)).astype("<i2").tobytes()
    encoder, decoder = opus.OpusEncoder(), opus.OpusDecoder()
    blocks = [tone[at : at + BLOCK_BYTES] for at in range(0, len(tone), BLOCK_BYTES)]
    packets = [encoder.encode(block) for block in blocks]
    assert max(map(len, packets)) < 200
    assert decoder.decode(b"") == b"" and decoder.decode(b"\xff" * 50) == b""
    samples = np.frombuffer(b"".join(map(decoder.decode, packets)), "<i2")
    assert len(samples) == opus.HEARD_RATE
    assert abs(int(np.argmax(np.abs(np.fft.rfft(samples)))) - 440) < 5


def test_without_the_package_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(AudioError, match=re.escape(install_command("voices"))):
        opus.check()
