"""Sounds and utterances that the tests of the evaluation share."""

import chess
import numpy as np

from blindplay.hearing.evaluation.conditions import CLEAN, Condition, Samples
from blindplay.hearing.evaluation.corpus import ScriptLine, UtteranceKind
from blindplay.hearing.evaluation.scoring import ScoredUtterance
from blindplay.hearing.expectation import Expected
from blindplay.language import load
from blindplay.speech.audio import RATE
from blindplay.speech.confidence import confidence_of
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Hypothesis, Recognition

PACK = load("de")
CONFIDENCE = confidence_of(find_model("de"))
START = chess.Board()
KNIGHT = "springer gustav eins felix drei"


def tone(seconds: float = 1.0) -> Samples:
    return np.asarray(8000 * np.sin(2 * np.pi * 300 * np.arange(int(RATE * seconds)) / RATE))


def hiss(seconds: float = 4.0) -> Samples:
    return np.random.default_rng(1).normal(0, 1000, int(RATE * seconds))


def heard(
    what: UtteranceKind,
    words: str,
    *alternatives: tuple[str, float],
    voice: str = "v",
    where: Condition = CLEAN,
) -> ScoredUtterance:
    line = ScriptLine(what, chess.STARTING_FEN, words)
    phrases = dict.fromkeys([*PACK.forms(START), *PACK.command_phrases()])
    others = frozenset(PACK.command_phrases())
    ranked = sorted((Hypothesis(*one) for one in alternatives), key=lambda one: -one.score)
    recognition = Recognition(tuple(ranked))
    return ScoredUtterance(
        line, voice, where, PACK.understand(words, START), Expected((START,), phrases, others),
        recognition, recognition,
    )  # fmt: skip
