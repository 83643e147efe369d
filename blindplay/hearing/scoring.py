"""Utterances of known words: recognition, decision, and its outcome."""

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

import chess

from blindplay.language import NEVER_OPENED, QUESTIONS, Command, Language, Understanding
from blindplay.speech.confidence import ConfidenceModel
from blindplay.speech.ensemble import AnyRecogniser, summed
from blindplay.speech.recogniser import UNKNOWN, Recognition

from .decision import Decision, Verdict, decide
from .expectation import Expected, expect
from .script import COMMANDS, ScriptLine, UtteranceKind


class ScoredOutcome(Enum):
    """The outcome of an utterance."""

    RIGHT = "right"
    ASKED = "right after a question"
    IN_VAIN = "asked in vain"
    REFUSED = "refused"
    ILLEGAL = "told to be illegal"
    OTHER_ILLEGAL = "told to be illegal in other words"
    WRONG = "wrong move accepted"
    COMMAND = "command obeyed"


@dataclass(frozen=True)
class ScoredUtterance:
    """An utterance: its meaning, the ``expected`` phrases, and its recognition among these."""

    line: ScriptLine
    meant: Understanding
    expected: Expected
    recognition: Recognition


Scored = TypeVar("Scored", bound=ScoredUtterance)


def expectation(
    recogniser: AnyRecogniser, pack: Language, board: chess.Board, *, opening_word: bool = False
) -> Expected:
    """Return all that may be said in ``board``: moves, and every command of a game.

    With ``opening_word``, commands only after it, except those that cannot wait.
    """
    commands = set(Command) - QUESTIONS
    phrases = [
        *pack.command_phrases(NEVER_OPENED if opening_word else commands),
        *pack.command_phrases(commands - NEVER_OPENED, opened=True),
    ]
    return expect(recogniser, pack, [board], others=phrases)


def hear(
    recogniser: AnyRecogniser, pack: Language, utterances: Sequence[tuple[ScriptLine, bytes]]
) -> list[ScoredUtterance]:
    """Return the utterances as the recogniser hears them: lines with mono 16-bit PCM at 16 kHz."""

    def one(utterance: tuple[ScriptLine, bytes]) -> ScoredUtterance:
        line, pcm = utterance
        expected = expectation(recogniser, pack, line.board)
        recognition = recogniser.recognise(pcm, list(expected.phrases))
        return ScoredUtterance(line, pack.understand(line.words, line.board), expected, recognition)

    with ThreadPoolExecutor(2) as pool:  # Vosk lets other threads work while it does
        return list(pool.map(one, utterances))


def together(parts: Sequence[Scored], *, built_in: bool) -> Scored:
    """Return one utterance as several models, each of which heard it alone, hear it together.
    ``built_in``: the first is the built-in one, so that only it listens for other talk, too."""
    expected = [part.expected for part in parts]
    words = {word for one in expected for phrase in one.phrases for word in phrase.split()}
    first, *others = (part.recognition for part in parts)
    unknown = [set(one.out_of_vocabulary) for one in expected]
    return replace(
        parts[0],
        expected=replace(
            expected[0],
            phrases=dict.fromkeys(phrase for one in expected for phrase in one.phrases),
            others=frozenset().union(*(one.others for one in expected)),
            corrections=frozenset().union(*(one.corrections for one in expected)),
            out_of_vocabulary=tuple(sorted(set.intersection(*unknown))),
        ),
        recognition=summed(
            [first, *(_narrowed(one, words) if built_in else one for one in others)]
        ),
    )


def _narrowed(recognition: Recognition, words: Collection[str]) -> Recognition:
    """The recognition by a model that listens for these words only."""
    known = {*words, UNKNOWN}
    kept = (guess for guess in recognition.hypotheses if known.issuperset(guess.words.split()))
    return replace(recognition, hypotheses=tuple(kept), expected_only=True)


def outcome(heard: ScoredUtterance, decision: Decision) -> ScoredOutcome:
    """The outcome of the utterance after this decision. Questions are answered truthfully."""
    what, meant, taken = heard.line.what, heard.meant, decision.meant
    match decision.verdict:
        case Verdict.ACCEPT:
            right = what is UtteranceKind.MOVE and taken.move == meant.move
            return ScoredOutcome.RIGHT if right else ScoredOutcome.WRONG
        case Verdict.COMMAND:
            right = what in COMMANDS and taken.command is meant.command
            return ScoredOutcome.RIGHT if right else ScoredOutcome.COMMAND
        case Verdict.ILLEGAL:
            if what is not UtteranceKind.ILLEGAL:
                return ScoredOutcome.ILLEGAL
            right = taken.core == meant.core
            return ScoredOutcome.RIGHT if right else ScoredOutcome.OTHER_ILLEGAL
        case Verdict.ASK:
            return ScoredOutcome.ASKED if _is_offered(heard, decision) else ScoredOutcome.IN_VAIN
        case _:
            return ScoredOutcome.REFUSED


def _is_offered(heard: ScoredUtterance, decision: Decision) -> bool:
    """Return whether the question offers the right meaning."""
    offered = [candidate.statement.meant for candidate in decision.candidates]
    if heard.line.what in COMMANDS:
        return any(candidate.command is heard.meant.command for candidate in offered)
    # An announcement that fits several moves asks about each of them.
    moves = {move for candidate in offered if candidate.command is None for move in candidate.moves}
    return heard.line.what is UtteranceKind.MOVE and heard.meant.move in moves


Decide = Callable[[ScoredUtterance], Decision]


def deciding(pack: Language, confidence: ConfidenceModel) -> Decide:
    """Return a function that decides about an utterance."""
    return lambda heard: decide(heard.recognition, heard.expected, pack, confidence)


def judging(
    pack: Language, confidence: ConfidenceModel
) -> Callable[[ScoredUtterance], ScoredOutcome]:
    """Return a function that gives the outcome of an utterance."""
    decided = deciding(pack, confidence)
    return lambda heard: outcome(heard, decided(heard))
