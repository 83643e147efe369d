"""What comes of utterances whose words are known."""

from dataclasses import replace

from blindplay.hearing.decision import Verdict
from blindplay.hearing.evaluation import (
    scoring,
)
from blindplay.hearing.evaluation.corpus import UtteranceKind
from blindplay.hearing.evaluation.scoring import ScoredOutcome, ScoredUtterance

from .utterances import CONFIDENCE, KNIGHT, PACK, heard


def comes(one: ScoredUtterance) -> ScoredOutcome:
    return scoring.judging(PACK, CONFIDENCE)(one)


def test_what_comes_of_an_utterance_is_counted_by_what_was_said() -> None:
    assert comes(heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100))) is ScoredOutcome.RIGHT
    assert (
        comes(heard(UtteranceKind.MOVE, "bauer eva zwei eva drei", (KNIGHT, -100)))
        is ScoredOutcome.WRONG
    )
    assert (
        comes(heard(UtteranceKind.ILLEGAL, "turm anna eins anna fünf", (KNIGHT, -100)))
        is ScoredOutcome.WRONG
    )
    assert comes(heard(UtteranceKind.TALK, "guten morgen", (KNIGHT, -100))) is ScoredOutcome.WRONG
    assert comes(heard(UtteranceKind.TALK, "guten morgen")) is ScoredOutcome.REFUSED
    close = [("bauer eva zwei eva drei", -100.0), ("bauer eva zwei eva vier", -100.5)]
    assert (
        comes(heard(UtteranceKind.MOVE, "bauer eva zwei eva vier", *close)) is ScoredOutcome.ASKED
    )
    assert comes(heard(UtteranceKind.MOVE, "bauer eva zwei", *close)) is ScoredOutcome.IN_VAIN
    clock = heard(UtteranceKind.COMMAND, "wie viel zeit habe ich", ("wie viel zeit habe ich", -100))
    assert comes(clock) is ScoredOutcome.RIGHT
    assert (
        comes(replace(clock, line=replace(clock.line, what=UtteranceKind.TALK)))
        is ScoredOutcome.COMMAND
    )


def test_heard_freely_the_phrase_with_the_fewest_other_words_wins() -> None:
    assert (
        scoring.freely(heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -1)), PACK) is ScoredOutcome.RIGHT
    )
    near = heard(UtteranceKind.MOVE, KNIGHT, ("springer gustav eins felix zwei", -1))
    assert scoring.freely(near, PACK) is ScoredOutcome.RIGHT
    wrong = heard(UtteranceKind.ILLEGAL, "springer gustav eins felix zwei", *[
        (one.words, one.score) for one in near.recognition.hypotheses])  # fmt: skip
    assert scoring.freely(wrong, PACK) is ScoredOutcome.WRONG
    assert (
        scoring.freely(heard(UtteranceKind.TALK, "ach so", ("haus und hof", -1)), PACK)
        is ScoredOutcome.REFUSED
    )


def test_hands_that_did_something_else_are_never_overruled() -> None:
    one = heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100))
    done = scoring.deciding(PACK, CONFIDENCE, scoring.EVIDENCE[", another piece lifted"])(one)
    assert done.verdict is Verdict.ASK
    done = scoring.deciding(PACK, CONFIDENCE, scoring.EVIDENCE[", piece lifted"])(one)
    assert done.verdict is Verdict.ACCEPT
