"""Which words are proposed for an utterance that nothing expected explains."""

from __future__ import annotations

import numpy as np

from blindplay.speech.ctc.alphabet import Alphabet
from blindplay.speech.ctc.graph import PhraseGraph
from blindplay.speech.ctc.scoring import Evidence
from blindplay.speech.ctc.search import likely_sequences
from tests.speech.ctc.networks import LETTERS, OUTPUTS, spelled

ALPHABET = Alphabet(("", *LETTERS[1:]), 0)
WORDS = ["turm", "dame", "eva", "eins", "zwei", "drei", "ein", "s"]


def proposed(logits: object, most: int = 5) -> list[str]:
    graph = PhraseGraph.of(ALPHABET, {word: [ALPHABET.spellings(word)] for word in WORDS})
    found = likely_sequences(Evidence.of(np.asarray(logits), ALPHABET), graph, most)
    return [" ".join(words) for words in found]


def test_words_in_any_order_are_found_with_and_without_gaps() -> None:
    assert proposed(spelled("dame eva zwei turm"))[0] == "dame eva zwei turm"
    assert proposed(spelled("dameevazweiturm"))[0] == "dame eva zwei turm"
    assert (
        proposed(np.concatenate([np.eye(1, OUTPUTS).repeat(50, 0) * 20, spelled("eva")]))[0]
        == "eva"
    )


def test_words_that_sound_the_same_are_all_proposed() -> None:
    assert set(proposed(spelled("eins"))[:2]) == {"eins", "ein s"}


def test_a_word_said_unclearly_has_its_neighbours_as_other_proposals() -> None:
    # The w is as likely an r: "drei" has one letter wrong in it, "zwei" another.
    logits = spelled("dwei", frames=1, surely=6.0)
    found = proposed(logits)
    assert {"zwei", "drei"} <= set(found)


def test_no_more_are_proposed_than_wanted_and_none_of_silence() -> None:
    noise = np.random.default_rng(5).normal(0, 2, (60, OUTPUTS))
    assert 0 < len(proposed(noise, 3)) <= 3
    silence = np.eye(1, OUTPUTS).repeat(30, 0) * 40
    assert all(len(one.split()) <= 1 for one in proposed(silence))
    assert likely_sequences(Evidence.of(noise, ALPHABET), PhraseGraph.of(ALPHABET, {}), 5) == []
