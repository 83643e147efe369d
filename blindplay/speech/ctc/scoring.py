"""The exact likelihood of phrases: the CTC forward pass over a graph of phrases.

The probability of a phrase is the sum over every way in which the network's outputs may say it.
Every score is the logarithm, in nats, of its ratio to that of *talk*: any letters in any order,
each of which costs `LETTER`. So 0 is what any talk has, and a phrase that was said has about
`LETTER` for each of its letters. Before and after a phrase there may be talk, too.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .alphabet import GAP, Alphabet
from .graph import PhraseGraph

LETTER = 1.0
"""Nats that talk costs for each letter. The letters of talk are not free, because in free letters
every sound can be spelled better than in the words of a phrase."""
_SMALLEST = 1e-250  # smaller numbers are slow, and nothing depends on them

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """The outputs of a network for one utterance, compared with talk, frame by frame.

    ``likelihoods`` (frames, outputs): how much more likely each output is than talk is in this
    frame. ``silence`` is the logarithm of the ratio of silence to talk. ``talk_before`` (frames,
    outputs) is the share of talk before a frame that does not end with this output; ``talk_after``
    (frames, outputs) the talk from a frame on that does not begin with it.
    """

    likelihoods: Array
    blank: int
    silence: float
    talk_before: Array
    talk_after: Array
    voiced: int | None
    """The first frame in which the network hears rather something than nothing; None if none."""

    @classmethod
    def of(cls, logits: npt.ArrayLike, alphabet: Alphabet) -> "Evidence":
        """Return the evidence in a network's outputs (frames, outputs): logits or logarithms of
        probabilities, which only need to be right up to a constant for each frame."""
        raw = np.asarray(logits, np.float64)
        shifted = np.exp(raw - raw.max(axis=1, keepdims=True))
        price = _prices(alphabet)
        likelihoods, before, silence = _forward_talk(shifted, price, alphabet.blank)
        after = _backward_talk(likelihoods, price, alphabet.blank)
        heard = shifted[:, alphabet.blank] < 0.5 * shifted.sum(axis=1)
        voiced = int(np.argmax(heard)) if heard.any() else None
        return cls(likelihoods, alphabet.blank, silence, before, after, voiced)

    def scores(self, graph: PhraseGraph) -> tuple[Array, npt.NDArray[np.intp]]:
        """Return for each phrase its score in nats, and on how many edges other talk explains the
        sound better than silence: 0 to 2. A phrase that is impossible has minus infinity."""
        if not graph.phrases:
            return np.zeros(0), np.zeros(0, np.intp)
        labels, ends = graph.labels, graph.ends
        # Column 0: nothing was said before. Column 1: other talk was.
        alive = np.zeros((len(labels), 2))
        alive[graph.root, 0] = 1.0
        first = labels[graph.first]
        with_talk = np.zeros((len(ends), 2))
        for frame, likelihood in enumerate(self.likelihoods):
            if frame:
                with_talk += alive[ends] * self.talk_after[frame, labels[ends], None]
            before = alive
            alive = before.copy()
            for sources in graph.sources:
                alive[: len(sources)] += np.take(before, sources, axis=0)
            alive[graph.first, 1] += self.talk_before[frame, first]
            alive *= likelihood[labels, None]
            alive[alive < _SMALLEST] = 0.0
        alone = np.add.reduceat(alive[ends], graph.end_starts)
        talked = np.add.reduceat(with_talk, graph.end_starts)
        # In the order of the number of edges with talk, so that the first of equals has the fewest.
        four = np.stack([alone[:, 0], alone[:, 1], talked[:, 0], talked[:, 1]])
        best = four.argmax(axis=0)
        with np.errstate(divide="ignore"):
            return np.log(four.max(axis=0)), np.array([0, 1, 1, 2])[best]


def _prices(alphabet: Alphabet) -> Array:
    """Return for each output the factor by which talk that says it gets less likely."""
    letters = [len(text.replace(GAP, "")) for text in alphabet.texts]
    price = np.exp(-LETTER * np.array(letters))
    price[[not text for text in alphabet.texts]] = 0.0
    return price


def _forward_talk(shifted: Array, price: Array, blank: int) -> tuple[Array, Array, float]:
    """Return `Evidence.likelihoods`, `Evidence.talk_before` and `Evidence.silence`.

    ``price`` is 0 for the blank and for what has no text."""
    ending = np.zeros(shifted.shape[1])  # the share of talk that ends with each output
    silent, after_blank = 1.0, 0.0
    likelihoods, before = np.empty_like(shifted), np.empty_like(shifted)
    for frame, likelihood in enumerate(shifted):
        said = ending.sum() + after_blank
        before[frame] = said - ending
        ending = likelihood * (ending + price * (silent + before[frame]))
        silent, after_blank = silent * likelihood[blank], said * likelihood[blank]
        whole = silent + after_blank + ending.sum()
        if whole <= 0.0:  # only outputs without a text: no talk, and no phrase
            return np.zeros_like(shifted), np.zeros_like(shifted), 0.0
        likelihoods[frame] = likelihood / whole
        ending, silent, after_blank = ending / whole, silent / whole, after_blank / whole
    with np.errstate(divide="ignore"):
        return likelihoods, before, float(np.log(silent))


def _backward_talk(likelihoods: Array, price: Array, blank: int) -> Array:
    """Return `Evidence.talk_after`; its column of the blank has all talk."""
    going_on = np.ones(likelihoods.shape[1])  # from the next frame on, after each output
    after = np.empty_like(likelihoods)
    for frame in range(len(likelihoods) - 1, -1, -1):
        likelihood = likelihoods[frame]
        beginning = price * likelihood * going_on
        whole = beginning.sum()
        after[frame] = whole - beginning
        staying = likelihood * going_on
        staying[blank] = 0.0
        going_on = staying + likelihood[blank] * going_on[blank] + after[frame]
    return after
