"""The German ear of the tests, and what a recogniser may have heard."""

from __future__ import annotations

import chess

from blindplay.language import load
from blindplay.speech.confidence import confidence_of
from blindplay.speech.ensemble import summed
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Hypothesis, Recognition

PACK = load("de")
START = chess.Board()
MODEL = find_model("de")
CONFIDENCE = confidence_of(MODEL)


def heard(*alternatives: tuple[str, float] | tuple[str, float, int]) -> Recognition:
    """Words with their scores, in nats, and perhaps their stretches of other sound at the edges."""
    ranked = sorted((Hypothesis(*one) for one in alternatives), key=lambda one: -one.score)
    return Recognition(tuple(ranked))


def together(*parts: list[tuple[str, float]]) -> Recognition:
    """What each of several models heard."""
    return summed([heard(*part) for part in parts])
