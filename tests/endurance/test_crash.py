"""A table that is killed at any moment loses nothing that it has announced."""

from __future__ import annotations

import pytest

from tests.endurance.crash import crash


def _killed_often(kills: int, heard: float, longest: float, late_ms: int) -> None:
    told: list[str] = []
    seen = crash(kills, seed=2026, heard=heard, longest=longest, progress=told.append)
    assert seen.faults == [], "\n".join(seen.lines())
    assert seen.kills == kills and seen.rulings and seen.moves and seen.back
    assert sorted(seen.back)[len(seen.back) // 2] < late_ms
    assert all(
        back <= dead * 1000 + late_ms for back, dead in zip(seen.back, seen.dead, strict=True)
    )


@pytest.mark.realtime
def test_a_table_that_is_killed_five_times_loses_nothing_it_has_told() -> None:
    _killed_often(5, heard=0.0, longest=2.0, late_ms=10_000)  # other tests keep the machine busy


@pytest.mark.long
def test_a_table_that_is_killed_five_hundred_times_loses_nothing_it_has_told() -> None:
    # The pulse beats each 0.1 s; stamps are rounded to 0.1 s; a machine may be busy.
    _killed_often(500, heard=0.2, longest=4.0, late_ms=400)
