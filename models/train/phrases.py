"""What the voices say: phrases of a table, single words, and invented words."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

import chess

from blindplay.language import Language, lexicon, load

Word = tuple[str, ...]
"""The phones of a word."""

# Of a hundred utterances so many are moves (a third of them illegal, but like legal ones),
# commands, and single words in random order. The rest are invented words of likely sounds.
_MOVES, _COMMANDS, _WORDS = 40, 15, 27
_UTTERANCES_A_POSITION = 12
_LONGEST = 10
"""Sounds in an invented word."""


FOLDED: Mapping[str, Mapping[str, str]] = {"en": {"a": "{"}}
"""By language: phones that no voice distinguishes from another one, which the network hears."""


def phones(language: str) -> list[str]:
    """Return the phones of the language's pronunciations, sorted; the network hears these.

    :raises LanguageError: if the language has no pronunciations.
    """
    spoken = _spoken(language).values()
    return sorted({phone for variants in spoken for variant in variants for phone in variant})


def _spoken(language: str) -> dict[str, dict[Word, float]]:
    """Return every word of the recogniser, with its pronunciations and their costs."""
    known, folded = lexicon(language), FOLDED.get(language, {})
    return {
        word: {tuple(folded.get(p, p) for p in variant): c for variant, c in variants.items()}
        for word, variants in {**known.words, **known.fillers}.items()
    }


@dataclass(frozen=True)
class Phrase:
    """Words in letters ("" for invented ones) and in phones, and after which of them the speaker
    pauses."""

    text: str
    words: tuple[Word, ...]
    pauses: frozenset[int]

    @property
    def phones(self) -> list[str]:
        """Return all phones in order."""
        return [phone for word in self.words for phone in word]


class Phrases:
    """An endless, seeded supply of phrases that consist of ``sounds`` alone.

    :raises ValueError: if no word does.
    """

    def __init__(self, language: str, sounds: Set[str], chance: random.Random) -> None:
        self._pack: Language = load(language)
        self._variants = {
            word: kept
            for word, variants in _spoken(language).items()
            if (kept := {phones: cost for phones, cost in variants.items() if sounds >= {*phones}})
        }
        if not self._variants:
            raise ValueError(f"Nothing in {language!r} can be said with the sounds of this voice.")
        self._all = sorted(self._variants)
        self._chance = chance
        self._left = 0
        self._moves: list[str] = []
        self._illegal: list[str] = []
        self._commands = self._known_phrases(self._pack.command_phrases())
        self._next = _followers(self._variants)

    def __iter__(self) -> Phrases:
        return self

    def __next__(self) -> Phrase:
        kind = self._chance.randrange(100)
        if kind < _MOVES:
            said = self._chance.choice(self._a_move()).split()
        elif kind < _MOVES + _COMMANDS and self._commands:
            said = self._chance.choice(self._commands).split()
        elif kind < _MOVES + _COMMANDS + _WORDS:
            said = self._chance.choices(self._all, k=self._chance.choice((1, 1, 1, 2, 3, 4)))
        else:
            count = self._chance.choice((1, 1, 2, 3))
            return self._phrase([""] * count, [self._invented() for _ in range(count)])
        return self._phrase(said, [self._variant(word) for word in said])

    def of(self, text: str, otherwise: Callable[[str], Word]) -> Phrase:
        """Return ``text`` as it may be said; ``otherwise`` pronounces words of no lexicon."""
        said = text.lower().split()
        words = [self._variant(w) if w in self._variants else otherwise(w) for w in said]
        return self._phrase(said, words)

    def _a_move(self) -> Sequence[str]:
        """Return legal or illegal phrases for a position; a single word if none can be said."""
        if self._left == 0:
            board = position(self._chance)
            self._moves = self._known_phrases(self._pack.phrases(board))
            self._illegal = self._known_phrases(self._pack.illegal_phrases(board))
            self._left = _UTTERANCES_A_POSITION
        self._left -= 1
        legal = self._chance.random() < 2 / 3
        return (self._moves if legal else self._illegal) or self._all

    def _known_phrases(self, phrases: Sequence[str]) -> list[str]:
        return [p for p in phrases if all(word in self._variants for word in p.split())]

    def _variant(self, word: str) -> Word:
        """Return a random pronunciation, with the probability that its cost in nats gives."""
        variants = self._variants[word]
        weights = [math.exp(-cost) for cost in variants.values()]
        return self._chance.choices(list(variants), weights)[0]

    def _invented(self) -> Word:
        """Return a word of sounds that follow each other in the language's own words."""
        made: list[str] = []
        while len(made) < _LONGEST:
            sound = self._chance.choice(self._next[made[-1] if made else ""])
            if sound:
                made.append(sound)
            elif len(made) > 1:
                break
            else:
                made.clear()  # one sound makes no word
        return tuple(made)

    def _phrase(self, said: Sequence[str], words: Sequence[Word]) -> Phrase:
        slow = self._chance.random() < 0.25
        pauses = {k for k in range(len(words) - 1) if slow and self._chance.random() < 0.35}
        return Phrase(" ".join(said).strip(), tuple(words), frozenset(pauses))


def _followers(variants: Mapping[str, Mapping[Word, float]]) -> Mapping[str, list[str]]:
    """Return what follows each sound, and how often; "" is before the first and after the last."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for spoken in variants.values():
        for word in spoken:
            for one, other in zip(("", *word), (*word, ""), strict=True):
                found[one].append(other)
    return found


def position(chance: random.Random) -> chess.Board:
    """Return a position of a random game."""
    board = chess.Board()
    for _ in range(chance.randrange(80)):
        moves = list(board.legal_moves)
        if not moves:
            return chess.Board()
        board.push(chance.choice(moves))
    return board if any(board.legal_moves) else chess.Board()
