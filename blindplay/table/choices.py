"""Choices of a user about a table. The command line offers these choices, so keep imports few."""

from enum import StrEnum


class Printed(StrEnum):
    """The amount that a session prints."""

    UNSPOKEN = "unspoken"
    """Everything that is wrong, and everything that no voice could speak."""
    WORDS = "words"
    """Everything that is said, and everything that is wrong."""
    ALL = "all"
    """Every ruling with its articles, what was heard and felt, and what is said."""


class PressAnswer(StrEnum):
    """The answer to a press of the clock."""

    WORDS = "words"
    SOUND = "sound"


class Keep(StrEnum):
    """The speech that is kept on tape."""

    OFF = "off"
    TABLE = "table"
    """The table's sentences to everybody."""
    VOICES = "voices"
    """The table's sentences to everybody, and the players' announcements."""


class BrailleBy(StrEnum):
    """The program that shows the player's sentences in Braille."""

    OFF = "off"
    BRLTTY = "brltty"
    READER = "reader"
    """The player's own screen reader."""


class PrivateVoice(StrEnum):
    """The voice that speaks the sentences for one player only."""

    OWN = "own"
    READER = "reader"
    """The player's own screen reader."""
