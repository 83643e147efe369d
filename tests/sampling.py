"""A sample in the ordinary run, the rest in the long one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


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
