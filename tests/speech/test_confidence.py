"""How much to believe a recognition, and where that is kept."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.speech import confidence
from blindplay.speech.confidence import (
    CONFIDENCE_FILE,
    ConfidenceModel,
    Features,
    MeaningKind,
    accepted_from,
    asked_from,
    confidence_file,
    confidence_of,
    is_measured,
    read,
)
from blindplay.speech.models.folders import MANIFEST, ModelError, find_model

MODEL = find_model("de")
CONFIDENCE = confidence_of(MODEL)
CONFIDENCES = Path(confidence.__file__).parent / "confidences"


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


def test_several_models_know_the_confidence_of_the_built_in_one_among_them(tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(MODEL, other)
    (other / MANIFEST).unlink()
    for together in ((MODEL, other), (other, MODEL)):
        assert confidence_of(*together).of_built_in == CONFIDENCE
    assert CONFIDENCE.of_built_in is None, "one alone"
    assert confidence_of(other, other).of_built_in is None, "there is none among them"


def test_what_costs_more_needs_higher_odds() -> None:
    # A wrong move costs as much as 35 questions, or 30 if hands will show it: log(34), log(29).
    assert accepted_from(MeaningKind.MOVE) == pytest.approx(3.53, abs=0.01)
    assert accepted_from(MeaningKind.MOVE, shown=True) == pytest.approx(3.37, abs=0.01)
    assert accepted_from(MeaningKind.COMMAND) == accepted_from(MeaningKind.COMMAND, shown=True)
    assert asked_from() < 0 < accepted_from(MeaningKind.ILLEGAL) < accepted_from(MeaningKind.MOVE)


def test_the_less_speaks_for_a_meaning_the_lower_are_its_odds() -> None:
    good = Features(MeaningKind.MOVE, 9.0, 9.0, 9.0, rivals=(9.0, 9.0, 9.0))
    best = CONFIDENCE.odds(good)
    for worse in (
        replace(good, over_legal=1.0, rivals=(1.0, 9.0, 9.0)),
        replace(good, over_illegal=-1.0, rivals=(9.0, -1.0, 9.0)),
        replace(good, over_nothing=-9.0, rivals=(9.0, 9.0, -9.0)),
        replace(good, unexplained=1),
        replace(good, absent=0.5),
    ):
        assert CONFIDENCE.odds(worse) <= best


def test_odds_are_never_higher_than_the_lead_over_a_longer_form_of_a_short_one() -> None:
    short = Features(
        MeaningKind.MOVE, short_form=True, over_longer=-1.0, over_rivals_by_model=(8.0,)
    )
    assert short.highest_odds == pytest.approx(-1.0)
    assert replace(short, short_form=False).highest_odds > accepted_from(MeaningKind.MOVE)


def test_several_models_doubt_a_move_where_a_longer_form_fits_better() -> None:
    """King Caesar two Caesar four, of which two models heard *in Caesar two Caesar four*."""
    found = Features(MeaningKind.MOVE, over_longer=-2.0, over_rivals_by_model=(8.0, 8.0))
    assert found.highest_odds == pytest.approx(-2.0)
    fits_less = replace(found, over_longer=1.0)
    assert fits_less.highest_odds > accepted_from(MeaningKind.MOVE)


def test_a_confidence_model_survives_writing_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    text = json.dumps(CONFIDENCE.as_json())
    again: ConfidenceModel = read(text, tmp_path)
    found = Features(MeaningKind.MOVE, over_legal=2.0, over_nothing=-1.0)
    assert again.odds(found) == pytest.approx(CONFIDENCE.odds(found), abs=0.01)
    older = text.replace('"version"', '"name"')
    for damaged in ("{}", "[]", text[:-20], text.replace("always", "never"), older):
        with pytest.raises(ModelError, match="damaged or of another version"):
            read(damaged, tmp_path)


def test_a_model_that_was_never_measured_has_the_general_confidence_model(tmp_path: Path) -> None:
    for number in (1, 2, 3, 4):
        assert confidence_of(*[tmp_path] * number).measured["general"]
    assert not is_measured(tmp_path) and is_measured(MODEL)


def test_blindplay_brings_weights_for_the_usual_models(tmp_path: Path) -> None:
    english, french = tmp_path / "vosk-english", tmp_path / "vosk-french"
    for folder, name in (
        (english, "vosk-model-small-en-us-0.15"),
        (french, "vosk-model-small-fr-0.22"),
    ):
        folder.mkdir()
        about = {"name": name, "language": "de", "files": {}}
        (folder / "installed.json").write_text(json.dumps(about), "utf-8")
    measured = confidence_of(french, MODEL, english).measured
    assert sorted(measured["models"]) == ["built-in", "english", "french"]
    assert is_measured(english) and is_measured(english, french)
    assert not is_measured(english, french, tmp_path)


@pytest.mark.parametrize("file", sorted(CONFIDENCES.iterdir()), ids=lambda file: file.stem)
def test_every_file_of_weights_can_be_read_and_no_weight_is_of_the_wrong_sign(file: Path) -> None:
    for weights in read(file.read_text("utf-8"), file).weights.values():
        assert all(weight >= 0 for name, weight in weights.items() if name != "always")
