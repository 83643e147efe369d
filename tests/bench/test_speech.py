"""The figures about speech."""

from __future__ import annotations

import pytest

from blindplay.bench.speech import first_sample, real_time_factor, stop_latency
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser


def test_delays_of_announcements_are_measured(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Synthesiser("de", cache=tmp_path_factory.mktemp("cache")) as synthesiser:
        measured = first_sample(synthesiser, ["bauer eva zwei eva vier"])
        with pytest.raises(ValueError, match="at least one phrase"):
            first_sample(synthesiser, [])
    assert measured.cached > 0 and measured.uncached > 0
    assert stop_latency(repeats=2) >= 0


def test_speed_of_recognition_is_measured() -> None:
    recogniser = Recogniser(find_model("de"), "de")
    assert real_time_factor(recogniser, [bytes(64_000)], ["bauer eva zwei eva vier"]) > 0
    with pytest.raises(ValueError, match="with sound"):
        real_time_factor(recogniser, [], [])
