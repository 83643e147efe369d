"""A game at two tables over a bad line, in real time."""

from __future__ import annotations

import pytest

from benchmarks.distant_tables import figures


@pytest.mark.long
def test_both_tables_show_the_same_clocks_though_messages_are_late_and_lost() -> None:
    (line,) = figures(1)
    assert line.startswith("Two tables, 150 ms each way, 5% of the messages lost, 1 moves in ")
    assert "both tables show the same clocks within 0 ms" in line
