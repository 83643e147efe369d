"""The forward pass, held against every path that there is."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blindplay.speech.ctc.alphabet import GAP, Alphabet
from blindplay.speech.ctc.graph import PhraseGraph
from blindplay.speech.ctc.scoring import LETTER, Array, Evidence

LETTERS = Alphabet(("", GAP, "a", "b"), 0)
PIECES = Alphabet((f"{GAP}a", "a", "b", "ab", GAP, ""), 5)
DOUBLE = Alphabet(("", "a", "A".lower(), "b"), 0)  # two outputs for one letter, and no gap


def said(outputs: Iterable[int], blank: int) -> tuple[int, ...]:
    """What the outputs of all frames say, by the rule of CTC: repetitions are one, blanks are
    nothing (Graves et al., 2006)."""
    return tuple(one for one, _ in itertools.groupby(outputs) if one != blank)


def by_hand(logits: Array, alphabet: Alphabet, phrase: str) -> dict[str, float]:
    """The probabilities of the phrase alone, with other talk around it, of silence and of any talk:
    sums over every path."""
    texts, words = alphabet.texts, tuple(phrase.split())
    chances = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
    every = itertools.product(range(len(texts)), repeat=len(logits))
    of_outputs: Counter[tuple[int, ...]] = Counter()
    for path in every:
        of_outputs[said(path, alphabet.blank)] += math.prod(  # type: ignore[assignment]
            float(chances[frame, output]) for frame, output in enumerate(path)
        )

    def price(part: tuple[int, ...]) -> float:
        return math.exp(-LETTER * sum(len(texts[one].replace(GAP, "")) for one in part))

    sums = dict.fromkeys(("phrase", "after", "before", "around", "silence", "talk"), 0.0)
    for outputs, chance in of_outputs.items():
        if not all(texts[one] for one in outputs):
            continue
        sums["talk"] += chance * price(outputs)
        sums["silence"] += chance * (not outputs)
        for first in range(len(outputs) + 1):
            for last in range(first, len(outputs) + 1):
                if reads([texts[one] for one in outputs[first:last]], words):
                    which = 2 * (first > 0) + (last < len(outputs))
                    around = price(outputs[:first]) * price(outputs[last:])
                    sums[("phrase", "after", "before", "around")[which]] += chance * around
    return sums


def reads(texts: list[str], words: tuple[str, ...]) -> bool:
    """Whether the pieces spell the words, with or without one gap between them, before and after.
    No piece goes from one word into the next."""
    cuts = set(itertools.accumulate(map(len, texts), initial=0))
    for gaps in itertools.product(("", GAP), repeat=len(words) + 1):
        parts = [gap + word for gap, word in zip(gaps, words, strict=False)]
        ends = set(itertools.accumulate(map(len, parts)))
        if "".join(texts) == "".join(parts) + gaps[-1] and ends <= cuts:
            return True
    return False


def scored(
    logits: Array, alphabet: Alphabet, *phrases: str
) -> tuple[Array, npt.NDArray[np.intp], Evidence]:
    spelled = {one: [alphabet.spellings(word) for word in one.split()] for one in phrases}
    evidence = Evidence.of(logits, alphabet)
    scores, edges = evidence.scores(PhraseGraph.of(alphabet, spelled))
    return scores, edges, evidence


@settings(max_examples=25)
@given(
    st.sampled_from([LETTERS, PIECES, DOUBLE]),
    st.sampled_from(["a", "b", "aa", "ab", "a b", "ab a", "b ba", "aab"]),
    st.integers(1, 4),
    st.integers(0, 10_000),
    st.sampled_from([0.3, 2.0, 6.0]),
)
def test_the_score_is_the_sum_over_every_path(
    alphabet: Alphabet, phrase: str, frames: int, seed: int, sharpness: float
) -> None:
    logits = np.random.default_rng(seed).normal(0, sharpness, (frames, len(alphabet.texts)))
    # Other phrases share beginnings with this one, and must not change it.
    scores, edges, evidence = scored(logits, alphabet, "a", "ab ab", "aab b", phrase)
    which = ("a", "ab ab", "aab b", phrase).index(phrase) if phrase != "a" else 0
    wanted = by_hand(logits, alphabet, phrase)
    four = [wanted["phrase"], wanted["after"], wanted["before"], wanted["around"]]
    best = max(four)
    if best == 0.0:
        assert scores[which] == -math.inf
        return
    assert scores[which] == pytest.approx(math.log(best / wanted["talk"]), abs=1e-6)
    if sorted(four)[-2] < best * 0.999:
        assert edges[which] == (0, 1, 1, 2)[four.index(best)]
    if wanted["silence"]:
        assert evidence.silence == pytest.approx(
            math.log(wanted["silence"] / wanted["talk"]), abs=1e-6
        )


def test_without_talk_around_it_each_way_of_spelling_counts_once() -> None:
    # Three frames that may be anything: every path is as likely, so the score counts paths.
    logits = np.zeros((3, len(PIECES.texts)))
    scores, edges, evidence = scored(logits, PIECES, "ab")
    wanted = by_hand(logits, PIECES, "ab")
    paths = itertools.product(range(6), repeat=3)
    spelling = sum(reads([PIECES.texts[one] for one in said(path, 5)], ("ab",)) for path in paths)
    assert wanted["phrase"] == pytest.approx(spelling / 6**3)
    assert scores[0] == pytest.approx(math.log(wanted["phrase"] / wanted["talk"]))
    assert edges[0] == 0
    assert evidence.silence < scores[0]


def test_a_long_utterance_neither_underflows_nor_overflows() -> None:
    # 40 seconds of frames that say "ab" every time, very surely.
    logits = np.full((2000, 4), -200.0)
    logits[:, 0] = 0.0
    logits[10::20, 2], logits[15::20, 3] = 200.0, 200.0
    scores, edges, _ = scored(logits, LETTERS, " ".join(["ab"] * 100), "ab")
    assert scores[0] == pytest.approx(200 * LETTER, abs=1e-6)
    # It may be any of the 98 that have others before and after them.
    assert scores[1] == pytest.approx(2 * LETTER + math.log(98), abs=1e-6)
    assert (edges[0], edges[1]) == (0, 2)


def test_outputs_without_a_text_are_no_talk() -> None:
    logits = np.array([[0.0, -50.0, -50.0, -50.0]] * 2)
    only_blank = Alphabet(("", "", "a", GAP), 0)
    _, _, evidence = scored(logits, only_blank, "a")
    assert evidence.silence == pytest.approx(0.0)
    logits[:, 1] = 100.0
    scores, _, evidence = scored(logits + np.array([-9e9, 0, -9e9, -9e9]), only_blank, "a")
    assert scores[0] == -math.inf
    assert evidence.silence == 0.0
