"""The pronunciations of words: ``[pronunciations]`` and ``[fillers]`` of a language's pack.

Phones are those of espeak-ng for the language, folded to the list in
``speech/adaptation/sounds.toml``. A word has one or more pronunciations. Each is a line of phones
with spaces between them. ``+0.7`` at its end is its cost in nats: it is e to the minus 0.7 as
likely as one without a cost. Reduced forms matter more than many variants.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from .pack import LanguageError, Pack

WordVariants = Mapping[tuple[str, ...], float]
"""The pronunciations of one word, each a tuple of phones, and their costs in nats."""

FILLER_COST = 2.0
"""The cost of a filler above that of a word of the table, in nats. At 2, three people lose two or
three more of 52 German words to fillers than without them, and other words are mistaken for ours
half as often. At 0, ten words are lost."""


@dataclass(frozen=True)
class Lexicon:
    """Words in small letters with their pronunciations.

    ``words`` are those that a table understands. ``fillers`` are other frequent words, and words
    that sound like ours: speech with one of them was not meant for the table. Each costs
    FILLER_COST more than its pack says, so our words win where both fit. The letters of the files
    are among them: they are understood, but sound like parts of many words. ``squares`` are the
    names of the squares as a recogniser may hold them, {"gustav_eins": ("gustav", "eins")}.
    """

    words: Mapping[str, WordVariants]
    fillers: Mapping[str, WordVariants]
    squares: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, pack: Pack) -> "Lexicon":
        """The pronunciations of a pack.

        :raises LanguageError: if it has none, or if one cannot be read.
        """
        if "pronunciations" not in pack.data:
            raise LanguageError("There are no pronunciations in {file}: add some.", file=pack.file)
        words, fillers = (
            {
                word: variants(word, spoken, pack.file, cost)
                for word, spoken in (pack.table(table) if table in pack.data else {}).items()
            }
            for table, cost in (("pronunciations", 0.0), ("fillers", FILLER_COST))
        )
        if both := sorted(words.keys() & fillers.keys()):
            raise LanguageError(
                "Correct {file}: {both} is a word and a filler: keep one.",
                file=pack.file,
                both=repr(both[0]),
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
    """The pronunciations of a language.

    :raises LanguageError: like :meth:`Lexicon.of`.
    """
    return Lexicon.of(Pack.read(language))


def variants(word: str, spoken: object, file: str, cost: float = 0.0) -> WordVariants:
    """The pronunciations of ``word``, as ``spoken`` lists them, with ``cost`` nats more for each.

    :raises LanguageError: naming ``file``, if one cannot be read.
    """
    lines: Iterable[object] = spoken if isinstance(spoken, list) else [spoken]
    found: dict[tuple[str, ...], float] = {}
    for line in lines:
        match = re.fullmatch(r"\s*([^+]*?)(?:\s+\+(\d+(?:\.\d+)?))?\s*", str(line))
        if match is None or not match[1] or word != word.lower() or not word.split():
            raise LanguageError(
                "Correct {file}: {word} = {line} is not a pronunciation.",
                file=file,
                word=word,
                line=repr(line),
            )
        found[tuple(match[1].split())] = cost + float(match[2] or 0)
    if not found:
        raise LanguageError("Correct {file}: {word} has no pronunciation.", file=file, word=word)
    return found
