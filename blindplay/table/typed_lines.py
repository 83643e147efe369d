"""Lines that are typed, read in a thread of their own, so that other things can be waited for."""

import contextlib
import queue
import threading
from collections.abc import Iterable, Iterator


class TypedLines:
    """The lines of ``keys``, for one reader after the other. It is iterated like the keys."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._ended = False
        threading.Thread(target=self._read, args=(keys,), name="keys", daemon=True).start()

    def _read(self, keys: Iterable[str]) -> None:
        with contextlib.suppress(OSError, ValueError):  # a keyboard that is gone
            for line in keys:
                self._lines.put(line)
        self._lines.put(None)

    def within(self, seconds: float) -> str | None:
        """The next line, if one is typed within so long."""
        if self._ended:
            return None
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return None
        self._ended = line is None
        return line

    def __iter__(self) -> Iterator[str]:
        while not self._ended:
            line = self._lines.get()
            if line is None:
                self._ended = True
                return
            yield line
