"""How much one model's ears are to be believed: measured, and kept beside the model.

What was heard is weighed by a few figures (`Features`). Their weights are those of a logistic
regression over many utterances of known words, among them illegal moves and other talk, so that
what comes out is the logarithm of the odds that this was said. Where to take it and where to ask
is set by the same measurement. ``ears.json`` in a model's folder holds them; those of several
models that listen together are in the user's own data, for no folder is theirs. What was never
measured is believed as little as the worst that was.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs

from .confusions import Confusions
from .models.folders import ModelError

log = logging.getLogger(__name__)

FILE = "ears.json"
MADE_OF = "player.json"
"""In the folder of a player's own model: of which model it was made."""
TOGETHER = {2: "together-2.json", 3: "together-3.json"}
"""What is believed of so many models, or more, that were never measured together."""
FAR = 12.0
"""Farther ahead than this, in nats, counts no more."""
AHEAD = 3.0
"""What is not so far ahead of another legal move or command, in nats, is never taken without
asking. An illegal move may be nearer: it is less likely to be meant than to be misheard."""
AHEAD_TOGETHER = 8.0
"""The same for a move that several models heard, whose nats are summed: as much as one model at
most can speak against it."""
AHEAD_OF_ILLEGAL = 7.0
"""A move that several models heard is also so far ahead of every illegal one: an illegal move was
once misheard by two in the same way, and 6.1 nats behind the legal one that they heard."""
AGAINST_TALK = 2.5
"""The odds in nats from which a move is taken at least, if other talk explains the sound better."""
LATE_S = 0.15
"""A move is never taken without asking if somebody has spoken for longer than this, in seconds,
before the first word that was heard: "Dame Eva eins David zwei" is not "Eva eins David zwei"."""
NEAR = 4.0
"""Within so many nats each of them counts for more."""


class MeaningKind(Enum):
    """What the likeliest meaning is; each is believed to another degree."""

    MOVE = "moves"
    ILLEGAL = "illegal"
    COMMAND = "commands"


@dataclass(frozen=True)
class Features:
    """What speaks for and against the likeliest meaning of an utterance.

    ``rival``: by how many nats it is ahead of the next meaning, and ``legal_rival`` of the next
    that is no illegal move; ``nothing``: of the best reading
    that has none (None: there was no such reading). ``longer``: of the best reading that has all
    its words and more, for a long form may collapse into a short one. ``more_words``: how many
    more words there are in the reading without a meaning. ``loose``: words and stretches of sound
    in the likeliest that say nothing. ``short``: not both squares were said. ``words``: its
    length. ``listed``: it was said in one of the
    forms that are expected; what was not is never taken without asking. ``agreed``: several
    models agree on it; what only one of them heard is never taken without asking, either.
    ``late``: so many seconds of voice come before its first word. ``talk``: words of another
    meaning, or of none, explain the sound better.
    ``apart``: how far, in nats, several models are from finding it best, all of them. ``models``:
    how many listened.
    """

    what: MeaningKind
    rival: float | None
    nothing: float | None
    legal_rival: float | None = None
    longer: float | None = None
    more_words: int = 0
    loose: int = 0
    short: bool = False
    words: int = 4
    listed: bool = True
    agreed: bool = True
    late: float = 0.0
    talk: bool = False
    apart: float = 0.0
    models: int = 1

    def values(self) -> tuple[float, ...]:
        """The numbers that are weighed, the first of them 1."""
        rival = _within(self.rival, -FAR, FAR)
        nothing = _within(self.nothing, -3 * FAR, FAR)
        few = max(0, 4 - self.words)
        weighs = self.nothing is not None and self.nothing <= 0
        return (
            1.0,
            _within(rival, -NEAR, NEAR),
            rival,
            _within(nothing, -NEAR, NEAR),
            nothing,
            _within(self.longer, -NEAR, NEAR),
            float(min(4, max(-4, self.more_words))) if weighs else 0.0,
            float(min(3, self.loose)),
            float(self.short),
            float(few),
            float(not self.listed),
            min(2 * FAR, self.apart),
        )


def _within(value: float | None, low: float, high: float) -> float:
    return high if value is None else max(low, min(high, value))


@dataclass(frozen=True)
class Weights:
    """The weights of the features, and the odds from which to take, and from which to ask.

    ``short``: from which to take a form in which not both squares are said; a longer one may have
    collapsed into it.
    """

    weights: tuple[float, ...]
    accept: float
    ask: float
    short: float


@dataclass(frozen=True)
class ConfidenceModel:
    """The measured weights of one model for each kind of meaning, and how they were measured."""

    weights: Mapping[MeaningKind, Weights]
    confusions: Confusions = field(default_factory=Confusions)
    measured: Mapping[str, Any] = field(default_factory=dict)

    def odds(self, found: Features) -> float:
        """The logarithm of the odds that it was said, in nats; 0 is an even chance."""
        weights = self.weights[found.what].weights
        return sum(w * value for w, value in zip(weights, found.values(), strict=True))

    def accept(self, found: Features) -> float:
        """The odds from which it is taken as said; infinite where it must be asked about."""
        if not (found.listed and found.agreed) or (found.short and found.longer is not None):
            return math.inf
        moves = found.what is MeaningKind.MOVE
        if moves and found.late > LATE_S:
            return math.inf
        together = found.models > 1 and moves
        # What an illegal move explains better is only likelier to be meant.
        ahead, of_illegal = (AHEAD_TOGETHER, AHEAD_OF_ILLEGAL) if together else (AHEAD, 0.0)
        if found.legal_rival is not None and found.legal_rival < ahead:
            return math.inf
        if moves and found.rival is not None and found.rival < of_illegal:
            return math.inf
        weights = self.weights[found.what]
        least = weights.short if found.short else weights.accept
        return max(least, AGAINST_TALK) if moves and found.talk else least

    def ask(self, found: Features) -> float:
        """The odds from which it is worth asking."""
        return self.weights[found.what].ask

    def as_json(self) -> dict[str, Any]:
        """What `read` takes."""
        told = {what.value: _told(weights) for what, weights in self.weights.items()}
        confusions = {said: dict(heard) for said, heard in self.confusions.table.items()}
        return {**told, "confusions": confusions, "measured": dict(self.measured)}


def ears_of(*models: Path, lost: Callable[[str], None] | None = None) -> ConfidenceModel:
    """What was measured of the model in this folder, or of several that listen together, or else
    the cautious general weights.

    Those are taken, too, where what was measured is damaged, and ``lost`` is told so in a sentence;
    without it the log is. A model alone whose file is damaged raises ModelError if nobody is told.
    """
    own = file_of(*models)
    if own.is_file():
        try:
            return read(own.read_text("utf-8", errors="replace"), own)
        except (ModelError, OSError) as error:
            if lost is None and len(models) == 1:
                raise
            (lost or log.warning)(f"{error} Until then it is believed as little as any other.")
    name = FILE if len(models) == 1 else TOGETHER[min(len(models), max(TOGETHER))]
    general = files("blindplay.speech").joinpath(name)
    return read(general.read_text("utf-8"), Path(str(general)))


def file_of(*models: Path) -> Path:
    """Where the measured ears of a model are kept: beside it; those of several, in whatever order,
    in the user's data, by what their graphs hold, for a model that is made anew is another."""
    if len(models) == 1:
        return models[0] / FILE
    graphs = sorted(_graph(model) for model in models)
    name = hashlib.sha256(" ".join(graphs).encode()).hexdigest()[:16]
    folder = platformdirs.user_data_path("blindplay", appauthor=False)
    return Path(folder) / "ears" / f"{name}.json"


def _graph(model: Path) -> str:
    """By what two models are told apart: their graphs, and how long their acoustics are. A player's
    own model counts as the one it was made of: what was measured of that is the best we know."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        made_of = Path(json.loads((model / MADE_OF).read_text("utf-8"))["of"])
        if made_of.is_dir() and made_of != model:
            model = made_of
    graphs = (model / "graph" / "HCLr.fst", model / "HCLr.fst")
    acoustics = (model / "am" / "final.mdl", model / "final.mdl")
    graph = next((zlib.crc32(file.read_bytes()) for file in graphs if file.is_file()), 0)
    return f"{graph:08x}-{next((f.stat().st_size for f in acoustics if f.is_file()), 0)}"


def read(text: str, path: Path) -> ConfidenceModel:
    """Ears from their JSON. Raises ModelError if it is not whole."""
    try:
        data = json.loads(text)
        return ConfidenceModel(
            {what: _weights(data[what.value]) for what in MeaningKind},
            Confusions(_table(data.get("confusions", {}))),
            data.get("measured", {}),
        )
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ModelError(
            f"{path} is damaged; delete it, and measure the model again with blindplay bench voice."
        ) from error


def _table(data: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    return {
        str(said): {str(heard): float(cost) for heard, cost in costs.items()}
        for said, costs in data.items()
    }


def _weights(data: Mapping[str, Any]) -> Weights:
    weights: Sequence[float] = [float(value) for value in data["weights"]]
    wanted = len(Features(MeaningKind.MOVE, None, None).values())
    if len(weights) == wanted - 1:
        weights = [*weights, 0.0]  # measured before several models listened together
    if len(weights) != wanted:
        raise ValueError("another number of weights")
    accept = float(data["accept"])
    return Weights(tuple(weights), accept, float(data["ask"]), float(data.get("short", accept)))


def _told(weights: Weights) -> dict[str, Any]:
    return {
        "weights": [round(weight, 4) for weight in weights.weights],
        "accept": weights.accept,
        "ask": weights.ask,
        "short": weights.short,
    }
