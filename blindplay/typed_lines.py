"""Lines that are typed, read in a thread of their own, so that other things can be waited for."""

import atexit
import contextlib
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from io import TextIOBase

from blindplay.given import LONGEST_LINE

LOOK_S = 0.1
"""Seconds between two looks for Ctrl-C while a line is awaited."""
_MOST_WAITING = 1000  # lines


def _edited() -> Iterator[str]:
    """Lines of the terminal, each with its line end."""
    with contextlib.suppress(EOFError):
        while True:
            yield f"{input()}\n"


def _with_editing(keys: Iterable[str]) -> Iterable[str]:
    """``keys`` or, if they are a terminal's, its lines with editing and history. Windows has both
    by itself."""
    if sys.platform == "win32":
        return keys
    standard = keys is sys.stdin
    if not (standard and sys.stdin.isatty() and sys.stdout.isatty()):
        return keys
    try:
        import readline
        import termios
    except ImportError:
        return keys
    # Marks around what is pasted, and for a meta key, are noise for a screen reader.
    for setting in ("enable-bracketed-paste", "enable-meta-key"):
        readline.parse_and_bind(f"set {setting} off")
    terminal = sys.stdin.fileno()
    state = termios.tcgetattr(terminal)
    # The thread that reads ends with the process, in the middle of a line.
    atexit.register(termios.tcsetattr, terminal, termios.TCSADRAIN, state)
    return _edited()


def _bounded(keys: Iterable[str]) -> Iterable[str]:
    """``keys`` in lines that fit into memory: standard input may be a file without line feeds."""
    if not isinstance(keys, TextIOBase):
        return keys
    return iter(lambda: keys.readline(LONGEST_LINE), "")


class TypedLines:
    """The lines of ``keys``, for one reader after the other."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._ended = False
        threading.Thread(
            target=self._read, args=(_with_editing(keys),), name="keys", daemon=True
        ).start()

    def type(self, line: str) -> None:
        """Take a line that was typed elsewhere, such as on a Braille display."""
        self._lines.put(line)

    def _read(self, keys: Iterable[str]) -> None:
        try:
            with contextlib.suppress(OSError, ValueError):  # a keyboard that is gone
                for line in _bounded(keys):
                    while self._lines.qsize() > _MOST_WAITING:
                        time.sleep(LOOK_S)
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

    def until(self, over: Callable[[], bool]) -> Iterator[str]:
        """Yield the lines, until they end or ``over`` says so."""
        while not (self._ended or over()):
            line = self.within(LOOK_S)
            if line is not None:
                yield line
