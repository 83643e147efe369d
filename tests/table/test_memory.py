"""The memory of a table."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="other systems share one heap")
def test_threads_share_one_heap() -> None:
    """Else a table grows with each game, though nothing is kept."""
    script = """
import sys, threading
from blindplay.table.memory import share_one_heap
if sys.argv[1] == "shared":
    share_one_heap()
together, heaps = threading.Barrier(6), set()
def work():
    together.wait()
    kept = [bytes(1000 + size) for size in range(500)]
    heaps.update(id(one) >> 26 for one in kept)
    together.wait()
threads = [threading.Thread(target=work) for _ in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(heaps))
"""

    def heaps(how: str) -> int:
        command = [sys.executable, "-c", script, how]
        return int(subprocess.run(command, capture_output=True, check=True).stdout)

    assert heaps("shared") <= 2
    if platform.libc_ver()[0] == "glibc":
        assert heaps("each its own") > 2
