"""The graph of phrases: its states and arcs."""

from __future__ import annotations

from blindplay.speech.ctc.alphabet import GAP, Alphabet
from blindplay.speech.ctc.graph import PhraseGraph

LETTERS = Alphabet(("", "a", "b"), 0)
PIECES = Alphabet(("", GAP, "a", "b", "ab", f"{GAP}a"), 0)


def graph(alphabet: Alphabet, *phrases: str) -> PhraseGraph:
    spelled = {one: [alphabet.spellings(word) for word in one.split()] for one in phrases}
    return PhraseGraph.of(alphabet, spelled)


def sources(made: PhraseGraph, state: int) -> list[int]:
    after = made.starts[state + 1] if state + 1 < len(made.starts) else len(made.sources)
    return [int(one) for one in made.sources[made.starts[state] : after]]


def test_a_phrase_is_blank_letter_blank_letter_blank() -> None:
    made = graph(LETTERS, "ab")
    assert made.labels.tolist() == [0, 1, 0, 2, 0]
    assert [sources(made, state) for state in range(5)] == [[0], [1, 0], [2, 1], [3, 2, 1], [4, 3]]
    assert made.first.tolist() == [1]
    assert sorted(made.ends.tolist()) == [3, 4]


def test_a_letter_said_twice_needs_a_blank_between() -> None:
    made = graph(LETTERS, "aa")
    assert made.labels.tolist() == [0, 1, 0, 1, 0]
    assert sources(made, 3) == [3, 2]


def test_phrases_share_their_beginnings() -> None:
    alone, both = graph(LETTERS, "ab"), graph(LETTERS, "ab", "ab a")
    assert len(both.labels) == len(alone.labels) + 2
    assert both.end_starts.tolist() == [0, 2]


def test_every_division_into_pieces_has_its_states() -> None:
    made = graph(PIECES, "ab")
    said = [PIECES.texts[label] for label in made.labels if label]
    # A gap before and after, the word in one piece, and in two of which the first may have a gap.
    assert sorted(said) == sorted([GAP, GAP, "ab", "a", f"{GAP}a", "b"])
    assert [PIECES.texts[made.labels[one]] for one in made.first] == [GAP, f"{GAP}a", "a", "ab"]


def test_a_word_with_two_spellings_ends_in_one_place() -> None:
    spelled = {"x y": [("a", "b"), ("a",)]}
    made = PhraseGraph.of(LETTERS, spelled)
    assert made.labels.tolist().count(1) == 2 and made.labels.tolist().count(2) == 1
    last = max(state for state, label in enumerate(made.labels) if label == 1)
    # The a of the second word may follow the b at once, and the a of the first after a blank.
    assert {int(made.labels[one]) for one in sources(made, last)} == {0, 1, 2}
    assert sources(made, last).count(last) == 1


def test_no_phrases_are_a_graph_of_silence() -> None:
    made = graph(LETTERS)
    assert made.phrases == () and made.labels.tolist() == [0]
