"""The rule texts as data: article numbers, numbers and switches, one TOML file each."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Edition:
    """One rule text. ``switches`` are the differences between the texts, by names of their own."""

    id: str
    title: str
    articles: Mapping[str, str]
    switches: Mapping[str, Any]

    def article(self, rule: str) -> str:
        """The citation for a rule of this table, for example ``fide-2023 D.2.4``.

        :raises KeyError: for a rule that the table does not name; that is a fault of the program.
        """
        return self.articles[rule]


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
    """The edition with this id; :exc:`ValueError` names the known ones if there is none."""
    if edition not in names():
        raise ValueError(f"Unknown edition {edition}; known are {', '.join(names())}.")
    text = resources.files(__package__).joinpath(f"{edition}.toml").read_text("utf-8")
    data = tomllib.loads(text)
    articles = {rule: f"{edition} {article}" for rule, article in data["articles"].items()}
    switches = dict(data["switches"])
    if "silent_takes" in data:
        base = load(data["silent_takes"])
        articles = {**base.articles, **articles}
        switches = {**base.switches, **switches}
    return Edition(edition, data["title"], MappingProxyType(articles), MappingProxyType(switches))
