"""The speech models that listen at a table."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from blindplay.hearing.recognisers import listening_models, open_recogniser
from blindplay.speech.models import folders
from blindplay.speech.models.folders import ModelError
from tests.hearing.german import MODEL, PACK


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
