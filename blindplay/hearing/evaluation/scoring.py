"""What comes of utterances whose words are known: heard, decided about, and counted."""

import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum

import chess

from blindplay.language import NEVER_OPENED, QUESTIONS, Command, Language, Understanding
from blindplay.speech.confidence import ConfidenceModel
from blindplay.speech.confusions import NEVER_SEEN, Confusions
from blindplay.speech.ensemble import AnyRecogniser, summed
from blindplay.speech.recogniser import UNKNOWN, Recognition

from ..decision import Decision, Verdict, decide
from ..expectation import Expected, expect
from .conditions import Condition, Surroundings
from .corpus import COMMANDS, CorpusUtterance, ScriptLine, UtteranceKind

FREELY_WITHIN = 1 / 3
"""Heard freely, a phrase is taken if at most so many of its words are others."""


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
    """An utterance: what it means, what was ``expected``, and how it was recognised among that, and
    ``freely`` among all words."""

    line: ScriptLine
    voice: str
    condition: Condition
    meant: Understanding
    expected: Expected
    recognition: Recognition
    freely: Recognition


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
    recogniser: AnyRecogniser,
    pack: Language,
    said: Sequence[CorpusUtterance],
    where: Surroundings,
    *,
    opening_word: bool = False,
    freely: bool = True,
) -> list[ScoredUtterance]:
    """Return the utterances as the recogniser hears them there, with ``freely`` also freely."""

    def one(numbered: tuple[int, CorpusUtterance]) -> ScoredUtterance:
        number, utterance = numbered
        pcm = where.record(utterance.sound, number)
        board = utterance.line.board
        expected = expectation(recogniser, pack, board, opening_word=opening_word)
        return ScoredUtterance(
            utterance.line,
            utterance.voice,
            where.condition,
            pack.understand(utterance.line.words, board),
            expected,
            recogniser.recognise(pcm, list(expected.phrases)),
            recogniser.recognise(pcm, ()) if freely else Recognition(),
        )

    with ThreadPoolExecutor(2) as pool:  # Vosk lets other threads work while it does
        return list(pool.map(one, enumerate(said)))


def together(parts: Sequence[ScoredUtterance], *, built_in: bool) -> ScoredUtterance:
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
    """Return what a model would have heard that listens for these words only."""
    known = {*words, UNKNOWN}
    kept = (one for one in recognition.hypotheses if known.issuperset(one.words.split()))
    return replace(recognition, hypotheses=tuple(kept), expected_only=True)


def outcome(heard: ScoredUtterance, decision: Decision) -> ScoredOutcome:
    """Return what comes of the utterance if this is decided. Questions are answered truthfully."""
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
    """Return whether what was said is among what is asked about."""
    offered = [one.statement.meant for one in decision.candidates]
    if heard.line.what in COMMANDS:
        return any(one.command is heard.meant.command for one in offered)
    # An announcement that fits several moves asks about each of them.
    moves = {move for one in offered if one.command is None for move in one.moves}
    return heard.line.what is UtteranceKind.MOVE and heard.meant.move in moves


Evidence = Callable[[ScoredUtterance], Expected]
"""Adds to what is expected what else is known: what hands have done, or what is to be repeated."""
Decide = Callable[[ScoredUtterance], Decision]


def by_sound(heard: ScoredUtterance) -> Expected:
    """Know nothing else than the sound."""
    return heard.expected


def deciding(pack: Language, confidence: ConfidenceModel, evidence: Evidence = by_sound) -> Decide:
    """Return a function that decides about an utterance, by default by the sound alone."""
    return lambda heard: decide(heard.recognition, evidence(heard), pack, confidence)


def judging(
    pack: Language, confidence: ConfidenceModel, evidence: Evidence = by_sound
) -> Callable[[ScoredUtterance], ScoredOutcome]:
    """Return a function that says what comes of an utterance, by default by the sound alone."""
    decided = deciding(pack, confidence, evidence)
    return lambda heard: outcome(heard, decided(heard))


def _announced(heard: ScoredUtterance) -> chess.Move:
    """Return the announced move; if none was announced, any legal one."""
    return heard.meant.move or _another(heard)


def _another(heard: ScoredUtterance) -> chess.Move:
    """Return a legal move, if possible one of another piece than the announced one."""
    moves, said = sorted(heard.line.board.legal_moves, key=str), heard.meant.move
    others = [move for move in moves if said is None or move.from_square != said.from_square]
    return random.Random(heard.line.fen).choice(others or moves)


def _lifted(heard: ScoredUtterance, by: chess.Move) -> Expected:
    """Expect the moves that fit the lifting of the piece that ``by`` moves."""
    fitting = (
        move
        for move in heard.line.board.legal_moves
        if by.from_square in (move.from_square, move.to_square)
    )
    return replace(heard.expected, felt=frozenset(fitting))


EVIDENCE: Mapping[str, Evidence] = {
    "": by_sound,
    ", piece lifted": lambda heard: _lifted(heard, _announced(heard)),
    ", move executed": lambda heard: replace(heard.expected, felt=frozenset({_announced(heard)})),
    ", another piece lifted": lambda heard: _lifted(heard, _another(heard)),
    ", to be repeated": lambda heard: replace(heard.expected, repeated=_announced(heard)),
    ", another to be repeated": lambda heard: replace(heard.expected, repeated=_another(heard)),
}
"""What else may be known of an utterance. Of an illegal announcement, it is about a legal move."""


def freely(heard: ScoredUtterance, pack: Language) -> ScoredOutcome:
    """Return what comes of it without our grammar, costs and odds: any words may be heard, and the
    phrase that differs from them in the fewest wins."""
    words = heard.freely.words.split()
    best: dict[object, float] = {}
    for phrase in heard.expected.phrases:
        said = phrase.split()
        # Every change of a word costs as much as the next.
        changed = Confusions().distance(said, words) / NEVER_SEEN / max(1, len(said))
        if changed <= FREELY_WITHIN:
            meant = pack.understand(phrase, heard.line.board)
            key: object = meant.command or meant.moves
            best[key] = min(changed, best.get(key, math.inf))
    least = min(best.values(), default=0.0)
    won = [key for key, changed in best.items() if changed == least]
    match won:
        case [Command() as command]:
            right = command is heard.meant.command
            return ScoredOutcome.RIGHT if right else ScoredOutcome.COMMAND
        case [(_,) as moves]:
            right = heard.line.what is UtteranceKind.MOVE and moves == heard.meant.moves
            return ScoredOutcome.RIGHT if right else ScoredOutcome.WRONG
    return ScoredOutcome.REFUSED


def count(
    heard: Iterable[ScoredUtterance],
    what: UtteranceKind,
    comes: Callable[[ScoredUtterance], ScoredOutcome],
) -> dict[str, int]:
    """Return how many utterances of this kind there are ("of"), and how many have each outcome."""
    found = Counter(comes(one) for one in heard if one.line.what is what)
    return {
        "of": found.total(),
        **{each.value: found[each] for each in ScoredOutcome if found[each]},
    }


def words_right(
    recogniser: AnyRecogniser, pack: Language, said: Sequence[CorpusUtterance], where: Surroundings
) -> dict[str, int]:
    """Return of how many single words, among all single words of a move, the right one, a wrong one
    or nothing was heard."""

    def core(word: str) -> str:
        return (pack.understand(word, chess.Board()).core or word).casefold()

    single = [word for word in pack.grammar_words() if pack.is_word_of_a_move(word)]
    phrases = recogniser.known_phrases(single)
    found: Counter[str] = Counter(of=len(said))
    for number, utterance in enumerate(said):
        recognition = recogniser.recognise(where.record(utterance.sound, number), phrases)
        first = recognition.likeliest_of(phrases)
        if core(first) == core(utterance.line.words):
            found["right" if recognition.words == first else "right but for other words"] += 1
        else:
            found["wrong" if first else "nothing"] += 1
    return dict(found)
