"""How much to believe a recognition, and where that is kept."""

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.speech.confidence import (
    CONFIDENCE_FILE,
    MIN_ODDS_AGAINST_TALK,
    ConfidenceModel,
    Features,
    MeaningKind,
    confidence_file,
    confidence_of,
    read,
)
from blindplay.speech.models.folders import ModelError, find_model

MODEL = find_model("de")
CONFIDENCE = confidence_of(MODEL)


def test_the_confidence_of_several_models_does_not_depend_on_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path / "data")
    other = tmp_path / "other"
    shutil.copytree(MODEL, other)
    (other / "graph" / "HCLr.fst").write_bytes(b"another graph")
    assert confidence_file(MODEL) == MODEL / CONFIDENCE_FILE
    file = confidence_file(MODEL, other)
    assert file == confidence_file(other, MODEL)
    assert file.is_relative_to(tmp_path / "data")
    assert not confidence_of(MODEL, other).measured.get("mine")
    file.parent.mkdir(parents=True)
    text = (
        (MODEL / CONFIDENCE_FILE)
        .read_text("utf-8")
        .replace('"measured": {', '"measured": {"mine": 1,')
    )
    file.write_text(text, "utf-8")
    assert confidence_of(other, MODEL).measured["mine"] == 1
    for damaged in (b"[", b"\xff\xfe", text.encode()[:300], b"{}"):
        file.write_bytes(damaged)
        told: list[str] = []
        assert not confidence_of(MODEL, other, lost=told.append).measured.get("mine")
        assert len(told) == 1 and str(file) in told[0] and "delete it" in told[0]
        assert not confidence_of(MODEL, other).measured.get("mine"), "the log is told"
    file.write_text(text, "utf-8")
    # With other words it is another model.
    (other / "graph" / "HCLr.fst").write_bytes(b"a graph made anew")
    assert not confidence_of(MODEL, other).measured.get("mine")


def test_a_move_needs_higher_odds_if_other_talk_explains_the_sound_better() -> None:
    for found in (
        Features(MeaningKind.MOVE, None, -1.0),
        Features(MeaningKind.MOVE, 9.0, -1.0, short_form=True),
    ):
        weights = CONFIDENCE.weights[MeaningKind.MOVE]
        usual = weights.short if found.short_form else weights.accept
        assert CONFIDENCE.accept(found) == usual
        assert CONFIDENCE.accept(replace(found, outscored=True)) == max(
            usual, MIN_ODDS_AGAINST_TALK
        )
        assert CONFIDENCE.accept(replace(found, lead=-0.1)) == math.inf
    command = Features(MeaningKind.COMMAND, -0.1, -1.0, outscored=True)
    assert CONFIDENCE.accept(command) == CONFIDENCE.weights[MeaningKind.COMMAND].accept


def test_a_confidence_model_survives_writing_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    text = json.dumps(CONFIDENCE.as_json())
    again: ConfidenceModel = read(text, tmp_path)
    found = Features(MeaningKind.MOVE, lead=2.0, meaningless_lead=-1.0)
    assert again.odds(found) == pytest.approx(CONFIDENCE.odds(found))
    assert again.accept(found) == CONFIDENCE.accept(found)
    for damaged in ("{}", "[]", text[:-20], text.replace("weights", "w8s")):
        with pytest.raises(ModelError, match="damaged"):
            read(damaged, tmp_path)


def test_a_model_that_was_never_measured_has_the_general_confidence_model(tmp_path: Path) -> None:
    assert confidence_of(tmp_path).weights.keys() == CONFIDENCE.weights.keys()
