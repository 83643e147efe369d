"""Ctrl-C as a wish that a table looks for, so that it cuts off nothing that the table does."""

import signal
import threading
from typing import Any, Self


class CtrlC:
    """Within its context the first Ctrl-C only sets ``pressed``: an exception between any two
    instructions could cut a fact in two, or be lost. A second one raises KeyboardInterrupt, in case
    something hangs. A process that ignores Ctrl-C goes on ignoring it. The signal that stops a
    service does the same, where the program takes it.
    """

    def __init__(self) -> None:
        self.pressed = False
        self._before: dict[signal.Signals, Any] = {}  # what was done at each signal before

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for one in (signal.SIGINT, signal.SIGTERM):
                if callable(signal.getsignal(one)):
                    self._before[one] = signal.signal(one, self._press)
        return self

    def __exit__(self, *_: object) -> None:
        for one, handler in self._before.items():
            signal.signal(one, handler)

    def _press(self, *_: object) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True
