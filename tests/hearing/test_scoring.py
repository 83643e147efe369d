"""What comes of utterances whose words are known."""

from dataclasses import replace

from blindplay.hearing import scoring
from blindplay.hearing.scoring import ScoredOutcome, ScoredUtterance
from blindplay.hearing.script import UtteranceKind
from tests.benchmarks.utterances import CONFIDENCE, KNIGHT, PACK, heard


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
