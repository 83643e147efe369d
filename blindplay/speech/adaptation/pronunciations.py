"""How one player says our words, learned from a few minutes of his voice.

What he said is known. The model is asked which of its phones it hears when nothing tells it which
words there are; laid beside the pronunciations that we know, that shows what he says otherwise:
one word ("zwo" with a long o), or one sound everywhere (an r that is none). Such pronunciations
are added to the model's graph, which takes a second and no training; its acoustics stay as they
are.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..recogniser import UNKNOWN, Recogniser
from .build import Pronunciations, Vocabulary
from .graph import AdaptationReport, adapt, phones_of, pronounced

AT_LEAST = 2
"""So often a word must have been said in the same other way."""
RULE_AT_LEAST = 4
"""So often a sound must have been said before a habit is made of it."""
RULE_SHARE = 0.4
"""And so often of these it must have been the same other sound."""
REWARD = 4.5
"""What a phone is given, in nats, for what Vosk's grammar of phones takes for each of them."""
_DEAREST = 2.0  # nats; what is rarer than one in seven is chance
_LATTICE_BEAM = 2.0  # nats
_FAR = 0.67  # what differs in more than two of three phones was something else

PhoneSequence = tuple[str, ...]
_Pairs = list[tuple[str, str]]  # a phone that was to be said ("" for none), the one that was heard


@dataclass(frozen=True)
class PromptedSound:
    """What a player said when he was asked to: ``words`` in small letters, and the sound, mono
    16-bit PCM at 16 kHz."""

    words: tuple[str, ...]
    pcm: bytes


@dataclass(frozen=True)
class WordAlignment:
    """One word as it was said: the pronunciation of ours that is nearest, and what was heard."""

    word: str
    meant: PhoneSequence
    heard: PhoneSequence
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Habits:
    """Pronunciations of a player's own, in the phones of one model, with their costs in nats.

    ``words`` are those of single words, ``sounds`` those that follow from how he says a sound.
    """

    words: Mapping[str, Pronunciations]
    sounds: Mapping[str, Pronunciations]

    @property
    def all(self) -> dict[str, Pronunciations]:
        """Both, by words."""
        return {
            word: {**self.sounds.get(word, {}), **self.words.get(word, {})}
            for word in sorted({*self.words, *self.sounds})
        }


def learn(
    model: Path,
    said: Iterable[PromptedSound],
    words: Mapping[str, Pronunciations],
    others: Mapping[str, Pronunciations],
) -> Habits:
    """The pronunciations of ``words`` that these recordings show and that are not known yet, none
    of them as near to one of the ``others``.

    ``model`` is one of our own or an adapted one. Raises GraphError or ModelError when it cannot
    be read.
    """
    known = pronounced(model, words)
    heard = [part for of in parts(model, said, known) for part in of]
    return habits(heard, known, pronounced(model, others))


def write(
    model: Path, output: Path, vocabulary: Vocabulary, more: Mapping[str, Pronunciations]
) -> AdaptationReport:
    """Write into the new folder ``output`` the same model with these pronunciations besides.

    Raises GraphError as `adapt` does.
    """
    return adapt(model, output, vocabulary, more=more)


# --- hearing phones -------------------------------------------------------------------------------


def parts(
    model: Path, said: Iterable[PromptedSound], known: Mapping[str, Pronunciations]
) -> Iterator[list[WordAlignment]]:
    """The words of each recording as ``model`` hears them, laid beside ``known`` pronunciations
    in its phones; none where nothing is heard, or a word has no pronunciation."""
    names = phones_of(model)
    with tempfile.TemporaryDirectory(prefix="blindplay-phones-") as made:
        folder = Path(made) / "model"
        loop: dict[str, Pronunciations] = {
            f"p{number}": {(name,): -REWARD} for number, name in enumerate(names)
        }
        adapt(model, folder, Vocabulary({}, {}), more=loop)
        _best_alone(folder / "conf" / "model.conf")
        recogniser = Recogniser(folder, "phones")
        for one in said:
            heard = _phones(recogniser.recognise(one.pcm, ()).words, names)
            whole = heard and all(word in known for word in one.words)
            yield aligned(one.words, heard, known) if whole else []


def _best_alone(conf: Path) -> None:
    """Let Vosk keep little but the best path: among phones, of which any may follow any, all that
    are nearly as good take a minute for each utterance, and nobody asks for them."""
    lines = conf.read_text("utf-8").splitlines() if conf.is_file() else []
    others = [line for line in lines if not line.startswith("--lattice-beam=")]
    conf.unlink(missing_ok=True)  # it may be a link to the model's own
    conf.write_text("\n".join([*others, f"--lattice-beam={_LATTICE_BEAM}"]) + "\n", "utf-8")


def _phones(words: str, names: Sequence[str]) -> PhoneSequence:
    tokens = [token for token in words.split() if token != UNKNOWN]
    heard = [names[int(token[1:])] for token in tokens]
    # A long sound is often heard twice.
    return tuple(
        phone for before, phone in zip(["", *heard], heard, strict=False) if before != phone
    )


def aligned(
    words: Sequence[str], heard: Sequence[str], known: Mapping[str, Pronunciations]
) -> list[WordAlignment]:
    """Divide ``heard`` among ``words`` so that the fewest phones differ; each word is taken for
    the pronunciation that fits best. At the ends of the whole, phones may be too many."""
    # after[j]: the cost of the words so far if heard[:j] is theirs, and how it was come to.
    after: list[tuple[float, list[WordAlignment]]] = [(0.5 * j, []) for j in range(len(heard) + 1)]
    for word in words:
        now: list[tuple[float, list[WordAlignment]]] = [(math.inf, [])] * (len(heard) + 1)
        for meant, cost in known[word].items():
            for start, (before, path) in enumerate(after):
                if before == math.inf:
                    continue
                most = min(len(heard), start + 2 * len(meant) + 1)
                for end, (more, pairs) in enumerate(_laid(meant, heard[start:most]), start):
                    total = before + more + 0.1 * cost
                    if total < now[end][0]:
                        part = WordAlignment(word, meant, tuple(heard[start:end]), tuple(pairs))
                        now[end] = (total, [*path, part])
        after = now
    rest = [(cost + 0.5 * (len(heard) - end), path) for end, (cost, path) in enumerate(after)]
    return min(rest, key=lambda item: item[0])[1]


def _laid(meant: PhoneSequence, heard: Sequence[str]) -> list[tuple[float, _Pairs]]:
    """How ``meant`` is laid on each beginning of ``heard``: what differs, and the pairs."""
    row: list[tuple[float, _Pairs]] = [(0.0, [])]
    for phone in heard:
        row.append((row[-1][0] + 1, [*row[-1][1], ("", phone)]))
    for wanted in meant:
        above, row = row, [(row[0][0] + 1, [*row[0][1], (wanted, "")])]
        for column, phone in enumerate(heard, 1):
            ways = (
                (above[column - 1][0] + (wanted != phone), above[column - 1][1], (wanted, phone)),
                (above[column][0] + 1, above[column][1], (wanted, "")),
                (row[-1][0] + 1, row[-1][1], ("", phone)),
            )
            cost, pairs, last = min(ways, key=lambda way: way[0])
            row.append((cost, [*pairs, last]))
    return row


# --- habits ---------------------------------------------------------------------------------------


def habits(
    said: Sequence[WordAlignment],
    known: Mapping[str, Pronunciations],
    others: Mapping[str, Pronunciations],
) -> Habits:
    """What is regular in how these words were said. A pronunciation that is as near to another
    word is never taken, be it of the table (``known``) or one of the ``others`` by which other
    speech is known: it would make two words one."""
    every = Near({**others, **known})
    return Habits(_of_words(said, known, every), _of_sounds(said, known, every))


class Near:
    """Words by how they sound. A large model's words have thousands of pronunciations, and each
    new one is held against all: so those that differ little are found by what is left of them
    when few of their phones are taken away."""

    _FEW = 2

    def __init__(self, words: Mapping[str, Pronunciations]) -> None:
        self._words = words
        self._left: dict[PhoneSequence, set[str]] = defaultdict(set)
        for word, variants in words.items():
            for spoken in variants:
                for left in _left_of(spoken, self._FEW):
                    self._left[left].add(word)

    def is_another(self, word: str, heard: PhoneSequence) -> bool:
        """Whether ``heard`` is too far from ``word``, or no nearer to it than to another word."""
        if not heard:
            return True
        own = self._far(word, heard, math.inf)
        if own > _FAR * min(map(len, self._words[word])):
            return True
        rivals: Iterable[str] = self._words
        if own <= self._FEW:
            found = (self._left.get(left, ()) for left in _left_of(heard, int(own)))
            rivals = {other for words in found for other in words}
        return any(self._far(other, heard, own) <= own for other in rivals if other != word)

    def _far(self, word: str, heard: PhoneSequence, most: float) -> float:
        """How many phones differ at least; infinite if more than ``most``."""
        return min(_far(meant, heard, most) for meant in self._words[word])


def _left_of(phones: PhoneSequence, times: int) -> set[PhoneSequence]:
    """What is left when so many phones at most are taken away."""
    every = fewer = {phones}
    for _ in range(times):
        fewer = {one[:at] + one[at + 1 :] for one in fewer for at in range(len(one))}
        every = every | fewer
    return every


def _far(meant: PhoneSequence, heard: PhoneSequence, most: float) -> float:
    """How many phones differ; infinite if more than ``most``."""
    if abs(len(meant) - len(heard)) > most:
        return math.inf
    row = list(range(len(heard) + 1))
    for wanted in meant:
        above, row = row, [row[0] + 1]
        for column, phone in enumerate(heard, 1):
            row.append(min(above[column - 1] + (wanted != phone), above[column] + 1, row[-1] + 1))
        if min(row) > most:
            return math.inf
    return row[-1] if row[-1] <= most else math.inf


def _of_words(
    said: Sequence[WordAlignment], known: Mapping[str, Pronunciations], every: Near
) -> dict[str, Pronunciations]:
    ways: dict[str, Counter[PhoneSequence]] = defaultdict(Counter)
    for part in said:
        ways[part.word][part.heard] += 1
    found: dict[str, Pronunciations] = {}
    for word, heard_as in sorted(ways.items()):
        own = {
            heard: cost
            for heard, count in sorted(heard_as.items())
            if count >= AT_LEAST
            and heard not in known[word]
            and (cost := -math.log(count / heard_as.total())) <= _DEAREST
            and not every.is_another(word, heard)
        }
        if own:
            found[word] = own
    return found


def _of_sounds(
    said: Sequence[WordAlignment], known: Mapping[str, Pronunciations], every: Near
) -> dict[str, Pronunciations]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for part in said:
        for meant, heard in part.pairs if part.heard else ():  # else it was not said at all
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
    found: dict[str, Pronunciations] = {}
    for word, variants in sorted(known.items()):
        own: dict[PhoneSequence, float] = {}
        for spoken, cost in variants.items():
            used = {phone for phone in spoken if phone in rules}
            said_as = (rules[phone][0] if phone in used else phone for phone in spoken)
            phones = tuple(phone for phone in said_as if phone)
            more = cost + sum(rules[phone][1] for phone in used)
            if not used or more > _DEAREST or phones in known[word]:
                continue
            if phones in own or not every.is_another(word, phones):
                own[phones] = min(more, own.get(phones, more))
        if own:
            found[word] = own
    return found
