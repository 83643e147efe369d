"""Recorded announcements are heard with no other evidence than their sound."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import chess
import pytest

from blindplay.hearing.decision import Verdict
from blindplay.hearing.ear import Ear
from blindplay.language import Kind
from blindplay.speech.audio import RATE, AudioError, write_wav
from blindplay.speech.models.folders import ModelError
from tests.hearing.german import MODEL, PACK, START


def test_an_ear_hears_where_what_was_measured_is_damaged_and_says_so(tmp_path: Path) -> None:
    model = Path(shutil.copytree(MODEL, tmp_path / "model"))
    (model / "confidence.json").write_text("garbage", "utf-8")
    troubles: list[str] = []
    ear = Ear(PACK, [model], lost=troubles.append)
    assert ear.hear(bytes(2 * RATE), chess.Board()).verdict is Verdict.NOTHING
    assert len(troubles) == 1 and "confidence.json is damaged" in troubles[0]


def test_a_recording_is_heard_as_it_was_spoken(
    spoken: Callable[[str, str], bytes], tmp_path: Path
) -> None:
    """As samples and as a file."""
    sound = spoken("Springer Gustav eins Felix drei", "de+f3")
    file = tmp_path / "nf3.wav"
    write_wav(file, sound)
    ear = Ear(PACK)
    for one in (sound, file, str(file)):
        decision = ear.hear(one, START)
        assert decision.verdict is Verdict.ACCEPT
        assert decision.meant.move == chess.Move.from_uci("g1f3")
        assert decision.taken is not None and decision.taken.recognition == decision.recognition


def test_silence_is_nothing_and_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    ear = Ear(PACK, [MODEL])
    decision = ear.hear(bytes(2 * RATE), START)
    assert (decision.verdict, decision.meant.kind) == (Verdict.NOTHING, Kind.NOTHING)
    with pytest.raises(AudioError):
        ear.hear(tmp_path / "no-such-file.wav", START)


def test_an_ear_needs_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        Ear(PACK, [tmp_path])
