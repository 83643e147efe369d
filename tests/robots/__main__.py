"""``python -m tests.robots CHANNEL GAMES [FIRST_SEED]``: play games of robots, and
count by cause who got stuck."""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from .judge import Judge, Told


def main(channel: str, games: int, first: int) -> None:
    """Play, and print the causes with one transcript each."""
    causes: Counter[str] = Counter()
    examples: dict[str, Told] = {}
    asked = plies = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + games):
            told = Judge(Path(folder), seed, channel).play()
            asked, plies = asked + told.asked, plies + told.plies
            if told.stuck is not None:
                causes[told.stuck.cause] += 1
                examples.setdefault(told.stuck.cause, told)
    for cause, one in examples.items():
        assert one.stuck is not None
        print(f"\n===== {cause}\n{one.stuck.transcript}")
    print()
    for cause, count in causes.most_common():
        print(f"{count:4} {cause} (seed {examples[cause].seed})")
    took = time.monotonic() - began
    print(
        f"{games} games, {causes.total()} stuck; {plies} plies; asked {asked} times; {took:.1f} s"
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
