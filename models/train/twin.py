"""The network as an ONNX file that hears sound, in a folder that BlindPlay can install.

It is the twin of the model that `export` writes for Vosk: the same weights, the same features, the
same handicap of blank. It proves that networks of other makers are heard as well as Vosk's models
are, and shows what such a folder needs. It needs the package ``onnx``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from blindplay import language
from models.train.export import HANDICAP
from models.train.features import EMPHASIS, FFT, HOP, WINDOW, bins, cosines, window
from models.train.network import CONTEXT, KEPT, SIDES, STEPS, SUBSAMPLING, Array, Network

_LOUDEST = 32768.0


def write_twin(network: Network, code: str, folder: Path) -> None:
    """Write model.onnx, tokens.txt, lexicon.txt and preprocessor_config.json for the language
    ``code`` into ``folder``."""
    import onnx

    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(_Graph(network).model(), folder / "model.onnx")
    names = ["<blk>", *network.phones]
    tokens = "".join(f"{name} {number}\n" for number, name in enumerate(names))
    (folder / "tokens.txt").write_text(tokens, "utf-8")
    lexicon = language.lexicon(code)
    lines = [
        f"{word} {' '.join(phones)}\n"
        for word, ways in {**lexicon.fillers, **lexicon.words}.items()
        for phones in ways
        if set(phones) <= set(network.phones)
    ]
    (folder / "lexicon.txt").write_text("".join(lines), "utf-8")
    plain = json.dumps({"do_normalize": False, "sampling_rate": 16000})
    (folder / "preprocessor_config.json").write_text(plain + "\n", "utf-8")


class _Graph:
    """The parts of the ONNX graph."""

    def __init__(self, network: Network) -> None:
        from onnx import helper, numpy_helper

        self._helper, self._numbers = helper, numpy_helper
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        x = self._cepstra()
        ends = self._put(np.array([0, 0, CONTEXT, 0, 0, CONTEXT]))
        x = self._add("Pad", x, ends, mode="edge")
        x = self._conv(x, network.first, network.first_bias, 2 * SIDES + 1, strides=[SUBSAMPLING])
        x = self._add("Relu", x)
        layers = zip(STEPS, network.narrow, network.wide, network.wide_bias, strict=True)
        for step, narrow, wide, bias in layers:
            y = self._conv(x, narrow, None, 3, dilations=[step])
            y = self._add("Relu", self._conv(y, wide, bias, 1))
            middle = [self._put(np.array([n])) for n in (step, -step, 2)]
            kept = self._add("Slice", x, *middle)
            x = self._add("Add", self._add("Mul", kept, self._put(np.float32(KEPT))), y)
        x = self._conv(x, network.last, network.last_bias, 1)
        x = self._add("LogSoftmax", self._add("Transpose", x, perm=[0, 2, 1]), axis=2)
        handicap = np.zeros(len(network.last_bias), np.float32)
        handicap[0] = HANDICAP
        self._add("Sub", x, self._put(handicap), to="logprobs")

    def model(self) -> Any:
        made = self._helper
        sound = made.make_tensor_value_info("input_values", 1, ["batch", "samples"])
        result = made.make_tensor_value_info("logprobs", 1, ["batch", "frames", "outputs"])
        graph = made.make_graph(self.nodes, "twin", [sound], [result], self.weights)
        return made.make_model(graph, opset_imports=[made.make_opsetid("", 17)], ir_version=9)

    def _cepstra(self) -> str:
        """Add what `features.mfcc` computes. All up to the spectrum is linear in the samples."""
        frame = np.eye(WINDOW) - 1 / WINDOW
        before = np.concatenate([frame[:1], frame[:-1]])
        frame = (frame - EMPHASIS * before) * window()[:, None] * _LOUDEST
        spectrum = np.fft.rfft(frame, FFT, axis=0)
        both = np.concatenate([spectrum.real, spectrum.imag])
        x = self._add("Unsqueeze", "input_values", self._put(np.array([1])))
        x = self._conv(x, both.astype(np.float32), None, WINDOW, strides=[HOP])
        power = self._add("Mul", x, x)
        summing = bins().T
        power = self._conv(power, np.concatenate([summing, summing], axis=1), None, 1)
        floor = self._put(np.float32(np.finfo(np.float32).eps))
        logs = self._add("Log", self._add("Max", power, floor))
        return self._conv(logs, np.ascontiguousarray(cosines().T), None, 1)

    def _conv(self, x: str, weights: Array, bias: Array | None, width: int, **how: Any) -> str:
        """Add a convolution; ``weights`` (out, width * in) see ``width`` frames, frame by frame."""
        shaped = weights.reshape(len(weights), width, -1).transpose(0, 2, 1)
        biases = [] if bias is None else [self._put(bias)]
        return self._add("Conv", x, self._put(np.ascontiguousarray(shaped)), *biases, **how)

    def _put(self, numbers: Any) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(self._numbers.from_array(np.asarray(numbers), name))
        return name

    def _add(self, kind: str, *inputs: str, to: str | None = None, **how: Any) -> str:
        name = to or f"x{len(self.nodes)}"
        self.nodes.append(self._helper.make_node(kind, inputs, [name], **how))
        return name
