"""Measures the real firmware in its emulator: ``python -m hardware.bench`` in the repository.

With ``--long`` several emulators make 20 000 moves at once, instead of 500.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import reduce
from operator import add

from blindplay.bench import boards
from hardware.emulated import FirmwareBoard, LockstepFirmware, build

_NAME = "Real firmware"


def figures(*, moves: int = 500) -> Iterator[str]:
    """Plain lines like those of :func:`blindplay.bench.boards.figures` for the board in software.

    Raises :class:`hardware.emulated.ToolsMissingError` if the firmware cannot be built.
    """
    build()
    with FirmwareBoard() as board:
        yield boards.latency_line(_NAME, "wall's clock", boards.wall_latency(board))
    yield from boards.in_lockstep(_NAME, LockstepFirmware, moves=moves)


def many_moves(moves: int, jobs: int) -> boards.Reliability:
    """Like :func:`blindplay.bench.boards.reliability`, divided among ``jobs`` boards."""

    def play(job: int) -> boards.Reliability:
        with closing(LockstepFirmware(seed=job + 1)) as board:
            share = moves // jobs + (job < moves % jobs)
            return boards.reliability(board, share, seed=job)

    build()
    with ThreadPoolExecutor(jobs) as pool:
        return reduce(add, pool.map(play, range(jobs)))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure the real firmware in its emulator.")
    parser.add_argument("--long", action="store_true", help="20 000 moves, for half an hour")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="emulators at once")
    given = parser.parse_args()
    for line in figures():
        print(line, flush=True)
    if given.long:
        print(boards.reliability_line(_NAME, many_moves(20_000, given.jobs)), flush=True)


if __name__ == "__main__":
    main()
