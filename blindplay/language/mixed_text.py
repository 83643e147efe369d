"""Texts whose parts are in different languages: an English question about a German announcement.

A voice, a page or a Braille line needs the language of each part. Everything else may take such a
text for an ordinary string.
"""

import string
from collections.abc import Iterable, Mapping
from typing import TypeAlias

Part: TypeAlias = tuple[str, str]
"""Some words, and the code of their language."""


class MixedText(str):
    """A text made of ``parts``. Text without a letter belongs to the part before it.

    >>> MixedText(("Did you say ", "en"), ("Springer Felix drei", "de"), ("?", "en")).parts
    (('Did you say ', 'en'), ('Springer Felix drei?', 'de'))
    """

    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> "MixedText":
        merged: list[Part] = []
        for text, language in parts:
            if merged and (merged[-1][1] == language or not any(map(str.isalpha, text))):
                text, language = merged[-1][0] + text, merged[-1][1]
                merged.pop()
            elif merged and not any(map(str.isalpha, merged[-1][0])):
                text = merged.pop()[0] + text
            if text:
                merged.append((text, language))
        self = super().__new__(cls, "".join(text for text, _ in merged))
        self.parts = tuple(merged)
        return self

    def __getnewargs__(self) -> tuple[Part, ...]:  # type: ignore[override]  # so it can be copied
        return self.parts

    def strip(self, characters: str | None = None) -> "MixedText":
        """Return the text without white space, or these characters, at its ends."""
        if not self.parts:
            return self
        (first, language), *rest = self.parts
        parts = [(first.lstrip(characters), language), *rest]
        last, language = parts.pop()
        return MixedText(*parts, (last.rstrip(characters), language))


def parts_of(text: str, language: str) -> tuple[Part, ...]:
    """The parts of ``text``; an ordinary string is in ``language``."""
    return text.parts if isinstance(text, MixedText) else ((text, language),)


def in_language(text: str, language: str) -> MixedText:
    """``text``, of which everything that is not part of its own is in ``language``."""
    return MixedText(*parts_of(text, language))


def fill(template: str, values: Mapping[str, str], language: str) -> str:
    """``template``, which is in ``language``, with the values of its ``{names}``."""
    if not any(isinstance(value, MixedText) for value in values.values()):
        return template.format_map(values)
    parts: list[Part] = []
    for literal, name, _, _ in string.Formatter().parse(template):
        parts.append((literal, language))
        parts += parts_of(values[name], language) if name else ()
    return MixedText(*parts)


def join(separator: str, texts: Iterable[str], language: str) -> str:
    """The texts with ``separator`` between them, as ``str.join``; all of them are in ``language``
    as far as they do not say otherwise."""
    texts = list(texts)
    if not any(isinstance(text, MixedText) for text in texts):
        return separator.join(texts)
    parts: list[Part] = []
    for number, text in enumerate(texts):
        parts += [(separator, language)] if number else []
        parts += parts_of(text, language)
    return MixedText(*parts)
