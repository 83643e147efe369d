"""What it costs to take what was heard for something else: measured, and kept for each model.

A model mishears in its own way: one ear takes *Dame* for *Turm*, another drops the *h* of
*Hector*. The table says for each word of the game how likely it is heard as another one, as
nothing, or how likely a word is heard that nobody said, in nats (the negative natural logarithm of
the probability). A phrase is compared with what was heard by the cheapest way from one to the
other: a weighted edit distance.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

NEVER_SEEN = 7.0
"""What a confusion costs that was not seen when the model was measured (once in a thousand)."""
CREDIT = 0.4
"""How much of what a confusion falls short of NEVER_SEEN is credited to what was said."""
NOTHING = ""
"""Heard instead of a word that was dropped; said where a word was heard that nobody said."""


@dataclass(frozen=True)
class Confusions:
    """The costs in nats of hearing a word (second key) when one was said (first key).

    Pairs that are not listed cost NEVER_SEEN; a word heard as itself costs nothing.
    """

    table: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def measured(cls, pairs: Iterable[tuple[str, str]], *, doubt: float = 5.0) -> Confusions:
        """The table of these pairs (said, heard), each a word or NOTHING, as often as they came.

        ``doubt`` is how many times each word is taken to have been heard rightly besides: few
        observations prove little.
        """
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for said, heard in pairs:
            counts[said][heard] += 1
        table = {}
        for said, heard_as in sorted(counts.items()):
            whole = heard_as.total() + doubt
            costs = {
                heard: cost
                for heard, count in sorted(heard_as.items())
                if heard != said and (cost := -math.log(count / whole)) < NEVER_SEEN
            }
            if costs:
                table[said] = costs
        return cls(table)

    def one(self, said: str, heard: str) -> float:
        """What it costs that ``heard`` was heard when ``said`` was said."""
        if said == heard:
            return 0.0
        return self.table.get(said, {}).get(heard, NEVER_SEEN)

    def between(self, said: Sequence[str], heard: Sequence[str]) -> float:
        """The cheapest way from the words said to the words heard, in nats; 0 if they are equal."""
        row = [0.0]
        for word in heard:
            row.append(row[-1] + self.one(NOTHING, word))
        for spoken in said:
            dropped = self.one(spoken, NOTHING)
            above, row = row, [row[0] + dropped]
            for column, word in enumerate(heard, 1):
                row.append(
                    min(
                        above[column] + dropped,
                        row[-1] + self.one(NOTHING, word),
                        above[column - 1] + self.one(spoken, word),
                    )
                )
        return row[-1]

    def credit(self, said: Sequence[str], heard: Sequence[str]) -> float:
        """How much of the doubt a known confusion explains, in nats: 0 where none is known."""
        if list(said) == list(heard) or abs(len(said) - len(heard)) > 1:
            return 0.0
        return CREDIT * max(0.0, NEVER_SEEN - self.between(said, heard))

    def aligned(self, said: Sequence[str], heard: Sequence[str]) -> list[tuple[str, str]]:
        """The pairs (said, heard) of the cheapest way; NOTHING for what was dropped or added."""
        costs = [[0.0] * (len(heard) + 1) for _ in range(len(said) + 1)]
        for i in range(len(said) + 1):
            for j in range(len(heard) + 1):
                ways = [math.inf if i or j else 0.0]
                if i:
                    ways.append(costs[i - 1][j] + self.one(said[i - 1], NOTHING))
                if j:
                    ways.append(costs[i][j - 1] + self.one(NOTHING, heard[j - 1]))
                if i and j:
                    ways.append(costs[i - 1][j - 1] + self.one(said[i - 1], heard[j - 1]))
                costs[i][j] = min(ways)
        pairs: list[tuple[str, str]] = []
        i, j = len(said), len(heard)
        while i or j:
            if (
                i
                and j
                and math.isclose(
                    costs[i][j], costs[i - 1][j - 1] + self.one(said[i - 1], heard[j - 1])
                )
            ):
                i, j = i - 1, j - 1
                pairs.append((said[i], heard[j]))
            elif i and math.isclose(costs[i][j], costs[i - 1][j] + self.one(said[i - 1], NOTHING)):
                i -= 1
                pairs.append((said[i], NOTHING))
            else:
                j -= 1
                pairs.append((NOTHING, heard[j]))
        return pairs[::-1]
