"""The figures about speech."""

from __future__ import annotations

import pytest

from benchmarks.speech import figures
from blindplay.language import load


@pytest.mark.long
def test_every_figure_is_a_plain_line() -> None:
    lines = list(figures(load("de")))
    assert len(lines) == 4 and all(line.endswith(".") for line in lines)
    assert "of 40 right, 0 wrong" in lines[-1]
