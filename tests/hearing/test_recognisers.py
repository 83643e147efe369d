"""The speech models that listen at a table."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import chess
import pytest

from blindplay.hearing import recognisers
from blindplay.hearing.decision import Verdict
from blindplay.hearing.recognisers import Ear, listening_models, memory, open_recogniser
from blindplay.language import Kind
from blindplay.speech.audio import RATE, AudioError, write_wav
from blindplay.speech.models import folders
from blindplay.speech.models.folders import ModelError, find_model
from tests.hearing.german import MODEL, PACK, START


def test_a_model_that_cannot_be_loaded_is_told_and_the_others_listen(tmp_path: Path) -> None:
    told: list[str] = []
    left = open_recogniser(PACK, tmp_path, MODEL, lost=told.append)
    assert left.folders == (MODEL,)
    assert [sentence for sentence in told if str(tmp_path) in sentence] == told != []
    both = open_recogniser(PACK, MODEL, MODEL, lost=told.append)
    assert both.folders == (MODEL, MODEL)
    with pytest.raises(ModelError):
        open_recogniser(PACK, tmp_path, tmp_path, lost=told.append)
    with pytest.raises(ModelError):
        open_recogniser(PACK, MODEL, tmp_path)  # nobody would learn of it


def test_of_the_chosen_models_those_that_are_there_listen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path)
    told: list[str] = []
    assert listening_models("de", told.append) == (MODEL,)
    own = folders.model_folder("de")
    shutil.copytree(MODEL, own)
    folders.choose("de", [folders.OWN])
    assert listening_models("de", told.append) == (own, MODEL)
    assert not told
    shutil.rmtree(own)
    assert listening_models("de", told.append) == (MODEL,)
    assert len(told) == 1 and folders.OWN in told[0]
    (folders.data_folder() / "chosen.json").write_text('{"de": 5}')
    assert listening_models("de", told.append) == (MODEL,)
    assert len(told) == 2 and "chosen.json" in told[1] and "blindplay models use" in told[1]


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


def test_models_take_memory() -> None:
    measured = memory([find_model("de")], "de")
    if measured is None:
        assert sys.platform == "win32"
    else:
        before, after = measured
        assert 10 < before < after < 1000


def test_on_a_machine_that_is_too_slow_the_memory_is_not_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recognisers, "_LOADED_S", 0.01)
    assert memory([find_model("de")], "de") is None
