"""The texts of the pages, in every language."""

from __future__ import annotations

import re
import string

from hypothesis import given
from hypothesis import strategies as st

from blindplay.console.messages import LANGUAGES, catalogue, negotiate
from blindplay.language import load


def test_every_language_says_everything_with_the_same_fields() -> None:
    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    english = catalogue("en")
    for language in LANGUAGES:
        found = catalogue(language)
        assert found.keys() == english.keys(), language
        assert all(found.values()), language
        for key, text in english.items():
            # What is wrong with a fact is told in English; other pages tell only that it is.
            told = fields(text) if key != "no_fact" or language == "en" else set()
            assert fields(found[key]) == told, (language, key)


def test_german_readers_are_addressed_with_sie_everywhere() -> None:
    familiar = re.compile(r"\b(du|dich|dir|dein\w*)\b", re.IGNORECASE)
    pack = load("de")
    texts = [*catalogue("de").values(), *pack._pack.table("sentences").values()]
    assert [text for text in texts if familiar.search(text)] == []


@given(st.text())
def test_whatever_a_browser_accepts_it_gets_a_language(accepts: str) -> None:
    assert negotiate(accepts) in LANGUAGES
