"""Finds messages that stay in English on their way to a reader of another language."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache

from tests import ROOT

sys.path.insert(0, str(ROOT / "docs" / "development"))

import messages

messages.compile_changed()  # of a checkout that was not installed again

_LEAST = 10
"""Letters of a part of a message that no other text has by chance."""


@cache
def _parts(language: str) -> tuple[str, ...]:
    """The English texts between the values of all messages, but for those that the language has,
    too, such as commands."""
    catalogue = messages.read(messages.FOLDER / f"{language}.po")
    own = "\n".join(str(entry.string) for entry in catalogue)
    found = {part for entry in catalogue for part in _between(entry.id)}
    return tuple(sorted(part for part in found if part not in own))


def _between(message: str | Sequence[str]) -> Iterator[str]:
    for form in (message,) if isinstance(message, str) else message:
        for part in re.split(r"\{\w+(?:![rs])?\}", form):
            if len(part.strip()) >= _LEAST and " " in part.strip():
                yield part.strip()


def english_in(text: str, language: str = "de") -> list[str]:
    """The parts of English messages in a text for a reader of ``language``."""
    return [] if language == "en" else [part for part in _parts(language) if part in text]
