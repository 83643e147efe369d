"""How much to believe speech models, measured on utterances of known words.

A logistic regression weighs what speaks for and against the likeliest meaning. No weight may have
the wrong sign, because that would be chance. Each voice is judged by the weights of all other
voices, and each kind of noise, too, by those of all others.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks import voice
from benchmarks.conditions import Surroundings
from benchmarks.heard import HeardUtterance, hear
from blindplay.hearing.meanings import features, readings
from blindplay.hearing.recognisers import open_recogniser
from blindplay.hearing.script import UtteranceKind
from blindplay.language import Kind, Language
from blindplay.speech.confidence import (
    ConfidenceModel,
    Features,
    accepted_from,
    confidence_of,
)
from blindplay.speech.confidence import MeaningKind as Meant
from blindplay.speech.confusions import Confusions
from blindplay.speech.recogniser import Hypothesis, Recognition
from models.diagrams import svg

Numbers: TypeAlias = npt.NDArray[np.float64]

CONDITIONS = "clean,20,10,pink20,pink10,hum10,talkers15,room,phone"
"""What a confidence is measured in."""
LENIENT = 0.1
"""How strongly weights are drawn to 0, because few utterances prove little."""
LEARNING_ON = 10.0
"""How strongly weights are drawn to those from which they learn on: as by some thousand utterances.
Between 3 and 30 it matters little."""
WRONG_COUNTS = 5.0
"""A wrong meaning counts so many times, because the odds matter where it seems right."""


@dataclass(frozen=True)
class CalibrationSample:
    """The likeliest meaning of one utterance: what speaks for it, and whether it was ``right``.

    ``takeable``: it may be taken without asking if the odds are good.
    """

    heard: HeardUtterance
    found: Features
    right: bool
    takeable: bool


def samples(heard: Iterable[HeardUtterance], pack: Language) -> list[CalibrationSample]:
    """Return the likeliest meanings of utterances in which any was heard."""
    found = []
    for one in heard:
        read = readings(one.recognition, one.expected, pack)
        if read.ranked:
            first = read.ranked[0]
            features_of = features(read, one.recognition, one.expected, pack)
            kinds = (Kind.MOVE, Kind.ILLEGAL, Kind.COMMAND)
            takeable = features_of.certain and first.meant.kind in kinds
            right = first.key == _truth(one, pack)
            found.append(CalibrationSample(one, features_of, right, takeable))
    return found


def _truth(heard: HeardUtterance, pack: Language) -> str | None:
    """Return the key of what was said, as a perfect recogniser would read it."""
    if heard.line.what is UtteranceKind.TALK or not heard.line.words:
        return None
    perfect = Recognition((Hypothesis(_plain(heard.meant.words), 0.0),))
    ranked = readings(perfect, heard.expected, pack).ranked
    return ranked[0].key if ranked else None


def _plain(words: str) -> str:
    return " ".join(words.casefold().split())


def logistic(
    values: Numbers, right: Numbers, lenient: float = LENIENT, before: Numbers | None = None
) -> Numbers:
    """Return the weights of a logistic regression in which no weight but the first is negative.

    ``values``: a row for each sample, the first of each 1; ``right``: 1 or 0. ``before``: weights
    to which these are drawn, all of them, instead of to 0. The method is accelerated projected
    gradients.
    """
    counts = np.where(right > 0, 1.0, WRONG_COUNTS)
    scale = np.abs(values).max(axis=0)
    scale[scale == 0] = 1
    scaled = values / scale
    centre = np.zeros(len(scale)) if before is None else before * scale
    centre[0] -= 0.0 if before is None else math.log(WRONG_COUNTS)
    free = 1 if before is None else 0
    penalty = np.where(np.arange(len(scale)) >= free, lenient, 0.0)
    least = np.where(np.arange(len(scale)) > 0, 0.0, -np.inf)
    steepest = np.linalg.eigvalsh((scaled.T * counts) @ scaled / 4)[-1] + lenient
    weights = ahead = centre
    momentum = 1.0
    for _ in range(4000):
        likely = 1 / (1 + np.exp(-np.clip(scaled @ ahead, -30, 30)))
        slope = scaled.T @ (counts * (right - likely)) - penalty * (ahead - centre)
        better = ahead + slope / steepest
        better = np.maximum(better, least)
        following = (1 + math.sqrt(1 + 4 * momentum * momentum)) / 2
        ahead = better + (momentum - 1) / following * (better - weights)
        done = float(np.abs(better - weights).max()) < 1e-7
        weights, momentum = better, following
        if done:
            break
    weights[0] += math.log(WRONG_COUNTS)  # so that they are the odds of one sample again
    return np.asarray(weights / scale)


@dataclass(frozen=True)
class Fitted:
    """The weights of one kind of meaning, its samples, and their ``odds`` by the weights of the
    other voices. ``odds_by_noise``: by those of the other kinds of noise; None if there is one."""

    weights: Mapping[str, float]
    samples: list[CalibrationSample]
    odds: Numbers
    odds_by_noise: Numbers | None = None


def fit(
    all_samples: Sequence[CalibrationSample],
    meant: Meant,
    before: Mapping[str, float] | None = None,
) -> Fitted:
    """Return weights fitted to all samples of one kind, and cross-validated odds. ``before``: the
    weights to learn on from.

    :raises ValueError: in one sentence, if too few voices are there to judge each by others.
    """
    names = list(Features(meant).values())
    found = [one for one in all_samples if one.found.kind is meant]
    if not found:
        return Fitted({name: -99.0 if name == names[0] else 0.0 for name in names}, [], np.zeros(0))
    values = np.array([list(one.found.values().values()) for one in found])
    right = np.array([float(one.right) for one in found])
    voices = np.array([one.heard.voice for one in found])
    noises = np.array([one.heard.condition.noise.value for one in found])
    if len(set(voices)) < 2:
        raise ValueError("Too few voices: each is measured by what others said; name more voices.")
    highest = np.array([one.found.highest_odds for one in found])
    former = None if before is None else np.array([before[name] for name in names])
    weigh = partial(logistic, lenient=LENIENT if former is None else LEARNING_ON, before=former)

    def odds(groups: npt.NDArray[np.str_]) -> Numbers:
        by_others = np.zeros(len(found))
        for group in set(groups):
            own = groups == group
            by_others[own] = values[own] @ weigh(values[~own], right[~own])
        return np.asarray(np.minimum(by_others, highest))

    weights = dict(zip(names, map(float, weigh(values, right)), strict=True))
    return Fitted(weights, found, odds(voices), odds(noises) if len(set(noises)) > 1 else None)


def confusions(heard: Iterable[HeardUtterance]) -> Confusions:
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
    """A confidence model fitted to utterances, what it was fitted to, and lines about the voices
    that were left out."""

    confidence: ConfidenceModel
    fitted: Mapping[Meant, Fitted]
    lines: tuple[str, ...]

    def diagram(self, title: str) -> str:
        """Return how far the odds of moves can be trusted, as an SVG image."""
        moves = self.fitted[Meant.MOVE]
        takeable = [one.takeable for one in moves.samples]
        right = [one.right for one in moves.samples]
        odds = moves.odds.tolist()
        return svg(title, list(compress(odds, takeable)), list(compress(right, takeable)))


def measured(
    heard: Sequence[HeardUtterance],
    pack: Language,
    about: Mapping[str, object],
    before: ConfidenceModel | None = None,
) -> Measured:
    """Return a confidence model fitted to these utterances; ``about`` says what they were.
    ``before``: the model of which the weights of moves learn on, and all else stays."""
    all_samples = samples(heard, pack)
    told = {"utterances": len(heard), **about}
    if before is None:
        fitted = {meant: fit(all_samples, meant) for meant in Meant}
        weights = {meant: one.weights for meant, one in fitted.items()}
        found = ConfidenceModel(weights, confusions(heard), told)
    else:
        fitted = {Meant.MOVE: fit(all_samples, Meant.MOVE, before.weights[Meant.MOVE])}
        weights = {**before.weights, Meant.MOVE: fitted[Meant.MOVE].weights}
        former = {name: what for name, what in before.measured.items() if name != "general"}
        found = replace(before, weights=weights, measured={**former, "moves also": told})
    lines = tuple(line for meant, one in fitted.items() for line in _told(meant, one, heard))
    return Measured(found, fitted, lines)


def _told(meant: Meant, fitted: Fitted, heard: Sequence[HeardUtterance]) -> Iterator[str]:
    told = partial(_taken, meant, fitted.samples, heard)
    by_voice = "each voice by the weights of others"
    yield from told(fitted.odds, by_voice)
    if meant is Meant.MOVE:
        yield from told(fitted.odds, by_voice, shown=True)
        if fitted.odds_by_noise is not None:
            yield from told(fitted.odds_by_noise, "each kind of noise by the weights of others")


def _taken(
    meant: Meant,
    found: Sequence[CalibrationSample],
    heard: Sequence[HeardUtterance],
    odds: Numbers,
    by_which: str,
    *,
    shown: bool = False,
) -> Iterator[str]:
    """Yield a line for each condition: how many of ``found`` would be taken by these odds."""
    least = accepted_from(meant, shown=shown)
    taken = [one for one, value in zip(found, odds, strict=True) if one.takeable and value >= least]
    where = ", hands on a sensor board" if shown else ""
    for condition in dict.fromkeys(one.condition for one in heard):
        here = [one for one in heard if one.condition == condition]
        said = sum(one.line.what in _SAID[meant] for one in here)
        right, wrong = (
            sum(one.heard.condition == condition and one.right is wanted for one in taken)
            for wanted in (True, False)
        )
        yield (
            f"{condition}; {meant.value}{where} taken from odds of {least:.1f} nats on: "
            f"{right} of {said} right, {wrong} of {len(here)} utterances taken for what was "
            f"not said; {by_which}."
        )


def measure(pack: Language, options: voice.Options, *, learn_on: bool = False) -> Measured:
    """Measure the confidence of models with the voices of the machine, with recordings, or both.
    ``learn_on``: begin with the weights that they have.

    :raises ModelError, SynthesisError, ValueError: each in one sentence.
    """
    conditions = voice.checked(pack, options)
    recogniser = open_recogniser(pack, *voice.listening(pack, options))
    said = voice.say(pack, options)
    heard = [
        one
        for condition in conditions
        for one in hear(
            recogniser, pack, said.sentences, Surroundings(condition, said.talkers, options.seed)
        )
    ]
    about = {
        "conditions": [condition.name for condition in conditions],
        "voices": sorted(said.voices),
        "seed": options.seed,
        "models": [folder.name for folder in recogniser.folders],
    }
    before = confidence_of(*recogniser.folders) if learn_on else None
    return measured(heard, pack, about, before)
