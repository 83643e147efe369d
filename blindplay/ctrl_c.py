"""Ctrl-C as a wish that a table looks for, so that it cuts off nothing that the table does."""

import signal
import sys
import threading
from typing import Any, Self

ENDING = [signal.SIGTERM]
"""The signals that stop a service, and programs whose window is closed. Windows ends these, and
all that they have started."""
if sys.platform != "win32":
    ENDING.append(signal.SIGHUP)


class CtrlC:
    """Within its context the first Ctrl-C only sets ``pressed``: an exception between any two
    instructions could cut a fact in two, or be lost. A second one raises KeyboardInterrupt, in case
    something hangs. A process that ignores Ctrl-C goes on ignoring it. The signal that stops a
    service and that of a window that is closed do the same, where the program takes them.
    """

    def __init__(self) -> None:
        self.pressed = False
        self._before: dict[signal.Signals, Any] = {}  # what was done at each signal before

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for one in (signal.SIGINT, *ENDING):
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
