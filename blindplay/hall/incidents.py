"""Incidents that a hall cannot correct: forged lines, two tables with one name, a full disk.

The list is kept in a file of the hall, one JSON object a line, so that it outlives the process. An
incident is withdrawn if it proves harmless: a line that fitted nowhere may belong to lines that
arrived later.
"""

import contextlib
import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from blindplay.given import whole_lines
from blindplay.record import files

KINDS = ("damaged", "forged", "forked", "head", "two_tables", "clock", "storage", "signature",
         "reopened")  # fmt: skip
"""A message that is cut off or no message; a line that fits nowhere; a line that continues a game
in another way than its table; a head that the table's journal contradicts; two programs under one
table's name; a table whose time of day is wrong; the hall cannot write; a signature that is
wrong, or is not made with the table's key; a state of a game that contradicts the end that its
table has signed."""
MOST = 1000
"""Limit of the incidents in memory; the file holds all."""
MOST_OF_KIND = 50
"""Limit of the incidents of one kind at one table. More are only counted, up to MOST: a table that
floods the hall pushes out nothing that was noted of others."""
MORE = "more"
"""The key of the incident that counts them."""


@dataclass(frozen=True)
class Incident:
    """One incident. ``key`` tells it from others of its kind at this table."""

    table: str
    kind: str
    key: str = ""
    n: int = 0
    """The number of the line; 0 if the incident is not about a line. With the key MORE, so many
    incidents at least are only counted."""
    text: str = ""
    """The line, or other evidence."""
    wall: float = 0.0
    """The hall's time of day, since 1970."""


class Incidents:
    """The incidents of a hall, each named once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: dict[tuple[str, str, str], Incident] = {}
        self._more = defaultdict[tuple[str, str], set[str]](set)  # the keys that are only counted
        self._unwritten: list[str] = []
        self._size = 0  # number of bytes of whole lines in the file
        with contextlib.suppress(OSError), path.open("rb") as file:
            for line in whole_lines(file):
                if line.endswith(b"\n"):
                    self._size = file.tell()
                    self._read(line)

    def _read(self, line: bytes) -> None:
        with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
            value = json.loads(line)
            withdrawn = value.pop("withdrawn", False)
            if value["kind"] in KINDS:  # a newer program may have written others
                self._change(Incident(**value), withdrawn)

    def __iter__(self) -> Iterator[Incident]:
        return iter(list(self._open.values()))

    def note(self, table: str, kind: str, key: str = "", n: int = 0, text: str = "") -> bool:
        """Note an incident; False if it is known already."""
        if (table, kind, key) in self._open:
            return False
        if sum(one[:2] == (table, kind) for one in self._open) >= MOST_OF_KIND:
            more = self._more[table, kind]
            if key in more or len(more) >= MOST:
                return False
            more.add(key)
            if len(more) & (len(more) - 1):  # written at each doubling
                return False
            key, n, text = MORE, len(more), ""
        self._write(Incident(table, kind, key, n, text, round(time.time(), 3)), False)
        return True

    def withdraw(self, table: str, kind: str, key: str = "") -> None:
        """Take an incident back, if it was noted."""
        more = self._more.get((table, kind), set())
        if key in more:
            more.remove(key)
            key = key if more else MORE
        incident = self._open.get((table, kind, key))
        if incident is not None:
            self._write(incident, True)

    def _write(self, incident: Incident, withdrawn: bool) -> None:
        self._change(incident, withdrawn)
        value = asdict(incident) | ({"withdrawn": True} if withdrawn else {})
        self._unwritten.append(json.dumps(value, ensure_ascii=False))
        with contextlib.suppress(OSError):  # the disk is full: with the next one
            self.flush()

    def flush(self) -> None:
        """Write the incidents that could not be written before.

        :raises OSError: if it cannot be written now either.
        """
        if not self._unwritten:
            return
        content = "".join(f"{line}\n" for line in self._unwritten).encode()
        handle = files.open_file(self._path, create=True, append=False)
        try:
            os.lseek(handle, self._size, os.SEEK_SET)  # over the rest of a failed write
            files.write(handle, content)
            files.truncate(handle, self._size + len(content))
        finally:
            os.close(handle)
        self._size += len(content)
        self._unwritten.clear()

    def _change(self, incident: Incident, withdrawn: bool) -> None:
        key = incident.table, incident.kind, incident.key
        if withdrawn:
            self._open.pop(key, None)
        else:
            self._open[key] = incident
            if len(self._open) > MOST:
                del self._open[next(iter(self._open))]
