"""The words that are recognised as other words, and the cost of each confusion.

Each model mishears in its own way: one confuses *Dame* with *Turm*, another drops the *h* of
*Hector*. For each word of the game, a table says how likely it is heard as another word, as
nothing, or how likely a word is heard that nobody said, in nats (the negative natural logarithm of
the probability). The distance between a phrase and what was heard is a weighted edit distance.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .alignment import aligned, distance, least_costs

NEVER_SEEN = 7.0
"""The cost in nats of a confusion that the measurement did not see (once in a thousand)."""
CREDIT = 0.4
"""The share of the difference between a confusion's cost and NEVER_SEEN that is credited."""


@dataclass(frozen=True)
class Confusions:
    """The costs in nats of hearing a word (second key) when another was said (first key).

    Pairs that are not in the table cost NEVER_SEEN. A word heard as itself costs nothing.
    """

    table: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def measured(cls, pairs: Iterable[tuple[str, str]], *, doubt: float = 5.0) -> "Confusions":
        """Return the table of these observed pairs (said, heard), each a word or NOTHING.

        Few observations prove little: each word counts as having been heard rightly ``doubt`` more
        times.
        """
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for said, heard in pairs:
            counts[said][heard] += 1
        table = {}
        for said, heard_as in sorted(counts.items()):
            whole = heard_as.total() + doubt
            row = {
                heard: cost
                for heard, count in sorted(heard_as.items())
                if heard != said and (cost := -math.log(count / whole)) < NEVER_SEEN
            }
            if row:
                table[said] = row
        return cls(table)

    def cost(self, said: str, heard: str) -> float:
        """Return the cost of hearing ``heard`` when ``said`` was said."""
        if said == heard:
            return 0.0
        return self.table.get(said, {}).get(heard, NEVER_SEEN)

    def distance(self, said: Sequence[str], heard: Sequence[str]) -> float:
        """Return the least cost of hearing these words when those were said; 0 if equal."""
        return distance(said, heard, self.cost)

    def credit(self, said: Sequence[str], heard: Sequence[str]) -> float:
        """Return how many nats of doubt a known confusion explains; 0 if none is known."""
        if list(said) == list(heard) or abs(len(said) - len(heard)) > 1:
            return 0.0
        return CREDIT * max(0.0, NEVER_SEEN - self.distance(said, heard))

    def aligned(self, said: Sequence[str], heard: Sequence[str]) -> list[tuple[str, str]]:
        """Return the pairs (said, heard) of the least cost; NOTHING for a dropped or added word."""
        return aligned(said, heard, self.cost, least_costs(said, heard, self.cost))
