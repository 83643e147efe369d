"""Pairings in words: the players and their table."""

import re
from dataclasses import dataclass

from blindplay.language import Language
from blindplay.speech.synthesis import is_words


@dataclass(frozen=True)
class Pairing:
    """One game of a round. Names are as people say them."""

    round: str
    table: str
    """The name of the table."""
    white: str
    black: str

    def __contains__(self, name: str) -> bool:
        """Return whether a player has this name; upper and lower case do not count."""
        return bool(name) and name.casefold() in (self.white.casefold(), self.black.casefold())


def pairing_in_words(pairing: Pairing, pack: Language) -> str:
    """A pairing as a voice can speak it.

    >>> from blindplay.language import load
    >>> pairing_in_words(Pairing("3", "table-4", "Anna Berg", "Bert Dahl"), load("en"))
    'Round three, table four: Anna Berg has White against Bert Dahl.'
    """
    return pack.sentence(
        "pairing" if pairing.round else "pairing_of_table",
        round=number_in_words(pairing.round, pack),
        table=number_in_words(pairing.table, pack),
        white=speakable(pairing.white, pack) or pack.sentence("white"),
        black=speakable(pairing.black, pack) or pack.sentence("black"),
    )


def number_in_words(label: str, pack: Language) -> str:
    """The number in the name of a table or of a round; other names as they can be spoken, and the
    digits of longer numbers one by one."""
    number = re.search(r"(?<!\d)(\d{1,4})\D*$", label)
    return pack.number(int(number[1])) if number else speakable(label.replace("-", " "), pack)


def speakable(name: str, pack: Language) -> str:
    """A name in words only; a digit is spoken by itself, so "Anna 21" is "Anna zwei eins"."""
    parts = re.findall(r"\d|[^\d\s]+", name)
    words = (pack.number(int(part)) if part.isdecimal() else part for part in parts)
    return " ".join(filter(is_words, words))


def standing_in_words(rank: int, name: str, points: str, pack: Language) -> str:
    """A line of the standings as a voice can speak it. ``points`` are as printed: "2.5".

    >>> from blindplay.language import load
    >>> standing_in_words(1, "Anna Berg", "2.5", load("en"))
    'Place one: Anna Berg. Points: two and one half.'
    """
    return pack.sentence(
        "standing" if points else "standing_place",
        rank=pack.number(rank),
        name=speakable(name, pack),
        points=_points_in_words(points, pack),
    )


def _points_in_words(points: str, pack: Language) -> str:
    whole, _, part = points.partition(".")
    number = pack.number(int(whole or 0))
    if not part.strip("0"):
        return number
    if part.strip("0") != "5":  # points may be counted otherwise
        return f"{number} {' '.join(pack.number(int(digit)) for digit in part)}"
    return (
        pack.sentence("points_and_half", whole=number)
        if int(whole or 0)
        else pack.sentence("points_half")
    )
