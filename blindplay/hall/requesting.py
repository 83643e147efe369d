"""The hall's side of requests: published until the table answers, and never kept for later."""

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from .follower import Follower
from .protocol import (
    STATUSES,
    MessageError,
    Request,
    RequestAnswer,
    Topic,
    decode,
    encode,
    topic_of,
)

_AGAIN_S = 1.0  # between two times that a request is published
_PATIENCE_S = 8.0
_STALE_S = 1.0  # time for another program under the table's name to answer
FRESH_S = 20.0
"""A table whose last message is older than this many seconds cannot be reached."""


class UnreachableError(ValueError):
    """The table cannot be reached now, so nothing was asked of it."""


@dataclass
class _Open:
    table: str
    request: Request
    future: Future[RequestAnswer]
    until: float
    again: float
    stale: RequestAnswer | None = None
    """Another program under the table's name may still do it: its game is the one that is meant."""


class Requests:
    """The requests of a hall that wait for an answer. Safe to use from several threads."""

    def __init__(self, follower: Follower, send: Callable[[Topic, bytes], bool]) -> None:
        """``send`` publishes, and says whether there is a connection."""
        self._follower = follower
        self._send = send
        self._open: dict[str, _Open] = {}
        self._lock = threading.Lock()

    def request(
        self, table: str, who: str, kind: str, body: dict[str, Any], now: float
    ) -> "Future[RequestAnswer]":
        """Ask a table for something. The result is its answer, or one with the status
        ``unanswered``: then it is unknown whether it was done, until the table's journal shows it.

        :raises UnreachableError: if the table is not connected; the request is not published then.
        """
        with self._follower.lock:
            found = self._follower.tables.get(table)
            head = found.head if found is not None else None
            presence = found.presence if found is not None and found.waits else None
            there = found is not None and found.online and now - found.heard_at <= FRESH_S
            if not there or (head is None and presence is None):
                raise UnreachableError(f"Table {table} cannot be reached; go there.")
            game, t = (head.game, head.t) if head is not None else ("", 0.0)
            if presence is not None:  # no game is played there, so no head tells its time
                game, t, body = "", presence.waits, {**body, "run": presence.run}
            request = Request(secrets.token_hex(8), game, t, who, kind, body)
        waiting = _Open(table, request, Future(), now + _PATIENCE_S, now + _AGAIN_S)
        waiting.future.set_running_or_notify_cancel()  # a request cannot be taken back
        with self._lock:
            self._open[request.id] = waiting
        if not self._publish(waiting):
            with self._lock:
                self._open.pop(request.id, None)
            raise UnreachableError("The hall has no connection to the broker; go to the table.")
        return waiting.future

    def _publish(self, waiting: _Open) -> bool:
        topic = Topic(self._follower.event, waiting.table, "request")
        return self._send(topic, encode(waiting.request))

    def receive(self, topic: str, payload: bytes) -> None:
        """Take a message of ``answer``. A status of a newer table counts as unknown."""
        try:
            where, answer = topic_of(topic), decode(RequestAnswer, payload)
        except MessageError:
            return
        if answer.status not in STATUSES:
            answer = replace(answer, status="unknown")
        with self._lock:
            waiting = self._open.get(answer.id)
            if waiting is None or waiting.table != where.table or answer.status == "waiting":
                return
            if answer.status == "stale":
                waiting.stale = answer
                return
            del self._open[answer.id]
        waiting.future.set_result(answer)

    def tick(self, now: float) -> None:
        """Publish requests without an answer once more, with the same id, and give up in time."""
        with self._lock:
            for one in self._open.values():
                if one.stale is not None:
                    one.until = min(one.until, now + _STALE_S)
            late = [one for one in self._open.values() if now >= one.until]
            for one in late:
                del self._open[one.request.id]
            again = [one for one in self._open.values() if now >= one.again]
        for one in late:
            one.future.set_result(one.stale or RequestAnswer(one.request.id, "unanswered"))
        for one in again:
            one.again = now + _AGAIN_S
            self._publish(one)
