"""The changes of a page, numbered, so that a page that reconnects gets those it missed."""

import asyncio
import contextlib
import json
import logging
import secrets
import threading
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Send

from blindplay.language import MixedText, Part

from .access import BrowserSession

_LOG = logging.getLogger(__name__)
_KEPT = 200
_MOST_COMPARED = 500  # lines, one by one
_MOST_STREAMS = 12  # of one session
HEARTBEAT_S = 5.0
"""Seconds without a change after which an open page gets the time."""
_RECONNECT_MS = 1000

Sentence = str | Sequence[Part]
"""A sentence in the page's language, or its parts, each with its language."""

Aspects = Mapping[str, str]
"""Aspects of the game, each with its value; see :func:`blindplay.wording.announcements.aspects`."""

ToldSentence = tuple[Sentence, bool, Aspects]
"""A sentence; whether it is urgent; and the aspects of the game that it rests on, as they were."""


Edit = Sequence[Sequence[int | str]]
"""The lines of a part that change: for each place the number of a line, how many lines go there,
and the lines that come instead. The last place comes first."""


def edit_of(before: str, after: str) -> Edit:
    """What makes ``after`` of ``before``."""
    old, new = before.split("\n"), after.split("\n")
    first, last = 0, min(len(old), len(new))
    while first < last and old[first] == new[first]:
        first += 1
    end = 0
    while end < last - first and old[-1 - end] == new[-1 - end]:
        end += 1
    old, new = old[first : len(old) - end], new[first : len(new) - end]
    if len(old) == len(new):  # mostly a board, of which a few squares change
        apart = [at for at, line in enumerate(old) if line != new[at]]
        if len(apart) < len(old) / 2 or len(old) < 2:
            return [(first + at, 1, new[at]) for at in reversed(apart)]
    if max(len(old), len(new)) >= _MOST_COMPARED:
        return [(first, len(old), *new)]
    changed = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        (first + start, stop - start, *new[other:rest])
        for kind, start, stop, other, rest in reversed(changed)
        if kind != "equal"
    ]


@dataclass(frozen=True)
class PageChange:
    """One change: the new parts of the page, also as edits of the old ones, the game's stamp, and
    sentences. A part that was not there before comes whole only."""

    number: int
    parts: Mapping[str, str]
    edits: Mapping[str, Edit]
    stamp: str
    told: Sequence[ToldSentence] = ()


class PageNow(NamedTuple):
    """A page as it stands: its place in the stream, its parts, the game's stamp and aspects."""

    place: str
    parts: Mapping[str, str]
    stamp: str
    aspects: Aspects


def sent(words: str) -> Sentence:
    """Words as a page gets them."""
    return words.parts if isinstance(words, MixedText) else words


class Stream:
    """All changes of one page. Safe to use from several threads.

    ``render`` gives an outdated page its new state with :meth:`update`; without it nothing outdates
    the page. If it fails, the page stays as it was, and it is called again with the next heartbeat
    or change; ``failed`` is called for the first of these failures.
    """

    def __init__(
        self,
        render: Callable[[], None] = lambda: None,
        failed: Callable[[], None] = lambda: None,
    ) -> None:
        self._render, self._outdated = render, False
        self._failed, self._fails = failed, False
        self._lock = threading.Lock()
        self._rendering = threading.Lock()
        self.one_at_a_time = asyncio.Lock()
        """Held by the reader that lets the page be rendered. The others wait for it."""
        self._name = secrets.token_hex(4)  # numbers of a stream before a restart mean nothing
        self._number = 0
        self._parts: dict[str, str] = {}
        self._stamp = ""
        self._aspects: Aspects = {}
        self._changes: deque[PageChange] = deque(maxlen=_KEPT)
        # The JSON of what pages have missed, by the number that they know and the parts that they
        # have got whole before; up to the present number.
        self._missed: dict[tuple[int, frozenset[str]], str] = {}
        self._listeners: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def now(self) -> PageNow:
        with self._lock:
            place = f"{self._name}.{self._number}"
            return PageNow(place, dict(self._parts), self._stamp, self._aspects)

    def update(
        self,
        parts: Mapping[str, str],
        stamp: str,
        told: Sequence[ToldSentence] = (),
        aspects: Aspects | None = None,
    ) -> None:
        """Add a change to this state of the page, with sentences, unless nothing is new."""
        with self._lock:
            new = {name: html for name, html in parts.items() if self._parts.get(name) != html}
            aspects = self._aspects if aspects is None else aspects
            if not (new or told or (stamp, aspects) != (self._stamp, self._aspects)):
                return
            edits = {
                name: edit_of(self._parts[name], html)
                for name, html in new.items()
                if name in self._parts
            }
            self._number += 1
            self._missed.clear()
            self._parts, self._stamp, self._aspects = dict(parts), stamp, aspects
            self._changes.append(PageChange(self._number, new, edits, stamp, tuple(told)))
        self.wake()

    def outdate(self) -> None:
        """Let the page be rendered before it is sent again."""
        self._outdated = True
        self.wake()

    @property
    def is_outdated(self) -> bool:
        return self._outdated

    def catch_up(self) -> None:
        """Render the page if it is outdated. Several threads wait for one rendering."""
        with self._rendering:
            if not self._outdated:
                return
            self._outdated, before = False, self._fails
            try:
                self._render()
                self._fails = False
            except Exception:
                self._outdated = self._fails = True
                if not before:
                    _LOG.exception("A page cannot be rendered.")
                    self._failed()

    def begin_anew(self) -> None:
        """Forget the changes so far. A page that reconnects gets everything."""
        with self._lock:
            self._name = secrets.token_hex(4)
            self._changes.clear()

    @property
    def is_watched(self) -> bool:
        """True while a page is connected."""
        with self._lock:
            return bool(self._listeners)

    def wake(self) -> None:
        """Set the events of all pages that are connected, with one call of their loop."""
        waiting: dict[asyncio.AbstractEventLoop, list[asyncio.Event]] = {}
        with self._lock:
            for loop, changed in self._listeners:
                waiting.setdefault(loop, []).append(changed)
        for loop, events in waiting.items():
            with contextlib.suppress(RuntimeError):  # the server has stopped meanwhile
                loop.call_soon_threadsafe(_set, events)

    def since(self, place: str, got: set[str] | None = None) -> tuple[str, str] | None:
        """Return the changes after ``place``, as (the new place, JSON); None if there are none.

        The JSON holds all sentences since ``place``, in order. If there are too many changes, or
        ``place`` belongs to another stream, it holds the ``whole`` page without sentences.

        ``got``: the names of the parts that the reader has got whole before, which may come as
        edits; those that come whole now are added. None: all parts come whole.
        """
        name, _, number = place.partition(".")
        with self._lock:
            here = f"{self._name}.{self._number}"
            if place == here:
                return None
            known = name == self._name and number.isascii() and number.isdigit()
            at = int(number) if known and len(number) < 10 else -1
            missed = [change for change in self._changes if change.number > at]
            if len(missed) != self._number - at:
                if got is not None:
                    got.update(self._parts)
                return here, self._json(self._parts, (), whole=True)
            parts: dict[str, str | Edit] = {
                name: html for change in missed for name, html in change.parts.items()
            }
            edited = frozenset[str]()
            if len(missed) == 1:
                edited = frozenset(missed[0].edits).intersection(got or ())
            if got is not None:
                got.update(parts)
            if (at, edited) not in self._missed:
                parts |= {name: missed[0].edits[name] for name in edited}
                told = [one for change in missed for one in change.told]
                self._missed[at, edited] = self._json(parts, told)
            return here, self._missed[at, edited]

    def _json(
        self, parts: Mapping[str, str | Edit], told: Sequence[ToldSentence], *, whole: bool = False
    ) -> str:
        change = {
            "parts": dict(parts), "seen": self._stamp, "state": self._aspects, "told": list(told),
        }  # fmt: skip
        return json.dumps(change | ({"whole": True} if whole else {}), ensure_ascii=False)

    @contextlib.contextmanager
    def changed(self) -> Iterator[asyncio.Event]:
        """An event that each change sets. Use it in the server's loop."""
        changed = asyncio.Event()
        listener = asyncio.get_running_loop(), changed
        with self._lock:
            self._listeners.append(listener)
        try:
            yield changed
        finally:
            with self._lock:
                self._listeners.remove(listener)


def _set(events: Iterable[asyncio.Event]) -> None:
    for one in events:
        one.set()


class EventStream(StreamingResponse):
    """Server-sent events. Whoever goes while something is sent to them is gone at once: a generator
    that nobody closes ends when it is collected, and holds its place until then."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[str]) -> None:
        super().__init__(events)
        self._events = events

    async def stream_response(self, send: Send) -> None:
        async with contextlib.aclosing(self._events):
            await super().stream_response(send)


class OpenPages:
    """Sends the changes of streams to the pages that are open, as server-sent events.

    ``time``: the time in ms by which pages set their clocks.
    """

    def __init__(self, time: Callable[[], int]) -> None:
        self._time = time
        self.run = secrets.token_hex(4)
        """The name of this run of the program."""
        self.closing = threading.Event()
        """While it is set, streams of changes end, and pages connect again."""
        self.count: Counter[str] = Counter()
        """The number of open pages of each role."""
        self._listening: dict[bytes, list[asyncio.Event]] = {}  # the open pages of each session

    async def events(
        self,
        stream: Stream,
        place: str,
        session: BrowserSession,
        is_in: Callable[[], bool],
        *,
        edits: bool = False,
    ) -> AsyncGenerator[str]:
        """Yield the changes after ``place`` as events, old and new ones, while ``is_in``. The ids
        of the events are places in the stream. ``edits``: the page takes them, see
        :data:`Edit`."""
        got: set[str] | None = set() if edits else None
        with stream.changed() as changed:
            listening = self._listening.setdefault(session.digest, [])
            listening.append(changed)
            if len(listening) > _MOST_STREAMS:
                listening.pop(0).set()  # the oldest page finds itself removed
            self.count[session.role] += 1
            try:
                yield f"retry: {_RECONNECT_MS}\n\nevent: run\ndata: {self.run}\n\n"
                yield self._now()
                while not self.closing.is_set() and is_in():
                    if changed not in listening:
                        yield "event: crowded\ndata:\n\n"
                        return
                    changed.clear()
                    if stream.is_outdated:
                        async with stream.one_at_a_time:
                            if stream.is_outdated:
                                await run_in_threadpool(stream.catch_up)
                    missed = stream.since(place, got)
                    if missed is not None:
                        place, data = missed
                        yield f"id: {place}\ndata: {data}\n\n"
                    try:
                        await asyncio.wait_for(changed.wait(), HEARTBEAT_S)
                    except TimeoutError:
                        yield self._now()
            finally:
                if changed in listening:
                    listening.remove(changed)
                if not listening:
                    self._listening.pop(session.digest, None)
                self.count[session.role] -= 1

    def _now(self) -> str:
        """The time, by which a page sets its clocks. It also keeps the connection open."""
        return f"event: time\ndata: {self._time()}\n\n"
