"""The reader of the command line, and the language in which everything is printed for them."""

import io
import locale
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TextIO, cast

import click

from blindplay import translation
from blindplay.translation import Message, _

from . import settings_file

_OTHERWISE_MEANT = ("announce", "models", "say", "score", "understand")
"""Commands whose ``--language`` is the language of moves, a voice or a document."""

_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def user_language(environment: Mapping[str, str] = os.environ) -> str:
    """The code of the language in LC_ALL, LC_MESSAGES or LANG, the first that is set; on Windows
    without them, of the system. English if there is no pack for it."""
    from blindplay.wording.pack_words import code_of

    return code_of(named_language(environment).partition(".")[0]) or "en"


def named_language(environment: Mapping[str, str] = os.environ) -> str:
    """The language as the system names it, such as "de_DE.UTF-8"; "" if it names none."""
    return next(filter(None, map(environment.get, _VARIABLES)), "") or _of_windows()


def _of_windows() -> str:
    if sys.platform == "win32":
        import ctypes

        number = ctypes.windll.kernel32.GetUserDefaultUILanguage()
        return locale.windows_locale.get(number, "")
    return ""


class Reader:
    """Somebody who reads what a command prints."""

    def __init__(self) -> None:
        self._arguments: Sequence[str] | None = None
        self._language: str | None = None

    def begin(self, arguments: Sequence[str]) -> None:
        """Take the language from a command line with these arguments."""
        self._arguments, self._language = arguments, None

    @property
    def language(self) -> str:
        """Return the language of ``--language``, else of the settings, else of the system, else
        English."""
        if self._language is None:
            wanted = (typed_language(self._arguments or ()), _of_settings(), named_language(), "en")
            self._language = next(filter(None, map(translation.code_of, wanted)))
        return self._language

    def told(self, message: str) -> str:
        """A message as this reader reads it."""
        return translation.translated(message, self.language)

    def told_template(self, template: str) -> str:
        """A template as this reader reads it: a text of click, or of the help."""
        if self._arguments is None:  # click asks for names of types while modules are imported
            return template
        return self.told(Message(template))


READER = Reader()
"""The reader of this process."""


def _plural_of_click(one: str, many: str, number: int) -> str:
    return READER.told(Message(one, many=many, number=number))


# click looks its texts up with these functions when it needs them. Its decorators need only the
# help of --help, and keep it: _row translates it.
for _module in (click.core, click.exceptions, click.formatting, click.parser, click.types):
    vars(_module).update(_=READER.told_template, ngettext=_plural_of_click)


def typed_language(arguments: Sequence[str]) -> str:
    """The value of ``--language`` in a command line; "" if it is not the reader's."""
    command = next((word for word in arguments if not word.startswith("-")), "")
    if command in _OTHERWISE_MEANT:
        return ""
    for word, after in pairwise([*arguments, ""]):
        if word == "--language":
            return after
        if word.startswith("--language="):
            return word.partition("=")[2]
    return ""


def _of_settings() -> str:
    """The language in the settings file; empty without one. The command itself reports a file that
    cannot be read."""
    try:
        return str(settings_file.contents().get("language", ""))
    except ValueError:
        return ""


class ReadersOutput(io.TextIOBase):
    """A stream on which messages arrive in the reader's language. :func:`print` writes each of
    its arguments by itself."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out

    def write(self, text: str) -> int:
        return self._out.write(READER.told(text))

    def flush(self) -> None:
        self._out.flush()


def to_reader(out: TextIO) -> TextIO:
    """``out`` for a function that prints messages."""
    return cast(TextIO, ReadersOutput(out))


class ReadersHelp(click.HelpFormatter):
    """Help in the reader's language. Names of commands and options stay."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        for word in (_("OPTIONS"), _("COMMAND"), _("ARGS")):
            args = args.replace(word, READER.told(word))
        super().write_usage(prog, args, prefix)

    def write_heading(self, heading: str) -> None:
        super().write_heading(READER.told(heading))

    def write_text(self, text: str) -> None:
        paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
        super().write_text("\n\n".join(map(READER.told_template, paragraphs)))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        super().write_dl([(name, _row(text)) for name, text in rows], col_max, col_spacing)


def _row(text: str) -> str:
    """The help of an option, with what click adds: "Wait so long.  [default: 30; x>=1]"."""
    sentence, separator, added = text.rpartition("  [")
    if not separator:
        return READER.told_template(text)
    # A default that is given in words stands in parentheses.
    added = re.sub(r"(?<=\()[^()]+(?=\))", lambda words: READER.told_template(words[0]), added)
    return f"{READER.told_template(sentence)}  [{added}"


class ReadersContext(click.Context):
    """A context whose help is in the reader's language."""

    formatter_class = ReadersHelp
