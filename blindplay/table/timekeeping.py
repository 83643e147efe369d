"""Time at a table: while a game clock runs, each second is a fact."""

import contextlib
import logging
import threading
from collections.abc import Callable

from blindplay.laws import facts as f
from blindplay.record.pulse import BEAT_S

from .table import Table

log = logging.getLogger(__name__)


class Timekeeper:
    """Lets time pass at ``table`` in threads of its own, until it is closed, so that flags fall.

    ``each_second`` is called every ``tick_seconds``, and ``trouble`` with an error when something
    fails. A heartbeat beside the journal shows after a crash how long the table ran.
    """

    def __init__(
        self,
        table: Table,
        each_second: Callable[[], None],
        trouble: Callable[[Exception], object],
        *,
        tick_seconds: float = 1.0,
    ) -> None:
        self._table = table
        self._each_second = each_second
        self._trouble = trouble
        self._tick_seconds = tick_seconds
        self._closed = threading.Event()
        self._threads = [
            threading.Thread(target=self._tick, name="wall clock", daemon=True),
            threading.Thread(target=self._beat, name="pulse", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop, with a last heartbeat."""
        self._closed.set()
        for thread in self._threads:
            thread.join(timeout=5)
        self._table.beat()

    def _tick(self) -> None:
        reported = ""
        while not self._closed.wait(self._tick_seconds):
            try:
                clock = self._table.game.clock
                if clock and clock.running is not None:
                    self._table.submit(f.Tick())
                else:
                    self._table.save()
                self._each_second()
            except Exception as error:  # a failing listener must not stop the clock
                if (now := repr(error)) != reported:  # once, not each second
                    reported = now
                    log.exception("A listener failed while time went on.")
                    with contextlib.suppress(Exception):
                        self._trouble(error)

    def _beat(self) -> None:
        """Beat many times a second, even while the table waits for something."""
        while not self._closed.wait(BEAT_S):
            self._table.beat()
