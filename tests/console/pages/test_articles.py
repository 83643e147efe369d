"""The articles on the pages: first in the reader's language, then in the edition's own words."""

from __future__ import annotations

import pytest

from blindplay.console.messages import LANGUAGES
from blindplay.console.pages.articles import cited, in_short
from blindplay.laws import editions


def citable() -> set[str]:
    """Every article that a ruling of any edition can cite."""
    tables = (editions.load(name).articles for name in editions.names())
    return {one for table in tables for citations in table.values() for one in citations}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_article_that_a_ruling_can_cite_has_its_sentence(language: str) -> None:
    assert in_short(language).keys() == citable()
    for citation, says in in_short(language).items():
        assert says.endswith(".") and says == says.strip() and len(says) < 200, citation


def test_no_sentence_stands_untranslated() -> None:
    english = set(in_short("en").values())
    for language in set(LANGUAGES) - {"en"}:
        assert english.isdisjoint(in_short(language).values()), language


def test_an_article_has_its_sentence_and_the_words_of_its_edition() -> None:
    (article,) = cited(["fide-2023 7.5.3"], "de")
    assert (article.edition, article.number) == ("fide-2023", "7.5.3")
    assert article.says == "Die Uhr ohne Zug zu drücken, gilt als regelwidriger Zug."
    assert article.language == "nb" and article.lines
    assert cited(["fide-2023 99.9"], "de") == ()
