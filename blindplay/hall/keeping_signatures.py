"""The tables' signatures, which the hall keeps beside its copies of their journals."""

import contextlib
import hashlib
from pathlib import Path

from blindplay.record import chain, signatures
from blindplay.record.files import SUFFIX

from .incidents import Incidents


class SignatureKeeper:
    """Keeps the signatures of one event. ``keys``: the public key of each table; without keys, each
    valid signature is kept."""

    def __init__(self, event: str, keys: dict[str, str], incidents: Incidents) -> None:
        self._event = event
        self._keys = keys
        self._incidents = incidents

    def finished(self, table: str, journal: Path) -> list[tuple[int, str]]:
        """The number and the digest of each line up to which a table has signed the copy
        ``journal`` with a result. Without known keys there is none: anybody can sign."""
        found = []
        with contextlib.suppress(OSError):
            for line in signatures.lines_of(journal):
                with contextlib.suppress(signatures.SignatureError):
                    statement = signatures.read_line(line)
                    if statement.result and statement.key == self._keys.get(table):
                        found.append((statement.n, statement.digest))
        return found

    def take(self, table: str, folder: Path, payload: bytes) -> None:
        """Keep the lines of a message of ``table`` in its ``folder``; report wrong ones."""
        for line in payload.splitlines(keepends=True):
            try:
                statement = signatures.read_line(line)
                if (statement.event, statement.table) != (self._event, table):
                    raise signatures.SignatureError("it is another table's")
                if self._keys and statement.key != self._keys.get(table):
                    raise signatures.SignatureError("it is not made with the table's key")
                folder.mkdir(parents=True, exist_ok=True)
                signatures.add(folder / f"{statement.game}{SUFFIX}", line)
            except signatures.SignatureError as error:
                key = hashlib.sha256(line).hexdigest()[: chain.DIGITS]
                self._incidents.note(table, "signature", key, text=str(error))
            except OSError as error:
                self._incidents.note(table, "storage", text=error.strerror or str(error))
