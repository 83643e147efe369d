"""How much to believe a speech model, measured on utterances of known words.

A logistic regression weighs what speaks for and against the likeliest meaning. No weight may have
the wrong sign, because that would be chance. The odds from which to accept a meaning and to ask are
set by how many wrong ones would be accepted; the odds of each voice come from the other voices.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from blindplay.language import Kind, Language
from blindplay.speech.confidence import ConfidenceModel, Features, Weights
from blindplay.speech.confidence import MeaningKind as Meant
from blindplay.speech.confusions import Confusions
from blindplay.speech.recogniser import Hypothesis, Recognition

from ..decision import features, readings
from .conditions import Noise
from .corpus import UtteranceKind
from .scoring import ScoredUtterance

Numbers: TypeAlias = npt.NDArray[np.float64]

SIGNS = (0, 1, 1, 1, 1, 1, 0, -1, -1, -1, -1, -1)
"""Which way each of the values of Features may count; 0: either."""
FOLDS = 4
WRONG_WEIGHS = 3.0
"""A wrong meaning that is accepted weighs so many times as much as a right one that is not."""
LENIENT = 0.5
"""How strongly weights are drawn to 0, because few utterances prove little."""
ALLOWED = {Meant.MOVE: (0.0005, 0.003), Meant.ILLEGAL: (0.005, 0.01), Meant.COMMAND: (0.001, 0.002)}
"""The shares of utterances, without and with noise, that may be taken for what was not said. A move
stands until it is corrected. A command that ends the game is confirmed, and after the answer that
a move is illegal it is said again."""
SAFER = 0.1
"""So many nats are added to the odds, because other utterances will come."""
DISTURBING = 0.03
"""The share of other speech after which there may be a question."""
_STEP = 0.1
_LOWEST, _HIGHEST = -4.0, 8.0
_NOBODY = Weights(tuple(map(float, SIGNS)), -math.inf, -math.inf, -math.inf)


@dataclass(frozen=True)
class CalibrationSample:
    """The likeliest meaning of one utterance: what speaks for it, and whether it was ``right``.

    ``takeable``: it may be taken without asking if the odds are good.
    """

    heard: ScoredUtterance
    found: Features
    right: bool
    takeable: bool

    @property
    def quiet(self) -> bool:
        """Return whether there was no noise."""
        return self.heard.condition.noise is Noise.NONE


def samples(heard: Iterable[ScoredUtterance], pack: Language) -> list[CalibrationSample]:
    """Return the likeliest meanings of utterances in which any was heard."""
    trusting = ConfidenceModel(dict.fromkeys(Meant, _NOBODY))
    found = []
    for one in heard:
        ranked, nothing = readings(one.recognition, one.expected, pack)
        if ranked:
            features_of = features(one.recognition, ranked, nothing, one.expected, pack)
            kinds = (Kind.MOVE, Kind.ILLEGAL, Kind.COMMAND)
            takeable = ranked[0].meant.kind in kinds and trusting.accept(features_of) < math.inf
            right = ranked[0].key == _truth(one, pack)
            found.append(CalibrationSample(one, features_of, right, takeable))
    return found


def _truth(heard: ScoredUtterance, pack: Language) -> str | None:
    """Return the key of what was said, as a perfect recogniser would read it."""
    if heard.line.what is UtteranceKind.TALK or not heard.line.words:
        return None
    perfect = Recognition((Hypothesis(_plain(heard.meant.words), 0.0),))
    ranked, _ = readings(perfect, heard.expected, pack)
    return ranked[0].key if ranked else None


def _plain(words: str) -> str:
    return " ".join(words.casefold().split())


def logistic(
    values: Numbers, right: Numbers, weighs: Numbers, signs: Sequence[int], lenient: float = LENIENT
) -> Numbers:
    """Return the weights of a logistic regression in which no weight has another sign than given.

    ``values``: a row for each sample, the first of each 1; ``right``: 1 or 0; ``weighs``: how much
    each sample counts. The method is accelerated projected gradients.
    """
    scale = np.abs(values).max(axis=0)
    scale[scale == 0] = 1
    scaled = values / scale
    penalty = np.where(np.arange(len(scale)) > 0, lenient, 0.0)
    wanted = np.array(signs)
    steepest = np.linalg.eigvalsh((scaled * weighs[:, None]).T @ scaled / 4)[-1] + lenient
    weights = ahead = np.zeros(len(scale))
    momentum = 1.0
    for _ in range(4000):
        likely = 1 / (1 + np.exp(-np.clip(scaled @ ahead, -30, 30)))
        better = ahead + (scaled.T @ (weighs * (right - likely)) - penalty * ahead) / steepest
        better = np.where(wanted * better < 0, 0.0, better)
        following = (1 + math.sqrt(1 + 4 * momentum * momentum)) / 2
        ahead = better + (momentum - 1) / following * (better - weights)
        done = float(np.abs(better - weights).max()) < 1e-7
        weights, momentum = better, following
        if done:
            break
    return np.asarray(weights / scale)


@dataclass(frozen=True)
class Fitted:
    """The weights of one kind of meaning, and its samples' odds by the weights of other voices."""

    weights: Numbers
    samples: list[CalibrationSample]
    odds: Numbers


def fit(all_samples: Sequence[CalibrationSample], meant: Meant) -> Fitted:
    """Return weights fitted to all samples of one kind, and cross-validated odds.

    Raises ValueError, in one sentence, if too few voices are there to judge each by others.
    """
    found = [one for one in all_samples if one.found.kind is meant]
    if not found:
        return Fitted(np.zeros(len(SIGNS)), [], np.zeros(0))
    values = np.array([one.found.values() for one in found])
    right = np.array([float(one.right) for one in found])
    weighs = np.where(right == 0, WRONG_WEIGHS, 1.0)
    # The fold of a voice is the same in every measurement.
    digests = [hashlib.sha256(one.heard.voice.encode()).digest() for one in found]
    folds = np.array([digest[0] % FOLDS for digest in digests])
    if len(set(folds)) < 2:
        raise ValueError("Too few voices: each is measured by what others said; name more voices.")
    odds = np.zeros(len(found))
    for fold in set(folds):
        inside = folds == fold
        weights = logistic(values[~inside], right[~inside], weighs[~inside], SIGNS)
        odds[inside] = values[inside] @ weights
    return Fitted(logistic(values, right, weighs, SIGNS), found, odds)


def thresholds(
    fitted: Fitted, quiet: int, noisy: int, allowed: tuple[float, float]
) -> tuple[float, float]:
    """Return the odds from which forms with both squares are accepted, and short ones: those with
    which the most right ones are accepted.

    ``quiet`` and ``noisy`` are the numbers of all utterances without and with noise, ``allowed``
    the shares of them of which something wrong may be accepted.
    """
    steps = np.arange(_LOWEST, _HIGHEST + _STEP / 2, _STEP)
    kinds = ["right" if one.right else "quiet" if one.quiet else "noisy" for one in fitted.samples]
    counts = {}
    for short in (False, True):
        for kind in ("right", "quiet", "noisy"):
            chosen = [
                one.takeable and one.found.short_form is short and found == kind
                for one, found in zip(fitted.samples, kinds, strict=True)
            ]
            odds = fitted.odds[np.array(chosen, bool)]
            counts[kind, short] = (odds[:, None] >= steps).sum(axis=0)
    best: tuple[int, float, float] | None = None
    for i, full in enumerate(steps):
        for j in range(i, len(steps)):
            wrong = [counts[name, False][i] + counts[name, True][j] for name in ("quiet", "noisy")]
            if wrong[0] <= quiet * allowed[0] and wrong[1] <= noisy * allowed[1]:
                right = int(counts["right", False][i] + counts["right", True][j])
                if best is None or right > best[0]:
                    best = right, float(full), float(steps[j])
                break
    if best is None:
        return _HIGHEST, _HIGHEST
    return round(best[1] + SAFER, 1), round(best[2] + SAFER, 1)


def asking(fitted: Fitted, talk: int) -> float:
    """Return the odds from which to ask, so high that there is hardly ever a question about other
    speech, of which ``talk`` utterances were heard."""
    odds = sorted(
        float(value)
        for value, one in zip(fitted.odds, fitted.samples, strict=True)
        if one.heard.line.what is UtteranceKind.TALK and one.quiet
    )
    allowed = int(talk * DISTURBING)
    least = odds[-allowed - 1] + 0.05 if len(odds) > allowed else _LOWEST
    return round(max(_LOWEST, least), 1)


def confusions(heard: Iterable[ScoredUtterance]) -> Confusions:
    """Return which words the model takes for which others when it hears freely."""
    pairs: list[tuple[str, str]] = []
    for one in heard:
        if one.line.what is not UtteranceKind.TALK and one.freely.words:
            said = _plain(one.meant.words).split()
            pairs += Confusions().aligned(said, one.freely.words.split())
    return Confusions.measured(pairs)


_SAID = {
    Meant.MOVE: (UtteranceKind.MOVE,),
    Meant.ILLEGAL: (UtteranceKind.ILLEGAL,),
    Meant.COMMAND: (UtteranceKind.COMMAND, UtteranceKind.OPENED),
}


@dataclass(frozen=True)
class Measured:
    """A confidence model fitted to utterances, and lines about the voices that were left out."""

    confidence: ConfidenceModel
    lines: tuple[str, ...]


def measured(
    heard: Sequence[ScoredUtterance], pack: Language, about: Mapping[str, object]
) -> Measured:
    """Return a confidence model fitted to these utterances; ``about`` says what they were."""
    all_samples = samples(heard, pack)
    quietly = [one for one in heard if one.condition.noise is Noise.NONE]
    talk = sum(one.line.what is UtteranceKind.TALK for one in quietly)
    weights: dict[Meant, Weights] = {}
    lines: list[str] = []
    for meant in Meant:
        fitted = fit(all_samples, meant)
        accept, short = thresholds(fitted, len(quietly), len(heard) - len(quietly), ALLOWED[meant])
        ask = min(asking(fitted, talk), accept)
        weights[meant] = Weights(tuple(map(float, fitted.weights)), accept, ask, short)
        lines += _told(meant, fitted, weights[meant], heard)
    confidence = ConfidenceModel(weights, confusions(heard), {"utterances": len(heard), **about})
    return Measured(confidence, tuple(lines))


def _told(
    meant: Meant, fitted: Fitted, weights: Weights, heard: Sequence[ScoredUtterance]
) -> Iterator[str]:
    taken = [
        one
        for one, odds in zip(fitted.samples, fitted.odds, strict=True)
        if one.takeable and odds >= (weights.short if one.found.short_form else weights.accept)
    ]
    for condition in dict.fromkeys(one.condition for one in heard):
        here = [one for one in heard if one.condition == condition]
        said = sum(one.line.what in _SAID[meant] for one in here)
        right, wrong = (
            sum(one.heard.condition == condition and one.right is wanted for one in taken)
            for wanted in (True, False)
        )
        yield (
            f"{condition}; {meant.value} taken from odds of {weights.accept:g} nats on, short "
            f"forms {weights.short:g}, asked about from {weights.ask:g}: {right} of {said} right, "
            f"{wrong} of {len(here)} utterances taken for what was not said; each voice by the "
            "weights of others."
        )
