"""Training the network of a model on a voice."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from blindplay.extras import install_command
from blindplay.speech.adaptation import finetuning
from blindplay.speech.models.folders import built_in


def test_without_pytorch_training_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise finetuning.TuningError('Training needs PyTorch; install it with: pip install "x".')

    monkeypatch.setattr(finetuning, "_modules", missing)
    model = built_in("de")
    assert model is not None
    assert finetuning.obstacle(model).startswith("Training needs PyTorch")


def test_the_network_of_the_built_in_model_is_read_and_put_back_as_it_was(tmp_path: Path) -> None:
    model = built_in("de")
    assert model is not None
    network = finetuning._Network(model)
    network.write(tmp_path / "am" / "final.mdl", network.values)
    assert (tmp_path / "am" / "final.mdl").read_bytes() == (model / "am/final.mdl").read_bytes()
    assert network.numbers["A:"] != network.numbers["E"] > 0
    # Nine frames of 40 cepstra come in; a phone each and the blank go out.
    assert network.values[0].shape[1] == 9 * 40
    assert network.values[-1].shape == (len(network.numbers) + 1,)


@pytest.mark.long
@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None,
    reason=f"PyTorch is not installed; run: {install_command('enrol')}",
)
def test_training_brings_the_network_nearer_to_the_recordings(tmp_path: Path) -> None:
    import torch

    model = built_in("de")
    assert model is not None
    network = finetuning._Network(model)
    sound = np.random.default_rng(1).normal(0, 2000, 16_000).astype("<i2")
    said = finetuning.LabelledSound(sound.tobytes(), ("d", "A:", "m", "@"))
    finetuning.tune(model, [said], tmp_path / "am" / "final.mdl", rounds=8)
    target = torch.tensor([network.numbers[phone] for phone in said.labels])
    losses = []
    for values in (network.values, _values(model, tmp_path)):
        frames = network.frames(sound.astype(np.float32))
        scores = network.scores(frames, [torch.tensor(one) for one in values])[::3]
        loss = torch.nn.CTCLoss()(scores[:, None], target[None], [len(scores)], [len(target)])
        losses.append(float(loss))
    assert losses[1] < losses[0]


def _values(model: Path, tuned: Path) -> list[np.ndarray]:
    import shutil

    for name in ("conf", "graph"):
        shutil.copytree(model / name, tuned / name)
    return finetuning._Network(tuned).values
