"""Train the network of a model on a player's voice, for some minutes.

This needs PyTorch and kaldi-native-fbank: the extra ``enrol``. Only models of this
project can be trained (affine layers, rectifiers, sums; one state for each phone). Models made from
people's speech have the speaker's voice as an input of its own, and need it less.

The network is read from ``am/final.mdl``, trained as it was made (connectionist temporal
classification of phones), kept near its first weights, and written back in place. Nothing else in
the file changes.
"""

import ast
import random
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from blindplay.extras import install_command
from blindplay.translation import UserError, _

from .kaldi_files import GraphError, read_options, read_phones, read_transitions

ROUNDS = 12
"""Number of times to train on all recordings."""
RATE = 2e-4
"""The learning rate at the beginning; it falls to 0."""
_HOLD = 1e-2  # how strongly the weights are drawn back to their first values
_SUBSAMPLED = 3  # Vosk looks at every third frame
_NOISE_DB = (15.0, 45.0)  # recordings are made in a quiet room, but games are not played in one


class TuningError(ValueError):
    """A model cannot be trained here. The message says why, and the remedy."""


@dataclass(frozen=True)
class LabelledSound:
    """Mono 16-bit PCM at 16 kHz, and what was said in it: words in small letters, or phones."""

    pcm: bytes
    labels: tuple[str, ...]


def obstacle(model: Path) -> str:
    """Return why ``model`` cannot be trained here; "" if it can."""
    try:
        _modules()
        _Network(model)
    except TuningError as error:
        return str(error)
    return ""


def tune(
    model: Path,
    samples: Sequence[LabelledSound],
    output: Path,
    *,
    rounds: int = ROUNDS,
    progress: Callable[[float], None] = lambda done: None,
) -> None:
    """Write to ``output`` the acoustic model (``am/final.mdl``) of ``model``, trained on
    ``samples``, sounds that are labelled with the model's phones.

    The same recordings give the same weights on the same machine. ``progress`` gets how much is
    done, 0 to 1.

    :raises TuningError: in one sentence.
    :raises OSError: if ``output`` cannot be written.
    """
    torch, _rest = _modules()
    network = _Network(model)
    chance = random.Random(1)
    torch.manual_seed(1)
    noise = np.random.default_rng(1)
    # Train only the first layer, which sees the sound, and all biases: they adapt to a voice also
    # for words that were not said. Training everything would forget those words.
    free = [number == 0 or len(layer.shape) == 1 for number, layer in enumerate(network.values)]
    every = [
        torch.tensor(value, requires_grad=moves)
        for value, moves in zip(network.values, free, strict=True)
    ]
    weights = [layer for layer in every if layer.requires_grad]
    start = [weight.detach().clone() for weight in weights]
    scale = [layer.square().mean().sqrt().clamp_min(1e-4) for layer in start]
    best = torch.optim.Adam(weights, lr=RATE)
    loss_of = torch.nn.CTCLoss(blank=0, zero_infinity=True)
    order = list(samples)
    steps, done = rounds * len(order), 0
    for _unused in range(rounds):
        chance.shuffle(order)
        for sample in order:
            frames = network.frames(_noisy(sample.pcm, noise))
            scores = network.scores(frames, every)[chance.randrange(_SUBSAMPLED) :: _SUBSAMPLED]
            target = torch.tensor([network.numbers[phone] for phone in sample.labels])
            if len(scores) > 2 * len(target):
                loss = loss_of(scores[:, None], target[None], [len(scores)], [len(target)])
                held = sum(
                    ((weight - first) / size).square().mean()
                    for weight, first, size in zip(weights, start, scale, strict=True)
                )
                best.zero_grad()
                (loss + _HOLD * held).backward()
                torch.nn.utils.clip_grad_norm_(weights, 5.0)
                best.step()
            done += 1
            for group in best.param_groups:
                group["lr"] = RATE * (1 - done / steps)
            progress(done / steps)
    network.write(output, [value.detach().numpy() for value in every])


def _noisy(pcm: bytes, chance: np.random.Generator) -> np.ndarray[Any, Any]:
    """Return the sound at another level, with noise from 15 to 45 dB below it."""
    sound = np.frombuffer(pcm, "<i2").astype(np.float32)
    power = float(np.sqrt(np.mean(sound**2))) or 1.0
    quiet = power * 10 ** (-chance.uniform(*_NOISE_DB) / 20)
    mixed = sound + chance.normal(0.0, quiet, len(sound)).astype(np.float32)
    return mixed * np.float32(10 ** (chance.uniform(-10, 5) / 20))


def _modules() -> tuple[Any, Any]:
    try:
        import kaldi_native_fbank
        import torch
    except ImportError:
        raise TuningError(
            _(
                "Training needs PyTorch; install it with: {command}",
                command=install_command("enrol"),
            )
        ) from None
    return torch, kaldi_native_fbank


class _Network:
    """A network of affine layers, rectifiers and sums, as it is in ``final.mdl``."""

    def __init__(self, model: Path) -> None:
        self._file = model / "am" / "final.mdl"
        self._options = read_options(model / "conf" / "mfcc.conf")
        try:
            transitions = read_transitions(self._file)
            graph = model / "graph"
            phones = read_phones(graph / "phones" / "word_boundary.int", graph / "phones.txt")
            self._read(self._file.read_bytes())
        except (OSError, GraphError, ValueError, struct.error, IndexError) as error:
            raise TuningError(
                _(
                    "The network of {model} is not one that can be trained here: only "
                    "models that BlindPlay made itself can; its pronunciations are learned "
                    "anyway.",
                    model=model,
                )
            ) from error
        first = {state.phone: state.entered for state in transitions.states if state.number == 0}
        self.numbers = {name: first[number] for (name, _), number in phones.id.items()}
        """The network's number of each phone."""

    def _read(self, data: bytes) -> None:
        begin = data.index(b"<Nnet3>")
        end = data.index(b"<NumComponents>", begin)
        self._nodes = []
        for line in data[begin:end].decode("ascii").splitlines():
            if line.startswith("component-node"):
                fields = dict(re.findall(r"(\w+)=(.*?)(?= \w+=|$)", line))
                self._nodes.append((fields["name"], fields["component"], fields["input"]))
        self._kinds: dict[str, str] = {}
        self._layers: dict[str, tuple[int, int]] = {}  # indices of its matrix and its vector
        self._places: list[tuple[int, tuple[int, ...]]] = []
        at = end
        while (at := data.find(b"<ComponentName> ", at)) >= 0:
            name, kind = data[at + 16 : at + 100].split(b" ")[:2]
            self._kinds[name.decode()] = kind.decode().strip("<>")
            at += 16
            if kind == b"<FixedAffineComponent>":
                matrix = data.index(b"<LinearParams> FM ", at) + 18
                rows, columns = struct.unpack_from("<xixi", data, matrix)
                self._places.append((matrix + 10, (rows, columns)))
                vector = matrix + 10 + 4 * rows * columns
                if data[vector : vector + 16] != b"<BiasParams> FV ":
                    raise UserError("no bias")
                (length,) = struct.unpack_from("<xi", data, vector + 16)
                self._places.append((vector + 21, (length,)))
                self._layers[name.decode()] = len(self._places) - 2, len(self._places) - 1
                at = vector + 21 + 4 * length
        known = {"FixedAffineComponent", "RectifiedLinearComponent", "NoOpComponent",
                 "LogSoftmaxComponent"}  # fmt: skip
        if not self._nodes or set(self._kinds.values()) - known:
            raise UserError("other components")
        self.values = [
            np.frombuffer(data, "<f4", int(np.prod(shape)), place).reshape(shape).copy()
            for place, shape in self._places
        ]
        """The matrices and vectors, in the order of the file."""
        self._data = data

    def frames(self, sound: np.ndarray[Any, Any]) -> Any:
        """Return the input of the network: a row of cepstra for each 10 ms."""
        torch, fbank = _modules()
        options = fbank.MfccOptions()
        options.frame_opts.dither = 0.0
        options.frame_opts.samp_freq = 16_000
        options.use_energy = self._options.get("use-energy", "true") == "true"
        options.num_ceps = int(self._options.get("num-ceps", 13))
        options.mel_opts.num_bins = int(self._options.get("num-mel-bins", 23))
        options.mel_opts.low_freq = float(self._options.get("low-freq", 20))
        options.mel_opts.high_freq = float(self._options.get("high-freq", 0))
        online = fbank.OnlineMfcc(options)
        online.accept_waveform(16_000, sound.tolist())
        online.input_finished()
        rows = [online.get_frame(row) for row in range(online.num_frames_ready)]
        return torch.tensor(np.stack(rows).astype(np.float32))

    def scores(self, frames: Any, weights: Sequence[Any]) -> Any:
        """Return the logarithms of the phones' likelihoods, a row for each frame."""
        torch, _rest = _modules()
        known: dict[str, Any] = {"input": frames}
        for name, component, described in self._nodes:
            value = _evaluated(described.strip(), known, torch)
            match self._kinds[component]:
                case "FixedAffineComponent":
                    matrix, bias = self._layers[component]
                    value = torch.nn.functional.linear(value, weights[matrix], weights[bias])
                case "RectifiedLinearComponent":
                    value = torch.relu(value)
                case "LogSoftmaxComponent":
                    value = torch.log_softmax(value, dim=1)
            known[name] = value
        return known[self._nodes[-1][0]]

    def write(self, output: Path, values: Sequence[np.ndarray[Any, Any]]) -> None:
        """Write the file with other weights."""
        data = bytearray(self._data)
        for (place, _unused), value in zip(self._places, values, strict=True):
            packed = np.ascontiguousarray(value, "<f4").tobytes()
            data[place : place + len(packed)] = packed
        output.parent.mkdir(parents=True, exist_ok=True)
        fresh = output.with_suffix(".new")
        fresh.write_bytes(data)
        fresh.replace(output)


def _evaluated(description: str, known: Mapping[str, Any], torch: Any) -> Any:
    """Return the value of a description such as ``Append(Offset(x, -3), x)``."""

    def value(node: ast.expr) -> Any:
        match node:
            case ast.Call(ast.Name("Offset"), [of, by]):
                rows = value(of)
                index = torch.arange(len(rows)) + ast.literal_eval(by)
                return rows[index.clamp(0, len(rows) - 1)]  # the ends are repeated
            case ast.Call(ast.Name("Scale"), [factor, of]):
                return ast.literal_eval(factor) * value(of)
            case ast.Call(ast.Name("Append"), parts):
                return torch.cat([value(part) for part in parts], dim=1)
            case ast.Call(ast.Name("Sum"), parts):
                return sum(value(part) for part in parts)
            case _:
                return known[ast.unparse(node)]

    return value(ast.parse(description, mode="eval").body)
