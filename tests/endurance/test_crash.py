"""A table that is killed at any moment loses nothing that it has announced."""

from __future__ import annotations

import pytest

from tests.endurance.crash import crash


@pytest.mark.long
def test_a_table_that_is_killed_five_hundred_times_loses_nothing_it_has_told() -> None:
    told: list[str] = []
    seen = crash(500, seed=2026, heard=0.2, longest=4.0, progress=told.append)
    assert seen.faults == [], "\n".join(seen.lines())
    assert seen.kills == 500 and seen.rulings and seen.moves and seen.back
    # The pulse beats each 0.1 s; stamps are rounded to 0.1 s; a machine may be busy.
    late_ms = 400
    assert sorted(seen.back)[len(seen.back) // 2] < late_ms
    assert all(
        back <= dead * 1000 + late_ms for back, dead in zip(seen.back, seen.dead, strict=True)
    )
