"""Puzzles of a large collection: a person chooses their kind and how hard they are, by ear."""

import re
from collections.abc import Mapping
from itertools import chain

from blindplay.language import Key, Language
from blindplay.language.pack import fold
from blindplay.record.puzzle_collection import PuzzleCollection, PuzzleWish

from .reviewing import Teacher, solve

KINDS = (
    "mateIn1", "mateIn2", "mateIn3", "fork", "pin", "skewer", "discoveredAttack", "doubleCheck",
    "deflection", "sacrifice", "backRankMate", "smotheredMate", "hangingPiece", "trappedPiece",
    "promotion", "zugzwang", "quietMove", "defensiveMove", "intermezzo", "opening", "middlegame",
    "endgame",
)  # fmt: skip
"""The themes of Lichess's puzzles that are offered; others can be typed."""
LEVELS = {
    "easy": (0, 1199),
    "medium": (1200, 1599),
    "hard": (1600, 1999),
    "very_hard": (2000, 9999),
}
_NEAR = 100
"""One rating that is typed stands for those at most so far from it."""
_RATINGS = re.compile(r"(\d{3,4})(?:\s*(?:-|–|\.\.|\s)\s*(\d{3,4}))?")
_THEME = re.compile(r"[A-Za-z]+(?:In[1-9])?")


def read_ratings(text: str) -> tuple[int, int]:
    """The lowest and the highest rating of a text such as ``1500`` or ``1400-1600``.

    >>> read_ratings("1500"), read_ratings("1400-1600")
    ((1400, 1600), (1400, 1600))

    :raises ValueError: if it is no rating.
    """
    match = _RATINGS.fullmatch(text.strip())
    if match is None:
        raise ValueError(text)
    first = int(match[1])
    if match[2] is None:
        return first - _NEAR, first + _NEAR
    return min(first, int(match[2])), max(first, int(match[2]))


def train(
    teacher: Teacher,
    collection: PuzzleCollection,
    wish: PuzzleWish | None = None,
    number: int | None = None,
) -> bool:
    """Ask the puzzles of a collection until the person ends. ``wish``: what to begin with; without
    it, and without a ``number``, the person chooses first. Return whether there were such puzzles.
    """
    if wish is None:
        wish = PuzzleWish() if number is not None else _chosen(teacher)
    while True:
        puzzles = collection.puzzles(wish, number)
        first = next(puzzles, None)
        if first is None:
            teacher.say("puzzles_none")
            if teacher.at_end:
                return False
        else:
            teacher.say("puzzles_back", **teacher.voice.keys)
            if not solve(teacher, chain([first], puzzles), number or 1, of_collection=True):
                return True
        wish, number = _chosen(teacher), None


def _chosen(teacher: Teacher) -> PuzzleWish:
    """Ask for a kind and a level.

    :raises EndedError: if the person ends.
    """
    pack = teacher.pack
    kinds = {kind: _word(pack, f"kind_{_snake(kind)}") for kind in KINDS}
    typed = _choice(teacher, "puzzles_choose", kinds)
    themes = frozenset([typed] if typed else ())
    levels = {level: _word(pack, f"level_{level}") for level in LEVELS}
    level = _choice(teacher, "puzzles_level", levels)
    lowest, highest = LEVELS.get(level) or (read_ratings(level) if level else (0, 9999))
    return PuzzleWish(themes, lowest, highest)


def _choice(teacher: Teacher, question: str, choices: Mapping[str, str]) -> str:
    """Read a numbered list, and wait for one of it by its number or its words, or for a text that
    the collection knows; empty for any."""
    pack = teacher.pack
    numbers = {pack.number(n): value for n, value in enumerate(choices, 1)}
    spoken = {fold(words): value for value, words in choices.items()}
    spoken |= {fold(words): value for words, value in numbers.items()}
    while True:
        teacher.say(question)
        for number, words in zip(numbers, choices.values(), strict=True):
            teacher.say("puzzles_choice", number=number, choice=words)
        line = teacher.chosen([*choices.values(), *numbers])
        if not line or teacher.key(line) is Key.SKIP:
            return ""
        if teacher.key(line) in (Key.REPEAT, Key.HELP):
            continue
        if line.isdecimal() and int(line) <= len(choices):
            return list(choices)[int(line) - 1]
        if fold(line) in spoken:
            return spoken[fold(line)]
        if question == "puzzles_level" and _RATINGS.fullmatch(line):
            return line
        if question == "puzzles_choose" and _THEME.fullmatch(line) and line not in choices.values():
            return line
        teacher.say("not_understood")


def _word(pack: Language, name: str) -> str:
    return pack.sentence(f"puzzle_{name}")


def _snake(theme: str) -> str:
    return re.sub("([A-Z0-9])", lambda capital: f"_{capital[1].lower()}", theme)
