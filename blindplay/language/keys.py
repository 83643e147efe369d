"""The typed words for everything that reads aloud, asks or waits: one vocabulary for all."""

from collections.abc import Iterator, Mapping
from enum import Enum

from .language import Language, load
from .pack import fold
from .understanding import Command


class Key(Enum):
    """The meaning of a typed word. END, SKIP and BACK are lists of the packs' ``[typed]``."""

    END = "end"
    SKIP = "skip"
    BACK = "back"
    REPEAT = "repeat"


SPOKEN: Mapping[Key, Command] = {Key.REPEAT: Command.REPEAT, Key.SKIP: Command.RESUME}
"""The keys that can be said, too, and their commands."""


def key_of(pack: Language, line: str) -> Key | None:
    """Return what ``line`` asks for, in the words of ``pack`` or in English; None if nothing fits.

    >>> key_of(load("de"), "Beenden"), key_of(load("de"), "quit"), key_of(load("de"), "e4")
    (<Key.END: 'end'>, <Key.END: 'end'>, None)
    """
    text = fold(line)
    for one in (pack, load("en")):
        for key in Key:
            if text in map(fold, _words(one, key)):
                return key
    return None


def word_of(pack: Language, key: Key) -> str:
    """The word that a table names for ``key``."""
    return next(_words(pack, key))


def _words(pack: Language, key: Key) -> Iterator[str]:
    """The phrases to say, then the words for typing only."""
    if key in SPOKEN:
        yield from pack.command_phrases([SPOKEN[key]])
    if key is not Key.REPEAT:
        yield from pack.typed(key.value)
