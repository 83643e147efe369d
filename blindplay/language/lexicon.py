"""How the words of a language are pronounced: one TOML file a language in ``lexicons``.

A phone is written as espeak-ng writes it for that language, folded to the phones listed in
``speech/graphs/sounds.toml``. A word has one or more pronunciations, each a line of phones with
spaces between; ``+0.7`` at its end is what it costs (in nats: e to the minus 0.7 as likely as one
without). Reduced forms matter more than many variants.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from .pack import LanguageError, Pack

Variants = Mapping[tuple[str, ...], float]
"""The pronunciations of one word, each a tuple of phones, and their costs in nats."""


@dataclass(frozen=True)
class Lexicon:
    """Words in small letters with their pronunciations.

    ``words`` are those a table understands. ``fillers`` are frequent other words, and words that
    sound like ours: what a recogniser hears as one of them was not said to the table; each costs
    ``filler_cost`` more than its file says, so that our words win where both fit. ``squares``
    are the names of the squares as a recogniser may hold them, {"gustav_eins": ("gustav", "eins")}.
    """

    words: Mapping[str, Variants]
    fillers: Mapping[str, Variants]
    squares: Mapping[str, tuple[str, ...]]


@cache
def lexicon(language: str) -> Lexicon:
    """The pronunciations of the language with this code.

    Raises LanguageError if there is no such language, it has none, or one cannot be read.
    """
    pack = Pack.read(language)
    name = f"lexicons/{language}.toml"
    source = files(__package__).joinpath(name)
    try:
        data = tomllib.loads(source.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LanguageError(f"There are no pronunciations for {language!r}: add {name}.") from None
    except tomllib.TOMLDecodeError as error:
        raise LanguageError(f"Correct {name}: {error}.") from error
    words, fillers = (
        {word: _variants(word, spoken, cost, name) for word, spoken in data.get(table, {}).items()}
        for table, cost in (("words", 0.0), ("fillers", float(data.get("filler_cost", 0))))
    )
    if both := sorted(words.keys() & fillers.keys()):
        raise LanguageError(f"Correct {name}: {both[0]!r} is a word and a filler: keep one.")
    squares = {
        f"{file}_{rank}": (file, rank)
        for file in (name.lower() for name in pack.file_names)
        for number in "12345678"
        for rank in (word.lower() for word in pack.words("ranks", number))
        if file in words and rank in words
    }
    return Lexicon(words, fillers, squares)


def _variants(word: str, spoken: object, cost: float, name: str) -> Variants:
    lines = spoken if isinstance(spoken, list) else [spoken]
    found: dict[tuple[str, ...], float] = {}
    for line in lines:
        match = re.fullmatch(r"\s*([^+]*?)(?:\s+\+(\d+(?:\.\d+)?))?\s*", str(line))
        if match is None or not match[1] or word != word.lower() or not word.split():
            raise LanguageError(f"Correct {name}: {word} = {line!r} is no pronunciation.")
        found[tuple(match[1].split())] = cost + float(match[2] or 0)
    if not found:
        raise LanguageError(f"Correct {name}: {word} has no pronunciation.")
    return found
