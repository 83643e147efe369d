"""The network as plain numbers, kept in a file and run without PyTorch.

It is a time-delay network of half a million weights, small enough for any machine. The first layer
sees nine frames (90 ms) at every third one. Each further layer sees three outputs of the one below,
further and further apart, through a bottleneck, and adds to its input. In all the network sees 340
ms back and as far ahead. Its outputs are the logarithms of the probabilities of *blank* (nothing
new) and of each phone: "connectionist temporal classification".
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.train.features import BINS

Array = npt.NDArray[np.float32]

WIDTH, WAIST = 192, 96
SIDES = 4
"""Frames that the first layer sees on either side."""
STEPS = (1, 1, 1, 2, 2, 3)
"""How far the further layers see to either side, in outputs of the first one."""
SUBSAMPLING = 3
CONTEXT = SIDES + SUBSAMPLING * sum(STEPS)
"""Frames that the whole network sees on either side."""
KEPT = 0.75
"""The share of its input that a layer adds to its output."""


@dataclass(frozen=True)
class Network:
    """The weights, with the normalisations folded into them. ``narrow[k]`` is (WAIST, 3 * WIDTH),
    ``wide[k]`` (WIDTH, WAIST), ``last`` (1 + phones, WIDTH)."""

    phones: tuple[str, ...]
    first: Array
    first_bias: Array
    narrow: tuple[Array, ...]
    wide: tuple[Array, ...]
    wide_bias: tuple[Array, ...]
    last: Array
    last_bias: Array

    def save(self, path: Path) -> None:
        """Write the network as a NumPy archive."""
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays = {
            "phones": np.array(self.phones),
            "first": self.first,
            "first_bias": self.first_bias,
            "last": self.last,
            "last_bias": self.last_bias,
        }
        for k in range(len(STEPS)):
            arrays[f"narrow{k}"], arrays[f"wide{k}"] = self.narrow[k], self.wide[k]
            arrays[f"wide_bias{k}"] = self.wide_bias[k]
        with path.open("wb") as stream:
            np.savez(stream, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: Path) -> Network:
        """Read a network that ``save`` wrote.

        :raises OSError, ValueError: if it is none.
        """
        with np.load(path) as read:
            layers = range(len(STEPS))
            return cls(
                tuple(str(phone) for phone in read["phones"]),
                read["first"],
                read["first_bias"],
                tuple(read[f"narrow{k}"] for k in layers),
                tuple(read[f"wide{k}"] for k in layers),
                tuple(read[f"wide_bias{k}"] for k in layers),
                read["last"],
                read["last_bias"],
            )

    @classmethod
    def random(cls, phones: tuple[str, ...], seed: int) -> Network:
        """Return a network that has learned nothing."""
        chance = np.random.default_rng(seed)

        def weights(out: int, put: int) -> Array:
            return chance.normal(0, put**-0.5, (out, put)).astype(np.float32)

        return cls(
            phones,
            weights(WIDTH, BINS * (2 * SIDES + 1)),
            weights(WIDTH, 1)[:, 0],
            tuple(weights(WAIST, 3 * WIDTH) for _ in STEPS),
            tuple(weights(WIDTH, WAIST) for _ in STEPS),
            tuple(weights(WIDTH, 1)[:, 0] for _ in STEPS),
            weights(1 + len(phones), WIDTH),
            weights(1 + len(phones), 1)[:, 0],
        )

    def blended(self, other: Network, share: float) -> Network:
        """Return the network whose weights are the mean of this one's and, with ``share`` from 0 to
        1, of another's that one of the two began with. It knows what both know: a network that
        learns new voices forgets some of the noise.

        :raises ValueError: if they do not have the same phones.
        """
        if self.phones != other.phones:
            raise ValueError("Only networks of the same phones can be blended; use --keep 0.")

        def mean(one: Array, another: Array) -> Array:
            return np.asarray((1 - share) * one + share * another, np.float32)

        def each(some: tuple[Array, ...], others: tuple[Array, ...]) -> tuple[Array, ...]:
            return tuple(map(mean, some, others))

        return Network(
            self.phones,
            mean(self.first, other.first),
            mean(self.first_bias, other.first_bias),
            each(self.narrow, other.narrow),
            each(self.wide, other.wide),
            each(self.wide_bias, other.wide_bias),
            mean(self.last, other.last),
            mean(self.last_bias, other.last_bias),
        )

    def __call__(self, cepstra: Array) -> Array:
        """Return logarithms of probabilities (outputs, 1 + phones), one output for three frames.

        Beyond both ends the first and the last frame are repeated, as in Vosk.
        """
        ends = [np.repeat(cepstra[:1], CONTEXT, 0), cepstra, np.repeat(cepstra[-1:], CONTEXT, 0)]
        padded = np.concatenate(ends)
        seen = np.lib.stride_tricks.sliding_window_view(padded, 2 * SIDES + 1, axis=0)
        x = seen[::SUBSAMPLING].transpose(0, 2, 1).reshape(-1, self.first.shape[1])
        x = np.maximum(x @ self.first.T + self.first_bias, 0)
        layers = zip(STEPS, self.narrow, self.wide, self.wide_bias, strict=True)
        for step, narrow, wide, bias in layers:
            three = np.concatenate([x[: -2 * step], x[step:-step], x[2 * step :]], axis=1)
            x = KEPT * x[step:-step] + np.maximum(three @ narrow.T @ wide.T + bias, 0)
        x = x @ self.last.T + self.last_bias
        x = x - x.max(axis=1, keepdims=True)
        return np.asarray(x - np.log(np.exp(x).sum(axis=1, keepdims=True)), np.float32)

    def heard(self, cepstra: Array) -> list[str]:
        """Return the likeliest phones, output by output."""
        best = self(cepstra).argmax(axis=1)
        return [
            self.phones[output - 1]
            for before, output in zip([0, *best[:-1]], best, strict=True)
            if output and output != before
        ]
