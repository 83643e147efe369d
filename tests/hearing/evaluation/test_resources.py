"""What understanding costs."""

import sys

from blindplay.hearing.evaluation import resources
from blindplay.speech.models.folders import find_model


def test_models_take_memory() -> None:
    measured = resources.memory([find_model("de")], "de")
    if measured is None:
        assert sys.platform == "win32"
    else:
        before, after = measured
        assert 10 < before < after < 1000
