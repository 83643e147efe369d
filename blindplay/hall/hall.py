"""A running hall: the broker on one side, the copies of all journals on the other."""

import os
import threading
import time
from concurrent.futures import Future
from typing import Any

from blindplay.broker import Link
from blindplay.record import files

from .event_file import EventFile
from .follower import FOLLOWED, Follower
from .protocol import ROOT, RequestAnswer, Topic
from .requesting import Requests

_TICK_S = 0.05


class Hall:
    """Follows the tables of an event until it is closed."""

    def __init__(self, joined: EventFile) -> None:
        """:raises ValueError: if the broker cannot be used as the file says, or another hall runs
            with this folder.
        :raises OSError: if the folder of the copies cannot be made.
        """
        joined.folder.mkdir(parents=True, exist_ok=True)
        self._guard = files.open_file(joined.folder / "hall.lock", create=True)
        if not files.lock(self._guard):
            os.close(self._guard)
            raise ValueError(
                f"A hall is running in {joined.folder} already, with blindplay hall serve or "
                "follow. One is enough; end it before you start another."
            )
        self.follower = Follower(joined.event, joined.folder, self.publish, joined.keys)
        self._requests = Requests(self.follower, self.publish)
        topics = [f"{ROOT}/{joined.event}/+/{kind}" for kind in (*FOLLOWED, "answer")]
        self._link = Link(joined.broker, topics, self._receive, self._connected)
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
        """Disconnect, and write the received lines."""
        if self._closing.is_set():
            return
        self._link.close()
        self._closing.set()
        self._thread.join()
        os.close(self._guard)

    def __enter__(self) -> "Hall":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _receive(self, topic: str, payload: bytes, retained: bool) -> None:
        if topic.endswith("/answer"):
            self._requests.receive(topic, payload)
        else:
            self.follower.receive(topic, payload, time.monotonic(), retained=retained)

    def _connected(self) -> None:
        self.follower.hurry(time.monotonic())

    def _work(self) -> None:
        while not self._closing.wait(_TICK_S):
            now = time.monotonic()
            self.follower.tick(now)
            self._requests.tick(now)
        self.follower.tick(time.monotonic())
