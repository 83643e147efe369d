"""The language model that Vosk makes of a grammar, so that its charge can be taken off a score.

Vosk turns a grammar into a bigram with back-off, estimated from the listed phrases. A pair of words
that was seen ``n`` times among ``m`` with the same first word costs ``-ln(n / 2m)``. Any other pair
costs ``ln 2`` for backing off, and the second word's share of all words. A phrase begins as if
after a back-off, and its end is a word like any other (alphacep/vosk-api,
``src/language_model.cc``). Without this charge, scores of different grammars are comparable: they
say how well the sound fits the words.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

_END = ""
_BACK_OFF = math.log(2)


class Bigram:
    """The language model of a grammar's items."""

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
        """Return what the model charges for these tokens, in nats; infinite for an unknown one."""
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
