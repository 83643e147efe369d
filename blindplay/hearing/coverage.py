"""Chooses what is to be said so that few sentences hold many words, pairs of words and phones."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from blindplay.language import Language, LanguageError, lexicon

from .script import ScriptLine

Unit = tuple[str, ...]
"""The kind of a unit, and a word, two words in a row, or two phones in a row."""
_WEIGHTS = {"word": 1.0, "words": 0.5, "phones": 0.2}
_LENGTH = 2.0  # what it takes to say anything, in words


class Coverage:
    """The lines chosen of one language; it finds which other line adds most to them."""

    def __init__(self, pack: Language) -> None:
        self._count: Counter[Unit] = Counter()
        try:
            known = lexicon(pack.code)
            variants = {**known.fillers, **known.words}
        except LanguageError:  # a language of the user's own need not have pronunciations
            variants = {}
        self._phones = {word: min(of, key=lambda one: of[one]) for word, of in variants.items()}

    def chosen(self, lines: Iterable[ScriptLine], count: int) -> list[ScriptLine]:
        """Return ``count`` of the lines, or all of them if there are fewer. Each adds most to those
        before it, for its length."""
        # The gain of a line only decreases, so the first line whose gain is up to date is the best.
        left = [(-self._gain(line), n, line) for n, line in enumerate(dict.fromkeys(lines))]
        heapq.heapify(left)
        found: list[ScriptLine] = []
        while left and len(found) < count:
            _, number, best = left[0]
            gain = -self._gain(best)
            if gain > left[0][0]:
                heapq.heapreplace(left, (gain, number, best))
                continue
            heapq.heappop(left)
            self._count.update(self._units(best))
            found.append(best)
        return found

    def _gain(self, line: ScriptLine) -> float:
        gain = sum(_WEIGHTS[unit[0]] / (1 + self._count[unit]) ** 2 for unit in self._units(line))
        return gain / (_LENGTH + len(line.tokens))

    def _units(self, line: ScriptLine) -> Iterator[Unit]:
        words = line.tokens
        yield from (("word", word) for word in words)
        yield from (("words", *pair) for pair in pairwise(words))
        phones = [phone for word in words for phone in self._phones.get(word, ())]
        yield from (("phones", *pair) for pair in pairwise(phones))
