"""Messages in the language of their reader.

Every room writes its messages in English, and knows no reader: ``_("There is no file {name}.",
name=name)`` is the English sentence, and remembers its template and its values. So does an error
that is a :class:`SentenceError`. A message is translated once, where it leaves the program: on a
terminal, at a table, in the help. Only the template is looked up, in the catalogue of the reader's
language. So the words that somebody has given, which are values or no message at all, stay as they
are.

``translations`` holds a catalogue for each language but English, in gettext's form.
"""

import gettext
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

SAME_WORDS: Mapping[str, str] = {"no": "nb", "nn": "nb"}
"""Both written forms of Norwegian are one language at a chessboard."""
_FOLDER = Path(__file__).with_name("translations")


class Message(str):
    """A text for people: in English, with the template and the values that it is made of.

    A template without values is a text as it is. A value may be a message, too, or an error whose
    text is one.
    """

    template: str
    values: Mapping[str, str]
    many: str
    """The template for other numbers than one; "" if there is none."""
    number: int

    def __new__(
        cls, template: str, values: Mapping[str, object] = {}, many: str = "", number: int = 1
    ) -> "Message":
        # str() keeps a message: an error's text is the message that it was raised with.
        texts = {name: str(value) for name, value in values.items()}
        form = many if many and number != 1 else template
        self = super().__new__(cls, form.format(**texts) if texts else form)
        self.template, self.values, self.many, self.number = template, texts, many, number
        return self

    def __str__(self) -> str:
        return self

    def __add__(self, other: str) -> str:
        return join_texts("", (self, other))

    def __radd__(self, other: str) -> str:
        return join_texts("", (other, self))

    def told(self, catalogue: gettext.NullTranslations) -> str:
        """The message in the language of a catalogue."""
        if not self.template:  # gettext keeps a header there
            return ""
        if self.many:
            own = catalogue.ngettext(self.template, self.many, self.number)
        else:
            own = catalogue.gettext(self.template)
        values = {
            name: value.told(catalogue) if isinstance(value, Message) else value
            for name, value in self.values.items()
        }
        return own.format(**values) if values else own


def _(template: str, /, **values: object) -> str:
    """A message for people; ``{names}`` in the template are filled with the values.

    >>> _("There is no file {name}.", name="moves.txt")
    'There is no file moves.txt.'
    """
    return Message(template, values)


def _n(one: str, many: str, count: int, /, **values: object) -> str:
    """A message whose form depends on a number, which is its value ``count``.

    >>> _n("{count} move", "{count} moves", 3)
    '3 moves'
    """
    return Message(one, {"count": count, **values}, many, count)


class SentenceError(Exception):
    """An error whose text is a message for people, with the values of its ``{names}``."""

    def __init__(self, sentence: str = "", /, **values: object) -> None:
        super().__init__(Message(sentence, values) if type(sentence) is str else sentence)


class UserError(SentenceError, ValueError):
    """An error that its user can mend. The text is one sentence, which says how.

    >>> str(UserError("There is no file {name}; check the name.", name="moves.txt"))
    'There is no file moves.txt; check the name.'
    """


def join_texts(separator: str, texts: Iterable[object]) -> str:
    """Texts and messages one after the other; each message is translated by itself."""
    parts = {f"part{at}": text for at, text in enumerate(texts)}
    if not parts:
        return ""
    between = separator.replace("{", "{{").replace("}", "}}")
    return Message(between.join(f"{{{name}}}" for name in parts), parts)


def all_of(texts: Iterable[object]) -> str:
    """Texts as a list: "a, b and c"."""
    *some, last = texts
    return _("{some} and {last}", some=join_texts(", ", some), last=last) if some else str(last)


def one_of(texts: Iterable[object]) -> str:
    """Texts as a choice: "a, b or c"."""
    *some, last = texts
    return _("{some} or {last}", some=join_texts(", ", some), last=last) if some else str(last)


def packed(text: str) -> Any:
    """A text as JSON; :func:`unpacked` in another process finds the message in it."""
    if not isinstance(text, Message):
        return text
    values = {name: packed(value) for name, value in text.values.items()}
    return [text.template, values, text.many, text.number]


def unpacked(value: Any) -> str:
    """The text, or the message, that :func:`packed` has made JSON of."""
    if isinstance(value, str):
        return value
    template, values, many, number = value
    return Message(template, {name: unpacked(one) for name, one in values.items()}, many, number)


@cache
def codes() -> list[str]:
    """The codes of the languages in which messages can be given."""
    return sorted({"en", *(file.stem for file in _FOLDER.glob("*.mo"))})


def code_of(language: str) -> str | None:
    """The code of the catalogue for a language such as "de-AT" or "nn_NO.UTF-8", if there is one.

    >>> code_of("nn_NO.UTF-8"), code_of("fr")
    ('nb', None)
    """
    primary = re.split(r"[-_.+@]", language.lower())[0]
    code = SAME_WORDS.get(primary, primary)
    return code if code in codes() else None


@cache
def catalogue(code: str) -> gettext.NullTranslations:
    """The messages of a language; ``code`` is one of :func:`codes` but "en"."""
    with (_FOLDER / f"{code}.mo").open("rb") as file:
        return gettext.GNUTranslations(file)


def translated(text: str, language: str) -> str:
    """A message in a language, or in English if there is no catalogue for it. Any other text is
    somebody's own, and stays as it is."""
    code = code_of(language)
    if not isinstance(text, Message) or code in (None, "en"):
        return text
    return text.told(catalogue(code))
