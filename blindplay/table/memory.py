"""The memory of a process that runs all day."""

from __future__ import annotations

import ctypes
import sys

_M_ARENA_MAX = -8  # of mallopt(3), in malloc.h of the GNU C library


def share_one_heap() -> None:
    """Let all threads take memory from one heap.

    The GNU C library gives each thread a heap of its own. What the recogniser makes in one thread
    and drops in another is then not used again for long: over several games a table grows by about
    10 MiB a game, although nothing is kept. Elsewhere this does nothing. To be called before there
    are threads.
    """
    if sys.platform != "linux":
        return
    try:
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
    except (OSError, AttributeError):  # another C library
        return
