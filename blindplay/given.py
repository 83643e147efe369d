"""Text that people give: arguments, typed lines, forms and files. It is made harmless here.

Every text goes through :func:`plain` before it reaches a terminal, a page or a file. Every file
goes through :func:`read_bytes`, :func:`read_text` or :func:`lines_of`, with one of the limits of
this module; :func:`in_time` limits the work on it. So no file takes more than 300 megabytes of
memory. The messages of their errors are sentences for people, without words of Python.
"""

import json
import re
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO, TypeVar

from blindplay.translation import UserError, _, join_texts

_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_HIDDEN = re.compile(f"[\x00-\x1f\x7f-\x9f\u200b\ufeff{_DIRECTIONS}]")
# Sequences of arrow keys and of colours: only the first character is a control character.
_SEQUENCES = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]")
_SPACES = re.compile("[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+")
_HIDDEN_IN_LINES = re.compile(f"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\ufeff{_DIRECTIONS}]")
_SPACES_IN_LINES = re.compile("[\x1c-\x1f\x85\u2028\u2029]+")
_SHOWN = 60  # characters of a text in a message
_MESSAGE = 300  # characters of the beginning and of the end of a message


def plain(text: str) -> str:
    """``text`` on one line, without control sequences, control characters and overrides of the
    writing direction.

    A control character could command a terminal, and an override could show a text in another
    order than it has. Line breaks and tabs become spaces.

    >>> plain("Anna\\x1b[2J"), plain("Bert\\n\\u202eeno")
    ('Anna', 'Bert eno')
    """
    if text.isprintable():
        return text
    return _HIDDEN.sub("", _SPACES.sub(" ", _SEQUENCES.sub("", text)))


def plain_lines(text: str) -> str:
    """Like :func:`plain` for a text of many lines: its line breaks, form feeds and tabs stay."""
    return _HIDDEN_IN_LINES.sub("", _SPACES_IN_LINES.sub(" ", _SEQUENCES.sub("", text)))


def shown(text: object) -> str:
    """``text`` in quotes for a message, shortened if it is long."""
    whole = plain(str(text))
    return repr(whole if len(whole) <= _SHOWN else f"{whole[:_SHOWN]}…")


def in_short(sentence: str) -> str:
    """A message on one line, without the middle of what somebody has given if it is very long."""
    line = " ".join(plain(sentence).split())
    return line if len(line) <= 2 * _MESSAGE else f"{line[:_MESSAGE]} … {line[-_MESSAGE:]}"


_REASONS = {
    str(text): text
    for text in (
        _("No such file or directory"),
        _("Permission denied"),
        _("Operation not permitted"),
        _("Is a directory"),
        _("Not a directory"),
        _("Directory not empty"),
        _("File exists"),
        _("File name too long"),
        _("No space left on device"),
        _("Disk quota exceeded"),
        _("Read-only file system"),
        _("Input/output error"),
        _("Invalid argument"),
        _("Device or resource busy"),
        _("Address already in use"),
        _("Cannot assign requested address"),
        _("Name or service not known"),
        _("Temporary failure in name resolution"),
        _("nodename nor servname provided, or not known"),
        _("Connection refused"),
        _("Connection reset by peer"),
        _("Network is unreachable"),
        _("Too many open files"),
        _("Cannot allocate memory"),
        _("Too many levels of symbolic links"),
        _("Broken pipe"),
        _("No such device"),
        _("No such device or address"),
        _("Resource temporarily unavailable"),
        _("Exec format error"),
        _("File is not a zip file"),
    )
}
"""Reasons that systems give in English."""


def reason_of(error: Exception) -> str:
    """Why a system refused something, as a message if it is a usual reason."""
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    reason = reason.partition(" (while attempting to bind")[0]  # Python adds the address
    return _REASONS.get(reason, reason) or _("no reason is known")


def sentence_of(error: Exception) -> str:
    """Return the sentence of an error for people: its own, or one in place of Python's words."""
    if isinstance(error, UnicodeError):
        return _("A file or a text that was given is not in UTF-8; save it as UTF-8.")
    if isinstance(error, OSError) and error.errno is not None:
        return _(
            "{name} cannot be used ({reason}); check its name and your permissions.",
            name=in_short(str(error.filename)) if error.filename else _("A file or device"),
            reason=reason_of(error),
        )
    text = str(error)
    return text if text.rstrip().endswith((".", "!", "?")) else text + "."


class Limit(NamedTuple):
    """How large a file may be, and for how long a processor may work on it; of a sound, how long
    it may last. ``whole``: a part of such a file is of no use."""

    most_bytes: int
    seconds: int = 60
    whole: bool = False


JOURNAL = Limit(30_000_000, 300, whole=True)
"""Three days of a running clock."""
SOUND = Limit(30_000_000, 300)
UTTERANCE = Limit(SOUND.most_bytes, 20)
"""As long as a table listens; the work grows with the square of the length."""
VOICES = Limit(60_000_000)
GAMES = Limit(5_000_000)
"""Of a file with games or positions to look at again."""
SHEET = Limit(200_000)
PAIRINGS = Limit(4_000_000)
EVENT = Limit(200_000, whole=True)
"""Of the file of an event or of a certificate."""
PACK = Limit(250_000, whole=True)
"""Of a language; the built-in ones have about 50 000 bytes."""
ARCHIVE = Limit(1_000_000_000, whole=True)
"""Of the archive of an event, and of all that is in it; each file in it has a limit of its own."""
FIRMWARE = Limit(1_000_000, whole=True)
"""As text; the controller has 32 KiB."""
PHONE = Limit(4_096, 10)
"""Of one message of a player's phone, which has 1 300 bytes. So many seconds of sound may come at
once, after a break of the line."""
BATCH = Limit(20_000_000, 3600)
"""Of lines that a command works on, also those of standard input."""
RECORDING = Limit(30_000_000, 300)
"""Of the stream of a board, also from standard input."""
SETTINGS = Limit(50_000, whole=True)
TOKEN = Limit(4000, whole=True)
KEPT = Limit(1_000_000, whole=True)
"""Of a small file that BlindPlay itself has written, such as one beside a journal."""
HALL = Limit(10_000_000, whole=True)
"""Of a file that a hall has written, with something of each table or player."""
LONGEST_LINE = 100_000
"""Characters; a fact has some hundred."""

T = TypeVar("T")


def in_time(work: Iterable[T], limit: Limit, name: object) -> Iterator[T]:
    """Yield the parts of the work on a file while it takes this thread's processor no longer than
    the limit. Other programs and waiting do not count.

    :raises ValueError: one sentence, if it takes longer.
    """
    ends = time.thread_time() + limit.seconds
    for part in work:
        if time.thread_time() > ends:
            long = _(
                "{name} takes longer than {seconds} seconds.",
                name=plain(str(name)),
                seconds=limit.seconds,
            )
            raise ValueError(join_texts(" ", (long, _remedy(limit))))
        yield part


def lines_of(stream: TextIO, limit: Limit, name: object) -> Iterator[str]:
    """Yield the lines of a text, which may have no end, such as those of a pipe.

    :raises ValueError: one sentence, if they are too large, or the work on them takes too long.
    """
    left = limit.most_bytes
    for line in in_time(iter(lambda: stream.readline(LONGEST_LINE + 1), ""), limit, name):
        left -= len(line)
        if left < 0:
            raise too_large(name, limit)
        if len(line) > LONGEST_LINE:
            raise UserError(
                "A line of {name} is too long; it may have {most} characters.",
                name=plain(str(name)),
                most=LONGEST_LINE,
            )
        yield line


def whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, however large it is. A line that is too long comes in parts: only
    its last one ends with a line feed."""
    return iter(lambda: file.readline(LONGEST_LINE + 1), b"")


def too_large(name: object, limit: Limit) -> ValueError:
    """The sentence about a file beyond the limit."""
    name, most = plain(str(name)), limit.most_bytes // 1000
    large = _("{name} is too large; it may have {most} kilobytes.", name=name, most=most)
    return ValueError(join_texts(" ", (large, _remedy(limit))))


def _remedy(limit: Limit) -> str:
    if limit.whole:
        return _("Check that it is the right file.")
    return _("Give a smaller part of it.")


def check_file(path: Path, limit: Limit) -> None:
    """Do nothing if ``path`` is a file within the limit that can be read.

    :raises ValueError: one sentence, if it is something else.
    """
    name = plain(str(path))
    try:
        if path.is_dir():
            raise UserError("{name} is a folder; name a file in it.", name=name)
        if not path.is_file():
            raise UserError("There is no file {file}; check the name.", file=name)
        size = path.stat().st_size
        path.open("rb").close()
    except OSError as error:
        raise UserError(
            "{file} cannot be read ({reason}).", file=name, reason=reason_of(error)
        ) from None
    if size > limit.most_bytes:
        raise too_large(name, limit)


def read_bytes(path: Path, limit: Limit) -> bytes:
    """The contents of a file within the limit, also if it grows meanwhile.

    :raises ValueError: like :func:`check_file`.
    """
    check_file(path, limit)
    name = plain(str(path))
    try:
        with path.open("rb") as file:
            content = file.read(limit.most_bytes + 1)
    except OSError as error:
        why = reason_of(error)
        raise UserError("{file} cannot be read ({reason}).", file=name, reason=why) from None
    if len(content) > limit.most_bytes:
        raise too_large(name, limit)
    return content


def read_secret(path: Path, limit: Limit = TOKEN) -> bytes:
    """The contents of a file with a secret, which only its owner may read.

    :raises ValueError: like :func:`check_file`, and if other users can read it.
    """
    content = read_bytes(path, limit)
    if sys.platform != "win32" and path.stat().st_mode & 0o077:
        raise UserError('Others can read the secret in {path}; run: chmod 600 "{path}"', path=path)
    return content


def read_json(text: str) -> Any:
    """The value of a text in JSON.

    :raises ValueError: one sentence, if it is not JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise UserError("This is not JSON; correct it.") from None


def read_text(path: Path, limit: Limit) -> str:
    """The text in UTF-8 of a file within the limit, made harmless; it has many lines.

    :raises ValueError: like :func:`read_bytes`, and if it is not in UTF-8.
    """
    return decoded(read_bytes(path, limit), plain(str(path)))


def decoded(data: bytes, name: str) -> str:
    """The text of ``data`` in UTF-8, made harmless; ``name`` is its file in the message.

    :raises ValueError: if it is something else.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError("{file} is not a text in UTF-8; save it as UTF-8.", file=name) from None
    return plain_lines(text)


# The beginnings of Python's errors about TOML, and the advice to the writer of the file.
_ADVICE = {
    "Illegal character '\\n'": _("the quotation mark at the end of the words is missing"),
    "Cannot overwrite": _("this name is there already, keep one of the two"),
    "Cannot declare": _("this table is there already, put the two together"),
    "Unclosed array": _(
        "here or before it, a comma between two words or the bracket ] at the end of "
        "a list is missing"
    ),
    "Expected '='": _("write a name, an equals sign, and words in quotes"),
    "Invalid value": _("write the words in straight quotes, and a list of them in brackets [ ]"),
    "Invalid statement": _(
        "begin with a name; one that has other letters than a to z goes in quotes"
    ),
    "Expected newline": _("something is left over at the end; the words go in one pair of quotes"),
    "Unescaped": _("write each backslash twice, or leave it out"),
}
_MANY_PARTS = re.compile(  # a dotted key of so many parts that it takes gigabytes
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){20}"""
)


def read_toml(data: bytes, name: str) -> dict[str, Any]:
    """The contents of a TOML file; ``name`` is its file in the message.

    :raises ValueError: one sentence with the line, if it is not TOML.
    """
    text = decoded(data, name)
    if deep := _MANY_PARTS.search(text):
        line = text.count("\n", 0, deep.start()) + 1
        raise UserError(
            "Correct {name}, line {line}: this key has too many parts.", name=name, line=line
        )
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise UserError(
            "Correct {name}: it has too many brackets in brackets.", name=name
        ) from None
    except ValueError as error:  # no TOML, or a number too long for Python
        at = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        place = at[1] if at and at[1] else text.rstrip("\n").count("\n") + 1
        advice = next((_ADVICE[key] for key in _ADVICE if str(error).startswith(key)), "")
        advice = advice or _("this is not TOML; write a name, an equals sign, and words in quotes")
        raise UserError(
            "Correct {name}, line {place}: {advice}.", name=name, place=place, advice=advice
        ) from None
