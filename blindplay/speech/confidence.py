"""How much to believe what a speech model has recognised.

A few figures (`Features`) say what speaks for and against the likeliest meaning of an utterance.
A logistic regression over many utterances of known words, illegal moves and other talk among them,
turns these figures into the logarithm of the odds that this meaning was said. The same measurement
sets the odds from which the table accepts a meaning, and those from which it asks.

The measured weights of one model are in the file `CONFIDENCE_FILE` of its folder. Those of several
models that listen together are in the user's data, because they belong to no single folder. Models
that were never measured get general weights, which are the most cautious ones.
"""

import contextlib
import hashlib
import json
import logging
import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs

from .confusions import Confusions
from .models.folders import ModelError, manifest, network_file

log = logging.getLogger(__name__)

CONFIDENCE_FILE = "confidence.json"
"""The measured confidence model, in the folder of its speech model."""
MADE_OF = "player.json"
"""In the folder of a player's own speech model: the model that it was made from."""
MOST_MEASURED = 3
"""There are general weights for one, two, and three or more speech models."""
LEAD_LIMIT = 12.0
"""A lead counts up to this many nats."""
NEAR_LEAD = 4.0
"""Up to this many nats, each nat of a lead has an additional weight."""
MIN_LEAD = 3.0
"""Never accept without asking what leads another legal move or command by fewer nats. The lead over
an illegal move may be smaller: it is rather misheard than meant."""
MIN_LEAD_ENSEMBLE = 8.0
"""The same for a move that several models heard. Their nats are summed, and one model alone can
contribute this many."""
MIN_LEAD_OVER_ILLEGAL = 7.0
"""The lead that a move heard by several models needs over every illegal move, in nats. Two models
once misheard an illegal move in the same way, 6.1 nats behind a legal one."""
MIN_ODDS_AGAINST_TALK = 2.5
"""The odds in nats that a move needs if other talk explains the sound better."""
MAX_ONSET_DELAY_S = 0.15
"""Never accept a move without asking if speech began this many seconds before its first word. No
model may have heard the word before: "Dame Eva eins David zwei" is not "Eva eins David zwei"."""


class MeaningKind(Enum):
    """The kinds of meanings. Each has weights of its own."""

    MOVE = "moves"
    ILLEGAL = "illegal"
    COMMAND = "commands"


@dataclass(frozen=True)
class Features:
    """What speaks for and against the likeliest meaning of an utterance. Leads are in nats."""

    kind: MeaningKind
    lead: float | None
    """Over the next meaning; None if there is no other."""
    meaningless_lead: float | None
    """Over the best reading without a meaning; None if there is none."""
    legal_lead: float | None = None
    """Over the next meaning that is not an illegal move; None if there is none."""
    longer_lead: float | None = None
    """Over the best reading that has all its words and more; None if there is none. A long form may
    have collapsed into a short one."""
    extra_words: int = 0
    """How many words the reading without a meaning has more."""
    unexplained: int = 0
    """Words and stretches of other sound in the likeliest reading that mean nothing."""
    short_form: bool = False
    """Not both squares of the move were said."""
    word_count: int = 4
    in_grammar: bool = True
    """It was said in an expected form. Other forms are never accepted without asking."""
    agreed: bool = True
    """Several models agree on it. What one of several models heard alone is never accepted without
    asking."""
    onset_delay_s: float = 0.0
    """Seconds from the beginning of speech to its first word."""
    outscored: bool = False
    """A reading without a meaning, or of another one, explains the sound better."""
    disagreement: float = 0.0
    """How far, in nats, several models together are from all finding it best."""
    models: int = 1
    """How many models listened."""

    def values(self) -> tuple[float, ...]:
        """Return the numbers that the weights apply to; the first is always 1."""
        lead = _within(self.lead, -LEAD_LIMIT, LEAD_LIMIT)
        meaningless = _within(self.meaningless_lead, -3 * LEAD_LIMIT, LEAD_LIMIT)
        behind = self.meaningless_lead is not None and self.meaningless_lead <= 0
        return (
            1.0,
            _within(lead, -NEAR_LEAD, NEAR_LEAD),
            lead,
            _within(meaningless, -NEAR_LEAD, NEAR_LEAD),
            meaningless,
            _within(self.longer_lead, -NEAR_LEAD, NEAR_LEAD),
            float(min(4, max(-4, self.extra_words))) if behind else 0.0,
            float(min(3, self.unexplained)),
            float(self.short_form),
            float(max(0, 4 - self.word_count)),
            float(not self.in_grammar),
            min(2 * LEAD_LIMIT, self.disagreement),
        )


def _within(value: float | None, low: float, high: float) -> float:
    return high if value is None else max(low, min(high, value))


@dataclass(frozen=True)
class Weights:
    """The weights of `Features.values`, and the odds in nats from which to accept and to ask.

    ``short``: the odds from which to accept a form in which not both squares were said.
    """

    weights: tuple[float, ...]
    accept: float
    ask: float
    short: float


@dataclass(frozen=True)
class ConfidenceModel:
    """The measured weights of one speech model, or of several, for each kind of meaning."""

    weights: Mapping[MeaningKind, Weights]
    confusions: Confusions = field(default_factory=Confusions)
    measured: Mapping[str, Any] = field(default_factory=dict)

    def odds(self, found: Features) -> float:
        """Return the logarithm of the odds that it was said, in nats; 0 is an even chance."""
        weights = self.weights[found.kind].weights
        return sum(w * value for w, value in zip(weights, found.values(), strict=True))

    def accept(self, found: Features) -> float:
        """Return the odds from which to accept it; infinite if the table must ask."""
        move = found.kind is MeaningKind.MOVE
        ensemble = found.models > 1 and move
        min_lead = MIN_LEAD_ENSEMBLE if ensemble else MIN_LEAD
        # Sound that fits an illegal move better rather means that the legal one was misheard.
        min_lead_over_all = MIN_LEAD_OVER_ILLEGAL if ensemble else 0.0
        if (
            not (found.in_grammar and found.agreed)
            or (found.short_form and found.longer_lead is not None)
            or (move and found.onset_delay_s > MAX_ONSET_DELAY_S)
            or (found.legal_lead is not None and found.legal_lead < min_lead)
            or (move and found.lead is not None and found.lead < min_lead_over_all)
        ):
            return math.inf
        weights = self.weights[found.kind]
        least = weights.short if found.short_form else weights.accept
        return max(least, MIN_ODDS_AGAINST_TALK) if move and found.outscored else least

    def ask(self, found: Features) -> float:
        """Return the odds from which the table asks about it."""
        return self.weights[found.kind].ask

    def as_json(self) -> dict[str, Any]:
        """Return what `read` reads."""
        kinds = {
            kind.value: {**asdict(one), "weights": [round(weight, 4) for weight in one.weights]}
            for kind, one in self.weights.items()
        }
        confusions = {said: dict(heard) for said, heard in self.confusions.table.items()}
        return {**kinds, "confusions": confusions, "measured": dict(self.measured)}


def confidence_of(*models: Path, lost: Callable[[str], None] | None = None) -> ConfidenceModel:
    """Return the measured confidence of the model in this folder, or of several that listen
    together; the general weights if they were never measured.

    If the measured file is damaged, the general weights are used, too, and ``lost`` (by default
    the log) gets a sentence about it. For a single model without ``lost``, ModelError is raised.
    """
    own = confidence_file(*models)
    if own.is_file():
        try:
            return read(own.read_text("utf-8", errors="replace"), own)
        except (ModelError, OSError) as error:
            if lost is None and len(models) == 1:
                raise
            (lost or log.warning)(f"{error} Until then the general, cautious weights are used.")
    name = f"general-confidence-{min(len(models), MOST_MEASURED)}.json"
    general = files("blindplay.speech").joinpath(name)
    return read(general.read_text("utf-8"), Path(str(general)))


def confidence_file(*models: Path) -> Path:
    """Return where the confidence model of these speech models, in any order, is kept.

    For one model the file is in its folder. For several it is in the user's data, named after what
    identifies them, so that a model that is made anew counts as another.
    """
    if len(models) == 1:
        return models[0] / CONFIDENCE_FILE
    identities = sorted(_identity(model) for model in models)
    name = hashlib.sha256(" ".join(identities).encode()).hexdigest()[:16]
    folder = platformdirs.user_data_path("blindplay", appauthor=False)
    return Path(folder) / "confidence" / f"{name}.json"


def _identity(model: Path) -> str:
    """Return the checksum of a model's graph and the size of its acoustics.

    A player's own model counts as the one that it was made from: that one was measured."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        made_of = Path(json.loads((model / MADE_OF).read_text("utf-8"))["of"])
        if made_of.is_dir() and made_of != model:
            model = made_of
    if network_file(model) is not None:
        return _network_identity(model)
    graph, acoustics = model / "graph" / "HCLr.fst", model / "am" / "final.mdl"
    if not graph.is_file():  # the older layout
        graph, acoustics = model / "HCLr.fst", model / "final.mdl"
    checksum = zlib.crc32(graph.read_bytes()) if graph.is_file() else 0
    return f"{checksum:08x}-{acoustics.stat().st_size if acoustics.is_file() else 0}"


def _network_identity(model: Path) -> str:
    """Return the checksum of the files that an installation has noted, or else of the sizes."""
    with contextlib.suppress(OSError, ModelError):
        if (known := manifest(model)) is not None:
            return f"{zlib.crc32(json.dumps(known['files'], sort_keys=True).encode()):08x}-onnx"
    sizes = sorted((file.name, file.stat().st_size) for file in model.glob("model*.onnx*"))
    return f"{zlib.crc32(json.dumps(sizes).encode()):08x}-sizes"


def read(text: str, path: Path) -> ConfidenceModel:
    """Return the confidence model in this JSON. Raises ModelError, with ``path``, if damaged."""
    try:
        data = json.loads(text)
        table = {
            str(said): {str(heard): float(cost) for heard, cost in row.items()}
            for said, row in data.get("confusions", {}).items()
        }
        weights = {kind: _weights(**data[kind.value]) for kind in MeaningKind}
        return ConfidenceModel(weights, Confusions(table), data.get("measured", {}))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ModelError(
            f"{path} is damaged; delete it, and measure the model again with blindplay bench voice."
        ) from error


def _weights(weights: list[Any], accept: Any, ask: Any, short: Any = None) -> Weights:
    numbers = [float(weight) for weight in weights]
    wanted = len(Features(MeaningKind.MOVE, None, None).values())
    if len(numbers) == wanted - 1:
        numbers.append(0.0)  # a single model was measured without `disagreement`
    if len(numbers) != wanted:
        raise ValueError("another number of weights")
    least = float(accept if short is None else short)
    return Weights(tuple(numbers), float(accept), float(ask), least)
