"""From sound to meaning: what to listen for now, and what an utterance was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

import chess

from blindplay.language import Command, Kind, Language, Understanding
from blindplay.speech.recogniser import Hearing, Recogniser

# A legal and an illegal move that sound this much alike (in nats) are not told apart by ear.
ILLEGAL_MARGIN = 2.0


class Verdict(Enum):
    """What is done about an utterance."""

    ACCEPT = "accept"
    ASK = "ask"
    REFUSE = "refuse"
    ILLEGAL = "illegal"
    COMMAND = "command"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Candidate:
    """One thing that may have been said: the phrase, its cost in nats above the best, and what it
    means: a move, a command, or, with neither, an announcement that is no legal move."""

    phrase: str
    cost: float
    move: chess.Move | None = None
    command: Command | None = None


@dataclass(frozen=True)
class Decision:
    """One decision about one utterance. ``phrase`` is what was taken as said (ACCEPT, ILLEGAL,
    COMMAND), else None; ``candidates`` are the likeliest, best first: after ASK those to choose
    between, one alone to be read back."""

    verdict: Verdict
    hearing: Hearing
    phrase: str | None = None
    candidates: tuple[Candidate, ...] = ()
    cost: float = 0.0


@dataclass(frozen=True)
class Expected:
    """All that may be said now. Phrases with words the model lacks are left out, never shortened;
    ``unsayable`` are those words. ``corrections`` are the commands that may go before a move."""

    moves: frozenset[str]
    illegal: frozenset[str]
    commands: frozenset[str]
    corrections: frozenset[str]
    unsayable: tuple[str, ...] = ()

    def phrases(self) -> list[str]:
        return sorted(self.moves | self.illegal | self.commands)


def expect(
    recogniser: Recogniser,
    pack: Language,
    boards: Iterable[chess.Board],
    *,
    commands: Iterable[str] | None = None,
) -> Expected:
    """What may be said of any of ``boards``: legal moves, illegal ones (so that they are heard as
    such), and the commands (all of the pack's unless given)."""
    said = pack.command_phrases() if commands is None else list(commands)
    moves: set[str] = set()
    illegal: set[str] = set()
    for board in boards:
        moves |= set(pack.phrases(board))
        illegal |= set(pack.illegal_phrases(board))
    return Expected(
        frozenset(recogniser.sayable(moves)),
        frozenset(recogniser.sayable(illegal - moves)),
        frozenset(recogniser.sayable(said)),
        frozenset(
            phrase
            for phrase in recogniser.sayable(said)
            if pack.understand(phrase, chess.Board()).command is Command.CORRECTION
        ),
        tuple(recogniser.missing([*moves, *said])),
    )


@dataclass(frozen=True)
class Utterance:
    """What was heard and what it is taken for. ``phrase`` is None when nothing was decided;
    ``score`` is the best alternative's, in nats, and says nothing by itself."""

    hearing: Hearing
    phrase: str | None
    score: float | None = None
    others: tuple[str, ...] = field(default=())


def decide(hearing: Hearing, expected: Expected) -> Utterance:
    """Choose a phrase, or none.

    An illegal move is heard as such only when no legal one sounds nearly the same; when the two
    cannot be told apart, nothing is decided: asking again is better than guessing.
    """
    # Vosk's grammar is a bigram: a correction before a move comes out without being listed.
    corrected = {f"{word} {move}" for word in expected.corrections for move in expected.moves}
    phrase = hearing.decide(
        expected.moves | corrected | expected.illegal, commands=expected.commands
    )
    heard = hearing.alternatives
    score = heard[0].score if heard else None
    others = tuple(item.words for item in heard if item.words != phrase)[:4]
    if phrase is not None and phrase in expected.illegal:
        own = next(item.score for item in heard if item.words == phrase)
        if any(
            item.words in expected.moves and own - item.score < ILLEGAL_MARGIN for item in heard
        ):
            phrase = None
    return Utterance(hearing, phrase, score, others)


def understand_sound(
    recogniser: Recogniser, pack: Language, board: chess.Board, pcm: bytes
) -> tuple[Utterance, Understanding]:
    """What one utterance (16 kHz mono 16-bit PCM) means on ``board``, with no other evidence."""
    expected = expect(recogniser, pack, [board])
    utterance = decide(recogniser.recognise(pcm, expected.phrases()), expected)
    if utterance.phrase is not None:
        return utterance, pack.understand(utterance.phrase, board)
    heard = utterance.hearing.words
    return utterance, Understanding(Kind.UNCLEAR if heard else Kind.NOTHING, heard)
