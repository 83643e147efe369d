"""What comes of a step of the conversation, as values; the table brings it about in order."""

from dataclasses import dataclass
from typing import TypeAlias

from blindplay.language import Command, Language
from blindplay.laws import Fact, Ruling
from blindplay.speech.recogniser import Recognition

FLEETING = frozenset(("cancelled", "not_understood", "repeat_please", "question_lapsed"))
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
class TellStep:
    """Speak the step that is due from a player, to them."""

    to: str


@dataclass(frozen=True)
class Acknowledge:
    """Let a player hear a short sound: their words were heard, and their hands are waited for."""

    to: str


@dataclass(frozen=True)
class Submit:
    """Submit a fact. The conversation itself reports rulings of the kinds in ``reports``."""

    fact: Fact
    reports: tuple[type[Ruling], ...] = ()


@dataclass(frozen=True)
class TellTime:
    """Submit the question of a player for both times, and tell one of them: ``command`` is
    CLOCK_MINE or CLOCK_OPPONENT."""

    side: str
    fact: Fact
    command: Command


@dataclass(frozen=True)
class HoldPress:
    """The press of the clock does not count: something must be answered or done before."""


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


@dataclass(frozen=True)
class ReadChat:
    """Let the opponent on a server read what has been written there."""


@dataclass(frozen=True)
class AskAgain:
    """Ask a player whether they want another game, as the opponent does."""

    side: str
    command: Command


@dataclass(frozen=True)
class PlayAgain:
    """Everybody wants another game: ``command`` is NEW_GAME or REMATCH."""

    command: Command


Effect: TypeAlias = (
    Say | SayAgain | TellStep | Acknowledge | Submit | TellTime | HoldPress
    | Relisten | Learn | AdjustVoice | LeadHands | ReadChat | AskAgain | PlayAgain
)  # fmt: skip


def say(pack: Language, to: str | None, key: str, **values: str) -> Say:
    """Speak the sentence ``key`` of ``pack``."""
    return Say(to, pack.sentence(key, **values), fleeting=key in FLEETING)
