"""Lines that are typed, read in a thread of their own, so that other things can be waited for."""

import contextlib
import queue
import threading
from collections.abc import Iterable, Iterator

from .ctrl_c import CtrlC

LOOK_S = 0.1
"""Seconds between two looks for Ctrl-C while a line is awaited."""


class TypedLines:
    """The lines of ``keys``, for one reader after the other."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._ended = False
        threading.Thread(target=self._read, args=(keys,), name="keys", daemon=True).start()

    def type(self, line: str) -> None:
        """Take a line that was typed elsewhere, such as on a Braille display."""
        self._lines.put(line)

    def _read(self, keys: Iterable[str]) -> None:
        try:
            with contextlib.suppress(OSError, ValueError):  # a keyboard that is gone
                for line in keys:
                    self._lines.put(line)
        finally:
            self._lines.put(None)

    @property
    def ended(self) -> bool:
        """Return whether the lines have ended."""
        return self._ended

    def within(self, seconds: float) -> str | None:
        """The next line, if one is typed within so long."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return None
        self._ended = self._ended or line is None
        return line

    def next(self) -> str | None:
        """Wait for the next line; None if the lines have ended. Python may notice Ctrl-C only when
        a wait ends, so no wait is long."""
        line = None
        while line is None and not self._ended:
            line = self.within(LOOK_S)
        return line

    def until(self, ctrl_c: CtrlC) -> Iterator[str]:
        """Yield the lines, until they end or Ctrl-C is pressed."""
        while not (self._ended or ctrl_c.pressed):
            line = self.within(LOOK_S)
            if line is not None:
                yield line
