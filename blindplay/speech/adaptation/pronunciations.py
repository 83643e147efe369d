"""A player's pronunciations of our words, learned from a few minutes of their voice.

The words that they said are known. The model is asked which phones it hears without any words.
Aligned with the known pronunciations, these show what the player says differently: a word ("zwo"
with a long o), or a sound everywhere (an r that is dropped). Such pronunciations are added to the
model's graph, which takes a second and no training. Its acoustics stay as they are.
"""

import itertools
import math
import operator
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import confusions
from ..recogniser import UNKNOWN, Recogniser
from .build import Pronunciations, Vocabulary
from .finetuning import LabelledSound
from .graph import adapt, phones_of, pronounced
from .kaldi_files import read_options, write_options

AT_LEAST = 2
"""Number of times that a word must have been said in the same other way."""
RULE_AT_LEAST = 4
"""Number of times that a sound must have been said before it becomes a rule."""
RULE_SHARE = 0.4
"""The share of these in which it must have been the same other sound."""
REWARD = 4.5
"""Nats that each phone gets back, for what Vosk's grammar of phones charges for it."""
_MAX_COST = 2.0  # nats; what is rarer than one in seven is chance
_LATTICE_BEAM = 2.0  # nats
_MAX_DIFFERENCE = 0.67  # if more than two of three phones differ, it was something else

PhoneSequence = tuple[str, ...]


@dataclass(frozen=True)
class WordAlignment:
    """One word as it was said: the nearest known pronunciation, and the phones that were heard.

    ``pairs`` are (expected phone, heard phone), with "" for none.
    """

    word: str
    meant: PhoneSequence
    heard: PhoneSequence
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PlayerPronunciations:
    """Pronunciations of one player in the phones of one model, with their costs in nats.

    ``words`` are those of single words, ``sounds`` those that follow from how they say a sound.
    """

    words: Mapping[str, Pronunciations]
    sounds: Mapping[str, Pronunciations]

    @property
    def all(self) -> dict[str, Pronunciations]:
        """Return both, by words."""
        return {
            word: {**self.sounds.get(word, {}), **self.words.get(word, {})}
            for word in sorted({*self.words, *self.sounds})
        }


def learn(
    model: Path,
    recordings: Iterable[LabelledSound],
    words: Mapping[str, Pronunciations],
    others: Mapping[str, Pronunciations],
) -> PlayerPronunciations:
    """Return the new pronunciations of ``words`` that these recordings show, without those that are
    as near to one of the ``others``.

    ``model`` is one of our own or an adapted one.

    :raises GraphError, ModelError: if it cannot be read.
    """
    known = pronounced(model, words)
    heard = [word for alignment in word_alignments(model, recordings, known) for word in alignment]
    return player_pronunciations(heard, known, pronounced(model, others))


def word_alignments(
    model: Path, recordings: Iterable[LabelledSound], known: Mapping[str, Pronunciations]
) -> Iterator[list[WordAlignment]]:
    """Yield the words of each recording, aligned with the phones that ``model`` hears. ``known``
    are pronunciations in its phones. Yield an empty list if nothing was heard or a word has no
    pronunciation."""
    names = phones_of(model)
    with tempfile.TemporaryDirectory(prefix="blindplay-phones-") as made:
        folder = Path(made) / "model"
        loop: dict[str, Pronunciations] = {
            f"p{number}": {(name,): -REWARD} for number, name in enumerate(names)
        }
        adapt(model, folder, Vocabulary({}, {}), more=loop)
        # Any phone may follow any, so paths that are nearly as good would take a minute each.
        conf = folder / "conf" / "model.conf"
        write_options(conf, read_options(conf) | {"lattice-beam": str(_LATTICE_BEAM)})
        recogniser = Recogniser(folder, "phones")
        for sound in recordings:
            heard = _phones(recogniser.recognise(sound.pcm, ()).words, names)
            whole = heard and all(word in known for word in sound.labels)
            yield aligned(sound.labels, heard, known) if whole else []


def _phones(words: str, names: Sequence[str]) -> PhoneSequence:
    tokens = [token for token in words.split() if token != UNKNOWN]
    heard = [names[int(token[1:])] for token in tokens]
    # A long sound is often heard twice.
    return tuple(phone for phone, _ in itertools.groupby(heard))


def aligned(
    words: Sequence[str], heard: Sequence[str], known: Mapping[str, Pronunciations]
) -> list[WordAlignment]:
    """Divide ``heard`` among ``words`` so that the fewest phones differ, with the best fitting
    pronunciation of each word. At both ends there may be additional phones."""
    # after[j]: the cost of the words so far if heard[:j] is theirs, and their alignments.
    after: list[tuple[float, list[WordAlignment]]] = [(0.5 * j, []) for j in range(len(heard) + 1)]
    for word in words:
        now: list[tuple[float, list[WordAlignment]]] = [(math.inf, [])] * (len(heard) + 1)
        for meant, cost in known[word].items():
            for start, (before, path) in enumerate(after):
                if before == math.inf:
                    continue
                near = heard[start : start + 2 * len(meant) + 1]
                costs = confusions.least_costs(meant, near, operator.ne)
                for length, more in enumerate(costs[-1]):
                    total = before + more + 0.1 * cost
                    if total < now[start + length][0]:
                        own = tuple(near[:length])
                        pairs = confusions.aligned(meant, own, operator.ne, costs)
                        part = WordAlignment(word, meant, own, tuple(pairs))
                        now[start + length] = (total, [*path, part])
        after = now
    rest = [(cost + 0.5 * (len(heard) - end), path) for end, (cost, path) in enumerate(after)]
    return min(rest, key=lambda item: item[0])[1]


def player_pronunciations(
    alignments: Sequence[WordAlignment],
    known: Mapping[str, Pronunciations],
    others: Mapping[str, Pronunciations],
) -> PlayerPronunciations:
    """Return what is regular in how these words were said. A pronunciation that is as near to
    another word, of the table (``known``) or of other speech (``others``), would make two words
    one; it is left out."""
    every = WordIndex({**others, **known})
    return PlayerPronunciations(
        _of_words(alignments, known, every), _of_sounds(alignments, known, every)
    )


class WordIndex:
    """Finds words that sound alike.

    Each new pronunciation is compared with the thousands that a large model's words have. Those
    that differ little from it are found by what is left without one or two of their phones.
    """

    _FEW = 2

    def __init__(self, words: Mapping[str, Pronunciations]) -> None:
        self._words = words
        self._shortened: dict[PhoneSequence, set[str]] = defaultdict(set)
        for word, variants in words.items():
            for spoken in variants:
                for left in _without_some(spoken, self._FEW):
                    self._shortened[left].add(word)

    def is_another(self, word: str, heard: PhoneSequence) -> bool:
        """Return whether ``heard`` is far from ``word``, or as near to another word."""
        if not heard:
            return True
        own = self._distance(word, heard, math.inf)
        if own > _MAX_DIFFERENCE * min(map(len, self._words[word])):
            return True
        rivals: Iterable[str] = self._words
        if own <= self._FEW:
            candidates = (self._shortened.get(left, ()) for left in _without_some(heard, int(own)))
            rivals = {other for words in candidates for other in words}
        return any(self._distance(other, heard, own) <= own for other in rivals if other != word)

    def _distance(self, word: str, heard: PhoneSequence, most: float) -> float:
        """Return the lowest number of phones that differ; infinite above ``most``."""
        return min(
            confusions.distance(meant, heard, operator.ne, most)
            if abs(len(meant) - len(heard)) <= most
            else math.inf
            for meant in self._words[word]
        )


def _without_some(phones: PhoneSequence, times: int) -> set[PhoneSequence]:
    """Return what is left if at most so many phones are removed."""
    every = fewer = {phones}
    for _ in range(times):
        fewer = {
            sequence[:at] + sequence[at + 1 :] for sequence in fewer for at in range(len(sequence))
        }
        every = every | fewer
    return every


def _of_words(
    alignments: Sequence[WordAlignment], known: Mapping[str, Pronunciations], every: WordIndex
) -> dict[str, Pronunciations]:
    ways: dict[str, Counter[PhoneSequence]] = defaultdict(Counter)
    for part in alignments:
        ways[part.word][part.heard] += 1
    pronunciations: dict[str, Pronunciations] = {}
    for word, heard_as in sorted(ways.items()):
        own = {
            heard: cost
            for heard, count in sorted(heard_as.items())
            if count >= AT_LEAST
            and heard not in known[word]
            and (cost := -math.log(count / heard_as.total())) <= _MAX_COST
            and not every.is_another(word, heard)
        }
        if own:
            pronunciations[word] = own
    return pronunciations


def _of_sounds(
    alignments: Sequence[WordAlignment], known: Mapping[str, Pronunciations], every: WordIndex
) -> dict[str, Pronunciations]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for part in alignments:
        for meant, heard in part.pairs if part.heard else ():  # else it was not said
            if meant:
                counts[meant][heard] += 1
    rules: dict[str, tuple[str, float]] = {}
    for phone, heard_as in counts.items():
        other, count = heard_as.most_common(1)[0]
        if other == phone and len(heard_as) > 1:
            other, count = heard_as.most_common(2)[1]
        share = count / heard_as.total()
        if other != phone and heard_as.total() >= RULE_AT_LEAST and share >= RULE_SHARE:
            rules[phone] = (other, -math.log(share))
    pronunciations: dict[str, Pronunciations] = {}
    for word, variants in sorted(known.items()):
        own: dict[PhoneSequence, float] = {}
        for spoken, cost in variants.items():
            used = {phone for phone in spoken if phone in rules}
            said_as = (rules[phone][0] if phone in used else phone for phone in spoken)
            phones = tuple(phone for phone in said_as if phone)
            more = cost + sum(rules[phone][1] for phone in used)
            if not used or more > _MAX_COST or phones in known[word]:
                continue
            if phones in own or not every.is_another(word, phones):
                own[phones] = min(more, own.get(phones, more))
        if own:
            pronunciations[word] = own
    return pronunciations
