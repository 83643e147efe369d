"""One graph of all phrases that are expected, for the exact CTC forward pass.

The letters of the phrases make a tree: phrases that begin alike share their beginning. The tree
has a state for every piece that the network may give between two places of it, in every division of
the words into pieces, and a blank state for each place. The space between words may be there or
not. So each path through the graph is one way in which the network may say a phrase, and no two
paths are the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .alphabet import GAP, Alphabet, PieceTree

Spelled = Sequence[Sequence[str]]
"""The spellings of each word of a phrase."""
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class PhraseGraph:
    """The states of all phrases, and the arcs between them.

    ``labels`` has the network's output of each state. The state ``root`` is the blank before
    everything. ``sources`` has the other states from which a state is entered: array ``k`` has
    source ``k`` of each state that has so many. The states with the most sources come first, so all
    arrays begin with state 0; that makes the sums over sources fast. ``first`` are the states that
    begin a phrase. The states in ``ends`` end a phrase, those of phrase ``k`` from
    ``end_starts[k]`` on.
    """

    phrases: tuple[str, ...]
    labels: Indices
    root: int
    sources: tuple[Indices, ...]
    first: Indices
    ends: Indices
    end_starts: Indices

    @classmethod
    def of(cls, alphabet: Alphabet, phrases: Mapping[str, Spelled]) -> "PhraseGraph":
        """Return the graph of ``phrases``; each word of them can be spelled."""
        tree = _Tree()
        last = [tree.grow(spelled) for spelled in phrases.values()]
        states = _States(alphabet, tree)
        ends = [states.entries[place] for place in last]
        order = sorted(range(len(states.labels)), key=lambda one: -len(states.sources[one]))
        number = np.empty(len(order), np.intp)
        number[order] = np.arange(len(order))
        most = len(states.sources[order[0]])
        every = (
            [states.sources[one][k] for one in order if k < len(states.sources[one])]
            for k in range(most)
        )
        return cls(
            tuple(phrases),
            np.array([states.labels[one] for one in order]),
            int(number[0]),
            tuple(number[one] for one in every),
            number[np.array(states.first, np.intp)],
            number[np.array([state for one in ends for state in one], np.intp)],
            np.cumsum([0, *(len(one) for one in ends[:-1])]),
        )


class _Tree:
    """The letters of phrases. Place 0 is before all, place 1 after the first GAP."""

    def __init__(self) -> None:
        self.edges: list[list[tuple[str, int]]] = [[], []]
        self.before_gap = {1: 0}
        """The place before the GAP, for each place after one: the GAP may be missing."""
        self.edges[0].append((GAP, 1))
        self._inside: dict[tuple[int, str], int] = {}
        self._after: dict[tuple[int, tuple[str, ...]], int] = {}

    def grow(self, spelled: Spelled) -> int:
        """Add a phrase, and return the place after the GAP at its end."""
        place = 1
        for spellings in spelled:
            key = place, tuple(spellings)
            if key not in self._after:
                self._after[key] = self._add_word(place, spellings)
            place = self._after[key]
        return place

    def _add_word(self, start: int, spellings: Iterable[str]) -> int:
        # Each edge leads to a place with a higher number.
        before = []
        for spelling in spellings:
            place = start
            for letter in spelling[:-1]:
                place = self._step(place, letter)
            before.append((place, spelling[-1]))
        end, after = self._new(), self._new()
        for place, letter in before:
            self.edges[place].append((letter, end))
        self.edges[end].append((GAP, after))
        self.before_gap[after] = end
        return after

    def _step(self, place: int, letter: str) -> int:
        if (place, letter) not in self._inside:
            self._inside[place, letter] = inside = self._new()
            self.edges[place].append((letter, inside))
        return self._inside[place, letter]

    def _new(self) -> int:
        self.edges.append([])
        return len(self.edges) - 1


class _States:
    """The states between the places of a tree, and the arcs between the states."""

    def __init__(self, alphabet: Alphabet, tree: _Tree) -> None:
        self.labels: list[int] = []
        self.sources: list[list[int]] = []
        self.first: list[int] = []
        self._blank = alphabet.blank
        self._ending: list[list[int]] = [[] for _ in tree.edges]  # pieces, by their last place
        self.entries: list[list[int]] = []
        """For each place the states after which a piece may begin there."""
        for place in range(len(tree.edges)):
            here = self._ending[place]
            own = [self._state(self._blank, here), *here] if here or place == 0 else []
            before = tree.before_gap.get(place)
            self.entries.append(own + (self.entries[before] if before is not None else []))
            if self.entries[place]:
                self._add_pieces(alphabet.pieces, tree, place, place)

    def _add_pieces(self, pieces: PieceTree, tree: _Tree, start: int, place: int) -> None:
        for letter, after in tree.edges[place]:
            if letter in pieces:
                longer, outputs = pieces[letter]
                for output in outputs:
                    self._ending[after].append(self._state(output, self.entries[start]))
                if longer:
                    self._add_pieces(longer, tree, start, after)

    def _state(self, label: int, entered_from: Sequence[int]) -> int:
        state = len(self.labels)
        self.labels.append(label)
        # The same output twice in a row, without a blank between, would be heard as one.
        sources = [one for one in entered_from if self.labels[one] != label]
        self.sources.append(sources)
        if label != self._blank and 0 in sources:
            self.first.append(state)
        return state
