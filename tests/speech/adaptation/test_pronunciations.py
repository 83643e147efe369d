"""Pronunciations learned from recordings of known words."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from blindplay.speech.adaptation import Pronunciations
from blindplay.speech.adaptation.pronunciations import (
    WordAlignment,
    WordIndex,
    aligned,
    player_pronunciations,
)
from blindplay.speech.confusions import distance

KNOWN: dict[str, Pronunciations] = {
    "dame": {tuple("damə"): 0.0},
    "turm": {tuple("turm"): 0.0, tuple("tuəm"): 0.5},
    "zwei": {("ts", "v", "ai"): 0.0},
    "drei": {("d", "r", "ai"): 0.0},
}


def test_what_was_heard_is_divided_among_the_words() -> None:
    parts = aligned(["dame", "zwei"], ["d", "a", "m", "ə", "ts", "v", "ai"], KNOWN)
    assert [(one.word, one.heard) for one in parts] == [
        ("dame", tuple("damə")),
        ("zwei", ("ts", "v", "ai")),
    ]


def test_a_word_is_aligned_with_its_nearest_pronunciation() -> None:
    (part,) = aligned(["turm"], list("tuəm"), KNOWN)
    assert part.meant == tuple("tuəm")
    (part,) = aligned(["turm"], list("turn"), KNOWN)
    assert part.meant == tuple("turm")
    assert part.pairs == (("t", "t"), ("u", "u"), ("r", "r"), ("m", "n"))


words = st.lists(st.sampled_from(sorted(KNOWN)), min_size=1, max_size=4)


sounds = st.lists(
    st.sampled_from(["d", "a", "m", "ə", "t", "u", "r", "ts", "v", "ai"]), max_size=14
)


@given(words, sounds)
def test_the_alignment_keeps_the_order_of_the_words_and_of_the_phones(
    said: list[str], heard: list[str]
) -> None:
    parts = aligned(said, heard, KNOWN)
    assert [one.word for one in parts] == said
    assert all(one.meant in KNOWN[one.word] for one in parts)
    together = [phone for one in parts for phone in one.heard]
    # Phones may be left over before and after the whole, nowhere else.
    text, part = " ".join(["", *heard, ""]), " ".join(["", *together, ""])
    assert part.strip() == "" or part in text


@given(words)
def test_known_pronunciations_add_nothing(said: list[str]) -> None:
    heard = [phone for word in said for phone in next(iter(KNOWN[word]))]
    found = player_pronunciations(aligned(said, heard, KNOWN) * 3, KNOWN, {})
    assert found.all == {}


def spoken(word: str, heard: tuple[str, ...], times: int) -> list[WordAlignment]:
    return [part for _ in range(times) for part in aligned([word], heard, KNOWN)]


def test_a_word_said_twice_in_the_same_other_way_gets_that_pronunciation() -> None:
    said = spoken("dame", ("d", "o", "m", "ə"), 2) + spoken("dame", tuple("damə"), 2)
    assert player_pronunciations(said, KNOWN, {}).words == {
        "dame": {("d", "o", "m", "ə"): math.log(2)}
    }
    assert player_pronunciations(said[1:], KNOWN, {}).words == {}


def test_a_pronunciation_as_near_to_another_word_is_never_learned() -> None:
    # "zwei" said as "drei": learned, it would make two moves one.
    assert player_pronunciations(spoken("zwei", ("d", "r", "ai"), 5), KNOWN, {}).all == {}
    assert (
        player_pronunciations(spoken("zwei", ("ts", "r", "ai"), 5), KNOWN, {}).all.get("drei")
        is None
    )
    assert player_pronunciations(spoken("zwei", (), 5), KNOWN, {}).all == {}


def test_a_word_of_other_speech_is_never_learned_as_one_of_ours() -> None:
    said = spoken("drei", ("f", "r", "ai"), 4)
    assert player_pronunciations(said, KNOWN, {}).words == {"drei": {("f", "r", "ai"): 0.0}}
    assert "drei" not in player_pronunciations(said, KNOWN, {"frei": {("f", "r", "ai"): 2.0}}).all


def test_a_sound_said_differently_everywhere_changes_all_words_with_it() -> None:
    said = spoken("turm", ("t", "u", "l", "m"), 4)
    found = player_pronunciations(said, KNOWN, {})
    assert found.sounds["drei"] == {("d", "l", "ai"): 0.0}
    assert player_pronunciations(said[:3], KNOWN, {}).sounds == {}


phones = st.lists(st.sampled_from(["a", "m", "t", "ai"]), min_size=1, max_size=6).map(tuple)


lexica = st.dictionaries(
    st.sampled_from("vwxyz"), st.dictionaries(phones, st.just(0.0), min_size=1), min_size=1
)


@given(lexica, phones)
def test_the_nearest_word_is_found_as_if_each_were_compared(
    known: dict[str, Pronunciations], heard: tuple[str, ...]
) -> None:
    def far(word: str) -> float:
        return min(distance(meant, heard, lambda one, other: one != other) for meant in known[word])

    near = WordIndex(known)
    for word, spoken in known.items():
        too_far = far(word) > 0.67 * min(map(len, spoken))
        nearer = all(far(other) > far(word) for other in known if other != word)
        assert near.is_another(word, heard) == (too_far or not nearer)
