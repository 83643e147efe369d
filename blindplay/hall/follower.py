"""The hall's side of the protocol, without a network: messages in, asks out, copies on the disk."""

import contextlib
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from .followed_table import FollowedTable
from .incidents import Incidents
from .keeping_signatures import SignatureKeeper
from .protocol import Head, LinesWanted, MessageError, Presence, Topic, decode, encode, topic_of

Send = Callable[[Topic, bytes], object]
Listener = Callable[[str], object]
FOLLOWED = ("journal", "head", "presence", "signature")
"""The kinds of messages that a hall takes from all tables."""
_FOLDER = "table-"  # before a table's name, for no system forbids such a folder


class Follower:
    """Follows all tables of one event. Safe to use from several threads.

    ``folder`` keeps a folder for each table, with one file for each game; ``send`` publishes.
    """

    def __init__(
        self, event: str, folder: Path, send: Send, keys: Mapping[str, str] | None = None
    ) -> None:
        """``keys``: the public key of each table.

        :raises OSError: if the folder cannot be made.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.event = event
        self.folder = folder
        self.lock = threading.RLock()
        """Held while a message is taken. Hold it to read a consistent hall."""
        self.incidents = Incidents(folder / "incidents.jsonl")
        self._signatures = SignatureKeeper(event, dict(keys or {}), self.incidents)
        self.tables: dict[str, FollowedTable] = {}
        """The tables by their names, also those of which there are only copies."""
        self._send = send
        self._listeners: list[Listener] = []
        self._busy: set[str] = set()  # tables that have something to do
        for path in sorted(folder.glob(f"{_FOLDER}*")):
            self._table(path.name.removeprefix(_FOLDER))

    def listen(self, listener: Listener) -> None:
        """Call ``listener`` with the name of a table whenever something has come from it."""
        self._listeners.append(listener)

    def _table(self, name: str) -> FollowedTable:
        if name not in self.tables:
            self.tables[name] = FollowedTable(
                name, self.folder / f"{_FOLDER}{name}", self.incidents, self._signatures
            )
        return self.tables[name]

    def receive(self, topic: str, payload: bytes, now: float, *, retained: bool = False) -> None:
        """Take a message. ``retained``: the broker kept it, so it may be of any age. ``now`` is
        monotonic seconds."""
        try:
            where = topic_of(topic)
        except MessageError:
            return
        if where.event != self.event or where.kind not in FOLLOWED:
            return
        with self.lock:
            table = self._table(where.table)
            self._busy.add(where.table)
            try:
                if where.kind == "journal":
                    table.take_lines(payload, now)
                elif where.kind == "head":
                    table.take_head(decode(Head, payload), now, live=not retained)
                elif where.kind == "signature":
                    self._signatures.take(table.name, table.folder, payload)
                elif payload:  # an empty one removes the message that the broker kept
                    table.take_presence(decode(Presence, payload), now)
            except MessageError as error:
                self.incidents.note(where.table, "damaged", where.kind, text=str(error))
            for listener in self._listeners:
                listener(where.table)

    def hurry(self, now: float) -> None:
        """Ask soon for missing lines: the hall is connected again."""
        with self.lock:
            for table in self.tables.values():
                table.hurry(now)

    def tick(self, now: float) -> None:
        """Do the due work: write, and ask for missing lines. Call it many times a second."""
        asks: list[tuple[str, LinesWanted]] = []
        with self.lock:
            for name in list(self._busy):
                asks += [(name, ask) for ask in self.tables[name].tick(now)]
                if self.tables[name].at_rest:
                    self._busy.discard(name)
            with contextlib.suppress(OSError):
                self.incidents.flush()
        for name, ask in asks:
            self._send(Topic(self.event, name, "ask"), encode(ask))
