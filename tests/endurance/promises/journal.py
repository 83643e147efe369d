"""Journals as docs/development/journal.md describes them, read without BlindPlay, and ways to
damage them."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Fact = dict[str, Any]


def facts(content: bytes) -> tuple[list[Fact], bool]:
    """Return the facts up to the first line that breaks a rule of the format, and whether an
    unbroken journal ends there. An incomplete last line is left out and is no break."""
    seal, found = "", list[Fact]()
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        if not line.endswith(b"\n"):
            return found, True
        covered, _, end = line.rpartition(b',"digest":"')
        digest = hashlib.sha256(seal.encode() + covered).hexdigest()[:32]
        if end != digest.encode() + b'"}\n':
            return found, False
        entry = json.loads(line)
        if entry["n"] != number:
            return found, False
        found.append(entry["fact"])
        seal = digest
    return found, True


def read(path: Path) -> list[Fact]:
    """Return the facts of a journal that must be whole, but for an incomplete last line."""
    found, whole = facts(path.read_bytes())
    assert whole, f"{path} is damaged after line {len(found)}"
    return found


def _flip(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(1, len(content))]


def _lines(change: Callable[[list[bytes], int], None]) -> Callable[[bytes, random.Random], bytes]:
    def damaged(content: bytes, chance: random.Random) -> bytes:
        lines = content.splitlines(keepends=True)
        change(lines, chance.randrange(len(lines) - 1))
        return b"".join(lines)

    return damaged


def _swap(lines: list[bytes], at: int) -> None:
    lines[at : at + 2] = lines[at + 1], lines[at]


DAMAGES: Mapping[str, Callable[[bytes, random.Random], bytes]] = {
    "a bit flipped": _flip,
    "cut off": _cut,
    "a line doubled": _lines(lambda lines, at: lines.insert(at, lines[at])),
    "a line removed": _lines(lambda lines, at: lines.__delitem__(at)),
    "two lines swapped": _lines(_swap),
    "a line of nothing but zeros": _lines(lambda lines, at: lines.insert(at, bytes(300) + b"\n")),
    "a byte order mark": lambda content, _: b"\xef\xbb\xbf" + content,
    "CRLF at each end": lambda content, _: content.replace(b"\n", b"\r\n"),
    "UTF-16": lambda content, _: content.decode().encode("utf-16"),
    "emptied": lambda content, _: b"",
    "zeros": lambda content, _: bytes(len(content)),
    "zeros at the end": lambda content, chance: _cut(content, chance) + bytes(700),
}
"""What happens to files: by name, what becomes of a journal's bytes."""
