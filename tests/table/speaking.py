"""Players who speak: their sound, and a microphone that can be pulled out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from blindplay.speech.audio import RATE, QueueSource, read_audio
from blindplay.speech.recogniser import Recogniser, Recognition, UtteranceDecoder
from blindplay.speech.speaker import Outcome, Output
from blindplay.speech.synthesis import Synthesiser

ROOM = np.random.default_rng(1).normal(0, 20, RATE).astype("<i2").tobytes()
"""A second of a quiet room."""
PAUSE = 2 * ROOM
"""The silence by which the end of an utterance is known."""


def spoken(synthesiser: Synthesiser, words: str) -> bytes:
    """Words in a quiet room, with the pause after them."""
    return ROOM + read_audio(synthesiser.render(words, voice="de")) + PAUSE


def hear_in_second_language(recogniser: Recogniser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a model stand for two: that of the first language hears nothing, this one everything."""
    finish = UtteranceDecoder.finish
    monkeypatch.setattr(recogniser, "by_language", 2 * recogniser.by_language)
    monkeypatch.setattr(
        UtteranceDecoder, "finish", lambda decoder: Recognition(elsewhere=(finish(decoder),))
    )


class Microphone(QueueSource):
    """A microphone that can be pulled out and plugged in again."""

    def reopen(self) -> bool:
        while self._error is not None and not self._left:
            time.sleep(0.01)
        return not self._left

    _left = False

    def plug_in(self) -> None:
        self._closed, self._error = False, None

    def close(self) -> None:
        self._left = True
        super().close()


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
