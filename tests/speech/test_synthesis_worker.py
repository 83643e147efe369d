"""The worker's own parts: the rest is tested through the synthesiser."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from blindplay.speech.audio import read_wav
from blindplay.speech.synthesis_worker import _to_wav

SAMPLES = np.array([0, 1, -2, 32767, -32768], "<i2")


@pytest.mark.parametrize("endian", ["BIG", "LITTLE"])
def test_the_sound_files_of_macos_become_wav_with_the_same_samples(
    tmp_path: Path, endian: str
) -> None:
    file = tmp_path / "phrase.wav"  # pyttsx3 writes AIFF under any name there
    soundfile.write(file, SAMPLES, 22_050, "PCM_16", endian, format="AIFF")
    assert file.read_bytes()[:4] == b"FORM"
    _to_wav(file)
    assert read_wav(file) == (SAMPLES.tobytes(), 22_050)


def test_a_wav_file_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "phrase.wav"
    soundfile.write(file, SAMPLES, 22_050, "PCM_16")
    before = file.read_bytes()
    _to_wav(file)
    assert file.read_bytes() == before
