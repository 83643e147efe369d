"""A sample in the ordinary run, the rest in the long one."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

TRY_ALL = bool(os.environ.get("EXPLORE") or os.environ.get("EXAMPLES"))


def first(usual: int, values: Iterable[Any]) -> list[Any]:
    """``values`` as parameters of a test: the ``usual`` first ones always, the others in
    ``make test-long``."""
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=() if number < usual else pytest.mark.long,
        )
        for number, value in enumerate(values)
    ]


def examples(count: int, **more: Any) -> settings:
    """The settings of a property test that is worth so many examples. The ordinary run always
    tries the same third of them, the long one all."""
    return settings(max_examples=count if TRY_ALL else math.ceil(count / 3), **more)
