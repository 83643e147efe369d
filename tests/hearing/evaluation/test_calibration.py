"""Weights and odds that are found."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blindplay.hearing.decision import Verdict, decide
from blindplay.hearing.evaluation import (
    calibration,
)
from blindplay.hearing.evaluation.corpus import UtteranceKind
from blindplay.speech.confidence import MeaningKind as Meant
from blindplay.speech.confidence import read

from .utterances import KNIGHT, PACK, heard


def test_the_fit_finds_known_weights_and_no_wrong_sign() -> None:
    chance = np.random.default_rng(1)
    wanted = np.array([-0.5, 1.5, 0.8, -2.0])
    values = np.column_stack([np.ones(6000), chance.normal(0, 2, (6000, 3))])
    right = (chance.random(6000) < 1 / (1 + np.exp(-values @ wanted))).astype(float)
    found = calibration.logistic(values, right, np.ones(6000), (0, 1, 1, -1), lenient=0.1)
    assert found == pytest.approx(wanted, abs=0.2)
    bound = calibration.logistic(values, right, np.ones(6000), (0, 1, -1, -1), lenient=0.1)
    assert bound[2] == 0 and bound[1] > 0 and bound[3] < 0


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_at_the_thresholds_hardly_anything_wrong_is_taken(seed: int) -> None:
    chance = np.random.default_rng(seed)
    one = heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100))
    (usual,) = calibration.samples([one], PACK)
    several, odds = [], []
    for _ in range(300):
        right = bool(chance.random() < 0.8)
        found = replace(usual.found, short_form=bool(chance.random() < 0.3))
        several.append(replace(usual, right=right, found=found))
        odds.append(chance.normal(2 if right else -2, 1.5))
    fitted = calibration.Fitted(np.zeros(11), several, np.array(odds))
    accept, short = calibration.thresholds(fitted, 1000, 0, (0.001, 0.002))
    assert accept <= short
    wrong = sum(
        not sample.right and value >= (short if sample.found.short_form else accept)
        for sample, value in zip(several, odds, strict=True)
    )
    assert wrong <= 1


def test_what_was_measured_is_read_again_as_it_was_written(tmp_path: Path) -> None:
    utterances = []
    for number, voice in enumerate("abcdefgh" * 3):
        gap = number % 6
        right = (KNIGHT, -100.0), ("springer bella eins cäsar drei", -101.0 - gap)
        utterances.append(heard(UtteranceKind.MOVE, KNIGHT, *right, voice=voice))
        talk = ("bauer eva zwei eva vier", -100.0), ("haus und hof", -99.0 + gap)
        utterances.append(heard(UtteranceKind.TALK, "ach so", *talk, voice=voice))
    done = calibration.measured(utterances, PACK, {"voices": ["a", "b"]})
    again = read(json.dumps(done.confidence.as_json()), tmp_path)
    assert again.measured["utterances"] == len(utterances)
    for meant in Meant:
        assert again.weights[meant].weights == pytest.approx(
            done.confidence.weights[meant].weights, abs=1e-4
        )
    sure = heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100), ("haus und hof", -130))
    assert decide(sure.recognition, sure.expected, PACK, done.confidence).verdict is Verdict.ACCEPT
    assert any("not said" in line for line in done.lines)


def test_one_voice_is_too_few_and_that_is_one_sentence() -> None:
    alone = [heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100)) for _ in range(4)]
    with pytest.raises(ValueError, match=r"^Too few voices: .* name more voices.$"):
        calibration.measured(alone, PACK, {})
