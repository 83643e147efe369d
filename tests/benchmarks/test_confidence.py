"""Weights and odds that are found."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.conditions import CLEAN, Condition, Noise
from benchmarks.heard import HeardUtterance
from blindplay.hearing.decision import Verdict, decide
from blindplay.hearing.script import UtteranceKind
from blindplay.speech.confidence import MeaningKind as Meant
from blindplay.speech.confidence import read
from models import confidence

from .utterances import KNIGHT, PACK, heard


def test_the_fit_finds_known_weights_and_none_that_is_negative() -> None:
    chance = np.random.default_rng(1)
    wanted = np.array([-0.5, 1.5, 0.8, 2.0])
    values = np.column_stack([np.ones(6000), chance.normal(0, 2, (6000, 3))])
    right = (chance.random(6000) < 1 / (1 + np.exp(-values @ wanted))).astype(float)
    found = confidence.logistic(values, right, lenient=0.1)
    assert found == pytest.approx(wanted, abs=0.25)
    values[:, 2] *= -1
    bound = confidence.logistic(values, right, lenient=0.1)
    assert bound[0] < 0 and bound[1] > 0 and bound[2] == 0 and bound[3] > 0


@pytest.mark.long
def test_odds_say_how_often_a_meaning_is_right() -> None:
    chance = np.random.default_rng(1)
    right, wrong = (KNIGHT, -100.0), ("springer bella eins cäsar drei", -100.0)
    utterances = []
    for number in range(240):
        lead = chance.normal(3, 4)
        said = KNIGHT if chance.random() < 1 / (1 + np.exp(-lead)) else wrong[0]
        first = (
            (right, (wrong[0], -100 - abs(lead))) if lead > 0 else (wrong, (KNIGHT, -100 + lead))
        )
        utterances.append(heard(UtteranceKind.MOVE, said, *first, voice="abcdef"[number % 6]))
    fitted = confidence.fit(confidence.samples(utterances, PACK), Meant.MOVE)
    rights = np.array([one.right for one in fitted.samples])
    expected = 1 / (1 + np.exp(-fitted.odds))
    assert rights.mean() == pytest.approx(expected.mean(), abs=0.03)
    sure = expected > np.median(expected)
    assert rights[sure].mean() == pytest.approx(expected[sure].mean(), abs=0.06)


@pytest.mark.long
def test_what_was_measured_is_read_again_as_it_was_written(tmp_path: Path) -> None:
    utterances = []
    for number, voice in enumerate("abcdefgh" * 3):
        gap = number % 6
        right = (KNIGHT, -100.0), ("springer bella eins cäsar drei", -101.0 - gap)
        utterances.append(heard(UtteranceKind.MOVE, KNIGHT, *right, voice=voice))
        talk = ("bauer eva zwei eva vier", -100.0), ("haus und hof", -99.0 + gap)
        utterances.append(heard(UtteranceKind.TALK, "ach so", *talk, voice=voice))
    done = confidence.measured(utterances, PACK, {"voices": ["a", "b"]})
    again = read(json.dumps(done.confidence.as_json()), tmp_path)
    assert again.measured["utterances"] == len(utterances)
    for meant in Meant:
        assert again.weights[meant] == pytest.approx(done.confidence.weights[meant], abs=1e-4)
    sure = heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100), ("haus und hof", -130))
    assert decide(sure.recognition, sure.expected, PACK, done.confidence).verdict is Verdict.ACCEPT
    assert any("not said" in line for line in done.lines)


@pytest.mark.long
def test_a_kind_of_noise_is_judged_by_the_weights_of_the_others() -> None:
    rival = "springer bella eins cäsar drei"

    def said(number: int, where: Condition, words: str) -> HeardUtterance:
        first = (KNIGHT, -100.0), (rival, -106.0)
        return heard(UtteranceKind.MOVE, words, *first, voice="abcd"[number % 4], where=where)

    # In clean sound a lead of six nats is always right, in babble never.
    utterances = [said(number, CLEAN, KNIGHT) for number in range(40)]
    utterances += [said(number, Condition(Noise.BABBLE, 10), rival) for number in range(40)]
    fitted = confidence.fit(confidence.samples(utterances, PACK), Meant.MOVE)
    assert fitted.odds_by_noise is not None
    clean, babble = fitted.odds_by_noise[:40], fitted.odds_by_noise[40:]
    assert babble.min() > 0 > clean.max(), "each knows only what the other taught"
    lines = confidence.measured(utterances, PACK, {}).lines
    assert sum("each kind of noise by the weights of others" in line for line in lines) == 2
    alone = confidence.samples(utterances[:40], PACK)
    assert confidence.fit(alone, Meant.MOVE).odds_by_noise is None


def test_one_voice_is_too_few_and_that_is_one_sentence() -> None:
    alone = [heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100)) for _ in range(4)]
    with pytest.raises(ValueError, match=r"^Too few voices: .* name more voices.$"):
        confidence.measured(alone, PACK, {})


def test_weights_that_learn_on_stay_near_those_of_before() -> None:
    chance = np.random.default_rng(1)
    values = np.column_stack([np.ones(400), chance.normal(0, 2, 400)])
    right = (chance.random(400) < 1 / (1 + np.exp(-values @ np.array([0.0, 1.0])))).astype(float)
    before = np.array([-1.0, 3.0])
    near, far = (confidence.logistic(values, right, one, before) for one in (1e6, 1.0))
    assert near == pytest.approx(before, abs=0.01)
    assert abs(far[1] - 1.0) < abs(far[1] - before[1])
