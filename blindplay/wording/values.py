"""Values of sentences in words: names and texts of people, numbers, times."""

from datetime import timedelta
from typing import Protocol

from blindplay.language import Language

from .pairings import speakable


class Written(str):
    """A text as people have written it, such as a name. A voice speaks its digits one by one."""

    __slots__ = ()


Value = str | int | timedelta
"""A value in a sentence: words as they are spoken, or a number or time that becomes words."""


class Tell(Protocol):
    """Says a sentence of the language packs to everybody at a table."""

    def __call__(self, key: str, **values: Value) -> object: ...


def in_words(value: Value, pack: Language) -> str:
    """``value`` as a voice can speak it.

    >>> from blindplay.language import load
    >>> in_words(Written("Anna 21"), load("de")), in_words(1657, load("sv"))
    ('Anna zwei eins', 'ettusensexhundrafemtiosju')
    """
    if isinstance(value, timedelta):
        return pack.duration(round(value.total_seconds() * 1000))
    if isinstance(value, int):
        return pack.number(value)
    return speakable(value, pack) if isinstance(value, Written) else value
