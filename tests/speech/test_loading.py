"""Any kind of model is loaded from its folder."""

from pathlib import Path

import pytest

from blindplay.speech.loading import load_model
from blindplay.speech.models.folders import ModelError
from blindplay.speech.recogniser import Recogniser
from tests import ROOT
from tests.speech.ctc.networks import echo


def test_a_vosk_model_and_a_network_are_told_apart_by_their_files(tmp_path: Path) -> None:
    assert isinstance(load_model(ROOT / "models" / "de", "de"), Recogniser)
    pytest.importorskip("onnxruntime", reason='onnxruntime is not installed; pip install ".[test]"')
    network = load_model(echo(tmp_path), "de", words=["turm", "dame"])
    assert network.vocabulary == {"turm", "dame"} and network.folder == tmp_path


def test_a_folder_of_no_kind_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is not a Vosk model"):
        load_model(tmp_path, "de")
