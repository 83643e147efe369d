"""A table signs its journal: at the end of the game, and when the arbiter asks for it."""

import contextlib

from blindplay import __version__
from blindplay.record import signatures
from blindplay.record.signatures import RulingsDigest, SignedStatement
from blindplay.table.table import Table

from .event_file import EventFile
from .protocol import Request, RequestAnswer


class JournalSigner:
    """Signs the journal of one table with the key in its event's file, if there is one.

    Use it in one thread.
    """

    def __init__(self, table: Table, joined: EventFile) -> None:
        self._table = table
        self._joined = joined
        self._signed = 0  # up to this line
        with contextlib.suppress(OSError, signatures.SignatureError):
            for line in signatures.lines_of(table.path):
                self._signed = max(self._signed, signatures.read_line(line).n)

    def sign_end(self, game: str) -> bool:
        """Sign the journal if the game is over and that was not done yet; True if it was done now.
        ``game`` is the digest of the first line."""
        over = self._joined.key and self._table.game.over
        if not over or self._table.written[0] <= self._signed:
            return False
        with contextlib.suppress(OSError):  # a full disk ends no game; the next round tries again
            return bool(self.sign(game))
        return False

    def sign(self, game: str) -> bytes:
        """Sign the journal as it is now. The line, or nothing if a part of it is not on the disk.

        :raises OSError: if the signature cannot be written.
        """
        with self._table.lock:
            number, digest = self._table.written
            if not (number and self._table.whole):
                return b""
            rulings = RulingsDigest()
            for taken in self._table.log:
                rulings.add(taken.rulings)
            statement = SignedStatement(
                self._joined.event, self._joined.table, game, number, digest, signatures.now(),
                **signatures.outcome(self._table.game), rulings=rulings.digest,
                version=__version__, key=signatures.public_key(self._joined.key),
            )  # fmt: skip
        line = signatures.signed(statement, self._joined.key)
        signatures.add(self._table.path, line)
        self._signed = number
        return line

    def answer(self, request: Request, game: str) -> RequestAnswer:
        """Answer a request of the kind ``sign``."""
        if not self._joined.key:
            return self._refused(request, "This table has no key; it cannot sign.")
        try:
            line = self.sign(game)
        except OSError:
            line = b""
        if not line:
            return self._refused(request, "The table cannot write now; ask again later.")
        return RequestAnswer(
            request.id, "done", self._signed, body={"signature": line.decode().rstrip()}
        )

    def _refused(self, request: Request, why: str) -> RequestAnswer:
        return RequestAnswer(request.id, "refused", self._table.written[0], [why])
