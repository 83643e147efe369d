"""The hidden states of a phone after each other phone: the part of Kaldi's tree that a graph needs.

A network listens for a phone differently after different phones. Kaldi keeps that in a file called
``tree``, which published models leave out. But the model's own graph was made with it: a walk
through HCLr.fst that remembers the last phone shows which states each phone has after each other.
Vosk's chain models look at one phone to the left and none to the right. Other graphs are refused.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from .kaldi_files import PLACES, Graph, GraphError, Phones, Transitions

SeenContexts = Mapping[tuple[int, int], int]
"""The number of times that each hidden state (second) is entered after each left phone (first)."""

START = 0
"""The left context at the beginning of an utterance: no phone, not even silence."""


class Contexts:
    """The hidden states of a phone (by its number in the model) after another.

    ``seen`` is the result of ``walk``; it may be None for a model whose phones do not depend on
    their neighbours.

    :raises GraphError: if the states depend on more than one phone to the left.
    """

    def __init__(self, transitions: Transitions, phones: Phones, seen: SeenContexts | None) -> None:
        self._phones = phones
        self._name = phones.name
        states: dict[int, list[list[int]]] = defaultdict(list)
        for index, state in enumerate(transitions.states):
            numbers = states[state.phone]
            numbers.extend([] for _ in range(state.number + 1 - len(numbers)))
            numbers[state.number].append(index)
        self.free = self.are_free(transitions)
        """True if no phone depends on its neighbours."""
        self._pdfs = [(state.entered, state.stayed) for state in transitions.states]
        self._states_of = {p: list(zip(*numbers, strict=False)) for p, numbers in states.items()}
        self._usual = {p: tuple(same[0] for same in numbers) for p, numbers in states.items()}
        self._after: dict[tuple[int, int], tuple[int, ...]] = {}
        self.seen: SeenContexts = {}
        if self.free:
            return
        if seen is None:
            raise GraphError("This model's phones depend on their neighbours; its graph is needed.")
        if any(len(numbers) != 1 for numbers in states.values()):
            raise GraphError("Only phones of one hidden state are known to depend on neighbours.")
        self.seen = seen
        per_phone: dict[int, Counter[int]] = defaultdict(Counter)
        for (left, index), count in seen.items():
            phone = transitions.states[index].phone
            if self._after.setdefault((left, phone), (index,)) != (index,):
                raise GraphError("This model looks at more than one phone to the left.")
            per_phone[phone][index] += count
        self._usual |= {p: (c.most_common(1)[0][0],) for p, c in per_phone.items()}

    @staticmethod
    def are_free(transitions: Transitions) -> bool:
        """Return whether no phone depends on its neighbours: each of its states is there once."""
        return len({(s.phone, s.number) for s in transitions.states}) == len(transitions.states)

    @property
    def known(self) -> int:
        """Return how many pairs of phones the model's graph shows."""
        return len(self._after)

    def heard(self, name: str) -> bool:
        """Return whether the phone occurs in the model's own words (or none depends on others)."""
        return self.free or any(self._name.get(phone) == name for _, phone in self._after)

    def __call__(self, left: int, phone: int) -> tuple[int, ...]:
        """Return the hidden states of ``phone`` after ``left``, as indices into the transition
        model's.

        For a pair that the graph does not show, these are the states after the same left phone in
        another place of a word, or else the phone's most frequent states.
        """
        if self.free:
            return self._usual[phone]
        if (left, phone) in self._after:
            return self._after[left, phone]
        name = self._name.get(left, "")
        for place in PLACES:
            other = (self._phones.id.get((name, place), -1), phone)
            if other in self._after:
                return self._after[other]
        return self._usual[phone]

    def disguised(self, left: int, phone: int, other: int) -> tuple[int, ...]:
        """Return hidden states of ``phone`` that listen for the same as ``other`` after ``left``.

        Both are one phone in two places of a word. If the model distinguishes these places, the
        result is the states of ``phone`` itself after ``left``.
        """
        sought = tuple(self._pdfs[index] for index in self(left, other))
        for states in self._states_of[phone]:
            if tuple(self._pdfs[index] for index in states) == sought:
                return states
        return self(left, phone)

    def classes(self, lefts: Iterable[int], phones: Iterable[int]) -> dict[int, int]:
        """Map each of ``lefts`` to one after which all of ``phones`` have the same states."""
        following = sorted(set(phones))
        alike: dict[tuple[tuple[int, ...], ...], int] = {}
        return {
            left: alike.setdefault(tuple(self(left, phone) for phone in following), left)
            for left in lefts
        }


def walk(transitions: Transitions, graph: Graph) -> SeenContexts:
    """Return how often each hidden state is entered after each left phone, over all paths of the
    graph.

    The walk is breadth first over pairs (state of the graph, last phone), all of one depth at once.
    """
    highest = max(int(graph.arcs["put"].max()), max(max(ids.values()) for ids in transitions.ids))
    entered = np.full(highest + 1, -1, np.int64)  # the hidden state that a transition-id enters
    phone_of = np.zeros(highest + 1, np.int64)
    loop = np.zeros(highest + 1, bool)
    for index, (state, ids) in enumerate(zip(transitions.states, transitions.ids, strict=True)):
        for to, number in ids.items():
            entered[number], phone_of[number] = index, state.phone
            loop[number] = to == state.number
    phones = max(transitions.ends) + 1
    kinds = len(transitions.states)
    seen = np.zeros(len(graph.count) * phones, bool)
    front = np.array([graph.start * phones + START], np.int64)
    seen[front] = True
    found: Counter[tuple[int, int]] = Counter()
    while len(front):
        states, lefts = front // phones, front % phones
        count = graph.count[states]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(count)[:-1]])
        arcs = np.repeat(graph.first[states] - before, count) + np.arange(count.sum())
        put, to = graph.arcs["put"][arcs], graph.arcs["to"][arcs].astype(np.int64)
        left = np.repeat(lefts, count)
        forward = ~loop[put]
        put, to, left = put[forward], to[forward], left[forward]
        speaks = entered[put] >= 0
        pairs, counts = np.unique(left[speaks] * kinds + entered[put[speaks]], return_counts=True)
        for pair, number in zip(pairs.tolist(), counts.tolist(), strict=True):
            found[divmod(pair, kinds)] += number
        front = np.unique(to * phones + np.where(speaks, phone_of[put], left))
        front = front[~seen[front]]
        seen[front] = True
    return found
