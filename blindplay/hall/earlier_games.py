"""The journals of a table's earlier games at an event, which a hall may ask for later."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from blindplay.record import JournalError, files, read_journal

from .event_file import EventFile
from .protocol import MOST_BYTES, LinesWanted


def mark(journal: Path, joined: EventFile) -> None:
    """Note beside a journal at which table of which event it is played."""
    with contextlib.suppress(OSError):
        files.write_new(files.beside(journal, ".hall"), _membership(joined))


def ends(folder: Path, joined: EventFile, journal: Path | None = None) -> dict[str, list[Any]]:
    """The number and the digest of the last line of each of this table's games in ``folder``,
    but for the one in ``journal``."""
    games: dict[str, list[Any]] = {}
    for path in earlier(folder, joined, journal):
        with contextlib.suppress(JournalError):
            content = read_journal(path)
            if content.facts:
                games[content.game] = list(content.end)
    return games


def lines(
    ask: LinesWanted, folder: Path, joined: EventFile, journal: Path | None = None
) -> Iterator[bytes]:
    """Messages with the lines of an earlier game that somebody asks for."""
    for path in earlier(folder, joined, journal):
        with contextlib.suppress(JournalError):
            content = read_journal(path)
            if content.game == ask.game:
                yield from batches(content.whole.splitlines(keepends=True)[ask.start - 1 :])


def batches(all_lines: list[bytes]) -> list[bytes]:
    """The lines, joined to as few messages as they fit into."""
    found = [b""]
    for line in all_lines:
        if found[-1] and len(found[-1]) + len(line) > MOST_BYTES:
            found.append(b"")
        found[-1] += line
    return [one for one in found if one]


def _membership(joined: EventFile) -> bytes:
    return json.dumps({"event": joined.event, "table": joined.table}).encode()


def earlier(folder: Path, joined: EventFile, journal: Path | None = None) -> list[Path]:
    """The journals of this table's games at the event in ``folder``, but for ``journal``."""
    found: list[Path] = []
    for noted in sorted(folder.glob("*.hall")):
        with contextlib.suppress(OSError):
            if noted.read_bytes() == _membership(joined):
                found += filter(Path.is_file, files.journals_of(noted))
    return [path for path in found if path != journal]
