"""Networks in their layouts, and networks that cannot be used."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blindplay.speech.ctc.features import log_mel, normalised, samples
from blindplay.speech.ctc.network import CtcNetwork
from blindplay.speech.models import folders
from blindplay.speech.models.folders import ModelError
from tests.speech.ctc.networks import LETTERS, OUTPUTS, echo, sound

MEASURED: Any = CtcNetwork.__dict__["usual_work_s"]
NOISE = np.random.default_rng(3).integers(-9000, 9000, 16_000).astype("<i2").tobytes()


def test_a_network_hears_the_samples(tmp_path: Path) -> None:
    wanted = np.linspace(-20, 20, 10 * OUTPUTS).reshape(10, OUTPUTS)
    found = CtcNetwork(echo(tmp_path), threads=1).logits(sound(wanted))
    np.testing.assert_allclose(found, wanted, atol=1e-3)


@pytest.mark.parametrize("preparation", [{"do_normalize": True}, {}])
def test_hugging_face_wants_normalised_samples_unless_it_says_no(
    preparation: dict[str, bool], tmp_path: Path
) -> None:
    echo(tmp_path, preparation=preparation, extra={"attention_mask": "2"})
    found = CtcNetwork(tmp_path, threads=1).logits(NOISE)
    np.testing.assert_allclose(found.ravel(), normalised(samples(NOISE)) * 32.768, rtol=1e-4)


def test_onnx_asrs_networks_normalise_themselves(tmp_path: Path) -> None:
    echo(tmp_path, extra={"input_lengths": "1"})
    (tmp_path / "preprocessor_config.json").unlink()
    (tmp_path / "config.json").write_text('{"model_type": "wav2vec2-ctc"}', "utf-8")
    found = CtcNetwork(tmp_path, threads=1).logits(NOISE)
    np.testing.assert_allclose(found.ravel(), samples(NOISE) * 32.768, rtol=1e-4)


def test_nemos_networks_hear_mel_bands_and_how_many_frames(tmp_path: Path) -> None:
    from onnx import helper, save

    (tmp_path / "vocab.txt").write_text(
        "".join(f"{chr(97 + n)} {n}\n" for n in range(79)) + "<blk> 79\n"
    )
    (tmp_path / "config.json").write_text('{"model_type": "nemo-conformer-ctc"}')
    inputs = [
        helper.make_tensor_value_info("audio_signal", 1, ["batch", "bands", "frames"]),
        helper.make_tensor_value_info("length", 7, ["batch"]),
    ]
    nodes = [
        helper.make_node("Transpose", ["audio_signal"], ["turned"], perm=[0, 2, 1]),
        helper.make_node("Cast", ["length"], ["count"], to=1),
        helper.make_node("Add", ["turned", "count"], ["logprobs"]),
    ]
    result = helper.make_tensor_value_info("logprobs", 1, None)
    graph = helper.make_graph(nodes, "nemo", inputs, [result])
    opset = [helper.make_opsetid("", 17)]
    save(helper.make_model(graph, opset_imports=opset, ir_version=9), tmp_path / "model.onnx")
    found = CtcNetwork(tmp_path, threads=1).logits(NOISE)
    np.testing.assert_allclose(found, log_mel(samples(NOISE), 80).T + 100, atol=1e-4)


def test_the_fastest_weights_are_taken(tmp_path: Path) -> None:
    echo(tmp_path)
    (tmp_path / "model.onnx").rename(tmp_path / "model.int8.onnx")
    (tmp_path / "model.onnx").write_bytes(b"not this one")
    assert CtcNetwork(tmp_path, threads=1).alphabet.blank == 0


def test_a_vocabulary_may_lack_a_few_outputs_or_name_a_few_more(tmp_path: Path) -> None:
    fewer = CtcNetwork(echo(tmp_path / "fewer", letters=LETTERS[:30]), threads=1)
    assert fewer.logits(NOISE).shape == (500, 30)
    more = CtcNetwork(echo(tmp_path / "more", letters=(*LETTERS, "é", "è")), threads=1)
    assert len(more.alphabet.texts) == OUTPUTS
    with pytest.raises(ModelError, match=r"outputs=32,vocabulary=20"):
        CtcNetwork(echo(tmp_path / "other", letters=LETTERS[:20]), threads=1)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"rank": 2}, "shape="),
        ({"extra": {"cache": "1", "more": "2", "language": "0"}}, "inputs=input_values,cache"),
        ({"outputs": 30}, "cannot be run"),  # a second of sound is not a whole number of frames
        ({"preparation": {"sampling_rate": 8000}}, "sampling_rate=8000"),
        ({"preparation": [1]}, "preprocessor_config.json is damaged"),
        ({"external": "../weights.bin"}, "outside of its folder"),
        ({"external": "missing.bin"}, "not there"),
    ],
)
def test_a_network_of_an_unknown_kind_is_one_sentence(
    how: dict[str, Any], message: str, tmp_path: Path
) -> None:
    echo(tmp_path, **how)
    with pytest.raises(ModelError, match=message) as raised:
        CtcNetwork(tmp_path, threads=1)
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 600


def test_a_network_that_gives_no_numbers_is_not_believed(tmp_path: Path) -> None:
    network = CtcNetwork(echo(tmp_path, power=0.5), threads=1)
    with pytest.raises(ModelError, match="gives what is not a number"):
        network.logits(NOISE)


def test_a_network_that_loads_in_no_way_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no model.onnx in it"):
        CtcNetwork(tmp_path, threads=1)
    whole = (echo(tmp_path) / "model.onnx").read_bytes()
    for content in (whole.replace(b"Reshape", b"Reshapo"), whole[:60], b"<html>not found</html>"):
        (tmp_path / "model.onnx").write_bytes(content)
        with pytest.raises(ModelError) as raised:
            CtcNetwork(tmp_path, threads=1)
        assert "\n" not in str(raised.value) and str(tmp_path) in str(raised.value)


def test_a_network_that_changed_since_it_was_installed_is_not_loaded(tmp_path: Path) -> None:
    folders.seal(echo(tmp_path), name="echo")
    CtcNetwork(tmp_path, threads=1)
    (tmp_path / "vocab.txt").write_text("<blk> 0\na 1\n", "utf-8")
    with pytest.raises(ModelError, match=r"vocab.txt of the model .* another than it was"):
        CtcNetwork(tmp_path, threads=1)


def test_without_onnxruntime_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *more: None if name == "onnxruntime" else find(name),
    )
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    with pytest.raises(ModelError, match=r'install it with: pip install "blindplay\[onnx\]"'):
        CtcNetwork(echo(tmp_path), threads=1)


def test_its_usual_work_is_measured_in_seconds(tmp_path: Path) -> None:
    network = CtcNetwork(echo(tmp_path), threads=1)
    assert 0 < MEASURED.func(network) < float("inf")
