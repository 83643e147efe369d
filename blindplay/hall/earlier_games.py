"""The journals of a table's earlier games at an event, which a hall may ask for later."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from blindplay.record import JournalError, files, read_journal
from blindplay.record.journal import JournalContents

from .event_file import EventFile
from .protocol import MOST_BYTES, LinesWanted


def mark(journal: Path, joined: EventFile) -> bool:
    """Note beside a journal at which table of which event it is played; False if the disk cannot
    be written."""
    with contextlib.suppress(OSError):
        files.write_new(files.beside(journal, ".hall"), _membership(joined))
        return True
    return False


def ends(folder: Path, joined: EventFile, journal: Path | None = None) -> dict[str, list[Any]]:
    """The number and the digest of the last line of each of this table's games in ``folder``,
    but for the one in ``journal``."""
    return {game: list(one.end) for game, one in _games(folder, joined, journal).items()}


def _games(folder: Path, joined: EventFile, journal: Path | None) -> dict[str, JournalContents]:
    """The games by their names. Of a game with several journals, such as one that goes on beside
    another, it is the longest."""
    games: dict[str, JournalContents] = {}
    for path in earlier(folder, joined, journal):
        with contextlib.suppress(JournalError):
            content = read_journal(path)
            known = games.get(content.game)
            if content.facts and (known is None or known.end < content.end):
                games[content.game] = content
    return games


def lines(
    ask: LinesWanted, folder: Path, joined: EventFile, journal: Path | None = None
) -> Iterator[bytes]:
    """Messages with the lines of an earlier game that somebody asks for."""
    content = _games(folder, joined, journal).get(ask.game)
    if content is not None:
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
