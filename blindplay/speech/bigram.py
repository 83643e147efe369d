"""What Vosk's own language model adds to the score of a phrase, so that it can be taken off again.

A grammar given to Vosk becomes a bigram with back-off, estimated from the listed phrases: a pair
of words seen ``n`` times among ``m`` with the same first word costs ``-ln(n / 2m)``; any other
pair costs ``ln 2`` for backing off and the second word's own share of all words. A phrase begins
as if after a back-off, and its end is a word like any other (alphacep/vosk-api,
``src/language_model.cc``). Scores from different grammars can be compared when this is gone: what
is left is how well the sound fits the words.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

_END = ""
_BACK_OFF = math.log(2)


class Bigram:
    """The language model that Vosk makes of a grammar's items."""

    def __init__(self, items: Iterable[str]) -> None:
        pairs: defaultdict[str, Counter[str]] = defaultdict(Counter)
        words: Counter[str] = Counter()
        for item in items:
            first, *rest = *item.split(), _END
            words[first] += 1
            for second in rest:
                pairs[first][second] += 1
                first = second
        for seconds in pairs.values():
            words.update(seconds)
        self._alone = _costs(words)
        self._after = {first: _costs(seconds) for first, seconds in pairs.items()}

    def cost(self, tokens: Sequence[str]) -> float:
        """What the model charges for these tokens, in nats; infinite if one is not in it."""
        total, before = 0.0, None
        for token in (*tokens, _END):
            alone = self._alone.get(token, math.inf)
            if before is None:
                total += alone
            else:
                total += min(self._after[before].get(token, math.inf), _BACK_OFF + alone)
            if math.isinf(total):
                return math.inf
            before = token
        return total


def _costs(counts: Counter[str]) -> dict[str, float]:
    whole = 2 * counts.total()
    return {word: -math.log(count / whole) for word, count in counts.items()}
