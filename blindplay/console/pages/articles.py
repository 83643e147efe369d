"""The articles that rulings cite, for readers who do not know the language of the edition."""

import functools
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType

from blindplay.laws import editions


@dataclass(frozen=True)
class CitedArticle:
    """An article: its ``edition`` and ``number``, its subject in one sentence of the page's
    language, and its own ``lines`` in the edition's ``language``."""

    edition: str
    number: str
    says: str
    lines: tuple[str, ...]
    language: str

    @property
    def citation(self) -> str:
        return f"{self.edition} {self.number}"


def cited(citations: Iterable[str], language: str) -> tuple[CitedArticle, ...]:
    """These articles, for a page in ``language``."""
    found = []
    for citation in citations:
        text = editions.article(citation)
        if text is not None:
            edition, _, number = citation.partition(" ")
            says = in_short(language)[citation]
            found.append(CitedArticle(edition, number, says, text.lines, text.language))
    return tuple(found)


@functools.cache
def in_short(language: str) -> Mapping[str, str]:
    """Return a sentence about the subject of each article that a ruling can cite, by citations. One
    sentence stands for the same article of several editions."""
    file = resources.files("blindplay.console").joinpath("articles", f"{language}.toml")
    sentences = tomllib.loads(file.read_text("utf-8"))
    by_citation = {one: says for cited, says in sentences.items() for one in cited.split(", ")}
    return MappingProxyType(by_citation)
