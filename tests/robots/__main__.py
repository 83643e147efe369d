"""``python -m tests.robots CHANNEL GAMES [FIRST_SEED]``: play games of robots, and count by cause
who got stuck, and in how many games each thing happened. A channel is one of
:data:`.judge.CHANNELS`, "process", "alone", "hall" or "meeting"."""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from .alone import Alone
from .judge import Judge, Told
from .officials import InHall, Meeting

_OTHERS = {"alone": Alone, "hall": InHall, "meeting": Meeting}


def main(channel: str, games: int, first: int) -> None:
    """Play, and print one transcript for each cause as soon as it is known."""
    causes: Counter[str] = Counter()
    happened: Counter[str] = Counter()
    examples: dict[str, Told] = {}
    asked = plies = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + games):
            judge = (
                _OTHERS[channel](Path(folder), seed)
                if channel in _OTHERS
                else Judge(Path(folder), seed, channel)
            )
            told = judge.play()
            asked, plies = asked + told.asked, plies + told.plies
            happened.update(judge.happened())
            if told.stuck is not None:
                causes[told.stuck.cause] += 1
                if told.stuck.cause not in examples:
                    print(f"\n===== {told.stuck.cause}\n{told.stuck.transcript}", flush=True)
                examples.setdefault(told.stuck.cause, told)
    print()
    for what, count in sorted(happened.items()):
        print(f"{count:4} {what}")
    print()
    for cause, count in causes.most_common():
        print(f"{count:4} {cause} (seed {examples[cause].seed})")
    took = time.monotonic() - began
    print(
        f"{games} games, {causes.total()} stuck; {plies} plies; asked {asked} times; {took:.1f} s"
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
