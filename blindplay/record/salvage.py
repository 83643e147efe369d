"""Reading the rows of a journal from its bytes, where SQLite cannot find its way in them any more.

One spoiled page can hide all others: the first, which says where the table begins, or one that
points to the pages of rows. The rows themselves are read here page by page, from the database and
from its log, as SQLite's description of its file format has it. Their chain proves which of them
belong to the game, and in which order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from blindplay.laws.facts import Fact, FactError, loads

_PAGE = 4096  # bytes; what SQLite takes if it is not told otherwise
_LOG_HEAD, _FRAME_HEAD = 32, 24
_LEAF = 0x0D  # the kind of a page that holds rows
_TEXT = 13  # the type of a text of n bytes is 13 + 2 n


def salvage(path: Path, linked: Callable[[str, str], str]) -> list[Fact]:
    """The facts of the journal at ``path``, from the first one to the last before one is missing.

    ``linked`` gives a row's chain from that of the row before it and its text. Rows of more than
    4000 bytes cannot be read so.
    """
    found: dict[int, set[tuple[str, str]]] = {}
    for page in _pages(path):
        for number, text, chain in _rows(page):
            found.setdefault(number, set()).add((text, chain))
    facts: list[Fact] = []
    before = ""
    while True:
        rows = found.get(len(facts) + 1, set())
        row = next((row for row in rows if linked(before, row[0]) == row[1]), None)
        if row is None:
            return facts
        try:
            facts.append(loads(row[0]))
        except FactError:
            return facts
        before = row[1]


def _pages(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    yield from (data[at : at + _PAGE] for at in range(0, len(data), _PAGE))
    log = path.with_name(path.name + "-wal")
    if log.exists():
        data, step = log.read_bytes(), _FRAME_HEAD + _PAGE
        yield from (data[at + _FRAME_HEAD : at + step] for at in range(_LOG_HEAD, len(data), step))


def _rows(page: bytes) -> Iterator[tuple[int, str, str]]:
    """The number, the text and the chain of each row on a page, as far as they make sense."""
    if len(page) < _PAGE or page[0] != _LEAF:
        return
    for cell in range(int.from_bytes(page[3:5], "big")):
        try:
            at = int.from_bytes(page[8 + 2 * cell : 10 + 2 * cell], "big")
            size, at = _number(page, at)
            number, at = _number(page, at)
            row = page[at : at + size]
            head, at = _number(row, 0)
            types = []
            while at < head:
                kind, at = _number(row, at)
                types.append(kind)
            _, text, chain = ((kind - _TEXT) // 2 for kind in types)
            if head + text + chain == len(row) == size and text > 0 and chain > 0:
                body = row[head:].decode("utf-8")
                cut = len(row[head : head + text].decode("utf-8"))
                yield number, body[:cut], body[cut:]
        except (IndexError, ValueError):
            continue


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length at ``at``, and where it ends; :exc:`IndexError` past the end."""
    value = 0
    while True:  # no number of a journal takes the ninth byte, which counts otherwise
        byte = data[at]
        value, at = value << 7 | byte & 0x7F, at + 1
        if byte < 0x80:
            return value, at
