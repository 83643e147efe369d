"""A clock for tests."""

from __future__ import annotations


class ManualClock:
    """A monotonic clock, in seconds, that only the test moves."""

    def __init__(self, at: float = 100.0) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at
