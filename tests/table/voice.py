"""A voice of which every sentence comes to the same end, at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blindplay.speech.speaker import Outcome, Output


class Voice:
    """Stands in for a :class:`~blindplay.speech.speaker.Speaker`."""

    speaking = False
    voicing = None

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def say(self, words: str, *, to: Output, on_done: Callable[[Outcome], None], **_: Any) -> None:
        on_done(self._outcome)

    def on_output(self, callback: Callable[[Output, bool], None]) -> None:
        """No output of this one ever fails."""

    def on_reader(self, callback: Callable[[bool], None]) -> None:
        """There is no screen reader."""

    def interrupt(self, **how: Any) -> None:
        pass

    def wait(self, seconds: float) -> bool:
        return True

    def close(self) -> None:
        pass
