"""The table's side of requests: each is done once, or refused with the reason."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from blindplay.console.actions import ActionResult, Form, act_after_hands
from blindplay.console.messages import LANGUAGES
from blindplay.console.table_port import TablePort
from blindplay.laws import Fact, Origin, Ruling
from blindplay.table.table import Table

from .protocol import Request, RequestAnswer

OLDEST_S = 30.0
"""A request that rests on an older head is stale."""
_MOST_ANSWERS = 1000
Reply = Callable[[RequestAnswer], object]
Handler = Callable[[Request, Reply], object]
"""Does one kind of request and replies, now or later. To mark its facts, it uses
:func:`signed`."""


def signed(table: Table, request: Request) -> TablePort:
    """``table``, except that the facts that are submitted through it name the request and the
    person."""
    return cast(TablePort, _SignedTable(table, request))


class _SignedTable:
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

        def replied(answer: RequestAnswer) -> None:
            self._answers[request.id] = answer
            reply(answer)

        age = self._table.time() / 1000 - request.t
        handler = self._handlers.get(request.kind)
        if handler is None:
            reply(self._answer(request.id, "unknown"))
        elif (request.game and request.game != game) or not -1.0 <= age <= OLDEST_S:
            reply(self._answer(request.id, "stale"))
        else:
            while len(self._answers) >= _MOST_ANSWERS:
                del self._answers[next(iter(self._answers))]
            self._answers[request.id] = self._answer(request.id, "waiting")
            handler(request, replied)

    def _answer(self, which: str, status: str, sentences: tuple[str, ...] = ()) -> RequestAnswer:
        return RequestAnswer(which, status, self._table.written[0], list(sentences))

    def _act(self, request: Request, reply: Reply) -> None:
        """Do the action of an arbiter's form, as at the table's own console."""
        form = _form(request.body.get("form"))
        language = request.body.get("language")
        if form is None or not isinstance(language, str) or language not in LANGUAGES:
            reply(self._answer(request.id, "unknown"))
            return

        def answer(result: ActionResult) -> None:
            status = "refused" if result.refused else "done"
            reply(self._answer(request.id, status, result.sentences))

        act_after_hands(signed(self._table, request), "arbiter", language, form, answer)


def _form(value: Any) -> Form | None:
    """A form as a page sends it: a list of texts for each name."""
    if not isinstance(value, dict):
        return None
    texts = [text for values in value.values() if isinstance(values, list) for text in values]
    lists = all(isinstance(values, list) for values in value.values())
    return value if lists and all(isinstance(text, str) for text in texts) else None
