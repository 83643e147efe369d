"""The worker's own parts: the rest is tested through the synthesiser."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from blindplay.speech.audio import read_wav
from blindplay.speech.synthesis_worker import Engine, _to_wav

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


def test_the_usual_voice_of_a_language_goes_before_those_of_its_countries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tags = {"gmw/en-029": "en-029", "gmw/en": "en-gb", "gmw/en-us": "en-us", "pico-en-GB": "en-GB"}
    listed = [{"id": identity, "name": tag, "language": tag} for identity, tag in tags.items()]
    monkeypatch.setattr(Engine, "voices", lambda engine: listed)
    engine = Engine.__new__(Engine)
    engine._espeak = True
    chosen = [engine._voice_id("en", None, public) for public in (False, True)]
    assert chosen == ["gmw/en", "pico-en-GB"]
