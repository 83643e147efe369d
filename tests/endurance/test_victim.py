"""The microphone of the table that is killed."""

from pathlib import Path

from blindplay.speech.audio import RATE, level, write_wav
from tests.endurance.victim import FolderSource


def test_the_microphone_hears_sound_files_that_appear_in_the_folder(tmp_path: Path) -> None:
    tone = (b"\x00\x20" * 8 + b"\x00\xe0" * 8) * (RATE // 16)
    write_wav(tmp_path / "there before.wav", tone)
    with FolderSource(tmp_path) as source:
        blocks = iter(source)
        assert level(next(blocks)) == -96
        write_wav(tmp_path / "fresh.part", tone)
        (tmp_path / "fresh.part").rename(tmp_path / "fresh.wav")
        heard = next(block for block in blocks if level(block) > -20)
    assert tone.startswith(heard[:32])
