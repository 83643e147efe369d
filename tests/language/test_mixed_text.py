"""Texts in several languages: each part keeps its own, and the whole is an ordinary string."""

from __future__ import annotations

from blindplay.language.mixed_text import MixedText, fill, in_language, join, parts_of

MOVE = MixedText(("Springer Felix drei", "de"))


def test_a_sentence_keeps_the_language_of_what_is_put_into_it() -> None:
    said = fill("{player}: {move}. Right?", {"player": "White", "move": MOVE}, "en")
    assert said == "White: Springer Felix drei. Right?"
    assert parts_of(said, "") == (
        ("White: ", "en"),
        ("Springer Felix drei", "de"),
        (". Right?", "en"),
    )


def test_a_sentence_of_one_language_is_an_ordinary_string() -> None:
    said = fill("{player} to move.", {"player": "White"}, "en")
    assert type(said) is str
    assert parts_of(said, "en") == (("White to move.", "en"),)


def test_what_is_no_word_belongs_to_the_part_beside_it() -> None:
    """A voice cannot speak a question mark alone."""
    assert MixedText(("(", "en"), ("Felix", "de"), (")?", "en")).parts == (("(Felix)?", "de"),)
    assert MixedText(("", "en"), ("Felix", "de")).parts == (("Felix", "de"),)


def test_joined_texts_keep_their_languages() -> None:
    said = join(" or ", ["the clock", MOVE], "en")
    assert parts_of(said, "") == (("the clock or ", "en"), ("Springer Felix drei", "de"))
    assert type(join(", ", ["one", "two"], "en")) is str


def test_a_text_without_its_outer_spaces_keeps_its_languages() -> None:
    said = MixedText(("  The move: ", "en"), ("Felix  ", "de")).strip()
    assert said.parts == (("The move: ", "en"), ("Felix", "de"))
    assert MixedText().strip() == ""


def test_a_language_is_given_to_what_has_none() -> None:
    assert in_language("Felix", "de").parts == (("Felix", "de"),)
    assert in_language(MOVE, "en").parts == MOVE.parts
