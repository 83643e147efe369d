"""Small ONNX networks whose outputs a test chooses: they are the samples of the sound."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

LETTERS = ("<blk>", "▁", *"abcdefghijklmnopqrstuvwxyzäöüß")
OUTPUTS = len(LETTERS)
"""32: a second and five seconds of sound are whole frames of so many samples."""
_SCALE = 0.001  # a sample of 1000 is a logit of 1


def sound(logits: npt.ArrayLike) -> bytes:
    """Return 16-bit PCM that an echoing network turns into these logits, from -32 to 32."""
    numbers = np.asarray(logits, np.float64) / _SCALE
    return np.round(np.clip(numbers, -32768, 32767)).astype("<i2").tobytes()


def spelled(text: str, frames: int = 10, surely: float = 20.0) -> npt.NDArray[np.float64]:
    """Return logits that say these letters, each in so many frames, and are silent between them."""
    rows = []
    for letter in text.replace(" ", "▁"):
        for output in (LETTERS.index(letter), 0):
            row = np.zeros(OUTPUTS)
            row[output] = surely
            rows += [row] * frames
    return np.array(rows)


def echo(
    folder: Path,
    *,
    outputs: int = OUTPUTS,
    letters: Sequence[str] = LETTERS,
    extra: Mapping[str, str] | None = None,
    rank: int = 3,
    power: float = 1.0,
    external: str | None = None,
    preparation: object = None,
) -> Path:
    """Write an echoing network and its vocabulary into ``folder``.

    ``extra`` are more inputs with their shapes, "1" or "2" numbers of axes. With ``power`` 0.5 the
    network takes roots, which are not numbers for negative samples. ``external``: the name under
    which it asks for its weights.
    """
    from onnx import TensorProto, helper, numpy_helper, save

    folder.mkdir(parents=True, exist_ok=True)
    shape = [1, -1, outputs][3 - rank :]
    weights: list[Any] = [
        numpy_helper.from_array(np.array(shape, np.int64), "shape"),
        numpy_helper.from_array(np.array(32768 * _SCALE, np.float32), "scale"),
        numpy_helper.from_array(np.array(power, np.float32), "power"),
    ]
    if external is not None:
        (folder / "weights.bin").write_bytes(np.float32(32768 * _SCALE).tobytes())
        weights[1] = TensorProto(name="scale", data_type=TensorProto.FLOAT, dims=[])
        weights[1].data_location = TensorProto.EXTERNAL
        weights[1].external_data.add(key="location", value=external)
    nodes = [
        helper.make_node("Reshape", ["input_values", "shape"], ["frames"]),
        helper.make_node("Mul", ["frames", "scale"], ["scaled"]),
        helper.make_node("Pow", ["scaled", "power"], ["logits"]),
    ]
    inputs = [helper.make_tensor_value_info("input_values", 1, ["batch", "samples"])]
    for name, axes in (extra or {}).items():
        inputs.append(helper.make_tensor_value_info(name, 7, ["batch", "samples"][: int(axes)]))
    result = helper.make_tensor_value_info("logits", 1, None)
    graph = helper.make_graph(nodes, "echo", inputs, [result], weights)
    opset = [helper.make_opsetid("", 17)]
    save(helper.make_model(graph, opset_imports=opset, ir_version=9), folder / "model.onnx")
    lines = "".join(f"{letter} {number}\n" for number, letter in enumerate(letters))
    (folder / "vocab.txt").write_text(lines, "utf-8")
    prepared = {"do_normalize": False} if preparation is None else preparation
    (folder / "preprocessor_config.json").write_text(json.dumps(prepared), "utf-8")
    return folder
