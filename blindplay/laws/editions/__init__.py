"""The rule texts as data: article numbers, numbers and switches, one TOML file each."""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Any

from blindplay.translation import UserError


@dataclass(frozen=True, eq=False)  # there is one of each, so it is compared and hashed as itself
class Edition:
    """One rule text. ``switches`` are the differences between the texts, by names of their own.

    A *regime* is the kind of game that the text is asked about: ``standard``, ``rapid``, ``blitz``,
    ``rapid_supervised``, ``blitz_supervised`` or ``quickplay`` (a quickplay finish).
    """

    id: str
    title: str
    articles: Mapping[str, tuple[str, ...]]
    switches: Mapping[str, Any]

    def cite(self, rule: str, regime: str = "standard") -> tuple[str, ...]:
        """The citations for a rule of this table, for example ``fide-2023 D.2.4``.

        :raises KeyError: for a rule that the table does not name; that is a fault of the program.
        """
        special = self.articles.get(f"{rule}_{regime}")
        return special if special is not None else self.articles[rule]

    def has(self, rule: str) -> bool:
        """Return whether the text has such a rule at all."""
        return rule in self.articles

    def switch(self, name: str, regime: str = "standard") -> Any:
        """A switch's value; where it depends on the regime, standard play's unless named."""
        value = self.switches[name]
        if isinstance(value, Mapping):
            return value.get(regime, value["standard"])
        return value


@dataclass(frozen=True)
class Article:
    """The words of one article: its citation, its lines, and the language that they are in.

    Where an article is an item of a list, the words that open the list stand before it; where it
    only opens one, the items follow.
    """

    citation: str
    lines: tuple[str, ...]
    language: str


@functools.cache
def article(citation: str) -> Article | None:
    """Return the words of an article, for example ``fide-2023 D.2.4``, in the language of that
    edition's text; None for an article that no ruling rests on."""
    edition, _rest, number = citation.partition(" ")
    if edition not in names():
        return None
    data = _texts(edition)
    words = data["articles"].get(number)
    return words and Article(citation, tuple(words.splitlines()), data["language"])


@functools.cache
def _texts(edition: str) -> Mapping[str, Any]:
    text = resources.files("blindplay.laws").joinpath("texts", f"{edition}.toml").read_text("utf-8")
    return MappingProxyType(tomllib.loads(text))


@functools.cache
def names() -> tuple[str, ...]:
    """The ids of all editions, the default first."""
    found = sorted(
        item.name.removesuffix(".toml")
        for item in resources.files(__package__).iterdir()
        if item.name.endswith(".toml")
    )
    return ("fide-2023", *(name for name in found if name != "fide-2023"))


@functools.cache
def load(edition: str) -> Edition:
    """The edition with this id.

    :raises ValueError: there is none; the message names the known ones
    """
    if edition not in names():
        raise UserError(
            "Unknown edition {edition}; known are {names}.",
            edition=edition,
            names=", ".join(names()),
        )
    text = resources.files(__package__).joinpath(f"{edition}.toml").read_text("utf-8")
    data = tomllib.loads(text)
    articles = {
        rule: tuple(f"{edition} {one}" for one in ([named] if isinstance(named, str) else named))
        for rule, named in data["articles"].items()
    }
    switches = dict(data["switches"])
    if "silent_takes" in data:
        base = load(data["silent_takes"])
        articles = {**base.articles, **articles}
        switches = {**base.switches, **switches}
    return Edition(edition, data["title"], MappingProxyType(articles), MappingProxyType(switches))
