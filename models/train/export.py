"""Export the network to a folder that Vosk loads, without Kaldi.

``am/final.mdl`` has Kaldi's binary form: each token ends with a space, each number begins with its
size. It contains a *transition model* (which hidden states a phone has, and which output of the
network each listens to) and the network: a text of its layers, and their numbers.

The outputs are *blank* and one for each phone. To Kaldi each phone is four, by its place in a word:
B(egin), I(nternal), E(nd), S(ingle); all four listen to one output. A phone begins with one step of
its own output, which may repeat. After that, B and I may have blank, which may repeat, before the
next phone. After the last phone of a word, blank belongs to silence, phone 1. Only so does Vosk see
the silence after a word, by which it knows the end of speech.

The training favours blank so much that short words vanish. So the model gives blank a *prior* of e
to the power of ``HANDICAP``, by which Vosk divides.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from blindplay.speech.adaptation.kaldi_files import PLACES
from models.train.features import BINS, CONF
from models.train.network import CONTEXT, KEPT, SIDES, STEPS, SUBSAMPLING, Network

SILENCE = 1
HANDICAP = 1.5
"""The additional cost of blank, in nats."""

_DECODER = {
    "min-active": "200",
    "max-active": "5000",
    "beam": "13.0",
    "lattice-beam": "6.0",
    "acoustic-scale": "1.0",
    "frame-subsampling-factor": str(SUBSAMPLING),
    "endpoint.silence-phones": str(SILENCE),
    "endpoint.rule2.min-trailing-silence": "0.5",
    "endpoint.rule3.min-trailing-silence": "0.75",
    "endpoint.rule4.min-trailing-silence": "1.0",
}

# For each kind of phone its hidden states: which output of the network (a class, resolved by
# _states), and to which state with which probability. The last state means that the phone is left.
_Topology = list[tuple[int, list[tuple[int, float]]]]
_SILENT: _Topology = [(0, [(0, 0.5), (1, 0.5)]), (-1, [])]
_INSIDE: _Topology = [(0, [(0, 0.4), (1, 0.3), (2, 0.3)]), (1, [(1, 0.5), (2, 0.5)]), (-1, [])]
_ENDING: _Topology = [(0, [(0, 0.5), (1, 0.5)]), (-1, [])]
_TOPOLOGIES = (_SILENT, _INSIDE, _ENDING)
_PLACES = {"B": "begin", "I": "internal", "E": "end", "S": "singleton"}


def export(network: Network, folder: Path) -> None:
    """Write the acoustic part of a model: everything except the graph, which ``blindplay models
    adapt`` adds with the words of a language. The same network gives the same bytes."""
    for part in ("am", "conf", "graph/phones"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    with (folder / "am" / "final.mdl").open("wb") as stream:
        _write(network, _Kaldi(stream))
    _lines(folder / "conf" / "mfcc.conf", [f"--{name}={value}" for name, value in CONF.items()])
    _lines(
        folder / "conf" / "model.conf", [f"--{name}={value}" for name, value in _DECODER.items()]
    )
    numbered = [
        (_number(phone, place), f"{name}_{place}", _PLACES[place])
        for phone, name in enumerate(network.phones)
        for place in PLACES
    ]
    listed = ["<eps> 0", f"SIL {SILENCE}", *(f"{name} {number}" for number, name, _ in numbered)]
    _lines(folder / "graph" / "phones.txt", listed)
    kinds = [f"{SILENCE} nonword", *(f"{number} {kind}" for number, _, kind in numbered)]
    _lines(folder / "graph" / "phones" / "word_boundary.int", kinds)


def read(folder: Path) -> Network:
    """Return the network of a model that ``export`` wrote.

    :raises OSError: if there is none.
    :raises ValueError: if it is of another kind.
    """
    data = (folder / "am" / "final.mdl").read_bytes()
    listed = (folder / "graph" / "phones.txt").read_text(encoding="utf-8").split("\n")
    phones = [line.split("_B ")[0] for line in listed if "_B " in line]
    matrices, vectors = [], []
    at = data.find(b"<Nnet3>")
    while at >= 0 and (at := data.find(b"<LinearParams> FM ", at)) >= 0:
        rows, columns = struct.unpack_from("<xixi", data, at + 18)
        at += 28
        matrices.append(np.frombuffer(data, "<f4", rows * columns, at).reshape(rows, columns))
        at += 4 * rows * columns + len(b"<BiasParams> FV ") + 5
        vectors.append(np.frombuffer(data, "<f4", rows, at))
    layers = len(STEPS)
    if len(matrices) != 2 * layers + 2 or len(vectors[-1]) != 1 + len(phones):
        raise ValueError(f"{folder} is not a model of ours; give the folder of a built-in one.")
    return Network(
        tuple(phones),
        matrices[0],
        vectors[0],
        tuple(matrices[1 + 2 * k] for k in range(layers)),
        tuple(matrices[2 + 2 * k] for k in range(layers)),
        tuple(vectors[2 + 2 * k] for k in range(layers)),
        matrices[-1],
        vectors[-1],
    )


def _lines(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def _number(phone: int, place: str) -> int:
    """Return Kaldi's number of a phone (counted from 0) in a place."""
    return SILENCE + 1 + 4 * phone + PLACES.index(place)


class _Kaldi:
    """Writes Kaldi's binary stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        stream.write(b"\0B")

    def token(self, *tokens: str) -> None:
        for token in tokens:
            self._stream.write(token.encode() + b" ")

    def text(self, text: str) -> None:
        self._stream.write(text.encode())

    def whole(self, *numbers: int) -> None:
        for number in numbers:
            self._stream.write(b"\4" + struct.pack("<i", number))

    def real(self, number: float) -> None:
        self._stream.write(b"\4" + struct.pack("<f", number))

    def wholes(self, numbers: Sequence[int]) -> None:
        self.whole(len(numbers))
        self._stream.write(np.asarray(numbers, "<i4").tobytes())

    def vector(self, numbers: npt.ArrayLike) -> None:
        vector = np.asarray(numbers, "<f4")
        self.token("FV")
        self.whole(len(vector))
        self._stream.write(vector.tobytes())

    def matrix(self, numbers: npt.ArrayLike) -> None:
        matrix = np.ascontiguousarray(numbers, "<f4")
        self.token("FM")
        self.whole(*matrix.shape)
        self._stream.write(matrix.tobytes())


def _write(network: Network, to: _Kaldi) -> None:
    _write_transitions(len(network.phones), to)
    _write_layers(network, to)
    to.token("<LeftContext>")
    to.whole(CONTEXT)
    to.token("<RightContext>")
    to.whole(CONTEXT)
    to.token("<Priors>")
    priors = np.ones(1 + len(network.phones), np.float32)
    priors[0] = math.exp(HANDICAP)
    to.vector(priors)


def _write_transitions(count: int, to: _Kaldi) -> None:
    """Write which hidden states ``count`` phones have, and what they listen to."""
    topology_of = {SILENCE: 0}
    states = [(SILENCE, 0, 0)]
    for phone in range(count):
        for place in PLACES:
            number = _number(phone, place)
            topology_of[number] = 1 if place in "BI" else 2
            states.append((number, 0, 1 + phone))
            if place in "BI":
                states.append((number, 1, 0))
    states.sort()
    to.token("<TransitionModel>", "<Topology>")
    numbers = sorted(topology_of)
    to.wholes(numbers)
    to.wholes([topology_of.get(number, -1) for number in range(max(numbers) + 1)])
    to.whole(len(_TOPOLOGIES))
    for topology in _TOPOLOGIES:
        to.whole(len(topology))
        for output, arcs in topology:
            to.whole(output, len(arcs))
            for target, probability in arcs:
                to.whole(target)
                to.real(probability)
    to.token("</Topology>", "<Triples>")
    to.whole(len(states))
    for state in states:
        to.whole(*state)
    to.token("</Triples>", "<LogProbs>")
    logs = [0.0]
    for number, hidden, _ in states:
        arcs = _TOPOLOGIES[topology_of[number]][hidden][1]
        logs += [math.log(probability) for _, probability in arcs]
    to.vector(logs)
    to.token("</LogProbs>", "</TransitionModel>")


class _Layers:
    """The network's layers: the text that connects them, and the numbers of each."""

    def __init__(self) -> None:
        self.text = [f"input-node name=input dim={BINS}"]
        self.parts: list[tuple[str, str, tuple[npt.ArrayLike, ...]]] = []

    def add(self, name: str, kind: str, source: str, *numbers: npt.ArrayLike) -> str:
        """Connect a part of this ``kind`` with ``source``, and return its name."""
        self.parts.append((name, kind, numbers))
        self.text.append(f"component-node name={name} component={name} input={source}")
        return name


def _write_layers(network: Network, to: _Kaldi) -> None:
    layers = _Layers()

    def at(source: str, offset: int) -> str:
        return f"Offset({source}, {offset})" if offset else source

    def affine(name: str, source: str, weights: npt.ArrayLike, bias: npt.ArrayLike) -> str:
        return layers.add(name, "FixedAffineComponent", source, weights, bias)

    frames = ", ".join(at("input", k) for k in range(-SIDES, SIDES + 1))
    width = len(network.first_bias)
    x = affine("l0.affine", f"Append({frames})", network.first, network.first_bias)
    x = layers.add("l0.relu", "RectifiedLinearComponent", x, width)
    for k, step in enumerate(STEPS):
        name, apart = f"l{k + 1}", SUBSAMPLING * step
        three = f"Append({at(x, -apart)}, {x}, {at(x, apart)})"
        narrow = network.narrow[k]
        y = affine(f"{name}.bot", three, narrow, np.zeros(len(narrow), np.float32))
        y = affine(f"{name}.affine", y, network.wide[k], network.wide_bias[k])
        y = layers.add(f"{name}.relu", "RectifiedLinearComponent", y, width)
        x = layers.add(f"{name}.sum", "NoOpComponent", f"Sum(Scale({KEPT}, {x}), {y})", width)
    x = affine("out.affine", x, network.last, network.last_bias)
    x = layers.add("out.logsm", "LogSoftmaxComponent", x, len(network.last_bias))
    layers.text.append(f"output-node name=output input={x} objective=linear")

    to.token("<Nnet3>")
    to.text("\n" + "\n".join(layers.text) + "\n\n")
    to.token("<NumComponents>")
    to.whole(len(layers.parts))
    for name, kind, numbers in layers.parts:
        to.token("<ComponentName>", name, f"<{kind}>")
        if kind == "FixedAffineComponent":
            weights, bias = numbers
            to.token("<LinearParams>")
            to.matrix(weights)
            to.token("<BiasParams>")
            to.vector(bias)
        else:
            to.token("<Dim>")
            to.whole(int(np.asarray(numbers[0])))
            if kind == "NoOpComponent":
                to.token("<BackpropScale>")
                to.real(1.0)
            else:  # statistics of the training, which there are none of
                for empty in ("<ValueAvg>", "<DerivAvg>"):
                    to.token(empty)
                    to.vector([])
                to.token("<Count>")
                to.real(0.0)
                to.token("<OderivRms>")
                to.vector([])
                to.token("<OderivCount>")
                to.real(0.0)
        to.token(f"</{kind}>")
    to.token("</Nnet3>")
