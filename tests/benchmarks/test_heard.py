"""What comes of utterances with other knowledge than the sound, and of hearing freely."""

from dataclasses import replace

from benchmarks.heard import EVIDENCE, freely
from blindplay.hearing import scoring
from blindplay.hearing.decision import Verdict
from blindplay.hearing.scoring import ScoredOutcome
from blindplay.hearing.script import UtteranceKind
from tests.benchmarks.utterances import CONFIDENCE, KNIGHT, PACK, heard


def test_heard_freely_the_phrase_with_the_fewest_other_words_wins() -> None:
    assert freely(heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -1)), PACK) is ScoredOutcome.RIGHT
    near = heard(UtteranceKind.MOVE, KNIGHT, ("springer gustav eins felix zwei", -1))
    assert freely(near, PACK) is ScoredOutcome.RIGHT
    wrong = heard(UtteranceKind.ILLEGAL, "springer gustav eins felix zwei", *[
        (one.words, one.score) for one in near.recognition.hypotheses])  # fmt: skip
    assert freely(wrong, PACK) is ScoredOutcome.WRONG
    assert (
        freely(heard(UtteranceKind.TALK, "ach so", ("haus und hof", -1)), PACK)
        is ScoredOutcome.REFUSED
    )


def test_hands_that_did_something_else_are_never_overruled() -> None:
    one, decided = (
        heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100)),
        scoring.deciding(PACK, CONFIDENCE),
    )
    verdicts = {
        name: decided(replace(one, expected=EVIDENCE[name](one))).verdict
        for name in (", another piece lifted", ", piece lifted")
    }
    assert verdicts == {
        ", another piece lifted": Verdict.ASK,
        ", piece lifted": Verdict.ACCEPT,
    }
