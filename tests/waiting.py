"""Waiting in tests: no longer than it takes, and as long as a busy machine may need."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = float(os.environ.get("BLINDPLAY_PATIENCE", "180"))
"""Seconds that a test waits for an event at most. A test that passes never takes them all."""


def until(condition: Callable[[], T], seconds: float = PATIENCE_S) -> T:
    """Wait until ``condition`` gives something true, and return what it gave last.

    What takes long is asked for less often: asking takes time from what is waited for."""
    began = time.monotonic()
    while not (found := condition()) and (waited := time.monotonic() - began) < seconds:
        time.sleep(min(max(0.005, waited / 10), 0.1))
    return found
