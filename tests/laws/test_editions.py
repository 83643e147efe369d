"""The words of the articles: there are some for everything that a ruling may cite."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from blindplay.laws import editions

LANGUAGES = {"fide-2023": "nb", "basics-no": "nb", "fide-1997": "de", "fide-2014": "sv"}


@pytest.mark.parametrize("edition", editions.names())
def test_every_article_that_a_ruling_may_cite_has_its_words(edition: str) -> None:
    for citations in editions.load(edition).articles.values():
        for citation in citations:
            found = editions.article(citation)
            assert found is not None, citation
            assert found.citation == citation
            assert found.language == LANGUAGES[citation.split()[0]]
            assert all(line.strip() == line != "" for line in found.lines), citation
            assert len("".join(found.lines)) > 15, citation


@pytest.mark.parametrize("edition", editions.names())
def test_nothing_is_quoted_that_no_ruling_cites(edition: str) -> None:
    text = resources.files("blindplay.laws").joinpath("texts", f"{edition}.toml").read_text("utf-8")
    data = tomllib.loads(text)
    assert data["source"]
    cited = {one for cites in editions.load(edition).articles.values() for one in cites}
    assert {f"{edition} {number}" for number in data["articles"]} <= cited


@pytest.mark.parametrize(
    ("citation", "words"),
    [
        ("fide-2023 D.2.4", "Først da skal motstanderens klokke settes i gang."),
        ("fide-2023 D.2.8", "Feil i opplesingen av trekk må korrigeres umiddelbart"),
        ("fide-2014 D.2.2", "en pjäs anses vara rörd när den har tagits ur hålet"),
        ("fide-2014 D.1 pieces a", "en tapp som passar i hålen"),
        ("fide-1997 F.6", "Ein Versprechen bei der Ansage der Züge muß sofort berichtigt werden"),
        ("fide-1997 F d", "einen Stift, der in die Sicherungsöffnungen paßt"),
        ("basics-no Èn hånd", "Spillerne skal kun bruke èn hånd"),
    ],
)
def test_the_words_are_those_of_that_article(citation: str, words: str) -> None:
    found = editions.article(citation)
    assert found is not None
    assert words in found.lines[-1]


def test_an_item_of_a_list_comes_with_the_words_that_open_the_list() -> None:
    found = editions.article("fide-2023 4.3.1")
    assert found is not None
    assert found.lines[0].startswith("Med unntak for tilfeller beskrevet i § 4.2.1")
    assert found.lines[1].startswith("4.3.1 en eller flere av sine brikker")


def test_an_article_that_only_opens_a_list_comes_with_its_items() -> None:
    found = editions.article("fide-2023 D.2.3")
    assert found is not None
    assert [line.split()[0] for line in found.lines[1:]] == ["D.2.3.1", "D.2.3.2", "D.2.3.3"]


@pytest.mark.parametrize("citation", ["fide-2023 D.9.9", "fide-2023", "nothing", "", "x/../y 1"])
def test_what_is_no_article_has_no_words(citation: str) -> None:
    assert editions.article(citation) is None
