"""Presses wait for the boards: no line, however bad, costs a player anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest

from tests.table.bad_line import BadHall, Faults

LINES = {
    "drops": Faults(drops=0.005),
    "doubles": Faults(doubles=0.02),
    "100 ppm": Faults(flips_ppm=100),
    "1000 ppm": Faults(flips_ppm=1000),
    "10000 ppm": Faults(flips_ppm=10_000),
    "delays": Faults(delay_ms=300),
    "cuts": Faults(cuts=0.05),
    "everything": Faults(drops=0.005, doubles=0.01, flips_ppm=300, delay_ms=100, cuts=0.02),
}


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Callable[[Faults, int], BadHall]]:
    halls = []

    def played(faults: Faults, plies: int) -> BadHall:
        """Games of 100 plies, until so many plies were tried."""
        for seed in range(plies // 100):
            hall = BadHall(tmp_path, faults, seed * 2)
            halls.append(hall)
            hall.play(chess.Board(), 100)
        return halls[-1]

    yield played
    for hall in halls:
        hall.close()
