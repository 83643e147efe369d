"""How recognisers hear the utterances of a corpus in a room, and what comes of them, counted."""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import chess

from blindplay.hearing.expectation import Expected
from blindplay.hearing.scoring import ScoredOutcome, ScoredUtterance, expectation
from blindplay.hearing.script import UtteranceKind
from blindplay.language import Command, Language
from blindplay.speech.confusions import NEVER_SEEN, Confusions
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.recogniser import Recognition

from .conditions import Condition, Surroundings
from .corpus import CorpusUtterance

FREELY_WITHIN = 1 / 3
"""Heard freely, a phrase is taken if at most so many of its words are others."""


@dataclass(frozen=True)
class HeardUtterance(ScoredUtterance):
    """An utterance in a voice and a condition, also recognised ``freely`` among all words."""

    voice: str
    condition: Condition
    freely: Recognition


def hear(
    recogniser: AnyRecogniser,
    pack: Language,
    said: Sequence[CorpusUtterance],
    where: Surroundings,
    *,
    opening_word: bool = False,
    freely: bool = True,
) -> list[HeardUtterance]:
    """Return the utterances as the recogniser hears them there, with ``freely`` also freely."""

    def one(numbered: tuple[int, CorpusUtterance]) -> HeardUtterance:
        number, utterance = numbered
        pcm, line = where.record(utterance.sound, number), utterance.line
        expected = expectation(recogniser, pack, line.board, opening_word=opening_word)
        return HeardUtterance(
            line,
            pack.understand(line.words, line.board),
            expected,
            recogniser.recognise(pcm, list(expected.phrases)),
            utterance.voice,
            where.condition,
            recogniser.recognise(pcm, ()) if freely else Recognition(),
        )

    with ThreadPoolExecutor(2) as pool:  # Vosk lets other threads work while it does
        return list(pool.map(one, enumerate(said)))


def _announced(heard: HeardUtterance) -> chess.Move:
    """Return the announced move; if none was announced, any legal one."""
    return heard.meant.move or _another(heard)


def _another(heard: HeardUtterance) -> chess.Move:
    """Return a legal move, if possible one of another piece than the announced one."""
    moves, said = sorted(heard.line.board.legal_moves, key=str), heard.meant.move
    others = [move for move in moves if said is None or move.from_square != said.from_square]
    return random.Random(heard.line.fen).choice(others or moves)


def _lifted(heard: HeardUtterance, by: chess.Move) -> Expected:
    """Expect the moves that fit the lifting of the piece that ``by`` moves."""
    fitting = (
        move
        for move in heard.line.board.legal_moves
        if by.from_square in (move.from_square, move.to_square)
    )
    return replace(heard.expected, felt=frozenset(fitting))


EVIDENCE: Mapping[str, Callable[[HeardUtterance], Expected]] = {
    "": lambda heard: heard.expected,
    ", piece lifted": lambda heard: _lifted(heard, _announced(heard)),
    ", move executed": lambda heard: replace(heard.expected, felt=frozenset({_announced(heard)})),
    ", another piece lifted": lambda heard: _lifted(heard, _another(heard)),
    ", to be repeated": lambda heard: replace(heard.expected, repeated=_announced(heard)),
    ", another to be repeated": lambda heard: replace(heard.expected, repeated=_another(heard)),
}
"""What is expected if more than the sound is known: what hands did, or what is to be repeated. An
illegal announcement goes with a legal move."""


def freely(heard: HeardUtterance, pack: Language) -> ScoredOutcome:
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
    heard: Iterable[HeardUtterance],
    what: UtteranceKind,
    comes: Callable[[HeardUtterance], ScoredOutcome],
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
