"""Networks for tests: those whose outputs are their sound, and the twin of a built-in model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime", reason='onnxruntime is not installed; pip install ".[test]"')
pytest.importorskip("onnx", reason='onnx is not installed; pip install ".[test]"')

from blindplay.speech.ctc.network import CtcNetwork
from models.train.export import read
from models.train.twin import write_twin
from tests import ROOT


@pytest.fixture(scope="package", autouse=True)
def in_no_hurry() -> Iterator[None]:
    """Let no network be too slow, however busy this machine is."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(CtcNetwork, "usual_work_s", 1.0)
        yield


@pytest.fixture(scope="session")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a network with the weights of the built-in German model."""
    folder = tmp_path_factory.mktemp("twin")
    write_twin(read(ROOT / "models" / "de"), "de", folder)
    return folder
