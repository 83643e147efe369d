"""How the words of a language are pronounced: ``[pronunciations]`` and ``[fillers]`` of its pack.

A phone is written as espeak-ng writes it for that language, folded to the phones listed in
``speech/adaptation/sounds.toml``. A word has one or more pronunciations, each a line of phones with
spaces between; ``+0.7`` at its end is what it costs (in nats: e to the minus 0.7 as likely as one
without). Reduced forms matter more than many variants.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from .pack import LanguageError, Pack

WordVariants = Mapping[tuple[str, ...], float]
"""The pronunciations of one word, each a tuple of phones, and their costs in nats."""

FILLER_COST = 2.0
"""How much dearer than a word of the table a filler is, in nats. At 2, of 52 German words of three
people two or three more are lost to fillers than without them, and other words are taken for ours
half as often; at 0, ten are lost."""


@dataclass(frozen=True)
class Lexicon:
    """Words in small letters with their pronunciations.

    ``words`` are those a table understands. ``fillers`` are frequent other words, and words that
    sound like ours: what a recogniser hears as one of them was not said to the table; each costs
    FILLER_COST more than its pack says, so that our words win where both fit. ``squares``
    are the names of the squares as a recogniser may hold them, {"gustav_eins": ("gustav", "eins")}.
    """

    words: Mapping[str, WordVariants]
    fillers: Mapping[str, WordVariants]
    squares: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, pack: Pack) -> Lexicon:
        """The pronunciations in a pack. LanguageError if it has none, or one cannot be read."""
        if "pronunciations" not in pack.data:
            raise LanguageError(f"There are no pronunciations in {pack.file}: add some.")
        words, fillers = (
            {
                word: variants(word, spoken, pack.file, cost)
                for word, spoken in (pack.table(table) if table in pack.data else {}).items()
            }
            for table, cost in (("pronunciations", 0.0), ("fillers", FILLER_COST))
        )
        if both := sorted(words.keys() & fillers.keys()):
            raise LanguageError(
                f"Correct {pack.file}: {both[0]!r} is a word and a filler: keep one."
            )
        squares = {
            f"{file}_{rank}": (file, rank)
            for file in (name.lower() for name in pack.file_names)
            for number in "12345678"
            for rank in (word.lower() for word in pack.words("ranks", number))
            if file in words and rank in words
        }
        return cls(words, fillers, squares)


@cache
def lexicon(language: str) -> Lexicon:
    """The pronunciations of the language with this code.

    Raises LanguageError if there is no such language, it has none, or one cannot be read.
    """
    return Lexicon.of(Pack.read(language))


def variants(word: str, spoken: object, file: str, cost: float = 0.0) -> WordVariants:
    """The pronunciations of ``word`` as a pack has them, each ``cost`` nats dearer.

    LanguageError, which names ``file``, if one cannot be read.
    """
    lines: Iterable[object] = spoken if isinstance(spoken, list) else [spoken]
    found: dict[tuple[str, ...], float] = {}
    for line in lines:
        match = re.fullmatch(r"\s*([^+]*?)(?:\s+\+(\d+(?:\.\d+)?))?\s*", str(line))
        if match is None or not match[1] or word != word.lower() or not word.split():
            raise LanguageError(f"Correct {file}: {word} = {line!r} is no pronunciation.")
        found[tuple(match[1].split())] = cost + float(match[2] or 0)
    if not found:
        raise LanguageError(f"Correct {file}: {word} has no pronunciation.")
    return found
