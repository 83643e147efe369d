"""What a running table tells its listeners: a fact that was taken, and what came of it."""

from dataclasses import dataclass

from .facts import Fact
from .rulings import Ruling


@dataclass(frozen=True)
class Origin:
    """Who brought a fact. ``reports`` are the kinds of rulings that they report to the people
    concerned themselves; nobody else announces those."""

    name: str
    reports: tuple[type[Ruling], ...] = ()


TABLE = Origin("table")
"""The table itself and its devices."""


@dataclass(frozen=True)
class Taken:
    """A fact that was taken, its rulings, and who brought it."""

    fact: Fact
    rulings: tuple[Ruling, ...]
    origin: Origin = TABLE
