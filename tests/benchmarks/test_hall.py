"""The figures about a hall: simulated tables, followed to the last byte."""

from __future__ import annotations

import re

import pytest

from benchmarks.hall import SimulatedTable, measure
from blindplay.hall.copies import follows
from blindplay.hall.protocol import Head, decode
from blindplay.laws import facts as f
from blindplay.record.chain import digest_of
from tests.programs import need


def test_a_simulated_table_writes_a_journal_and_a_head_of_it() -> None:
    table = SimulatedTable("7", [f.Start()])
    assert table.happen(ticks=5).count(b"\n") == 1  # the setup
    assert table.happen(ticks=2).count(b"\n") == 3
    for number, line in enumerate(table.lines, 1):
        before = digest_of(table.lines[number - 2]) if number > 1 else ""
        assert follows(line, number, before)
    head = decode(Head, table.head())
    assert (head.game, head.n, head.digest) == table.end


@pytest.mark.long
def test_all_copies_are_equal_and_the_figures_are_given() -> None:
    need("Mosquitto")
    (line,) = measure([3], seconds=1.0, speed=20.0)
    assert line.startswith("Hall of 3 tables, 20 times the speed of a rapid game, 1 s: ")
    figures = r"\d+ ms \(median\), \d+ ms \(95 %\)"
    assert re.search(f"from the event to the hall {figures}, to the page {figures};", line)
    assert line.endswith("3 of 3 copies are equal.")
