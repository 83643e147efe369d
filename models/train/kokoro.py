"""Kokoro in PyTorch, from the weights of its ONNX form: many utterances at a time.

ONNX Runtime says one utterance after another, in two seconds each. Here those with the same number
of tokens, and then those of the same length, are said together. A graphics processor says some
hundred in a second. The weights are the eight-bit ones of the file, but the arithmetic is that of
floats, which have 16 bits where most of it is done. So the sound is nearly that of ONNX Runtime.

The architecture is StyleTTS 2 (Li et al., 2023) with an inverse Fourier transform as its last step.
A style has 256 numbers: the first half is the timbre, the second the melody.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor
from torch.nn import functional

RATE = 24_000
_TOGETHER = 24
"""Utterances that are said together at most."""
_HEADS, _LAYERS = 12, 12
_HOP, _WINDOW = 5, 20
_STEP = 300
"""Samples for each value of the melody, of which there are two in a frame."""
_FRAMES = 8
"""The silence after an utterance is lengthened until it has a multiple of so many frames, so that
more of them are equally long."""
_MEANING, _TOLD = "encoder.bert.embeddings", ("word", "position", "token_type")
_LETTERS = "encoder.text_encoder.embedding"
"""Names of tables."""


@dataclass(frozen=True)
class Line:
    """What is said: ``tokens`` with a zero at both ends, in a style of 256 numbers, at a speed."""

    tokens: tuple[int, ...]
    style: npt.NDArray[np.float32]
    speed: float


class _Weights:
    """The weights of the ONNX file as floats.

    ``named`` have names of their own. ``layers``, each a matrix or kernel and perhaps a bias, and
    ``memories`` are known by their place in the network.
    """

    def __init__(self, path: Path, device: torch.device) -> None:
        graph = onnx.load(str(path)).graph
        self._stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
        self._users: defaultdict[str, list[onnx.NodeProto]] = defaultdict(list)
        for node in graph.node:
            for name in node.input:
                self._users[name].append(node)
        self.named = {
            name: torch.tensor(values, device=device)
            for name, values in self._stored.items()
            if values.dtype == np.float32
        }
        zero = f"{_MEANING}.word_embeddings.weight_zero_point"  # all tables share it
        self.tables = {
            name: torch.tensor(self._whole(f"{name}.weight_quantized", zero), device=device)
            for name in (*(f"{_MEANING}.{part}_embeddings" for part in _TOLD), _LETTERS)
        }
        self.layers: dict[str, tuple[Tensor, Tensor | None]] = {}
        self.memories: dict[str, torch.nn.LSTM] = {}
        for node in graph.node:
            place = _place(node.name)
            if node.op_type in ("Conv", "ConvTranspose"):
                kernel, *bias = (self.named[name] for name in node.input[1:])
                self.layers[place] = kernel, bias[0] if bias else None
            elif node.op_type in ("ConvInteger", "MatMulInteger"):
                weight = self._whole(node.input[1], node.input[3])
                self.layers[place] = torch.tensor(weight, device=device), self._bias(node)
            elif node.op_type == "DynamicQuantizeLSTM":
                put = self._whole(node.input[1], node.input[9])
                back = self._whole(node.input[2], node.input[11])
                bias = self._stored[node.input[3]]
                self.memories[place] = _memory(*map(torch.tensor, (put, back, bias))).to(device)

    def _whole(self, name: str, zero: str = "") -> npt.NDArray[np.float32]:
        """Return what eight-bit numbers stand for."""
        stem = name.removesuffix("_quantized")
        zeros, scales = self._stored[zero or f"{stem}_zero_point"], self._stored[f"{stem}_scale"]
        values = self._stored[name].astype(np.float32)
        if values.ndim == 3 and zeros.ndim:  # for each direction of a memory
            count = (len(values), 1, -1)
            zeros, scales = zeros.reshape(count), scales.reshape(count)
        return np.asarray((values - zeros.astype(np.float32)) * scales, np.float32)

    def _bias(self, node: onnx.NodeProto) -> Tensor | None:
        """Return what is added to the result of a node. That of a kernel is found by its scale."""
        if node.op_type == "ConvInteger":
            scale = node.input[1].removesuffix("_quantized") + "_scale"
            scaled = [user.output[0] for user in self._users[scale]]
            names = [one.removesuffix("_scale") for one in scaled if one.endswith(".bias_scale")]
            return self.named[names[0]] if names else None
        name = node.output[0]
        for kinds in (("Cast",), ("Mul",), ("Add", "FastGelu")):
            (user,) = (one for one in self._users[name] if one.op_type in kinds)
            name = user.output[0]
        return next(self.named[one] for one in user.input if one in self.named)


def _place(name: str) -> str:
    """Return the place of a node in the network."""
    for end in ("/Gemm_MatMul_quant", "/MatMul_quant", "/Conv_quant", "/LSTM_quant"):
        name = name.removesuffix(end)
    return name.removesuffix("/ConvTranspose").removesuffix("/Conv")


def _memory(put: Tensor, back: Tensor, bias: Tensor) -> torch.nn.LSTM:
    """Return a memory with the weights of ONNX: (directions, inputs, gates), its gates in another
    order."""
    hidden = back.shape[1]
    made = torch.nn.LSTM(put.shape[1], hidden, batch_first=True, bidirectional=True)

    def ordered(rows: Tensor) -> Tensor:
        enter, leave, forget, cell = rows.split(hidden)
        return torch.cat([enter, forget, cell, leave])

    with torch.no_grad():
        for k, end in enumerate(("", "_reverse")):
            getattr(made, f"weight_ih_l0{end}").copy_(ordered(put[k].T))
            getattr(made, f"weight_hh_l0{end}").copy_(ordered(back[k].T))
            getattr(made, f"bias_ih_l0{end}").copy_(ordered(bias[k][: 4 * hidden]))
            getattr(made, f"bias_hh_l0{end}").copy_(ordered(bias[k][4 * hidden :]))
    return made.eval()


class Kokoro:
    """The network. It is the same for all speakers."""

    def __init__(self, path: Path) -> None:
        """Load it, onto a graphics processor if PyTorch finds one.

        :raises OSError:
        """
        torch.set_num_threads(1)  # voices speak in as many processes as there are cores
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._w = _Weights(path, self._device)

    @torch.inference_mode()
    def say(self, lines: Sequence[Line]) -> list[npt.NDArray[np.float32]]:
        """Return the sound of each line at 24 kHz, from -1 to 1."""
        spoken: dict[int, npt.NDArray[np.float32]] = {}
        prepared = {}
        for some in _alike({k: len(line.tokens) for k, line in enumerate(lines)}):
            prepared |= dict(zip(some, self._plan([lines[k] for k in some]), strict=True))
        for some in _alike({k: one[0].shape[1] for k, one in prepared.items()}):
            melody, text = (torch.stack([prepared[k][part] for k in some]) for part in (0, 1))
            style = self._tensor(np.stack([lines[k].style for k in some]))
            sounds = self._sound(melody, text, style).cpu().numpy()
            spoken |= dict(zip(some, sounds, strict=True))
        return [spoken[k] for k in range(len(lines))]

    def _tensor(self, numbers: npt.ArrayLike) -> Tensor:
        return torch.tensor(np.asarray(numbers), device=self._device)

    # ------------------------------------------------------------------ what to say

    def _plan(self, lines: Sequence[Line]) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield for each line what the melody and what the sound is made of, frame by frame. All
        have the same number of tokens."""
        tokens = self._tensor([line.tokens for line in lines])
        style = self._tensor(np.stack([line.style for line in lines]))[:, 128:]
        speed = self._tensor(np.array([line.speed for line in lines], np.float32))
        hidden = self._tempo(self._meaning(tokens), style)
        lasting, _ = self._w.memories["/encoder/predictor/lstm"](hidden)
        lasting = self._linear(lasting, "/encoder/predictor/duration_proj/linear_layer").sigmoid()
        frames = (lasting.sum(-1) / speed[:, None]).round().clamp(min=1).long()
        frames[:, -1] += -frames.sum(1) % _FRAMES
        text = self._letters(tokens)
        for k, count in enumerate(frames):
            yield hidden[k].repeat_interleave(count, 0).T, text[k].repeat_interleave(count, 1)

    def _meaning(self, tokens: Tensor) -> Tensor:
        """Return what ALBERT makes of the tokens: (lines, tokens, 512)."""
        word, position, kind = (self._w.tables[f"{_MEANING}.{part}_embeddings"] for part in _TOLD)
        x = word[tokens] + position[: tokens.shape[1]] + kind[0]
        x = self._normal(x, f"{_MEANING}.LayerNorm")
        x = self._linear(x, "/encoder/bert/encoder/embedding_hidden_mapping_in")
        layer = "/encoder/bert/encoder/albert_layer_groups.0/albert_layers.0"
        names = layer[1:].replace("/", ".")
        for _ in range(_LAYERS):
            parts = [
                self._linear(x, f"{layer}/attention/{part}").unflatten(-1, (_HEADS, -1))
                for part in ("query", "key", "value")
            ]
            seen = functional.scaled_dot_product_attention(*(p.transpose(1, 2) for p in parts))
            seen = self._linear(seen.transpose(1, 2).flatten(2), f"{layer}/attention/dense")
            x = self._normal(x + seen, f"{names}.attention.LayerNorm")
            y = functional.gelu(self._linear(x, f"{layer}/ffn"), approximate="tanh")
            y = self._linear(y, f"{layer}/ffn_output")
            x = self._normal(x + y, f"{names}.full_layer_layer_norm")
        return self._linear(x, "/encoder/bert_encoder")

    def _tempo(self, x: Tensor, style: Tensor) -> Tensor:
        """Return the tokens with the style, from which durations and melody come."""
        beside = style[:, None].expand(-1, x.shape[1], -1)
        x = torch.cat([x, beside], -1)
        for k in (0, 2, 4):
            place = "/encoder/predictor/text_encoder/lstms"
            x, _ = self._w.memories[f"{place}.{k}"](x)
            gain, shift = self._linear(style, f"{place}.{k + 1}/fc")[:, None].chunk(2, -1)
            x = functional.layer_norm(x, x.shape[-1:]) * (1 + gain) + shift
            x = torch.cat([x, beside], -1)
        return x

    def _letters(self, tokens: Tensor) -> Tensor:
        """Return what the sounds of the tokens are: (lines, 512, tokens)."""
        x = self._w.tables[_LETTERS][tokens].transpose(1, 2)
        for k in range(3):
            x = self._conv(x, f"/encoder/text_encoder/cnn.{k}/cnn.{k}.0", padding=2)
            gain, shift = (
                self._w.named[f"encoder.text_encoder.cnn.{k}.1.{part}"]
                for part in ("gamma", "beta")
            )
            x = functional.layer_norm(x.transpose(1, 2), x.shape[1:2], gain, shift)
            x = functional.leaky_relu(x, 0.2).transpose(1, 2)
        x, _ = self._w.memories["/encoder/text_encoder/lstm"](x.transpose(1, 2))
        return x.transpose(1, 2)

    # ------------------------------------------------------------------ its sound

    def _sound(self, melody: Tensor, text: Tensor, style: Tensor) -> Tensor:
        """Return the samples of lines that have the same number of frames."""
        timbre, manner = style[:, :128], style[:, 128:]
        x, _ = self._w.memories["/encoder/shared"](melody.transpose(1, 2))
        pitch, loudness = (self._curve(x.transpose(1, 2), manner, part) for part in ("F0", "N"))
        at = "/decoder/decoder"
        curves = [
            self._conv(curve, f"{at}/{part}_conv", stride=2, padding=1)
            for curve, part in ((pitch, "F0"), (loudness, "N"))
        ]
        x = self._block(torch.cat([text, *curves], 1), timbre, f"{at}/encode")
        beside = self._conv(text, f"{at}/asr_res/asr_res.0")
        for k in range(4):
            x = torch.cat([x, beside, *curves], 1)
            x = self._block(x, timbre, f"{at}/decode.{k}", longer=k == 3)
        source = self._source(pitch)
        with torch.autocast(self._device.type, torch.bfloat16):  # nearly twice as fast
            shape = self._generate(x, timbre, source)
        return self._wave(shape.float())

    def _curve(self, x: Tensor, style: Tensor, part: str) -> Tensor:
        for k in range(3):
            x = self._block(x, style, f"/encoder/{part}.{k}", longer=k == 1)
        return self._conv(x, f"/encoder/{part}_proj")

    def _block(self, x: Tensor, style: Tensor, place: str, *, longer: bool = False) -> Tensor:
        """Return a residual block in the style; ``longer`` makes two frames of each."""
        y = functional.leaky_relu(self._styled(x, style, f"{place}/norm1"), 0.2)
        if longer:
            weight, bias = self._w.layers[f"{place}/pool"]
            y = functional.conv_transpose1d(y, weight, bias, 2, 1, 1, groups=y.shape[1])
            x = x.repeat_interleave(2, -1)
        y = self._conv(y, f"{place}/conv1", padding=1)
        y = functional.leaky_relu(self._styled(y, style, f"{place}/norm2"), 0.2)
        y = self._conv(y, f"{place}/conv2", padding=1)
        if x.shape[1] != y.shape[1]:
            x = self._conv(x, f"{place}/conv1x1")
        return (x + y) / math.sqrt(2)

    def _generate(self, x: Tensor, style: Tensor, source: Tensor) -> Tensor:
        """Return the spectrum of the sound: logarithms of sizes, and angles."""
        at = "/decoder/decoder/generator"
        for k, (stride, kernel) in enumerate(((10, 3), (6, 3))):
            x = functional.leaky_relu(x, 0.1)
            driven = (
                self._conv(source, f"{at}/noise_convs.0", stride=6, padding=3)
                if k == 0
                else self._conv(source, f"{at}/noise_convs.1")
            )
            driven = self._snake(driven, style, f"{at}/noise_res.{k}", (7, 11)[k])
            weight, bias = self._w.layers[f"{at}/ups.{k}"]
            x = functional.conv_transpose1d(x, weight, bias, stride, stride // 2)
            if k == 1:
                x = functional.pad(x, (1, 0), "reflect")
            x = x + driven
            blocks = (
                self._snake(x, style, f"{at}/resblocks.{3 * k + j}", kernel + 4 * j)
                for j in range(3)
            )
            x = sum(blocks, torch.zeros_like(x)) / 3
        return self._conv(functional.leaky_relu(x), f"{at}/conv_post", padding=3)

    def _wave(self, x: Tensor) -> Tensor:
        """Return the samples with this spectrum."""
        size, angle = x[:, : _WINDOW // 2 + 1].exp(), x[:, _WINDOW // 2 + 1 :].sin()
        x = torch.cat([size * angle.cos(), size * angle.sin()], 1)
        names = "decoder.decoder.generator.stft.istft.stft"
        x = functional.conv_transpose1d(x, self._w.named[f"{names}.inverse_basis"], stride=_HOP)
        x = x * (_WINDOW / _HOP)
        return x[:, 0, _WINDOW // 2 : -(_WINDOW // 2)]

    def _source(self, pitch: Tensor) -> Tensor:
        """Return the spectrum of what vocal cords do at this pitch in Hz, (lines, 1, values)."""
        at = "decoder.decoder.generator.m_source"
        tones = pitch * torch.arange(1, 10, device=self._device)[:, None]
        turned = (tones / RATE % 1).cumsum(-1) * (2 * math.pi * _STEP)
        sines = functional.interpolate(turned, scale_factor=float(_STEP), mode="linear").sin()
        voiced = (pitch > 10).float().repeat_interleave(_STEP, -1)
        weights = self._w.named["onnx::MatMul_6993"]
        mixed = (sines * 0.1 * voiced).transpose(1, 2) @ weights
        mixed = (mixed[..., 0] + self._w.named[f"{at}.l_linear.bias"]).tanh()
        padded = functional.pad(mixed[:, None], (_WINDOW // 2, _WINDOW // 2), "reflect")[:, 0]
        window = torch.hann_window(_WINDOW, device=self._device)
        spectrum = torch.fft.rfft(padded.unfold(-1, _WINDOW, _HOP) * window).transpose(1, 2)
        return torch.cat([spectrum.abs(), spectrum.angle()], 1)

    def _snake(self, x: Tensor, style: Tensor, place: str, kernel: int) -> Tensor:
        """Return three residual layers whose nonlinearity is periodic."""
        names = place[1:].replace("/", ".")
        for k, wide in enumerate((1, 3, 5)):
            y = x
            for part, dilation in ((1, wide), (2, 1)):
                y = self._styled(y, style, f"{place}/adain{part}.{k}")
                alpha = self._w.named[f"{names}.alpha{part}.{k}"]
                y = y + (alpha * y).sin().square() / alpha
                padding = (kernel - 1) * dilation // 2
                y = self._conv(y, f"{place}/convs{part}.{k}", padding=padding, dilation=dilation)
            x = x + y
        return x

    # ------------------------------------------------------------------ layers

    def _linear(self, x: Tensor, place: str) -> Tensor:
        weight, bias = self._w.layers[place]
        y = x @ weight
        return y if bias is None else y + bias

    def _conv(
        self, x: Tensor, place: str, *, stride: int = 1, padding: int = 0, dilation: int = 1
    ) -> Tensor:
        weight, bias = self._w.layers[place]
        return functional.conv1d(x, weight, bias, stride, padding, dilation)

    def _normal(self, x: Tensor, names: str) -> Tensor:
        weight, bias = self._w.named[f"{names}.weight"], self._w.named[f"{names}.bias"]
        return functional.layer_norm(x, x.shape[-1:], weight, bias, 1e-12)

    def _styled(self, x: Tensor, style: Tensor, place: str) -> Tensor:
        gain, shift = self._linear(style, f"{place}/fc")[:, :, None].chunk(2, 1)
        return functional.instance_norm(x) * (1 + gain) + shift


def _alike(sizes: dict[int, int]) -> Iterator[list[int]]:
    """Yield keys of equal sizes, so many as are said together."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for key, size in sizes.items():
        groups[size].append(key)
    for _, keys in sorted(groups.items()):
        for first in range(0, len(keys), _TOGETHER):
            yield keys[first : first + _TOGETHER]
