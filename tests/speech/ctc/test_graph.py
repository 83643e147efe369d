"""The graph of phrases: its states and arcs."""

from __future__ import annotations

from blindplay.speech.ctc.alphabet import GAP, Alphabet
from blindplay.speech.ctc.graph import PhraseGraph

LETTERS = Alphabet(("", "a", "b"), 0)
PIECES = Alphabet(("", GAP, "a", "b", "ab", f"{GAP}a"), 0)


def graph(alphabet: Alphabet, *phrases: str) -> PhraseGraph:
    spelled = {one: [alphabet.spellings(word) for word in one.split()] for one in phrases}
    return PhraseGraph.of(alphabet, spelled)


def entered(made: PhraseGraph) -> list[tuple[str, str]]:
    """Return the outputs of each state and of the states from which it is entered, "0" for blank,
    "-" for the beginning, in the order of their sources."""

    def name(state: int) -> str:
        return "-" if state == made.root else str(made.labels[state])

    found = []
    for state in range(len(made.labels)):
        before = [int(one[state]) for one in made.sources if state < len(one)]
        found.append((name(state), "".join(sorted(map(name, before)))))
    return sorted(found)


def test_a_phrase_is_blank_letter_blank_letter_blank() -> None:
    made = graph(LETTERS, "ab")
    assert entered(made) == [("-", ""), ("0", "1"), ("0", "2"), ("1", "-"), ("2", "01")]
    assert made.labels[made.first].tolist() == [1]
    assert sorted(made.labels[made.ends]) == [0, 2]


def test_a_letter_said_twice_needs_a_blank_between() -> None:
    assert entered(graph(LETTERS, "aa")) == [
        ("-", ""),
        ("0", "1"),
        ("0", "1"),
        ("1", "-"),
        ("1", "0"),
    ]


def test_phrases_share_their_beginnings() -> None:
    alone, both = graph(LETTERS, "ab"), graph(LETTERS, "ab", "ab a")
    assert len(both.labels) == len(alone.labels) + 2
    assert both.end_starts.tolist() == [0, 2]


def test_every_division_into_pieces_has_its_states() -> None:
    made = graph(PIECES, "ab")
    said = [PIECES.texts[label] for label in made.labels if label]
    # A gap before and after, the word in one piece, and in two of which the first may have a gap.
    assert sorted(said) == sorted([GAP, GAP, "ab", "a", f"{GAP}a", "b"])
    first = {PIECES.texts[made.labels[one]] for one in made.first}
    assert first == {GAP, f"{GAP}a", "a", "ab"}


def test_a_word_with_two_spellings_ends_in_one_place() -> None:
    made = PhraseGraph.of(LETTERS, {"x y": [("a", "b"), ("a",)]})
    # The a of the second word follows the b, or the a of the first word after a blank.
    assert ("1", "02") in entered(made)
    assert made.labels.tolist().count(1) == 2 and made.labels.tolist().count(2) == 1


def test_no_phrases_are_a_graph_of_silence() -> None:
    made = graph(LETTERS)
    assert made.phrases == () and made.labels.tolist() == [0]
