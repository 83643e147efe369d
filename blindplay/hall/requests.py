"""Requests to tables, on both sides: the hall publishes a request until the table answers, and the
table does it once, or refuses it with the reason. Nothing is kept for later."""

import secrets
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, cast

from blindplay.console.actions import ActionResult, Form, act_after_hands
from blindplay.console.messages import LANGUAGES
from blindplay.console.table_port import TablePort
from blindplay.laws import Fact, Origin, Ruling
from blindplay.table.table import Table
from blindplay.translation import UserError

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

# --- the hall's side -----------------------------------------------------------------------------

_AGAIN_S = 1.0  # between two times that a request is published
_PATIENCE_S = 8.0
_STALE_S = 1.0  # time for another program under the table's name to answer
FRESH_S = 20.0
"""A table whose last message is older than this many seconds cannot be reached."""


class UnreachableError(UserError):
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
            followed = self._follower.tables.get(table)
            head = followed.head if followed is not None else None
            presence = followed.presence if followed is not None and followed.waits else None
            reachable = (
                followed is not None and followed.online and now - followed.heard_at <= FRESH_S
            )
            if not reachable or (head is None and presence is None):
                raise UnreachableError("Table {table} cannot be reached; go there.", table=table)
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
            for waiting in self._open.values():
                if waiting.stale is not None:
                    waiting.until = min(waiting.until, now + _STALE_S)
            late = [waiting for waiting in self._open.values() if now >= waiting.until]
            for waiting in late:
                del self._open[waiting.request.id]
            again = [waiting for waiting in self._open.values() if now >= waiting.again]
        for waiting in late:
            waiting.future.set_result(
                waiting.stale or RequestAnswer(waiting.request.id, "unanswered")
            )
        for waiting in again:
            waiting.again = now + _AGAIN_S
            self._publish(waiting)


# --- the table's side ----------------------------------------------------------------------------

OLDEST_S = 30.0
"""A request that rests on an older head is stale."""
_MOST_ANSWERS = 1000
Reply = Callable[[RequestAnswer], object]
Handler = Callable[[Request, Reply], object]
"""Does one kind of request and replies, now or later."""


class _SignedTable:
    """A table whose submitted facts name the request and the person."""

    def __init__(self, table: Table, request: Request) -> None:
        self._table = table
        self._request = request

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def submit(self, fact: Fact, origin: Origin) -> tuple[Ruling, ...]:
        marked = replace(fact, who=self._request.who, request=self._request.id)
        return self._table.submit(marked, origin)


class RequestTaker:
    """Takes requests for one table. ``act``, the arbiter's page's request, is always known."""

    def __init__(self, table: Table, handlers: Mapping[str, Handler] | None = None) -> None:
        self._table = table
        self._handlers: dict[str, Handler] = {"act": self._act, **(handlers or {})}
        self._answers: dict[str, RequestAnswer] = {}
        with table.lock:
            for taken in table.log:
                if taken.fact.request:  # done before the table was started again
                    self._answers[taken.fact.request] = self._answer(taken.fact.request, "done")

    def take(self, request: Request, game: str, reply: Reply) -> None:
        """Do a request at the table that plays ``game``, unless it was done before or is stale."""
        if request.id in self._answers:
            reply(self._answers[request.id])
            return

        def on_answer(answer: RequestAnswer) -> None:
            self._answers[request.id] = answer
            reply(answer)

        age = self._table.age(request.t)
        handler = self._handlers.get(request.kind)
        if handler is None:
            reply(self._answer(request.id, "unknown"))
        elif (request.game and request.game != game) or not -1.0 <= age <= OLDEST_S:
            reply(self._answer(request.id, "stale"))
        else:
            while len(self._answers) >= _MOST_ANSWERS:
                del self._answers[next(iter(self._answers))]
            self._answers[request.id] = self._answer(request.id, "waiting")
            handler(request, on_answer)

    def _answer(self, which: str, status: str, sentences: tuple[str, ...] = ()) -> RequestAnswer:
        return RequestAnswer(which, status, self._table.written[0], list(sentences))

    def _act(self, request: Request, reply: Reply) -> None:
        """Do the action of an arbiter's form, as at the table's own console."""
        form = _form(request.body.get("form"))
        language = request.body.get("language")
        if form is None or not isinstance(language, str) or language not in LANGUAGES:
            reply(self._answer(request.id, "unknown"))
            return

        def on_result(result: ActionResult) -> None:
            status = "refused" if result.refused else "done"
            reply(self._answer(request.id, status, result.sentences))

        table = cast(TablePort, _SignedTable(self._table, request))
        act_after_hands(table, "arbiter", language, form, on_result)


def _form(value: Any) -> Form | None:
    """A form as a page sends it: a list of texts for each name."""
    if not isinstance(value, dict):
        return None
    texts = [text for values in value.values() if isinstance(values, list) for text in values]
    lists = all(isinstance(values, list) for values in value.values())
    return value if lists and all(isinstance(text, str) for text in texts) else None
