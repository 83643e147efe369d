"""How soon the move of an absent opponent is heard."""

from __future__ import annotations

import re

from blindplay.bench.opponents import answered, figures
from blindplay.language import load


def test_each_answer_is_timed_from_its_move_to_its_first_sample() -> None:
    delays = answered(load("de"))
    assert len(delays) == 7 and min(delays) > 0


def test_the_figures_are_one_line() -> None:
    (line,) = figures(load("de"))
    assert re.search(r"cached [\d.]+ ms, median of 5", line)
