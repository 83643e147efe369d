"""Training: the network of ``network`` in PyTorch, and the loop in which it learns.

Every step draws its utterances, rooms and noises from the seed and its own number. So an
interrupted training continues from its last checkpoint as if nothing had happened, and the same
seed gives the same network on the same machine.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from blindplay.speech.adaptation.sounds import similar
from models.train.evaluation import distance
from models.train.features import BINS
from models.train.network import KEPT, SIDES, STEPS, SUBSAMPLING, WAIST, WIDTH, Network
from models.train.rooms import Rooms
from models.train.synthesis import Utterance

BATCH = 32
"""Utterances in a step, unless others are wanted."""
_RATE, _LEAST_RATE, _WARM_UP = 3e-3, 1e-5, 150
_DECAY = 5e-3
_HELD_BACK = 300
_CHECKPOINT = 250
_BABBLERS = 400


@dataclass(frozen=True)
class Progress:
    """The progress: ``step`` of ``steps``, the mean loss for a phrase in the last steps, and the
    seconds of processor time in this process."""

    step: int
    steps: int
    loss: float
    seconds: float


class _Net(nn.Module):
    """See ``network.Network``; here the normalisations are separate."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(BINS))
        self.register_buffer("scale", torch.ones(BINS))
        self.first = nn.Linear(BINS * (2 * SIDES + 1), WIDTH)
        self.first_norm = nn.BatchNorm1d(WIDTH)
        self.narrow = nn.ModuleList(nn.Linear(3 * WIDTH, WAIST, bias=False) for _ in STEPS)
        self.wide = nn.ModuleList(nn.Linear(WAIST, WIDTH) for _ in STEPS)
        self.norms = nn.ModuleList(nn.BatchNorm1d(WIDTH) for _ in STEPS)
        self.last = nn.Linear(WIDTH, outputs)

    def forward(self, cepstra: torch.Tensor) -> torch.Tensor:
        """Return logits (utterances, outputs in time, outputs) of padded cepstra."""

        def normal(norm: nn.Module, y: torch.Tensor) -> torch.Tensor:
            made: torch.Tensor = norm(y.flatten(0, 1))
            return made.view(y.shape)

        x = (cepstra - self.mean) * self.scale
        x = x.unfold(1, 2 * SIDES + 1, SUBSAMPLING).transpose(2, 3).flatten(2)
        x = functional.relu(normal(self.first_norm, self.first(x)))
        layers = zip(STEPS, self.narrow, self.wide, self.norms, strict=True)
        for step, narrow, wide, norm in layers:
            three = torch.cat([x[:, : -2 * step], x[:, step:-step], x[:, 2 * step :]], -1)
            x = KEPT * x[:, step:-step] + functional.relu(normal(norm, wide(narrow(three))))
        made: torch.Tensor = self.last(x)
        return made

    @torch.no_grad()
    def begin(self, cepstra: torch.Tensor, start: Network | None, phones: Sequence[str]) -> None:
        """Prepare for training: as the network ``start``, or else with normalised input."""
        if start is not None:
            self.begin_as(start, phones, cepstra)
            return
        frames = cepstra.flatten(0, 1)
        self.mean.copy_(frames.mean(0))
        self.scale.copy_(1 / frames.std(0))

    @torch.no_grad()
    def begin_as(self, network: Network, phones: Sequence[str], cepstra: torch.Tensor) -> None:
        """Take over what another network has learned, of this language or another.

        Its normalisations are in its weights. So each normalisation here is set, from its input
        for ``cepstra``, to undo itself. A phone that the other network lacks begins as its most
        similar one. If the other network is narrower, what is wider here begins without a say.
        """
        wide, waist = len(network.first), len(network.narrow[0])
        _take(self.first.weight, network.first)
        _take(self.first.bias, network.first_bias)
        for k in range(len(STEPS)):
            narrow = np.split(network.narrow[k], 3, axis=1)
            for part, old in zip(self.narrow[k].weight.split(WIDTH, 1), narrow, strict=True):
                part[:waist, wide:] = 0
                _take(part, old)
            self.wide[k].weight[:wide, waist:] = 0
            _take(self.wide[k].weight, network.wide[k])
            _take(self.wide[k].bias, network.wide_bias[k])
        rows = [0] + [
            1 + network.phones.index(_most_similar(phone, network.phones)) for phone in phones
        ]
        self.last.weight[:, wide:] = 0
        _take(self.last.weight, network.last[rows])
        _take(self.last.bias, network.last_bias[rows])

        def undo(norm: nn.Module, put: torch.Tensor) -> None:
            norm.running_mean.copy_(put.flatten(0, 1).mean(0))
            norm.running_var.copy_(put.flatten(0, 1).var(0))
            norm.bias.copy_(norm.running_mean)
            norm.weight.copy_((norm.running_var + norm.eps).sqrt())

        self.eval()
        hooks = [
            norm.register_forward_pre_hook(lambda norm, put: undo(norm, put[0][None]))
            for norm in (self.first_norm, *self.norms)
        ]
        self(cepstra)
        for hook in hooks:
            hook.remove()

    def folded(self, phones: Sequence[str]) -> Network:
        """Return the network with every normalisation folded into the weights next to it."""

        def fold(linear: nn.Module, norm: nn.Module) -> tuple[torch.Tensor, torch.Tensor]:
            gain = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            bias = (linear.bias - norm.running_mean) * gain + norm.bias
            return linear.weight * gain[:, None], bias

        with torch.no_grad():
            first, first_bias = fold(self.first, self.first_norm)
            nine = first.view(WIDTH, 2 * SIDES + 1, BINS) * self.scale
            first_bias = first_bias - (nine * self.mean).sum((1, 2))
            wide = [fold(linear, norm) for linear, norm in zip(self.wide, self.norms, strict=True)]
            return Network(
                tuple(phones),
                nine.reshape(WIDTH, -1).cpu().numpy(),
                first_bias.cpu().numpy(),
                tuple(narrow.weight.cpu().numpy() for narrow in self.narrow),
                tuple(weights.cpu().numpy() for weights, _ in wide),
                tuple(bias.cpu().numpy() for _, bias in wide),
                self.last.weight.cpu().numpy(),
                self.last.bias.cpu().numpy(),
            )


def train(
    spoken: Sequence[Utterance],
    phones: Sequence[str],
    steps: int,
    seed: int,
    checkpoint: Path,
    tell: Callable[[Progress], None],
    threads: int = 2,
    start: Network | None = None,
    batch: int = BATCH,
) -> tuple[Network, float]:
    """Train for so many steps of ``batch`` utterances. Return the network, and the share of wrong
    phones in utterances that were kept apart, in rooms and noise as in training.

    A graphics processor is used if PyTorch finds one. The training continues from ``checkpoint``
    if it exists, or else from ``start``, a network of this language or another.

    :raises ValueError: if there is too little speech, or a phone in it that is not in ``phones``.
    """
    if len(spoken) < 2 * batch:
        raise ValueError(f"{len(spoken)} utterances are too few; synthesise more.")
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    number = {phone: k + 1 for k, phone in enumerate(phones)}
    if unknown := sorted({p for one in spoken for p in one.phones} - number.keys()):
        raise ValueError(f"The voices say {unknown[0]!r}, which no pronunciation has.")
    order = np.random.default_rng([seed, 1]).permutation(len(spoken))
    held_back = min(_HELD_BACK, len(spoken) // 10)
    kept = order[:held_back]
    # An utterance may be there at several speeds.
    known = {(spoken[k].speaker, spoken[k].words) for k in kept}
    learned = np.array([k for k in order if (spoken[k].speaker, spoken[k].words) not in known])
    babblers = [spoken[k].sound() for k in learned[:_BABBLERS]]
    rooms = Rooms(babblers, seed, device)
    net = _Net(1 + len(phones)).to(device)
    optimiser = torch.optim.AdamW(net.parameters(), lr=_LEAST_RATE, weight_decay=_DECAY)
    done = 0
    if checkpoint.is_file():
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        net.load_state_dict(state["net"])
        optimiser.load_state_dict(state["optimiser"])
        done = state["step"]
    else:
        chance = np.random.default_rng([seed, 2])
        some = [spoken[k].sound() for k in chance.choice(learned, 6 * batch)]
        net.begin(rooms(some, chance), start, phones)
    began, losses = time.process_time(), []
    net.train()
    for step, chosen in _batches(spoken, learned, steps, done, seed, batch):
        chance = np.random.default_rng([seed, 3, step])
        for group in optimiser.param_groups:
            group["lr"] = _rate(step, steps, _RATE if start is None else _RATE / 2)
        strength = 1.0 if start is not None else min(1.0, 0.3 + 3 * step / steps)
        one_batch = [spoken[k] for k in chosen]
        with torch.no_grad():
            cepstra = rooms([u.sound() for u in one_batch], chance, strength)
        loss = _loss(net(cepstra), one_batch, number)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 3.0)
        optimiser.step()
        losses.append(float(loss.detach()))
        if (step + 1) % 50 == 0 or step + 1 == steps:
            taken = time.process_time() - began
            tell(Progress(step + 1, steps, float(np.mean(losses[-50:])), taken))
        if (step + 1) % _CHECKPOINT == 0:
            part = checkpoint.with_suffix(".part")
            state = {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "step": step + 1}
            torch.save(state, part)
            part.replace(checkpoint)
    net.eval()
    wrong = _wrong(net, [spoken[k] for k in kept], number, rooms, seed)
    return net.folded(phones), wrong


def _take(weights: torch.Tensor, others: np.ndarray) -> None:
    """Set the first rows and columns of ``weights`` to those of another network."""
    weights[tuple(slice(size) for size in others.shape)].copy_(torch.tensor(others))


def _rate(step: int, steps: int, highest: float) -> float:
    """Return the learning rate: it warms up and then falls as a cosine."""
    warmth = min(1.0, (step + 1) / _WARM_UP)
    return highest * warmth * (1 + math.cos(math.pi * step / steps)) / 2 + _LEAST_RATE


def _most_similar(phone: str, others: Sequence[str]) -> str:
    """Return the phone of ``others`` that is most similar to this one, or the phone itself."""
    if phone in others:
        return phone
    single = (names[0] for names in similar(phone, tuple(others)) if len(names) == 1)
    return next(single, others[0])


def _batches(
    spoken: Sequence[Utterance], learned: np.ndarray, steps: int, done: int, seed: int, batch: int
) -> Iterator[tuple[int, list[int]]]:
    """Yield the remaining steps, with the numbers of their utterances, which are similar in
    length."""
    step = 0
    for epoch in itertools.count():
        chance = np.random.default_rng([seed, 4, epoch])
        length = np.array([spoken[k].samples for k in learned])
        alike = learned[np.argsort(length + chance.uniform(-4000, 4000, len(learned)))]
        batches = [alike[k : k + batch] for k in range(0, len(alike) - batch + 1, batch)]
        for k in chance.permutation(len(batches)):
            if step >= steps:
                return
            if step >= done:
                yield step, [int(one) for one in batches[k]]
            step += 1


def _loss(logits: torch.Tensor, batch: Sequence[Utterance], number: dict[str, int]) -> torch.Tensor:
    said = [[number[phone] for phone in one.phones] for one in batch]
    return functional.ctc_loss(
        functional.log_softmax(logits, -1).transpose(0, 1),
        torch.tensor([phone for one in said for phone in one], device=logits.device),
        torch.full((len(said),), logits.shape[1]),
        torch.tensor([len(one) for one in said]),
        zero_infinity=True,
    )


@torch.no_grad()
def _wrong(
    net: _Net, kept: Sequence[Utterance], number: dict[str, int], rooms: Rooms, seed: int
) -> float:
    """Return the wrong phones (changed, added or dropped) as a share of those said."""
    chance = np.random.default_rng([seed, 5])
    errors = count = 0
    alike = sorted(kept, key=lambda one: one.samples)
    for first in range(0, len(alike), BATCH):
        some = alike[first : first + BATCH]
        best = net(rooms([one.sound() for one in some], chance)).argmax(-1).cpu().numpy()
        for outputs, one in zip(best, some, strict=True):
            changed = outputs[np.flatnonzero(np.diff(outputs, prepend=-1))]
            heard = [int(output) for output in changed if output]
            said = [number[phone] for phone in one.phones]
            errors += distance(said, heard)
            count += len(said)
    return errors / max(1, count)
