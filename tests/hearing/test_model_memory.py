"""The memory that speech models need."""

import sys

import pytest

from blindplay.hearing import model_memory
from blindplay.speech.models.folders import find_model


def test_models_take_memory() -> None:
    measured = model_memory.memory([find_model("de")], "de")
    if measured is None:
        assert sys.platform == "win32"
    else:
        before, after = measured
        assert 10 < before < after < 1000


def test_on_a_machine_that_is_too_slow_the_memory_is_not_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model_memory, "_LOADED_S", 0.01)
    assert model_memory.memory([find_model("de")], "de") is None
