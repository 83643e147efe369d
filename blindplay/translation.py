"""Messages in the language of their reader.

Every room writes its messages in English, and knows no reader. A message is translated once, where
it leaves the program: on a terminal, at a table, in the help. ``translations`` holds a catalogue
for each language but English, in TOML: a message with ``{}`` for each value in it, and the same in
that language, where ``{0}``, ``{1}`` … give the values another order.
"""

import re
import string
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

SAME_WORDS: Mapping[str, str] = {"no": "nb", "nn": "nb"}
"""Both written forms of Norwegian are one language at a chessboard."""
_FOLDER = Path(__file__).with_name("translations")
_SENTENCES = re.compile(r"(?<=[.!?]) (?=[A-Z(])")
_LONGEST = 2000  # characters of a text whose parts are looked for
_ENDS = 4  # letters at both ends by which templates are looked up
_LEAST = 8  # letters that tell a template from what somebody has given
_SEPARATORS = (": ", "; ", ", ")


@cache
def codes() -> list[str]:
    """The codes of the languages in which messages can be given."""
    return sorted({"en", *(file.stem for file in _FOLDER.glob("*.toml"))})


def code_of(language: str) -> str | None:
    """The code of the catalogue for a language such as "de-AT" or "nn_NO.UTF-8", if there is one.

    >>> code_of("nn_NO.UTF-8"), code_of("fr")
    ('nb', None)
    """
    primary = re.split(r"[-_.+@]", language.lower())[0]
    code = SAME_WORDS.get(primary, primary)
    return code if code in codes() else None


@cache
def parts_of(template: str) -> tuple[str, ...]:
    """Return the texts around the values of a template.

    >>> parts_of("There is no {} called {}.")
    ('There is no ', ' called ', '.')
    """
    parts = [""]
    for text, field, _, _ in string.Formatter().parse(template):
        parts[-1] += text
        if field is not None:
            parts.append("")
    return tuple(parts)


def values_of(parts: tuple[str, ...], text: str) -> list[str] | None:
    """Return the values that ``text`` has between ``parts``; None if it is another message."""
    at, end = len(parts[0]), len(text) - len(parts[-1])
    if not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return None
    values = []
    for part in parts[1:-1]:
        found = text.find(part, at, end)
        if found < 0:
            return None
        values.append(text[at:found])
        at = found + len(part)
    return [*values, text[at:end]] if at <= end else None


class MessageCatalogue:
    """The messages of one language."""

    def __init__(self, messages: Mapping[str, str]) -> None:
        self._whole: dict[str, str] = {}
        self._templates: list[tuple[int, tuple[str, ...], str]] = []
        for template, own in messages.items():
            parts = parts_of(template)
            if len(parts) == 1:
                self._whole[parts[0]] = own.format()
            else:
                self._templates.append((sum(map(len, parts)), parts, own))
        # A message that fits several templates has the one with the most text of its own.
        self._templates.sort(key=lambda one: -one[0])
        self._fitting = lru_cache(1024)(self._between)
        self._found = lru_cache(1024)(self._find)  # what is in a message is asked for many times

    def translated(self, message: str, least: int = 0) -> str:
        """The message in this language. Unknown texts stay as they are: names, notation, and
        messages of other programs. A template must have ``least`` letters of its own."""
        whole = self.known(message, least)  # it may begin with an empty value
        text = message.strip()
        own = self.known(text, least) or self._in_parts(text, least)
        return message.replace(text, own, 1) if whole is None else whole

    def known(self, text: str, least: int = 0) -> str | None:
        """A whole message, if it is in the catalogue: perhaps with another first letter, or with a
        full stop that its writer left out."""
        whole, raised = text.removesuffix("."), text[:1].isupper()
        best: tuple[int, str] = (0, "")
        for form, end in ((text, ""), (whole, "." if whole != text else "")):
            for first in (form[:1], form[:1].lower()):
                found = self._found(f"{first}{form[1:]}", least)
                if found is not None and found[0] > best[0]:
                    own = found[1]
                    up = raised and first != form[:1]
                    best = found[0], f"{own[:1].upper() if up else own[:1]}{own[1:]}{end}"
        return best[1] or None

    def _find(self, text: str, least: int) -> tuple[int, str] | None:
        """A message as it stands in the catalogue, with how much of it is text of its own."""
        if text in self._whole:
            return len(text), self._whole[text]
        for length, parts, own in self._fitting(text[:_ENDS], text[-_ENDS:]):
            if length < least:
                return None
            values = values_of(parts, text)
            if values is not None:
                return length, own.format(*map(self._value, values))
        return None

    def _between(self, first: str, last: str) -> list[tuple[int, tuple[str, ...], str]]:
        """The templates that a text with these first and last letters may fit."""
        return [
            one
            for one in self._templates
            if first.startswith(one[1][0][:_ENDS]) and last.endswith(one[1][-1][-_ENDS:])
        ]

    def _value(self, value: str) -> str:
        """A value of a message. One word, or what is in quotes, was given by somebody."""
        quoted = value[:1] in ("'", '"') and value[:1] == value[-1:]
        known = not quoted and " " in value.strip()
        return self.translated(value, _LEAST) if known else value

    def _in_parts(self, text: str, least: int) -> str:
        """A message that was put together from several, or begins with a name."""
        if len(text) > _LONGEST:
            return text
        sentences = _SENTENCES.split(text)
        if len(sentences) > 1:
            return " ".join(self.translated(one, least) for one in sentences)
        for separator in _SEPARATORS:
            first, found, rest = text.partition(separator)
            if found:
                return f"{self._value(first)}{separator}{self.translated(rest, least)}"
        return text


@cache
def catalogue(code: str) -> MessageCatalogue:
    """The messages of a language; ``code`` is one of :func:`codes` but "en"."""
    text = (_FOLDER / f"{code}.toml").read_text("utf-8")
    return MessageCatalogue(
        {key: own for part in tomllib.loads(text).values() for key, own in part.items()}
    )


def translated(message: str, language: str) -> str:
    """The message in a language, or in English if there is no catalogue for it."""
    code = code_of(language) or "en"
    return message if code == "en" else catalogue(code).translated(message)
