"""The figures about speech."""

from __future__ import annotations

import pytest

from blindplay.bench.speech import figures, first_sample, real_time_factor, stop_latency
from blindplay.language import load
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser


def test_delays_of_announcements_are_measured(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Synthesiser("de", cache=tmp_path_factory.mktemp("cache")) as synthesiser:
        uncached, cached = first_sample(synthesiser, ["bauer eva zwei eva vier"])
    assert uncached > 0 and cached > 0
    assert stop_latency(repeats=2) >= 0


def test_speed_of_recognition_is_measured() -> None:
    recogniser = Recogniser(find_model("de"), "de")
    assert real_time_factor(recogniser, [bytes(64_000)], ["bauer eva zwei eva vier"]) > 0


def test_every_figure_is_a_plain_line() -> None:
    lines = list(figures(load("de")))
    assert len(lines) == 4 and all(line.endswith(".") for line in lines)
    assert "of 40 right, 0 wrong" in lines[-1]
