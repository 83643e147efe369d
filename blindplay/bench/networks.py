"""Figures for `blindplay bench networks`: the time from the end of speech to the readings.

Without weights of people at hand, a network of random weights takes as long as a trained one of
its form: the convolutions and the transformer of wav2vec2, as large as is wanted.
"""

import importlib.util
import logging
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import chess
import numpy as np

from blindplay.hearing.expectation import expect
from blindplay.language import Language
from blindplay.speech.audio import RATE
from blindplay.speech.ctc.network import LONGEST_S, CtcNetwork
from blindplay.speech.ctc.recogniser import CtcRecogniser

_POSITION = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8"
_REPEATS = 3
_OUTPUTS = 40
_CHANNELS = 512
_KERNELS = ((10, 5), (3, 2), (3, 2), (3, 2), (3, 2), (2, 2), (2, 2))  # with their strides
_WIDTHS = {30: (512, 9), 120: (768, 16), 300: (1024, 24)}
"""For millions of weights, the width of the transformer and its number of layers."""
_HEAD = 64


def figures(
    pack: Language,
    models: Sequence[Path],
    sizes: Sequence[int],
    seconds: float,
    threads: int,
    eight_bits: bool,
) -> Iterator[str]:
    """Yield a line for each network in ``models``, and for random ones of so many million weights.

    ``seconds`` is the length of the sound; ``eight_bits``: the random ones have weights of eight
    bits. Raises ModelError, or ValueError for an unknown size or without onnx.
    """
    for folder in models:
        yield f"{folder.name}: {_measured(pack, folder, seconds, threads)}"
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="blindplay-network-") as made:
            weights = write_random(Path(made), size, eight_bits=eight_bits)
            bits = "8-bit" if eight_bits else "32-bit"
            found = _measured(pack, Path(made), seconds, threads)
            yield f"A random network of {weights / 1e6:.0f} million {bits} weights: {found}"


def _measured(pack: Language, folder: Path, seconds: float, threads: int) -> str:
    began = time.perf_counter()
    network = CtcNetwork(folder, threads=threads)
    loaded = time.perf_counter() - began
    del network
    recogniser = CtcRecogniser(
        folder, pack.code, spellings=pack.spoken, words=pack.grammar_words(),
        longest_s=math.inf, threads=threads,
    )  # fmt: skip
    phrases = list(expect(recogniser, pack, [chess.Board(_POSITION)]).phrases)
    noise = np.random.default_rng(1).normal(0, 3000, round(seconds * RATE)).astype("<i2").tobytes()
    closed = recogniser.closed_grammar(phrases)
    walls, works = [], []
    for _ in range(_REPEATS):
        wall, work = time.perf_counter(), time.process_time()
        recogniser.recognised(noise, closed)
        walls.append(time.perf_counter() - wall)
        works.append(time.process_time() - work)
    work = min(works)
    vote = (
        "it has a vote" if work <= LONGEST_S * threads else f"no vote, which ends at {LONGEST_S} s"
    )
    return (
        f"loaded in {loaded:.1f} s; from the end of {seconds:g} s of sound to the readings with "
        f"{len(phrases)} phrases {work:.2f} s of processor time, {min(walls):.2f} s by the clock, "
        f"with {threads} {'thread' if threads == 1 else 'threads'}; {vote}."
    )


def write_random(folder: Path, size: int, *, eight_bits: bool = False) -> int:
    """Write a network of about ``size`` million random weights into ``folder``, and return their
    number. Raises ValueError for another size than 30, 120 or 300, or without the package onnx."""
    if size not in _WIDTHS:
        raise ValueError(f"A random network has {', '.join(map(str, _WIDTHS))} million weights.")
    if importlib.util.find_spec("onnx") is None:
        raise ValueError("A random network needs the package onnx: pip install onnx.")
    import onnx

    made = _RandomGraph(*_WIDTHS[size])
    file = folder / "model.onnx"
    onnx.save(made.model(), file, save_as_external_data=True, location="model.data")
    if eight_bits:
        from onnxruntime.quantization import quantize_dynamic

        logging.getLogger().setLevel(logging.ERROR)  # it recommends another form
        quantize_dynamic(
            file, folder / "model.int8.onnx", op_types_to_quantize=["MatMul"],
            use_external_data_format=True,
        )  # fmt: skip
        file.unlink()
    letters = ["<blk>", "▁", *"abcdefghijklmnopqrstuvwxyzäöüßåæøé'"]
    letters += [f"<{number}>" for number in range(len(letters), _OUTPUTS)]
    lines = "".join(f"{letter} {number}\n" for number, letter in enumerate(letters))
    (folder / "vocab.txt").write_text(lines, "utf-8")
    return made.count


class _RandomGraph:
    """Convolutions and a transformer with random weights."""

    def __init__(self, width: int, layers: int) -> None:
        self.count = 0
        self._chance = np.random.default_rng(1)
        self._nodes: list[Any] = []
        self._weights: list[Any] = []
        self._width = width
        x = self._add("Unsqueeze", "input_values", self._ints(1))
        before = 1
        for kernel, stride in _KERNELS:
            weights = self._random(_CHANNELS, before, kernel)
            x = self._add("Relu", self._add("Conv", x, weights, strides=[stride]))
            before = _CHANNELS
        x = self._linear(self._add("Transpose", x, perm=[0, 2, 1]), _CHANNELS, width)
        for _ in range(layers):
            x = self._add("Add", x, self._attention(self._normed(x)))
            wide = self._add("Relu", self._linear(self._normed(x), width, 4 * width))
            x = self._add("Add", x, self._linear(wide, 4 * width, width))
        self._result = self._linear(self._normed(x), width, _OUTPUTS)

    def model(self) -> Any:
        from onnx import helper

        sound = helper.make_tensor_value_info("input_values", 1, ["batch", "samples"])
        result = helper.make_tensor_value_info(self._result, 1, None)
        graph = helper.make_graph(self._nodes, "random", [sound], [result], self._weights)
        opset = [helper.make_opsetid("", 17)]
        return helper.make_model(graph, opset_imports=opset, ir_version=9)

    def _attention(self, x: str) -> str:
        shape = self._ints(0, 0, -1, _HEAD)
        asked, key, value = (
            self._add("Reshape", self._linear(x, self._width, self._width), shape) for _ in range(3)
        )
        asked = self._add("Transpose", asked, perm=[0, 2, 1, 3])
        key = self._add("Transpose", key, perm=[0, 2, 3, 1])
        value = self._add("Transpose", value, perm=[0, 2, 1, 3])
        shares = self._add("Softmax", self._add("MatMul", asked, key), axis=-1)
        mixed = self._add("Transpose", self._add("MatMul", shares, value), perm=[0, 2, 1, 3])
        flat = self._add("Reshape", mixed, self._ints(0, 0, self._width))
        return self._linear(flat, self._width, self._width)

    def _normed(self, x: str) -> str:
        return self._add("LayerNormalization", x, self._put(np.ones(self._width, np.float32)))

    def _linear(self, x: str, put: int, out: int) -> str:
        return self._add("MatMul", x, self._random(put, out))

    def _random(self, *shape: int) -> str:
        self.count += math.prod(shape)
        numbers = self._chance.standard_normal(shape, np.float32) / np.float32(shape[0] ** 0.5)
        return self._put(numbers)

    def _ints(self, *numbers: int) -> str:
        return self._put(np.array(numbers, np.int64))

    def _put(self, numbers: Any) -> str:
        from onnx import numpy_helper

        name = f"w{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(numbers, name))
        return name

    def _add(self, kind: str, *inputs: str, **how: Any) -> str:
        from onnx import helper

        name = f"x{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **how))
        return name
