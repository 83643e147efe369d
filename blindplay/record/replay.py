"""Replaying facts: the same facts give the same rulings again."""

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from blindplay.laws import Fact, FactError, Game, Ruling
from blindplay.laws.facts import Setup, loads
from blindplay.wording.pack_words import PackWords

from .journal import JournalError, read_journal


class ReplayError(ValueError):
    """A line that is not a fact, or a fact that cannot come at its place."""


def read(stream: TextIO, name: str) -> Iterator[tuple[str, Fact]]:
    """The facts of a stream of JSON Lines, each with its place, ``NAME:LINE``; empty lines are
    skipped.

    :raises ReplayError: at the first line that is not a fact.
    """
    number = 0
    try:
        for number, line in enumerate(stream, 1):
            if line.strip():
                try:
                    yield f"{name}:{number}", loads(line)
                except FactError as error:
                    raise ReplayError(f"{name}:{number}: {error}.") from None
    except UnicodeDecodeError:
        raise ReplayError(f"{name}:{number + 1}: it is not a text in UTF-8.") from None


def read_from_journal(path: Path) -> Iterator[tuple[str, Fact]]:
    """The facts of a journal. Instead of its position, each has the beginning of the
    message for a fact that cannot come.

    :raises JournalError: if there is no journal; if it is damaged, after its last whole line.
    """
    contents = read_journal(path)
    for fact in contents.facts:
        yield f"{path} is not the journal of a game", fact
    if contents.trouble:
        raise JournalError(contents.trouble)


def replay(
    facts: Iterable[tuple[str, Fact]], edition: str | None = None, game: Game | None = None
) -> Iterator[Ruling]:
    """The rulings of all facts, in order; ``edition`` replaces that of the setup. ``game``: the
    game that takes them, a new one if not given.

    :raises ReplayError: at the first fact that cannot come at its place.
    """
    game = game or Game(PackWords())
    for place, fact in facts:
        if edition is not None and isinstance(fact, Setup):
            fact = dataclasses.replace(fact, edition=edition)
        try:
            yield from game.apply(fact)
        except FactError as error:
            raise ReplayError(f"{place}: {error}.") from None
