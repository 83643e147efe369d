"""The words that are recognised as other words, and the cost of each confusion.

Each model mishears in its own way: one confuses *Dame* with *Turm*, another drops the *h* of
*Hector*. A table says how likely each word of the game is heard as another word or not at all, and
how likely it is heard when nobody said it. It counts in nats (the negative natural logarithm of the
probability). The distance between a phrase and what was heard is a weighted edit distance.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

NOTHING = ""
"""Heard in place of a dropped item; said in place of an inserted one."""

Cost = Callable[[str, str], float]
"""The cost of hearing the second item in place of the first. Either may be NOTHING."""


def least_costs(
    said: Sequence[str], heard: Sequence[str], cost: Cost, most: float = math.inf
) -> list[list[float]]:
    """Return the least costs of all beginnings: ``[i][j]`` is for the first i items said and the
    first j items heard. There are fewer rows if nothing costs ``most`` or less."""
    inserted = [cost(NOTHING, item) for item in heard]
    rows = [list(itertools.accumulate(inserted, initial=0.0))]
    for item in said:
        above, dropped = rows[-1], cost(item, NOTHING)
        row = [above[0] + dropped]
        for j, other in enumerate(heard):
            replaced = above[j] + cost(item, other)
            row.append(min(replaced, above[j + 1] + dropped, row[j] + inserted[j]))
        rows.append(row)
        if min(row) > most:
            break
    return rows


def distance(
    said: Sequence[str], heard: Sequence[str], cost: Cost, most: float = math.inf
) -> float:
    """Return the least cost of hearing one sequence for the other; infinite above ``most``."""
    rows = least_costs(said, heard, cost, most)
    least = rows[-1][-1] if len(rows) == len(said) + 1 else math.inf
    return least if least <= most else math.inf


def aligned(
    said: Sequence[str], heard: Sequence[str], cost: Cost, costs: Sequence[Sequence[float]]
) -> list[tuple[str, str]]:
    """Return the pairs (said, heard) of the least cost; ``costs`` is the result of ``least_costs``,
    perhaps for more than ``heard``."""
    pairs: list[tuple[str, str]] = []
    i, j = len(said), len(heard)
    while i or j:
        here = costs[i][j]
        if i and j and math.isclose(here, costs[i - 1][j - 1] + cost(said[i - 1], heard[j - 1])):
            i, j = i - 1, j - 1
            pairs.append((said[i], heard[j]))
        elif i and math.isclose(here, costs[i - 1][j] + cost(said[i - 1], NOTHING)):
            i -= 1
            pairs.append((said[i], NOTHING))
        else:
            j -= 1
            pairs.append((NOTHING, heard[j]))
    return pairs[::-1]


NEVER_SEEN = 7.0
"""The cost in nats of a confusion that the measurement did not see (once in a thousand)."""
CREDIT = 0.4
"""The share of the difference between a confusion's cost and NEVER_SEEN that is credited."""
_DOUBT = 5.0  # how many more times each measured word counts as heard rightly


@dataclass(frozen=True)
class Confusions:
    """The costs in nats of hearing a word (second key) when another was said (first key).

    Pairs that are not in the table cost NEVER_SEEN. A word heard as itself costs nothing.
    """

    table: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def measured(cls, pairs: Iterable[tuple[str, str]]) -> "Confusions":
        """Return the table of these observed pairs (said, heard), each a word or NOTHING.

        Few observations prove little: each word counts as having been heard rightly five
        more times.
        """
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for said, heard in pairs:
            counts[said][heard] += 1
        table = {}
        for said, heard_as in sorted(counts.items()):
            whole = heard_as.total() + _DOUBT
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
