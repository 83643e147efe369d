"""The menu: what ``blindplay`` without a command offers to somebody at a terminal."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import options

if TYPE_CHECKING:
    from blindplay.language import Language
    from blindplay.record.games import KeptGame

_SHORT = 3
"""Number of letters that are enough of a longer word."""


@dataclass(frozen=True)
class Choice:
    """A line of the menu. ``does``: "engine", "people", "demo", "phone", or the journal to
    continue."""

    does: str | Path
    line: str
    words: frozenset[str]

    def named_by(self, typed: list[str], number: set[str]) -> bool:
        """True if all typed words are of this line, or its number."""
        return bool(typed) and all(
            word in number
            or word in self.words
            or (len(word) >= _SHORT and any(own.startswith(word) for own in self.words))
            for word in typed
        )


def ask(pack: "Language") -> str | Path:
    """Ask until something is chosen, and return what it does.

    :raises click.exceptions.Exit: if the user leaves.
    """
    from blindplay.language import Key, key_of, word_of

    choices = _choices(pack)
    while True:
        for number, choice in enumerate(choices, 1):
            options.show(f"{number}: {choice.line}")
        options.show(pack.printed("offer_how", end=word_of(pack, Key.END)))
        line = sys.stdin.readline()
        if not line or key_of(pack, line) is Key.END:
            raise click.exceptions.Exit
        if (does := _chosen(pack, choices, line)) is not None:
            return does
        if line.strip() and key_of(pack, line) is not Key.HELP:
            options.show(pack.printed("offer_unclear"))


def _chosen(pack: "Language", choices: list[Choice], line: str) -> str | Path | None:
    """What the only choice that ``line`` names does; None if there are none or several."""
    from blindplay.language.pack import fold

    typed = fold(line).split()
    named = [
        choice.does
        for number, choice in enumerate(choices, 1)
        if choice.named_by(typed, {str(number), fold(pack.number(number))})
    ]
    return named[0] if len(named) == 1 else None


def _choices(pack: "Language") -> list[Choice]:
    from blindplay.record.games import left_unfinished

    choices = []
    if (game := left_unfinished()) is not None:
        line = pack.printed("offer_resume", **_about(game, pack))
        choices.append(Choice(game.journal, line, _words_of(pack, "offer_resume")))
    for name in ("engine", "people", "demo", "phone"):
        key = f"offer_{name}"
        choices.append(Choice(name, pack.printed(key), _words_of(pack, key)))
    return choices


def _about(game: "KeptGame", pack: "Language") -> dict[str, str]:
    return {
        "white": game.white or pack.sentence("white"),
        "black": game.black or pack.sentence("black"),
        "date": options.date_of(game.date, pack),
        "moves": pack.printed("games_moves", count=game.moves),
    }


def _words_of(pack: "Language", key: str) -> frozenset[str]:
    """The words of a line, without names that stand in it."""
    from blindplay.language.pack import fold

    names = dict.fromkeys(("white", "black", "date", "moves"), "")
    return frozenset(fold(pack.printed(key, **names)).split())
