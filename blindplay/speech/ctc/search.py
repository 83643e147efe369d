"""A search for other words of an utterance: any words of a table, in any order.

The search follows the likeliest way into every state of a graph of single words, which begins again
whenever a word has ended. The ends of words that are not far behind the best way are arcs from one
frame to a later one; the best ways along these arcs are the proposals. They are only proposals:
`Evidence.scores` says exactly how likely each is.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from .graph import PhraseGraph
from .scoring import Array, Evidence

BEAM = 12.0
"""A way that is behind the best by more nats is not followed."""
MOST_ENDS = 8
"""Limit of the words that may end in one frame."""
_IMPOSSIBLE = -1e9


class WordArc(NamedTuple):
    """A word from one frame to another; `score` is what it adds, in nats."""

    since: int
    until: int
    word: str
    score: float


def likely_sequences(evidence: Evidence, words: PhraseGraph, most: int) -> list[tuple[str, ...]]:
    """Return the likeliest sequences of ``words``, at most so many, the likeliest first."""
    if not words.phrases:
        return []
    with np.errstate(divide="ignore"):
        costs = np.maximum(np.log(evidence.likelihoods), _IMPOSSIBLE)
    silent = [0.0, *np.cumsum(costs[:, evidence.blank])]
    arcs, best = _arcs(costs, words, silent)
    return _best_ways(_prune(arcs, best), silent, most)


def _arcs(
    costs: Array, words: PhraseGraph, silent: list[float]
) -> tuple[list[WordArc], list[float]]:
    """Return the words that may end in each frame, and the best score up to each frame."""
    labels, ends, root = words.labels, words.ends, words.root
    alive = np.full(len(labels), _IMPOSSIBLE)
    since = np.zeros(len(labels), np.intp)  # the frame in which the word of each state began
    best, arcs = [0.0], list[WordArc]()
    before = labels[root]  # the last output of the best way
    for frame, cost in enumerate(costs):
        # The root is the end of all words before; a word that follows begins in this frame. The
        # same output again, without a blank between, would be heard as one.
        alive[root] = _IMPOSSIBLE
        into, began = alive.copy(), since.copy()
        for sources in words.sources:
            count, reached = len(sources), alive[sources]
            better = reached > into[:count]
            into[:count] = np.where(better, reached, into[:count])
            began[:count] = np.where(better, since[sources], began[:count])
        beginning = words.first[labels[words.first] != before]
        beginning = beginning[into[beginning] < best[-1]]
        into[beginning], began[beginning] = best[-1], frame
        alive, since = np.maximum(into + cost[labels], _IMPOSSIBLE), began
        ending = np.maximum.reduceat(alive[ends], words.end_starts)
        top = float(ending.max())
        best.append(max(top, silent[frame + 1]))
        before = labels[ends[alive[ends].argmax()]] if top == best[-1] else labels[root]
        likeliest = np.argsort(-ending, kind="stable")[:MOST_ENDS]
        for one in likeliest[ending[likeliest] > top - BEAM]:
            first = words.end_starts[one]
            last = words.end_starts[one + 1] if one + 1 < len(words.end_starts) else len(ends)
            states = ends[first:last]
            start = int(since[states[alive[states].argmax()]])
            score = float(ending[one]) - best[start]
            arcs.append(WordArc(start, frame + 1, words.phrases[one], score))
    return arcs, best


def _prune(arcs: list[WordArc], best: list[float]) -> list[WordArc]:
    """Return the arcs that are on a way that is hardly worse than the best one."""
    last = len(best) - 1
    rest = [_IMPOSSIBLE] * last + [0.0]
    for arc in reversed(arcs):
        rest[arc.since] = max(rest[arc.since], arc.score + rest[arc.until])
    least = best[last] - BEAM
    return [arc for arc in arcs if best[arc.since] + arc.score + rest[arc.until] >= least]


def _best_ways(
    arcs: Iterable[WordArc], silent: Sequence[float], most: int
) -> list[tuple[str, ...]]:
    ways: list[dict[tuple[str, ...], float]] = [{(): score} for score in silent]
    for arc in arcs:  # by the frame in which they end
        found = ways[arc.until]
        for words, score in ways[arc.since].items():
            longer = (*words, arc.word)
            found[longer] = max(found.get(longer, -np.inf), score + arc.score)
        if len(found) > 4 * most:
            ways[arc.until] = dict(_sorted(found)[:most])
    return [words for words, _ in _sorted(ways[-1]) if words][:most]


def _sorted(ways: dict[tuple[str, ...], float]) -> list[tuple[tuple[str, ...], float]]:
    return sorted(ways.items(), key=lambda way: (-way[1], way[0]))
