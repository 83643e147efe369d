"""All attacks in turn, and one table of what they found."""

from __future__ import annotations

import random
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.endurance.promises import disk, journal, kills, lines, strangers
from tests.endurance.promises.figures import Figures
from tests.programs import is_there

Attack = Callable[[Path, Figures, int], None]


def attacks(size: float) -> Iterator[tuple[str, Attack]]:
    """Yield each attack by name, so many times the usual number of each."""

    def often(usual: int) -> range:
        return range(max(1, round(usual * size)))

    for number in often(14):
        mode = list(kills.MODES)[number % len(kills.MODES)]
        yield "killed", partial(kills.killed, kills=9, mode=mode)
    for name in disk.ATTACKS:
        yield "journal taken", partial(disk.taken, name=name)
    for _ in often(3):
        yield "full disk", disk.full
    for _ in often(4):
        yield "stopped", strangers.stopped
    for _ in often(2):
        yield "console", partial(strangers.console, rounds=2)
    for name in journal.DAMAGES:
        for _ in often(1):
            yield "damaged journal", partial(disk.damaged, name=name)
    for _ in often(3):
        yield "distant tables", partial(lines.distant, breaks=10)
    if is_there("Mosquitto"):
        for _ in often(3):
            yield "hall", partial(lines.hall, breaks=20)
        for last in lines.LASTS:
            yield "hall, the last line", partial(lines.hall, breaks=0, last=last)


def whole(
    size: float = 1.0, seed: int = 1, only: str = "", progress: Callable[[str], None] = print
) -> Figures:
    """Run all attacks, or those of one name, and return what was found."""
    figures = Figures()
    chosen = [(name, attack) for name, attack in attacks(size) if name.startswith(only)]
    for number, (name, attack) in enumerate(chosen, 1):
        folder = Path(tempfile.mkdtemp(prefix="blindplay-attack-"))
        before = len(figures.faults)
        try:
            attack(folder, figures, random.Random(f"{seed} {number}").getrandbits(32))
        except Exception:  # one attack that fails is a fault, and keeps no other from running
            figures.add(name, 1, [traceback.format_exc()], str(folder))
        if len(figures.faults) == before:
            shutil.rmtree(folder, ignore_errors=True)
        progress(f"{number} of {len(chosen)}: {name}, {len(figures.faults)} failures")
    return figures
