"""The figures of a long run."""

from __future__ import annotations

import sys

from tests.endurance.soak import MemorySample, SoakFigures, sample


def test_growth_is_told_in_mib_an_hour_over_the_second_half() -> None:
    figures = SoakFigures(games=6)
    # It settles at first; in the second half it grows by 2 MiB in each half an hour.
    for half_hours, memory in enumerate((100, 150, 160, 162, 164, 166)):
        figures.samples.append(MemorySample(half_hours / 2, memory, 1, 6))
    text = "\n".join(figures.lines())
    assert "after the second game 150.0 MiB, after the last 166.0 MiB" in text
    assert "+4.00 MiB an hour" in text
    assert "threads [1], open files [6]" in text


def test_a_run_without_a_game_says_so() -> None:
    assert list(SoakFigures().lines()) == ["Nothing was played."]


def test_a_sample_measures_this_process() -> None:
    now = sample(1.5)
    assert now.hours == 1.5 and now.threads >= 1
    if sys.platform == "linux":
        assert now.memory > 1 and now.files >= 1
