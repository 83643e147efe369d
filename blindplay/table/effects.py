"""The effects that the dialogue wants. The session brings them about, in order."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from blindplay.language import Command, Language
from blindplay.laws import Fact, Ruling
from blindplay.laws.rulings import Answer
from blindplay.speech.recogniser import Recognition

FLEETING = frozenset(("cancelled", "not_understood", "repeat_please"))
"""Sentences that nobody wants to hear again."""


@dataclass(frozen=True)
class Say:
    """Speak ``words`` to a player, or to everybody (None). "Repeat" skips what is ``fleeting``."""

    to: str | None
    words: str
    fleeting: bool = False


@dataclass(frozen=True)
class SayAgain:
    """Speak the last sentence once more, to a player."""

    to: str


@dataclass(frozen=True)
class Submit:
    """Submit a fact. The dialogue itself reports rulings of the kinds in ``reports``."""

    fact: Fact
    reports: tuple[type[Ruling], ...] = ()


@dataclass(frozen=True)
class Ask:
    """Submit a question of a player and speak ``words`` of its answer to them."""

    side: str
    fact: Fact
    words: Callable[[Answer], str]


@dataclass(frozen=True)
class Relisten:
    """Listen anew: what players may say has changed without a ruling."""


@dataclass(frozen=True)
class Learn:
    """It turned out what a player said: ``phrase`` is what was meant by this sound."""

    side: str
    recognition: Recognition
    phrase: str


@dataclass(frozen=True)
class AdjustVoice:
    """Speak louder, softer, slower or faster from now on, and say so to a player."""

    side: str
    command: Command


@dataclass(frozen=True)
class LeadHands:
    """Say how a player's board is brought to the position of the game."""

    side: str


Effect: TypeAlias = LeadHands | Say | SayAgain | Submit | Ask | Relisten | Learn | AdjustVoice


def say(pack: Language, to: str | None, key: str, **values: str) -> Say:
    """Speak the sentence ``key`` of ``pack``."""
    return Say(to, pack.sentence(key, **values), fleeting=key in FLEETING)
