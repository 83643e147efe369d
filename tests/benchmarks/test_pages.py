"""The figures about pages: a table in a process of its own, and what its pages are sent."""

from __future__ import annotations

import re

import pytest

from benchmarks.pages import load, measure
from tests.coroutines import apart
from tests.programs import need


def test_the_figures_of_each_window_are_given() -> None:
    first, second = apart(lambda: list(measure(5, [(0, 1), (2, 3)], None)))
    milliseconds = r"\d+\.\d ms \(median\), \d+\.\d ms \(95 %\)"
    size = r"\d+ bytes for each change \(\d+ before compression\)"
    for line, plies in ((first, "0 to 1"), (second, "2 to 3")):
        told = f", 5 pages, plies {plies}: from the fact to the change {milliseconds}; {size}"
        assert re.search(told, line), line
        # Most parts of a page stay as they are, and the rest repeats what was sent before.
        found = re.search(r"(\d+) bytes for each change", line)
        assert found and int(found[1]) < 2000, line


@pytest.mark.long
def test_a_first_load_needs_few_files_and_bytes() -> None:
    pytest.importorskip("playwright")
    need("Chromium")
    (line,) = apart(lambda: list(load(None)))
    told = r"the board after \d+\.\d s, everything after \d+\.\d s; (\d+) files, (\d+\.\d) kB"
    found = re.search(told, line)
    assert found and int(found[1]) <= 12 and float(found[2]) <= 40, line
