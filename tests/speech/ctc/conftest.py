"""Networks for tests: those whose outputs are their sound, and the twin of a built-in model."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("onnxruntime", reason='onnxruntime is not installed; pip install ".[test]"')
pytest.importorskip("onnx", reason='onnx is not installed; pip install ".[test]"')

from models.train.export import read
from models.train.twin import write_twin
from tests import ROOT


@pytest.fixture(scope="session")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a network with the weights of the built-in German model."""
    folder = tmp_path_factory.mktemp("twin")
    write_twin(read(ROOT / "models" / "de"), "de", folder)
    return folder
