"""Let things come late that may come late, to find tests and pages that count on their order:

    pytest -p tests.late --late answers tests/console

- ``answers``: each answer to a form or a question of a page
- ``events``: each change of a page
- ``threads``: the beginning of each thread
- ``messages``: each message between a table and its hall
- ``pages``: everything that a page does, with a processor that is six times slower
- ``tests``: what tests do, with chess clocks that run thirty times too fast
- ``clocks``: chess clocks, which run thirty times too slowly

Several, with commas between them, come late by chance, which ``--late-seed`` varies.
"""

from __future__ import annotations

import asyncio
import random
import sys
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import pytest

LATE_S = 0.3  # longer than a page waits before it says something
THREAD_S = 0.05
SLOWER = 6
OFTEN = 30  # times
KINDS = ("answers", "events", "threads", "messages", "pages", "tests", "clocks")

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Any, Send], Awaitable[None]]

_chance = random.Random()


def pytest_addoption(parser: pytest.Parser) -> None:
    """What is late."""
    parser.addoption("--late", default="", help=f"what comes late: {', '.join(KINDS)}")
    parser.addoption("--late-seed", default="", help="another seed for what comes late by chance")


def pytest_configure(config: pytest.Config) -> None:
    """Let it be late in this process."""
    late = {kind for kind in config.getoption("--late").split(",") if kind}
    if wrong := late.difference(KINDS):
        raise pytest.UsageError(f"--late takes {', '.join(KINDS)}, not {', '.join(wrong)}.")
    by_chance = len(late) > 1
    answers, events = (LATE_S if kind in late else 0.0 for kind in ("answers", "events"))
    if answers or events:
        _delay_pages(answers, events, by_chance)
    if "threads" in late:
        threading.setprofile(_begin_late)
    if "messages" in late:
        _delay_messages(LATE_S)
    if "pages" in late:
        _slow_browsers()
    if late.intersection(("tests", "clocks")):
        _turn_clocks(OFTEN if "tests" in late else 1 / OFTEN)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let a test be delayed alike whatever ran before it."""
    _chance.seed(f"{item.config.getoption('--late-seed')} {item.nodeid}")


def _delay_pages(answers: float, events: float, by_chance: bool) -> None:
    from blindplay.console.server import PageServer

    start = PageServer.start

    def so_late(limit: float) -> float:
        return _chance.uniform(0, limit) if by_chance else limit

    def delayed(app: App) -> App:
        async def late(scope: Message, receive: Any, send: Send) -> None:
            streams = scope.get("path", "").endswith("changes")
            asks = scope.get("method") == "POST" or scope.get("query_string")

            async def sent(message: Message) -> None:
                if streams and message["type"] == "http.response.body":
                    await asyncio.sleep(so_late(events))
                elif asks and not streams and message["type"] == "http.response.start":
                    await asyncio.sleep(so_late(answers))
                await send(message)

            await app(scope, receive, sent)

        return late

    PageServer.start = lambda self, app: start(self, delayed(app))  # type: ignore[method-assign]


def _begin_late(*_: object) -> None:
    """The first call of a thread's profile: it has begun, and nobody waits for that any more."""
    sys.setprofile(None)
    time.sleep(_chance.uniform(0, THREAD_S))


def _delay_messages(limit: float) -> None:
    from paho.mqtt.client import Client

    handle = Client._handle_on_message

    def late(self: Client, message: Any) -> None:
        time.sleep(_chance.uniform(0, limit))
        handle(self, message)

    Client._handle_on_message = late  # type: ignore[method-assign]


def _slow_browsers() -> None:
    from playwright.sync_api import BrowserContext, Page

    new_page = BrowserContext.new_page

    def slow(self: BrowserContext) -> Page:
        page = new_page(self)
        self.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        return page

    BrowserContext.new_page = slow  # type: ignore[method-assign]


def _turn_clocks(rate: float) -> None:
    """A table whose test gives it no clock has one with this rate."""
    from blindplay.table import Table

    begin, began = Table.__init__, time.monotonic()

    def turned() -> float:
        return began + (time.monotonic() - began) * rate

    def with_clock(self: Table, *given: Any, now: Any = time.monotonic, **more: Any) -> None:
        begin(self, *given, now=turned if now is time.monotonic else now, **more)

    Table.__init__ = with_clock  # type: ignore[method-assign]
