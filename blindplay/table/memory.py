"""The memory of a process that runs all day."""

import contextlib
import ctypes
import sys

_M_ARENA_MAX = -8  # of mallopt(3), in malloc.h of the GNU C library


def share_one_heap() -> None:
    """Let all threads take memory from one heap.

    The GNU C library gives each thread a heap of its own. Memory that the recogniser takes in one
    thread and frees in another is not used again for long: a table grows by about 10 MiB a game,
    although nothing is kept. Elsewhere this does nothing. Call it before there are threads.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
