"""The figures about ONNX networks."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from blindplay.bench import networks
from blindplay.language import load

pytest.importorskip("onnxruntime", reason='onnxruntime is not installed; pip install ".[test]"')
pytest.importorskip("onnx", reason='onnx is not installed; pip install ".[test]"')

from tests.speech.ctc.networks import echo


@pytest.mark.long
def test_a_network_and_a_random_one_have_a_line_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(networks._WIDTHS, 30, (64, 1))  # as small as it can be
    monkeypatch.setattr(networks, "_CHANNELS", 64)
    lines = list(networks.figures(load("de"), [echo(tmp_path / "mine")], [30], 1.0, 1, False))
    assert len(lines) == 2 and all(line.endswith("it has a vote.") for line in lines)
    assert lines[0].startswith("mine: loaded in ") and "from the end of 1 s of sound" in lines[0]
    assert "million 32-bit weights" in lines[1]


def test_the_number_of_weights_is_about_the_one_that_was_asked_for() -> None:
    # A layer of a transformer has 4 matrices of width², and 8 more in its wide part (wav2vec2).
    for millions, (width, layers) in networks._WIDTHS.items():
        whole = 12 * width**2 * layers + 512 * 512 * (4 * 3 + 2 * 2) + 512 * (10 + width)
        assert math.isclose(whole / 1e6, millions, rel_tol=0.15)


def test_another_size_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has 30, 120, 300 million weights"):
        networks.write_random(tmp_path, 31)
