"""Connections to an event's broker that follow tables and send them requests: the running hall, and
one beside it that only asks."""

import os
import tempfile
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self

from blindplay.broker import Link
from blindplay.record import files
from blindplay.translation import UserError

from .event_file import EventFile
from .follower import FOLLOWED, Follower
from .protocol import RequestAnswer, Topic
from .requests import Requests, UnreachableError

_TICK_S = 0.05
_QUIET_S = 1.0  # without a new table for so long, all tables are known
_PATIENCE_S = 10.0  # until the broker and one table have answered


class TableAsker:
    """Follows tables of an event and sends them requests until it is closed."""

    def __init__(
        self, joined: EventFile, folder: Path, kinds: Iterable[str], tables: str = "+"
    ) -> None:
        """``kinds``: those of the messages to receive; ``tables``: the name of one table, or ``+``
        for all. Copies of journals are in ``folder``.

        :raises ValueError: if the broker cannot be used as the file says.
        :raises OSError: if the folder cannot be made.
        """
        self.follower = Follower(joined.event, folder, self.publish, joined.keys)
        self._requests = Requests(self.follower, self.publish)
        topics = [str(Topic(joined.event, tables, kind)) for kind in (*kinds, "answer")]
        self._link = Link(joined.broker, topics, self._on_message, self._on_connect)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="hall", daemon=True)
        self._thread.start()
        self._link.start()

    @property
    def online(self) -> bool:
        """True while there is a connection to the broker."""
        return self._link.online

    def request(
        self, table: str, who: str, kind: str, body: dict[str, Any]
    ) -> "Future[RequestAnswer]":
        """Ask a table for something; see :meth:`.Requests.request`."""
        return self._requests.request(table, who, kind, body, time.monotonic())

    def publish(self, topic: Topic, payload: bytes) -> bool:
        """Publish a message; False if there is no connection."""
        return self._link.publish(str(topic), payload)

    def close(self) -> None:
        """Disconnect."""
        self._link.close()
        self._closing.set()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _on_message(self, topic: str, payload: bytes, retained: bool) -> None:
        if topic.endswith("/answer"):
            self._requests.receive(topic, payload)
        else:
            self.follower.receive(topic, payload, time.monotonic(), retained=retained)

    def _on_connect(self) -> None:
        self.follower.hurry(time.monotonic())

    def _work(self) -> None:
        while not self._closing.wait(_TICK_S):
            self._tick(time.monotonic())

    def _tick(self, now: float) -> None:
        self._requests.tick(now)


class Hall(TableAsker):
    """The hall of an event: keeps a copy of each journal in the folder that its file names."""

    def __init__(self, joined: EventFile) -> None:
        """:raises ValueError: if the broker cannot be used as the file says, or another hall runs
            with this folder.
        :raises OSError: if the folder of the copies cannot be made.
        """
        joined.folder.mkdir(parents=True, exist_ok=True)
        self._guard = files.open_file(joined.folder / "hall.lock", create=True)
        if not files.lock(self._guard):
            os.close(self._guard)
            raise UserError(
                "A hall is running in {folder} already, with blindplay hall serve or "
                "follow. One is enough; end it before you start another.",
                folder=joined.folder,
            )
        super().__init__(joined, joined.folder, FOLLOWED)

    def close(self) -> None:
        """Disconnect, and write the received lines."""
        if self._closing.is_set():
            return
        super().close()
        self.follower.tick(time.monotonic())
        os.close(self._guard)

    def _tick(self, now: float) -> None:
        self.follower.tick(now)
        super()._tick(now)


class TableCalls(TableAsker):
    """Asks tables of an event for something, also beside a running hall. It keeps nothing."""

    def __init__(self, joined: EventFile, tables: str = "+") -> None:
        """``tables``: the name of one table, or ``+`` for all.

        :raises ValueError: if the broker cannot be used as the file says.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="blindplay-hall-")
        super().__init__(joined, Path(self._folder.name), ("head", "presence"), tables)

    def gather(self, seconds: float) -> bool:
        """Wait until all tables are known; False if there is no broker within ``seconds``."""
        until = time.monotonic() + seconds
        known, since = -1, time.monotonic()
        while time.monotonic() < until:
            with self.follower.lock:
                number = len(self.follower.tables)
            if number != known or not self.online:
                known, since = number, time.monotonic()
            elif time.monotonic() - since >= _QUIET_S:
                return True
            time.sleep(_TICK_S)
        return self.online

    def close(self) -> None:
        """Disconnect."""
        super().close()
        self._folder.cleanup()


def ask_once(joined: EventFile, table: str, who: str, kind: str) -> RequestAnswer:
    """The answer of ``table`` to a request of this ``kind`` from the person ``who``. Its status is
    ``unanswered`` if none comes.

    :raises UnreachableError: if the broker or the table cannot be reached.
    :raises ValueError: if the broker cannot be used as the file says.
    """
    with TableCalls(joined, table) as calls:
        until = time.monotonic() + _PATIENCE_S
        while True:
            try:
                return calls.request(table, who, kind, {}).result()
            except UnreachableError:
                if time.monotonic() >= until:
                    raise
                time.sleep(_TICK_S)
