"""Sounds and utterances that several tests share."""

import chess
import numpy as np

from benchmarks.conditions import CLEAN, Condition, Samples
from benchmarks.heard import HeardUtterance
from blindplay.hearing.expectation import Expected
from blindplay.hearing.script import ScriptLine, UtteranceKind
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
) -> HeardUtterance:
    line = ScriptLine(what, chess.STARTING_FEN, words)
    phrases = dict.fromkeys([*PACK.forms(START), *PACK.command_phrases()])
    others = frozenset(PACK.command_phrases())
    ranked = sorted((Hypothesis(*one) for one in alternatives), key=lambda one: -one.score)
    recognition = Recognition(tuple(ranked))
    return HeardUtterance(
        line, PACK.understand(words, START), Expected((START,), phrases, others), recognition,
        voice, where, recognition,
    )  # fmt: skip
