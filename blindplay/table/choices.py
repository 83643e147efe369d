"""What a user chooses about a table. The command line offers these choices, so keep imports few."""

from enum import StrEnum


class OpeningWord(StrEnum):
    """Which spoken commands need the opening word before them. Typed commands never need it."""

    REQUIRED = "required"
    SINGLE = "single"
    """Commands of one word, because other talk is most easily mistaken for them."""
    OPTIONAL = "optional"


class Printed(StrEnum):
    """What a session prints."""

    UNSPOKEN = "unspoken"
    """What is wrong, and what no voice could speak."""
    WORDS = "words"
    """What is said, and what is wrong."""
    ALL = "all"
    """Every ruling with its articles, what was heard and felt, and what is said."""


class PressAnswer(StrEnum):
    """How a press of the clock is answered."""

    WORDS = "words"
    SOUND = "sound"


class Keep(StrEnum):
    """What is kept on tape."""

    OFF = "off"
    TABLE = "table"
    """What the table says to everybody."""
    VOICES = "voices"
    """What the table says to everybody, and the players' announcements."""


class BrailleBy(StrEnum):
    """What shows the player's sentences in Braille."""

    OFF = "off"
    BRLTTY = "brltty"
    READER = "reader"
    """The player's own screen reader."""


class PrivateVoice(StrEnum):
    """Who speaks what one player may hear."""

    OWN = "own"
    READER = "reader"
    """The player's own screen reader."""
