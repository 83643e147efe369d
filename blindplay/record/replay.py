"""Replaying facts: any journal or file of facts gives the same rulings again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TextIO

from blindplay.laws import Fact, FactError, Game, Ruling
from blindplay.laws.facts import Setup, loads
from blindplay.wording.pack_words import PackWords


class ReplayError(ValueError):
    """A line that is no fact; the message is ``FILE:LINE: what is wrong``."""


def read(stream: TextIO, name: str) -> Iterator[tuple[str, Fact]]:
    """The facts of a stream of JSON Lines, each with its place; empty lines are passed over."""
    number = 0
    try:
        for number, line in enumerate(stream, 1):
            if line.strip():
                try:
                    yield f"{name}:{number}", loads(line)
                except FactError as error:
                    raise ReplayError(f"{name}:{number}: {error}") from None
    except UnicodeDecodeError:
        raise ReplayError(f"{name}:{number + 1}: is not text in UTF-8") from None


def replay(facts: Iterable[tuple[str, Fact]], edition: str | None = None) -> Iterator[Ruling]:
    """The rulings of all facts, in order; ``edition`` replaces the setup's.

    :raises ReplayError: at the first fact that cannot come where it stands.
    """
    game = Game(PackWords())
    for place, fact in facts:
        if edition is not None and isinstance(fact, Setup):
            fact = dataclasses.replace(fact, edition=edition)
        try:
            yield from game.apply(fact)
        except FactError as error:
            raise ReplayError(f"{place}: {error}") from None
