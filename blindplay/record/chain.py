"""The lines of a journal, and the chain that holds them together; docs/record.md describes both.

The digest of a line covers the digest of the line before and the exact bytes of this line. An
edited, removed or inserted line breaks the chain. The chain does not say who wrote a line.
"""

import hashlib
import json
import math
import time
from typing import Any

from blindplay.laws.facts import Fact, dumps

FIRST = b'{"n":1,"wall":'
"""Every journal begins with these bytes."""
DIGITS = 32
"""The length of a digest, in hexadecimal: half a SHA-256."""


def encoded(fact: Fact, end: tuple[int, str]) -> tuple[bytes, tuple[int, str]]:
    """The line of a fact that comes after ``end``, and the new end: a number and a digest."""
    number, before = end[0] + 1, end[1]
    wall = round(max(time.time(), 0.0), 3)
    covered = f'{{"n":{number},"wall":{wall!r},"fact":{dumps(fact)}'.encode()
    digest = _digest(before, covered)
    return b'%b,"digest":"%b"}\n' % (covered, digest.encode()), (number, digest)


def digest_of(line: bytes) -> str:
    """The digest at the end of a whole line; empty for no line."""
    return line[-len('"}\n') - DIGITS : -len('"}\n')].decode("ascii", "replace")


def checked(line: bytes, number: int, before: str) -> dict[str, Any]:
    """The JSON object on a whole line, which comes without its line feed. It must have this number
    and come after the digest ``before``. The line must be as it was written, byte for byte: the
    same object with another space is damage.

    :raises ValueError: if it is not.
    """
    text = line.decode("utf-8")
    value = json.loads(text)
    if not isinstance(value, dict) or list(value) != ["n", "wall", "fact", "digest"]:
        raise ValueError("other keys")
    if type(value["n"]) is not int or value["n"] != number:
        raise ValueError("another number")
    if type(value["wall"]) is not float or not 0 <= value["wall"] < math.inf:
        raise ValueError("no time of day")
    if text != json.dumps(value, ensure_ascii=False, separators=(",", ":")):
        raise ValueError("another form")
    if value["digest"] != _digest(before, line[: -len(',"digest":""}') - DIGITS]):
        raise ValueError("another digest")
    return value


def _digest(before: str, covered: bytes) -> str:
    return hashlib.sha256(before.encode() + covered).hexdigest()[:DIGITS]
