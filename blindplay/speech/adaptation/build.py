"""From words and their pronunciations to a graph that Vosk decodes with."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .contexts import START, Contexts
from .kaldi_files import Fst, Phones, Transitions

UNKNOWN = "[unk]"
"""The word for any sound that is none of the words: a free loop of phones."""

Pronunciations = Mapping[tuple[str, ...], float]
"""The pronunciations of one word: tuples of phones, with their costs in nats."""


@dataclass(frozen=True)
class Vocabulary:
    """The words of a graph with their pronunciations, and ``tokens``: sequences of words that the
    graph has as one word, {"gustav_eins": ("gustav", "eins")}.

    Tokens sharpen Vosk's grammar, which looks at pairs only. A token may have pauses in it.
    """

    words: Mapping[str, Pronunciations]
    tokens: Mapping[str, tuple[str, ...]]


_HeardPhone = tuple[list[tuple[int, int]], int]
"""One phone in a graph: its entries, (transition-id, state) pairs, and the state after it."""


class _Builder:
    def __init__(self, transitions: Transitions, phones: Phones, contexts: Contexts) -> None:
        self.fst = Fst()
        self._ids = transitions.ids
        self._numbers = [state.number for state in transitions.states]
        self._ends = {k: transitions.ends[s.phone] for k, s in enumerate(transitions.states)}
        self._phones = phones
        self._contexts = contexts

    def numbers(
        self, pronunciation: Sequence[str], *, first: bool = True, last: bool = True
    ) -> tuple[int, ...]:
        """Return the numbers of the phones in their places of a word. ``first`` and ``last``: the
        word begins, and ends, with them; else they are a part of a longer one."""
        places = list("I" * len(pronunciation))
        if first:
            places[0] = "B"
        if last:
            places[-1] = "S" if first and len(places) == 1 else "E"
        return tuple(
            self._phones.id[name, place] for name, place in zip(pronunciation, places, strict=True)
        )

    def heard(self, states: tuple[int, ...]) -> _HeardPhone:
        """Add a phone that has these hidden states."""
        entries, ends = self._from(states, 0)
        return entries, self._joined(ends)

    def _joined(self, ends: Sequence[int]) -> int:
        """Return a state that follows all of ``ends``."""
        if len(ends) == 1:
            return ends[0]
        joined = self.fst.state()
        for end in ends:
            self.fst.arc(end, 0, 0, 0.0, joined)
        return joined

    def _from(
        self, states: tuple[int, ...], number: int
    ) -> tuple[list[tuple[int, int]], list[int]]:
        """Add the states from ``number`` on, in Kaldi's order: a hidden state's way out first, its
        self-loop behind that. Return the entries and the ends."""
        ids = self._ids[states[number]]
        entries, ends = [], []
        for to, arc in sorted(ids.items()):
            if to == number:
                continue
            node = self.fst.state()
            if number in ids:
                self.fst.arc(node, ids[number], 0, 0.0, node)
            entries.append((arc, node))
            if to == self._ends[states[number]]:
                ends.append(node)
            else:
                further, after = self._from(states, to)
                for through, beyond in further:
                    self.fst.arc(node, through, 0, 0.0, beyond)
                ends += after
        return entries, ends

    def enter(
        self,
        sources: Mapping[int, int],
        phone: int,
        label: int,
        cost: float,
        like: int | None = None,
    ) -> int:
        """Add ``phone`` after any of ``sources`` ({left context: state}). Return the next state.

        ``like`` is the same phone in the place of a word that it really has; see ``token``.
        """
        by_states: dict[tuple[int, ...], _HeardPhone] = {}
        for left, source in sources.items():
            if like is None:
                states = self._contexts(left, phone)
            else:
                states = self._contexts.disguised(left, phone, like)
            if states not in by_states:
                by_states[states] = self.heard(states)
            for arc, node in by_states[states][0]:
                self.fst.arc(source, arc, label, cost, node)
        return self._joined([end for _, end in by_states.values()])

    def word(
        self,
        sources: Mapping[int, int],
        label: int,
        variants: Mapping[tuple[int, ...], float],
        like: Mapping[int, int] | None = None,
    ) -> dict[int, int]:
        """Add one word after any of ``sources``. Return the states after it by its last phone.

        Its variants share their beginnings. The label is on the first arc, so that Vosk knows early
        which words the grammar admits. ``like``: see ``enter``, for the first phone.
        """
        prefixes: dict[tuple[int, ...], int] = {}
        ends: dict[int, int] = {}
        for phones, cost in sorted(variants.items()):
            for length in range(1, len(phones) + 1):
                prefix = phones[:length]
                if prefix in prefixes:
                    continue
                if length == 1:
                    prefixes[prefix] = self.enter(
                        sources, prefix[0], label, 0.0, (like or {}).get(prefix[0])
                    )
                else:
                    before = {prefix[-2]: prefixes[prefix[:-1]]}
                    prefixes[prefix] = self.enter(before, prefix[-1], 0, 0.0)
            end = ends.setdefault(phones[-1], self.fst.state())
            self.fst.arc(prefixes[phones], 0, 0, cost, end)
        return ends

    def token(
        self, sources: Mapping[int, int], label: int, parts: Sequence[Pronunciations]
    ) -> dict[int, int]:
        """Add several words as one, with or without pauses between them.

        In models whose phones do not depend on their neighbours, a phone may have a pause in it, so
        a token is a word like any other. In other models the words of a token stay separate. But
        only the first has a phone in the place of a word's beginning, by which Vosk counts words
        (see ``word_starts``).
        """
        joined = self._contexts.free
        ends: dict[int, int] = {}
        for number, part in enumerate(parts):
            first, last = number == 0, not joined or number + 1 == len(parts)
            variants = {self.numbers(p, first=first, last=last): cost for p, cost in part.items()}
            like = {}
            if not joined and not first:
                like = {self.numbers(p, first=False)[0]: self.numbers(p)[0] for p in part}
            ends = self.word(sources, label if first else 0, variants, like)
            sources = ends
            if not joined and number + 1 < len(parts):
                paused = self.fst.state()
                for phone, state in ends.items():
                    self.silence(phone, state, 0.0, paused)
                sources = {**ends, self._phones.silence: paused}
        return ends

    def silence(self, left: int, source: int, cost: float, end: int) -> None:
        """Add silence between ``source`` and ``end``."""
        entries, after = self.heard(self._contexts(left, self._phones.silence))
        for arc, node in entries:
            self.fst.arc(source, arc, 0, cost, node)
        self.fst.arc(after, 0, 0, 0.0, end)


def build(
    vocabulary: Vocabulary,
    transitions: Transitions,
    phones: Phones,
    contexts: Contexts,
    filler: Iterable[str],
    *,
    unknown: float,
    silence: float,
) -> tuple[Fst, int, list[str]]:
    """Return the graph, its first state, and its words in the order of their numbers.

    The graph has any sequence of words, with or without silence around each; the grammar chooses
    later. ``filler`` are the names of the phones that ``[unk]`` consists of; each costs ``unknown``
    nats. ``silence`` is the probability of silence before the first word and after each word, above
    0 and below 1.

    :raises KeyError: for a phone that the model lacks.
    """
    add = _Builder(transitions, phones, contexts)
    fst, pause = add.fst, phones.silence
    filler = sorted(filler)
    words = ["<eps>", *sorted([*vocabulary.words, *vocabulary.tokens]), UNKNOWN]
    label = {word: number for number, word in enumerate(words)}

    spoken = [add.numbers(p) for variants in vocabulary.words.values() for p in variants]
    last = {numbers[-1] for numbers in spoken} | {phones.id[name, "E"] for name in filler}
    first = {numbers[0] for numbers in spoken} | {phones.id[name, "B"] for name in filler}
    alike = contexts.classes([START, pause, *sorted(last)], [*first, pause])

    # After a word ("ended") comes silence or the next word ("ready").
    start = fst.state()
    ready = {left: fst.state() for left in dict.fromkeys(alike.values())}
    ended = {left: fst.state() for left in dict.fromkeys(alike[phone] for phone in sorted(last))}
    for state in (start, *ready.values()):
        fst.final[state] = 0.0
    for left, source in ((START, start), *ended.items()):
        fst.arc(source, 0, 0, -math.log(1 - silence), ready[alike[left]])
        add.silence(left, source, -math.log(silence), ready[alike[pause]])

    for word in words:
        parts = vocabulary.tokens.get(word, (word,) if word in vocabulary.words else ())
        if parts:
            variants = [vocabulary.words[part] for part in parts]
            for phone, state in add.token(ready, label[word], variants).items():
                fst.arc(state, 0, 0, 0.0, ended[alike[phone]])

    # [unk]: a first phone, any number of others, a last one.
    inside: dict[int, int] = {}
    for name in filler:
        phone = phones.id[name, "B"]
        inside[phone] = add.enter(ready, phone, label[UNKNOWN], unknown)
    for name in filler:
        inside[phones.id[name, "I"]] = fst.state()
    sources = dict(inside)
    for name in filler:
        for place in "IE":
            phone = phones.id[name, place]
            after = add.enter(sources, phone, 0, unknown)
            to = inside[phone] if place == "I" else ended[alike[phone]]
            fst.arc(after, 0, 0, 0.0, to)
    return fst, start, words


def word_starts(phones: Phones) -> dict[int, str]:
    """Return the kind of each phone in word_boundary.int, for graphs with tokens of several words.

    Vosk aligns words with phones, and complains about phones that belong to no word, as the second
    half of a token would. So a word is its first phone, and the others count as silence.
    """
    kinds = {phones.silence: "nonword"}
    for (_, place), number in phones.id.items():
        kinds[number] = "singleton" if place in "BS" else "nonword"
    return dict(sorted(kinds.items()))


def any_words(count: int) -> Fst:
    """Return the default grammar (Gr.fst): any of ``count`` words, numbered from 1, equally."""
    fst = Fst()
    state = fst.state()
    fst.final[state] = 0.0
    for number in range(1, count + 1):
        fst.arc(state, number, number, math.log(count + 1), state)
    return fst
