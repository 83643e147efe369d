"""The weighted edit distance: what it costs to hear one sequence when another was said."""

import itertools
import math
from collections.abc import Callable, Sequence

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
    """Return the pairs (said, heard) of the least cost; ``costs`` is the result of `least_costs`,
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
