"""The changes of a page, numbered, so that a page that reconnects gets those it missed."""

import asyncio
import contextlib
import json
import secrets
import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool

from blindplay.language import MixedText, Part

from .access import BrowserSession

_KEPT = 200
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


@dataclass(frozen=True)
class PageChange:
    """One change: the new parts of the page, the game's stamp, and sentences."""

    number: int
    parts: Mapping[str, str]
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
    the page.
    """

    def __init__(self, render: Callable[[], None] = lambda: None) -> None:
        self._render, self._outdated = render, False
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
        self._missed: tuple[int, int, str] = -1, -1, ""  # from one number to another: the JSON
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
            self._number += 1
            self._parts, self._stamp, self._aspects = dict(parts), stamp, aspects
            self._changes.append(PageChange(self._number, new, stamp, tuple(told)))
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
            if self._outdated:
                self._outdated = False
                self._render()

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

    def since(self, place: str) -> tuple[str, str] | None:
        """Return the changes after ``place``, as (the new place, JSON); None if there are none.

        The JSON holds all sentences since ``place``, in order. If there are too many changes, or
        ``place`` belongs to another stream, it holds the ``whole`` page without sentences.
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
                return here, self._json(self._parts, (), whole=True)
            if self._missed[:2] != (at, self._number):
                parts = {name: html for change in missed for name, html in change.parts.items()}
                told = [one for change in missed for one in change.told]
                self._missed = at, self._number, self._json(parts, told)
            return here, self._missed[2]

    def _json(
        self, parts: Mapping[str, str], told: Sequence[ToldSentence], *, whole: bool = False
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
        self, stream: Stream, place: str, session: BrowserSession, is_in: Callable[[], bool]
    ) -> AsyncIterator[str]:
        """Yield the changes after ``place`` as events, old and new ones, while ``is_in``. The ids
        of the events are places in the stream."""
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
                    missed = stream.since(place)
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
