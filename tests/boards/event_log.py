"""Collects the events of a driver, for tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from blindplay.boards.events import BoardEvent
from tests.waiting import PATIENCE_S


class EventLog:
    """Collects events and waits for them."""

    def __init__(self) -> None:
        self.events: list[BoardEvent] = []
        self.arrived: list[float] = []
        """When each event came, as host monotonic time in seconds."""
        self._news = threading.Condition()

    def __call__(self, event: BoardEvent) -> None:
        with self._news:
            self.events.append(event)
            self.arrived.append(time.monotonic())
            self._news.notify_all()

    def wait(self, done: Callable[[list[BoardEvent]], bool], seconds: float = PATIENCE_S) -> None:
        with self._news:
            if not self._news.wait_for(lambda: done(self.events), seconds):
                raise AssertionError(f"not within {seconds} s; heard {self.events}")

    def wait_kinds(self, *kinds: type, seconds: float = PATIENCE_S) -> list[BoardEvent]:
        """Wait until events of these kinds came in this order since the last clear."""

        def done(heard: list[BoardEvent]) -> bool:
            left = list(kinds)
            for event in heard:
                if left and isinstance(event, left[0]):
                    left.pop(0)
            return not left

        self.wait(done, seconds)
        return list(self.events)

    def clear(self) -> None:
        with self._news:
            self.events.clear()
            self.arrived.clear()

    def kinds(self) -> list[type]:
        return [type(event) for event in list(self.events)]

    def without_times(self) -> list[tuple[object, ...]]:
        """The events with their fields, but for times and for squares of which there are none."""
        return [
            (
                type(one),
                *(value for name, value in vars(one).items() if name != "at" and value != ()),
            )
            for one in list(self.events)
        ]
