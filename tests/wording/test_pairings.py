"""Pairings and standings in words that a voice can speak."""

from __future__ import annotations

import pytest

from blindplay.language import languages, load
from blindplay.speech.synthesis import is_words
from blindplay.wording.pairings import (
    Pairing,
    number_in_words,
    pairing_in_words,
    standing_in_words,
)

GAME = Pairing("3", "table-14", "Anna B. Berg 2", "Bert Dahl")


@pytest.mark.parametrize("code", languages())
@pytest.mark.parametrize("game", [GAME, Pairing("", "blue", "柳", "Bert Dahl")])
def test_a_pairing_can_be_spoken_in_each_language(code: str, game: Pairing) -> None:
    words = pairing_in_words(game, load(code))
    assert is_words(words) and "Bert Dahl" in words and ", ," not in words


def test_the_sentence_is_that_of_the_board() -> None:
    english, german = load("en"), load("de")
    game = Pairing("3", "4", "Anna Berg", "Bert Dahl")
    words = "Round three, table four: Anna Berg has White against Bert Dahl."
    assert pairing_in_words(game, english) == words
    words = "Runde drei, Tisch vier: Anna Berg hat Weiß gegen Bert Dahl."
    assert pairing_in_words(game, german) == words


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("1000", "one thousand"),
        ("1234", "one thousand two hundred and thirty-four"),
        ("B-12a", "twelve"),
        ("12345", "one two three four five"),
    ],
)
def test_a_table_is_named_by_its_whole_number(table: str, said: str) -> None:
    assert number_in_words(table, load("en")) == said


@pytest.mark.parametrize("code", languages())
@pytest.mark.parametrize("points", ["", "0.0", "0.5", "11.5", "3.25", "7"])
def test_standings_can_be_spoken_in_each_language(code: str, points: str) -> None:
    assert is_words(standing_in_words(21, "Anna Berg", points, load(code)))


@pytest.mark.parametrize(("points", "said"), [("2.5", "two and one half"), ("0.5", "one half"),
                                              ("3.0", "three"), ("0.0", "zero")])  # fmt: skip
def test_points_are_said_in_halves(points: str, said: str) -> None:
    assert standing_in_words(1, "Anna", points, load("en")).endswith(f"Points: {said}.")
