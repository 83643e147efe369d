"""Names for the phones of a model that only numbers them.

Small Vosk models number their phones and name none. But their graph shows the numbers for each of
their words, and our lexicons have the pronunciations of some of these words. Where both are equally
long they are aligned, and each number gets the sound that it is aligned with most often.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from .build import Pronunciations
from .kaldi_files import Graph, Transitions
from .sounds import simple_sounds

_LONGEST = 60  # arcs on a word's path
_STEPS = 300  # arcs to look at for one word in one direction
_AGREED = 0.4  # the share of its occurrences in which a phone must be one sound


def names_heard(
    graph: Graph,
    transitions: Transitions,
    places: Mapping[int, str],
    labels: Mapping[str, int],
    lexicon: Mapping[str, Pronunciations],
) -> tuple[str, ...]:
    """Return names for the phones, in the order of their numbers, by the sounds they stand for.

    ``places`` are the phones' places in a word (of "BIES"), four for each phone; ``labels`` are the
    numbers of the model's words. A second phone of the same sound gets an apostrophe. A phone that
    the words of ``lexicon`` do not show, or not surely, gets a name that is not a sound's.
    """
    phone_of = {number: index // 4 for index, number in enumerate(sorted(places))}
    seen: dict[int, Counter[str]] = defaultdict(Counter)
    walk = _Walk(graph, transitions, places)
    for word, variants in lexicon.items():
        heard = walk.word(labels[word]) if word in labels else set()
        if len(heard) != 1:
            continue  # several pronunciations, or none: nothing is sure
        (numbers,) = heard
        fitting = [
            sounds
            for variant, _ in sorted(variants.items(), key=lambda item: item[1])
            for sounds in _spellings(variant)
            if len(sounds) == len(numbers)
        ]
        for number, sound in zip(numbers, fitting[0] if fitting else (), strict=False):
            seen[phone_of[number]][sound] += 1
    names: list[str] = []
    for index in range(len(places) // 4):
        sounds = seen[index]
        sound, count = sounds.most_common(1)[0] if sounds else ("", 0)
        if not count or count < _AGREED * sounds.total():
            sound = f"unheard-{index}"
        while sound in names:
            sound += "'"
        names.append(sound)
    return tuple(names)


def _spellings(variant: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the pronunciation with joined sounds (ts, aI) whole or in two, and tS and dZ as one."""
    text = f" {' '.join(variant)} "
    for whole in (text, text.replace(" t S ", " tS ").replace(" d Z ", " dZ ")):
        choices = [{(sound,), simple_sounds(sound)} for sound in whole.split()]
        for chosen in itertools.islice(itertools.product(*map(sorted, choices)), 16):
            yield tuple(itertools.chain.from_iterable(chosen))


class _Walk:
    """Paths of words through a graph, from the arc with their label forwards and backwards."""

    def __init__(self, graph: Graph, transitions: Transitions, places: Mapping[int, str]) -> None:
        self._graph = graph
        self._places = places
        highest = max(int(graph.arcs["put"].max()), *(max(i.values()) for i in transitions.ids))
        phone = np.zeros(highest + 1, np.int64)
        for state, ids in zip(transitions.states, transitions.ids, strict=True):
            for to, number in ids.items():
                phone[number] = -1 if to == state.number else state.phone
        self._phone: npt.NDArray[np.int64] = phone[graph.arcs["put"]]
        self._source = np.repeat(np.arange(len(graph.count)), graph.count)
        self._into = np.argsort(graph.arcs["to"], kind="stable")
        self._into_first = np.searchsorted(
            graph.arcs["to"][self._into], np.arange(len(graph.count) + 1)
        )
        self._by_label = np.argsort(graph.arcs["out"], kind="stable")
        self._labels = graph.arcs["out"][self._by_label]

    def word(self, label: int) -> set[tuple[int, ...]]:
        """Return the sequences of phones of the word."""
        names: set[tuple[int, ...]] = set()
        first, last = np.searchsorted(self._labels, [label, label + 1])
        for arc in self._by_label[first : min(last, first + 20)].tolist():
            own = int(self._phone[arc])
            if own < 0:
                continue
            middle = (own,) if own else ()
            states: set[tuple[int, ...]] = {middle}
            if not middle or self._places.get(own) not in ("B", "S"):
                states = set(self._go(int(self._source[arc]), middle, [_STEPS], back=True))
            for start in states:
                to = int(self._graph.arcs["to"][arc])
                names |= set(self._go(to, start, [_STEPS], back=False))
        return names

    def _go(
        self, state: int, said: tuple[int, ...], steps: list[int], *, back: bool, depth: int = 0
    ) -> Iterator[tuple[int, ...]]:
        edge = self._places.get(said[0 if back else -1]) if said else None
        if edge == "S" or edge == ("B" if back else "E"):
            yield said
            return
        if depth > _LONGEST:
            return
        if back:
            arcs = self._into[self._into_first[state] : self._into_first[state + 1]]
        else:
            first = self._graph.first[state]
            arcs = np.arange(first, first + self._graph.count[state])
        for arc in arcs.tolist():
            steps[0] -= 1
            phone = int(self._phone[arc])
            if steps[0] < 0 or phone < 0 or self._graph.arcs["out"][arc]:
                continue
            place = self._places.get(phone)
            if phone and (place is None or (back and place in "ES" and said)):
                continue
            more = (phone,) if phone else ()
            on = int(self._source[arc] if back else self._graph.arcs["to"][arc])
            yield from self._go(
                on, more + said if back else said + more, steps, back=back, depth=depth + 1
            )
