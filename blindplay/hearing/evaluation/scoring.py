"""What comes of utterances whose words are known: heard, decided about, and counted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum

import chess
import numpy as np

from blindplay.language import NEVER_OPENED, QUESTIONS, Command, Language, Understanding
from blindplay.speech.confidence import ConfidenceModel
from blindplay.speech.confidence import MeaningKind as Meant
from blindplay.speech.confusions import NEVER_SEEN, Confusions
from blindplay.speech.ensemble import AnyRecogniser, summed
from blindplay.speech.recogniser import Recognition

from ..decision import Decision, Verdict, decide
from ..expectation import Expected, expect
from .conditions import Condition, Samples, apply
from .corpus import CorpusUtterance, ScriptLine, UtteranceKind

FREELY_WITHIN = 1 / 3
"""Heard freely, a phrase is taken if at most so many of its words are others."""
THRESHOLDS = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
"""The odds in nats at which the curve of right against wrong is told."""


class ScoredOutcome(Enum):
    """What comes of an utterance."""

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
    """An utterance as it was heard among what was ``expected``, and ``freely``, what it means,
    and the seconds of sound."""

    line: ScriptLine
    voice: str
    condition: Condition
    meant: Understanding
    expected: Expected
    recognition: Recognition
    freely: Recognition
    seconds: float


def expectation(
    recogniser: AnyRecogniser, pack: Language, board: chess.Board, *, opening_word: bool = False
) -> Expected:
    """All that may be said in ``board``: moves, and every command of a game. ``opening_word``:
    commands only after it, but for those that cannot wait."""
    commands = set(Command) - QUESTIONS
    phrases = [
        *pack.command_phrases(NEVER_OPENED if opening_word else commands),
        *pack.command_phrases(commands - NEVER_OPENED, opened=True),
    ]
    return expect(recogniser, pack, [board], others=phrases)


def hear(
    recogniser: AnyRecogniser,
    pack: Language,
    said: Sequence[CorpusUtterance],
    condition: Condition,
    babble: Samples,
    seed: int,
    *,
    opening_word: bool = False,
    freely: bool = True,
) -> list[ScoredUtterance]:
    """The utterances in this condition as the recogniser hears them, if wanted also ``freely``."""

    def one(numbered: tuple[int, CorpusUtterance]) -> ScoredUtterance:
        number, utterance = numbered
        sound = apply(condition, utterance.sound, babble, seed * 100_003 + number)
        pcm = np.clip(sound, -32_768, 32_767).astype("<i2").tobytes()
        board = utterance.line.board
        expected = expectation(recogniser, pack, board, opening_word=opening_word)
        return ScoredUtterance(
            utterance.line,
            utterance.voice,
            condition,
            pack.understand(utterance.line.words or "", board),
            expected,
            recogniser.recognise(pcm, list(expected.phrases)),
            recogniser.recognise(pcm, ()) if freely else Recognition(),
            len(sound) / 16_000,
        )

    with ThreadPoolExecutor(2) as pool:  # Vosk lets other threads work while it does
        return list(pool.map(one, enumerate(said)))


def together(parts: Sequence[ScoredUtterance]) -> ScoredUtterance:
    """One utterance as several models, each of which heard it alone, hear it together."""
    expected = [part.expected for part in parts]
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
        recognition=summed(part.recognition for part in parts),
    )


def outcome(heard: ScoredUtterance, decision: Decision, pack: Language) -> ScoredOutcome:
    """What comes of the utterance when this is decided; a question is answered truthfully."""
    what, meant = heard.line.what, heard.meant
    first = decision.candidates[0] if decision.candidates else None
    match decision.verdict:
        case Verdict.ACCEPT:
            assert first is not None
            right = what is UtteranceKind.MOVE and first.move == meant.move
            return ScoredOutcome.RIGHT if right else ScoredOutcome.WRONG
        case Verdict.COMMAND:
            assert first is not None
            right = (
                what in (UtteranceKind.COMMAND, UtteranceKind.OPENED)
                and first.command is meant.command
            )
            return ScoredOutcome.RIGHT if right else ScoredOutcome.COMMAND
        case Verdict.ILLEGAL:
            if what is not UtteranceKind.ILLEGAL:
                return ScoredOutcome.ILLEGAL
            told = pack.understand(decision.phrase or "", heard.line.board)
            return ScoredOutcome.RIGHT if told.core == meant.core else ScoredOutcome.OTHER_ILLEGAL
        case Verdict.ASK:
            return (
                ScoredOutcome.ASKED if _is_offered(heard, decision, pack) else ScoredOutcome.IN_VAIN
            )
        case _:
            return ScoredOutcome.REFUSED


def _is_offered(heard: ScoredUtterance, decision: Decision, pack: Language) -> bool:
    """Whether what was said is among what is asked about."""
    if heard.line.what in (UtteranceKind.COMMAND, UtteranceKind.OPENED):
        return any(one.command is heard.meant.command for one in decision.candidates)
    if heard.line.what is not UtteranceKind.MOVE:
        return False
    offered = {one.move for one in decision.candidates}
    for one in decision.candidates:
        if one.move is None and one.command is None:
            # An announcement that fits several moves: they are what is asked about.
            offered.update(pack.understand(one.phrase, heard.line.board).moves)
    return heard.meant.move in offered


Decide = Callable[[ScoredUtterance], Decision]


def deciding(pack: Language, confidence: ConfidenceModel) -> Decide:
    """By the sound alone."""
    return lambda heard: decide(heard.recognition, heard.expected, pack, confidence)


def with_hands(
    pack: Language, confidence: ConfidenceModel, hands: Callable[[ScoredUtterance], OtherEvidence]
) -> Decide:
    """By the sound and what hands have done, or what is to be repeated."""

    def decided(heard: ScoredUtterance) -> Decision:
        done = hands(heard)
        expected = replace(heard.expected, felt=done.felt, repeated=done.repeated)
        return decide(heard.recognition, expected, pack, confidence)

    return decided


@dataclass(frozen=True)
class OtherEvidence:
    """What else is known: the moves that fit what hands have done; what is to be repeated."""

    felt: frozenset[chess.Move] | None = None
    repeated: chess.Move | None = None


def lifted(heard: ScoredUtterance) -> OtherEvidence:
    """The piece that is to move has been lifted; of an illegal announcement, any."""
    move = heard.meant.move or _any(heard)
    return OtherEvidence(_of(heard.line.board, move.from_square))


def executed(heard: ScoredUtterance) -> OtherEvidence:
    """The move has been made; of an illegal announcement, any."""
    return OtherEvidence(frozenset((heard.meant.move or _any(heard),)))


def other_lifted(heard: ScoredUtterance) -> OtherEvidence:
    """Another piece has been lifted than the one that was said."""
    return OtherEvidence(_of(heard.line.board, _any(heard, heard.meant.move).from_square))


def repeated(heard: ScoredUtterance) -> OtherEvidence:
    """This move is to be repeated; of an illegal announcement, any."""
    return OtherEvidence(repeated=heard.meant.move or _any(heard))


def other_repeated(heard: ScoredUtterance) -> OtherEvidence:
    """Another move is to be repeated than the one that was said."""
    return OtherEvidence(repeated=_any(heard, heard.meant.move))


def _of(board: chess.Board, square: chess.Square) -> frozenset[chess.Move]:
    return frozenset(
        move for move in board.legal_moves if square in (move.from_square, move.to_square)
    )


def _any(heard: ScoredUtterance, but: chess.Move | None = None) -> chess.Move:
    """A legal move, if there is one of another piece than that of ``but``."""
    moves = sorted(heard.line.board.legal_moves, key=str)
    others = [m for m in moves if but is None or m.from_square != but.from_square]
    return random.Random(heard.line.fen).choice(others or moves)


def freely(heard: ScoredUtterance, pack: Language) -> ScoredOutcome:
    """What comes of it when any words may be heard, and the phrase with the fewest others wins:
    without our grammar, our costs and our odds."""
    words = heard.freely.words.split()
    best: dict[object, float] = {}
    for phrase in heard.expected.phrases:
        said = phrase.split()
        # Every change of a word costs as much as the next.
        changed = Confusions().distance(said, words) / NEVER_SEEN / max(1, len(said))
        if changed <= FREELY_WITHIN:
            meant = pack.understand(phrase, heard.line.board)
            key: object = meant.command or meant.moves
            best[key] = min(changed, best.get(key, 9.0))
    least = min(best.values(), default=9.0)
    won = [key for key, changed in best.items() if changed == least]
    if len(won) != 1:
        return ScoredOutcome.REFUSED
    if isinstance(won[0], Command):
        return ScoredOutcome.RIGHT if won[0] is heard.meant.command else ScoredOutcome.COMMAND
    if won[0] == () or not isinstance(won[0], tuple) or len(won[0]) > 1:
        return ScoredOutcome.REFUSED
    right = heard.line.what is UtteranceKind.MOVE and won[0] == heard.meant.moves
    return ScoredOutcome.RIGHT if right else ScoredOutcome.WRONG


def count(
    heard: Iterable[ScoredUtterance],
    what: UtteranceKind,
    comes: Callable[[ScoredUtterance], ScoredOutcome],
) -> dict[str, int]:
    """How many utterances of this kind there are ("of"), and what comes of so many of them."""
    found = Counter(comes(one) for one in heard if one.line.what is what)
    return {
        "of": found.total(),
        **{each.value: found[each] for each in ScoredOutcome if found[each]},
    }


@dataclass(frozen=True)
class Point:
    """At this threshold of the odds so many moves are right, and so many utterances, of moves,
    illegal moves and other speech, are taken for a move that was not said."""

    accept: float
    right: int
    wrong: int


def curve(
    heard: Sequence[ScoredUtterance],
    pack: Language,
    confidence: ConfidenceModel,
    thresholds: Sequence[float] = THRESHOLDS,
) -> list[Point]:
    """Right against wrong, a point for each threshold from which a move is taken."""
    found = []
    for accept in thresholds:
        weights = {
            **confidence.weights,
            Meant.MOVE: replace(confidence.weights[Meant.MOVE], accept=accept),
        }
        by = deciding(pack, replace(confidence, weights=weights))
        kinds = (UtteranceKind.MOVE, UtteranceKind.ILLEGAL, UtteranceKind.TALK)
        comes = Counter(outcome(one, by(one), pack) for one in heard if one.line.what in kinds)
        right = sum(
            outcome(one, by(one), pack) is ScoredOutcome.RIGHT
            for one in heard
            if one.line.what is UtteranceKind.MOVE
        )
        found.append(Point(accept, right, comes[ScoredOutcome.WRONG]))
    return found


def words_right(
    recogniser: AnyRecogniser,
    pack: Language,
    said: Sequence[CorpusUtterance],
    condition: Condition,
    babble: Samples,
    seed: int,
) -> dict[str, int]:
    """Single words among all single words of a move: right, wrong, nothing heard."""
    single = [word for word in pack.grammar_words() if pack.is_word_of_a_move(word)]
    phrases = recogniser.known_phrases(single)
    found: Counter[str] = Counter()
    for number, utterance in enumerate(said):
        sound = apply(condition, utterance.sound, babble, seed * 100_003 + number)
        pcm = np.clip(sound, -32_768, 32_767).astype("<i2").tobytes()
        recognition = recogniser.recognise(pcm, phrases)
        first = next((one.words for one in recognition.hypotheses if one.words in phrases), "")
        best = recognition.words if recognition.words else ""
        same = pack.understand(first, chess.Board()).core or first
        wanted = utterance.line.words or ""
        found["of"] += 1
        if same.casefold() == (pack.understand(wanted, chess.Board()).core or wanted).casefold():
            found["right" if best == first else "right but for other words"] += 1
        else:
            found["wrong" if first else "nothing"] += 1
    return dict(found)
