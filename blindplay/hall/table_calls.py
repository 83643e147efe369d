"""Requests to tables without a hall of one's own."""

import tempfile
import threading
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from blindplay.broker import Link

from .event_file import EventFile
from .follower import Follower
from .protocol import RequestAnswer, Topic
from .requesting import Requests, UnreachableError

_TICK_S = 0.05
_QUIET_S = 1.0
"""After so long without a new table, all have been heard of."""
_PATIENCE_S = 10.0  # until the broker and one table are heard of


class TableCalls:
    """Asks tables of an event for something, also beside a running hall. It keeps nothing."""

    def __init__(self, joined: EventFile, tables: str = "+") -> None:
        """``tables``: the name of one table, or ``+`` for all.

        :raises ValueError: if the broker cannot be used as the file says."""
        self._folder = tempfile.TemporaryDirectory(prefix="blindplay-hall-")
        self.follower = Follower(joined.event, Path(self._folder.name), lambda *_: None)
        self._requests = Requests(self.follower, self._publish)
        kinds = ("head", "presence", "answer")
        topics = [str(Topic(joined.event, tables, kind)) for kind in kinds]
        self._link = Link(joined.broker, topics, self._receive, lambda: None)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="calls", daemon=True)
        self._thread.start()
        self._link.start()

    def request(
        self, table: str, who: str, kind: str, body: dict[str, Any]
    ) -> "Future[RequestAnswer]":
        """See :meth:`.Requests.request`."""
        return self._requests.request(table, who, kind, body, time.monotonic())

    def gather(self, seconds: float) -> bool:
        """Wait until the tables have been heard of; False if there is no broker for so long."""
        until = time.monotonic() + seconds
        known, since = -1, time.monotonic()
        while time.monotonic() < until:
            with self.follower.lock:
                number = len(self.follower.tables)
            if number != known or not self._link.online:
                known, since = number, time.monotonic()
            elif time.monotonic() - since >= _QUIET_S:
                return True
            time.sleep(_TICK_S)
        return self._link.online

    def close(self) -> None:
        """Disconnect."""
        self._link.close()
        self._closing.set()
        self._thread.join()
        self._folder.cleanup()

    def __enter__(self) -> "TableCalls":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _publish(self, topic: Topic, payload: bytes) -> bool:
        return self._link.publish(str(topic), payload)

    def _receive(self, topic: str, payload: bytes, retained: bool) -> None:
        if topic.endswith("/answer"):
            self._requests.receive(topic, payload)
        else:
            self.follower.receive(topic, payload, time.monotonic(), retained=retained)

    def _work(self) -> None:
        while not self._closing.wait(_TICK_S):
            self._requests.tick(time.monotonic())


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
