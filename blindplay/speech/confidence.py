"""How much to believe what speech models have recognised: one probability for each meaning.

``Features`` say what speaks for and against the likeliest meaning of an utterance. A logistic
regression over many utterances of known words, illegal moves and other talk among them, turns them
into the odds that this meaning was said. The costs of mistakes (below) give the odds from which it
is accepted, and from which the table asks.

The measured weights of one model are in the file ``CONFIDENCE_FILE`` of its folder. Those of
several models that listen together belong to no single folder and are in the user's data. BlindPlay
brings weights for the usual combinations. All others get general weights, which are the
most cautious ones.
"""

import contextlib
import hashlib
import json
import logging
import math
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any

from blindplay.own_files import data_folder
from blindplay.translation import _

from .confusions import Confusions
from .models import catalogue
from .models.folders import ModelError, is_built_in, manifest, origin

log = logging.getLogger(__name__)

CONFIDENCE_FILE = "confidence.json"
"""The measured confidence model, in the folder of its speech model."""
VERSION = 2
"""Weights of another version were measured with models that listened in another way."""
MOST_MEASURED = 3
"""There are general weights for one, two, and three or more speech models."""
MAX_ONSET_DELAY_S = 0.1
"""Never accept a move without asking if speech began this many seconds before its first word. No
model may have heard the word before: "Dame Eva eins David zwei" is not "Eva eins David zwei"."""
MAX_ONSET_DELAY_OF_WHOLE_S = 0.2
"""The same for an announcement that begins with its piece, and for castling. Only other talk can
come before these, and its words last longer: the "Not" of "Not pawn Felix five" lasts 0.24 s."""
MAX_TALK_BEFORE_S = 0.5
"""Words after this many seconds of other speech are the end of a longer sentence."""
# The costs of mistakes. The unit is a question, which the player answers with one more word.
QUESTION = 1.0
REFUSAL = 3.0
"""The player hears that nothing was understood, and says it all again."""
DISTURBANCE = 0.5
"""A question to people who talk to each other. Most of what is measured is said to the table."""
WRONG_SHOWN = 30.0
"""A wrong move is accepted, and hands on a sensor board show at once that it is wrong."""


class MeaningKind(Enum):
    """The kinds of meanings. Each has weights of its own."""

    MOVE = "moves"
    ILLEGAL = "illegal"
    COMMAND = "commands"


WRONG: Mapping[MeaningKind, float] = {
    MeaningKind.MOVE: 35.0,
    MeaningKind.ILLEGAL: 20.0,
    MeaningKind.COMMAND: 10.0,
}
"""Something is accepted that was not said. A wrong move stands until somebody notices; after the
answer that a move is illegal it is said again; a command gives an answer that nobody wanted, for
whatever ends or changes the game is confirmed."""


def accepted_from(kind: MeaningKind, *, shown: bool = False) -> float:
    """Return the odds, in nats, from which accepting is expected to cost less than asking.
    ``shown``: hands on a sensor board will show whether a move is wrong."""
    wrong = WRONG_SHOWN if shown and kind is MeaningKind.MOVE else WRONG[kind]
    return math.log(wrong / QUESTION - 1)


def asked_from() -> float:
    """Return the odds, in nats, from which asking is expected to cost less than passing over."""
    return math.log(DISTURBANCE / (REFUSAL - QUESTION))


_ILLEGAL_IS_RARER = 2.0
"""Nats by which an illegal announcement limits the odds of a legal move less than another legal one
does. People announce few illegal moves, but these must not be taken."""
_NEAR, _FAR, _TALK = 4.0, 12.0, 36.0
"""The nats above which a lead does not count."""
_BOTH_SQUARES = 8.0
"""Nats by which other talk may sound better still than a move both of whose squares were heard. The
sounds of an accent fit other words better, but four names in a row do not become a legal move by
chance."""
_TEMPERATURE = 4.0
"""Factor by which the nats of a recogniser exaggerate."""


@dataclass(frozen=True)
class Features:
    """Evidence for and against the likeliest meaning of an utterance. Leads are in nats; None if
    there is nothing to lead. The others are as in ``values``."""

    kind: MeaningKind
    over_legal: float | None = None
    """Over the next meaning that is not an illegal move."""
    over_illegal: float | None = None
    over_nothing: float | None = None
    """Over the best reading without a meaning."""
    over_longer: float | None = None
    """Over the best reading that has all its words and more. A long form may have collapsed into a
    short one."""
    rivals: tuple[float, ...] = ()
    """Over every other meaning."""
    over_rivals_by_model: tuple[float, ...] = ()
    over_nothing_by_model: tuple[float, ...] = ()
    """In each model over the next meaning, and over the best reading without any."""
    behind_best: float = 0.0
    """The sum of the nats by which it is behind each model's best, 0 or less."""
    absent: float = 0.0
    """The share of models that have not thought of it."""
    extra_words: int = 0
    """How many words the reading without a meaning has more."""
    unexplained: int = 0
    """Words and stretches of other sound in the likeliest reading that mean nothing."""
    short_form: bool = False
    """Not both squares of the move were said."""
    both_squares: bool = False
    """Both were said. Castling names none, and is no short form."""
    word_count: int = 4
    is_whole: bool = False
    """It begins with its piece, or is castling, so nothing of it can be lost before its first
    word."""
    in_grammar: bool = True
    """It was said in an expected form, or in other words that all belong to the move. Anything else
    is never accepted without asking."""
    onset_delay_s: float = 0.0
    """Seconds from the beginning of speech to its first word."""
    heard_talk: bool = True
    """The model that listens for other talk, too, heard it."""

    @property
    def certain(self) -> bool:
        """False if the odds cannot judge it, so that the table must ask: a form that nobody uses, a
        move after other speech, or a meaning that was not compared with other talk."""
        latest = MAX_ONSET_DELAY_OF_WHOLE_S if self.is_whole else MAX_ONSET_DELAY_S
        late = self.kind is MeaningKind.MOVE and self.onset_delay_s > latest
        ends_talk = self.kind is not MeaningKind.COMMAND and self.follows_talk
        return self.in_grammar and self.heard_talk and not late and not ends_talk

    @property
    def follows_talk(self) -> bool:
        """Return whether it is the end of a longer sentence, as a command may be: "Um, the
        clock"."""
        return self.onset_delay_s >= MAX_TALK_BEFORE_S

    @property
    def highest_odds(self) -> float:
        """The limit of the odds, from the leads over other meanings and over a longer form. The
        longer form fits better, or, if one model listens alone, is longer than a short one. One
        model alone is also compared with other talk, which may sound better by as much as other
        meanings sound worse. Weights cannot replace this limit: few utterances sound like two
        moves."""
        over_illegal = self.over_illegal
        if over_illegal is not None and self.kind is MeaningKind.MOVE:
            over_illegal += _ILLEGAL_IS_RARER
        leads = [lead for lead in (self.over_legal, over_illegal) if lead is not None]
        least = max(0.0, min([_FAR, *leads]))
        alone, longer = len(self.over_rivals_by_model) == 1, self.over_longer
        if longer is not None and (self.short_form if alone else longer < 0):
            leads.append(longer)
        if alone and self.over_nothing is not None:
            whole = self.both_squares and self.kind is MeaningKind.MOVE
            leads.append(self.over_nothing + least + whole * _BOTH_SQUARES)
        return -math.log(max(_against(leads), 1e-9))

    def values(self) -> dict[str, float]:
        """The numbers to which the weights apply, by name. Greater numbers speak for the meaning,
        so only the weight of "always" may be negative."""
        nothing = _within(self.over_nothing, -_TALK, _FAR)
        outscored = self.over_nothing is not None and self.over_nothing <= 0
        rivals, talk = self.over_rivals_by_model or (0.0,), self.over_nothing_by_model or (0.0,)
        return {
            "always": 1.0,
            "over_legal": _within(self.over_legal, -_FAR, _FAR),
            "over_illegal": _within(self.over_illegal, -_FAR, _FAR),
            "over_nothing": nothing,
            "over_longer": _within(self.over_longer, -_NEAR, _NEAR),
            "posterior": -math.log1p(_against((*self.rivals, nothing), _TEMPERATURE)),
            "over_rivals_worst_model": min(rivals),
            "over_rivals_mean": fmean(rivals),
            "over_nothing_worst_model": min(talk),
            "over_nothing_mean": fmean(talk),
            "behind_best": max(-2 * _FAR, self.behind_best),
            "absent": -self.absent,
            "extra_words": -max(-4.0, min(4.0, self.extra_words)) if outscored else 0.0,
            "outscored": -float(outscored),
            "unexplained": -min(3.0, self.unexplained),
            "short_form": -float(self.short_form),
            "missing_words": -max(0.0, 4 - self.word_count),
            "not_in_grammar": -float(not self.in_grammar),
            "late_onset": -max(0.0, min(0.5, self.onset_delay_s)),
            # Where no voice was detected before the words, a word may be lost, too.
            "early_words": -max(0.0, min(0.5, -self.onset_delay_s - 0.2)),
        }


def _against(leads: Iterable[float], temperature: float = 1.0) -> float:
    """The odds of all rivals that are behind by these ``leads``, in nats."""
    return math.fsum(math.exp(min(50.0, -lead / temperature)) for lead in leads)


def _within(value: float | None, low: float, high: float) -> float:
    return high if value is None else max(low, min(high, value))


@dataclass(frozen=True)
class ConfidenceModel:
    """The measured weights of one speech model, or of several together, for each kind of meaning,
    by the names in ``Features.values``. ``measured`` says with what. ``of_built_in``: of several,
    the confidence model of the built-in one alone."""

    weights: Mapping[MeaningKind, Mapping[str, float]]
    confusions: Confusions = field(default_factory=Confusions)
    measured: Mapping[str, Any] = field(default_factory=dict)
    of_built_in: "ConfidenceModel | None" = None

    def odds(self, features: Features) -> float:
        """Return the logarithm of the odds that it was said, in nats; 0 is an even chance."""
        weights = self.weights[features.kind]
        odds = math.fsum(weights[name] * value for name, value in features.values().items())
        return min(odds, features.highest_odds)

    def as_json(self) -> dict[str, Any]:
        """Return what ``read`` reads."""
        kinds = {
            kind.value: {name: round(weight, 4) for name, weight in weights.items()}
            for kind, weights in self.weights.items()
        }
        confusions = {said: dict(heard) for said, heard in self.confusions.table.items()}
        measured = dict(self.measured)
        return {"version": VERSION, **kinds, "confusions": confusions, "measured": measured}


def confidence_of(*models: Path, lost: Callable[[str], None] | None = None) -> ConfidenceModel:
    """Return the measured confidence of the model in this folder, or of several that listen
    together; the general weights if they were never measured.

    If the measured file is damaged, other weights are used, too, and ``lost`` (by default the log)
    gets a sentence about it. For a single model without ``lost``, ModelError is raised.
    """
    built_in = [model for model in models if is_built_in(model)]
    if len(models) > 1 and built_in:
        of_built_in = confidence_of(built_in[0], lost=lost)
        return replace(_weights_of(models, lost), of_built_in=of_built_in)
    return _weights_of(models, lost)


def _weights_of(models: tuple[Path, ...], lost: Callable[[str], None] | None) -> ConfidenceModel:
    """Return the weights of these models together, as ``confidence_of`` does."""
    own = confidence_file(*models)
    if own.is_file():
        try:
            return read(own.read_text("utf-8", errors="replace"), own)
        except (ModelError, OSError) as error:
            if lost is None and len(models) == 1:
                raise
            (lost or log.warning)(
                _("{error} Until then the general, cautious weights are used.", error=error)
            )
    brought = files("blindplay.speech").joinpath("confidences")
    usual = brought.joinpath(f"{_usual_name(models)}.json")
    if not usual.is_file():
        usual = brought.joinpath(f"general-{min(len(models), MOST_MEASURED)}.json")
    return read(usual.read_text("utf-8"), Path(str(usual)))


def is_measured(*models: Path) -> bool:
    """Return whether this combination of models was measured, by the user or by us."""
    return "general" not in confidence_of(*models, lost=lambda _: None).measured


def confidence_file(*models: Path) -> Path:
    """Return where the user's confidence model of these speech models, in any order, is kept.

    For one model the file is in its folder. For several it is in the user's data, named after what
    identifies them, so that a model that is made anew counts as another.
    """
    if len(models) == 1:
        return models[0] / CONFIDENCE_FILE
    identities = sorted(_identity(origin(model)) for model in models)
    name = hashlib.sha256(" ".join(identities).encode()).hexdigest()[:16]
    return data_folder() / "confidence" / f"{name}.json"


def _usual_name(models: tuple[Path, ...]) -> str:
    """Return the name of the file that BlindPlay brings for these models, such as
    "de-built-in-english"; there is none for models of an unknown origin."""
    known, names, languages = catalogue.load(), [], set()
    for model in map(origin, models):
        about: dict[str, Any] = {}
        with contextlib.suppress(ModelError):  # loading the model reports it
            about = manifest(model) or about
        name = str(about.get("base") or about.get("name", ""))
        base = known.known(name)
        names.append(name if base is None else base.short)
        languages.add(str(about.get("language", model.name)))
    return "-".join([*sorted(languages), *sorted(names)])


def _identity(model: Path) -> str:
    """Return the checksum of a model's graph and the size of its acoustics."""
    graph, acoustics = model / "graph" / "HCLr.fst", model / "am" / "final.mdl"
    if not graph.is_file():  # the older layout
        graph, acoustics = model / "HCLr.fst", model / "final.mdl"
    checksum = zlib.crc32(graph.read_bytes()) if graph.is_file() else 0
    return f"{checksum:08x}-{acoustics.stat().st_size if acoustics.is_file() else 0}"


def read(text: str, path: Path) -> ConfidenceModel:
    """Return the confidence model in this JSON.

    :raises ModelError: with ``path``, if it is damaged or of another version.
    """
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise ValueError
        table = {
            str(said): {str(heard): float(cost) for heard, cost in row.items()}
            for said, row in data.get("confusions", {}).items()
        }
        names = Features(MeaningKind.MOVE).values()
        weights = {
            kind: {name: float(data[kind.value][name]) for name in names} for kind in MeaningKind
        }
        return ConfidenceModel(weights, Confusions(table), dict(data.get("measured", {})))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ModelError(
            "{path} is damaged or of another version of BlindPlay; delete it, and the "
            "general, cautious weights are used.",
            path=path,
        ) from error
