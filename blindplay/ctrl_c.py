"""Ctrl-C as a wish that a table looks for, so that it cuts off nothing that the table does."""

import signal
import threading
from typing import Any, Self


class CtrlC:
    """Within its context the first Ctrl-C only sets ``pressed``: an exception between any two
    instructions could cut a fact in two, or be lost. A second one raises KeyboardInterrupt, in case
    something hangs. A process that ignores Ctrl-C goes on ignoring it.
    """

    def __init__(self) -> None:
        self.pressed = False
        self._before: Any = None  # what was done at Ctrl-C before; None: nothing was changed

    def __enter__(self) -> Self:
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        if threading.current_thread() is threading.main_thread() and not ignored:
            self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _press(self, *_: object) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True
