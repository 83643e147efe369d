"""Recognisers and detectors that fail or hang."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from blindplay.speech import endpointing, listener
from blindplay.speech.audio import QueueSource
from blindplay.speech.listener import Listener
from blindplay.speech.recogniser import Recogniser, Recognition
from tests.speech.conftest import MOVES, ROOM, Spoken
from tests.waiting import PATIENCE_S, until


class Mishap:
    """A recogniser whose first decoder calls `does` when it gets its first sound."""

    def __init__(self, real: Recogniser, does: Callable[[], object]) -> None:
        self._real, self._does = real, does
        self.runs = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def start(self, phrases: Sequence[str]) -> Any:
        run = self._real.start(phrases)
        self.runs += 1
        if self.runs == 1:
            accept = run.accept

            def once(sound: bytes) -> Any:
                self._does()
                return accept(sound)

            run.accept = once  # type: ignore[method-assign, assignment]
        return run


class Patience:
    """How long a recogniser may work: long enough for a busy machine, until the test ends it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self.begins()

    def begins(self) -> None:
        self._patch.setattr(listener, "RECOGNISER_PATIENCE_S", 8.0)

    def ends(self) -> None:
        self._patch.setattr(listener, "RECOGNISER_PATIENCE_S", 0.05)


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> Patience:
    return Patience(monkeypatch)


def _heard(
    mishap: Mishap,
    source: QueueSource,
    sound: Sequence[bytes],
    patience: Patience | None = None,
) -> tuple[list[str], list[Recognition]]:
    told: list[str] = []
    recognitions: list[Recognition] = []
    arrived = threading.Event()

    def lost(sentence: str) -> None:
        if patience is not None:
            patience.begins()
        told.append(sentence)

    def hear(recognition: Recognition) -> None:
        recognitions.append(recognition)
        arrived.set()

    made = Listener(
        mishap,  # type: ignore[arg-type]
        source,
        hear,
        phrases=MOVES,
        on_error=lost,
        on_back=lambda: told.append("back"),
    )
    with made:
        source.push(ROOM + sound[0] + ROOM + ROOM)
        assert until(lambda: told)
        assert until(lambda: not source.waiting())
        source.push(ROOM + sound[1] + ROOM + ROOM)
        assert arrived.wait(PATIENCE_S), told
    return told, recognitions


def test_a_recogniser_that_fails_is_told_and_the_next_utterance_is_heard(
    recogniser: Recogniser, spoken: Spoken
) -> None:
    def fail() -> None:
        raise RuntimeError("no memory")

    sounds = [spoken(MOVES[0]), spoken(MOVES[1])]
    told, recognitions = _heard(Mishap(recogniser, fail), QueueSource(), sounds)
    assert told == ["The recogniser failed (no memory); it is begun anew.", "back"]
    assert [recognition.words for recognition in recognitions][-1] == MOVES[1]


def test_a_recogniser_that_hangs_is_abandoned_and_its_later_results_are_discarded(
    recogniser: Recogniser, spoken: Spoken, patience: Patience
) -> None:
    let = threading.Event()

    def hang() -> None:
        patience.ends()
        let.wait()

    sounds = [spoken(MOVES[0]), spoken(MOVES[1])]
    told, recognitions = _heard(Mishap(recogniser, hang), QueueSource(), sounds, patience)
    assert told == ["The recogniser hangs; it is begun anew.", "back"]
    assert [recognition.words for recognition in recognitions][-1] == MOVES[1]
    count = len(recognitions)
    let.set()
    time.sleep(0.5)
    assert len(recognitions) == count


def test_a_voice_detector_that_hangs_is_abandoned_and_blocks_no_caller(
    recogniser: Recogniser, spoken: Spoken, patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    let, hangs = threading.Event(), threading.Event()
    real, calls = endpointing.Silero, 0

    class Hanging(real):  # type: ignore[misc, valid-type]
        def likelihood(self, pcm: bytes) -> float:
            nonlocal calls
            calls += 1
            if calls == 3:
                hangs.set()
                let.wait()
            return float(super().likelihood(pcm))

    monkeypatch.setattr(listener, "Silero", Hanging)
    told: list[str] = []
    recognitions: list[str] = []
    arrived = threading.Event()

    def hear(recognition: Recognition) -> None:
        recognitions.append(recognition.words)
        arrived.set()

    def lost(sentence: str) -> None:
        patience.begins()
        told.append(sentence)

    source = QueueSource()
    made = Listener(
        recogniser, source, hear, phrases=MOVES, on_error=lost, on_back=lambda: told.append("back")
    )
    with made:
        source.push(ROOM)
        assert hangs.wait(PATIENCE_S)
        made.listen_for(MOVES[:3])  # the table must not wait here
        made.mute()
        made.unmute()
        assert not told
        patience.ends()
        assert until(lambda: told)
        source.push(ROOM + ROOM + spoken(MOVES[1]) + ROOM + ROOM)
        assert arrived.wait(PATIENCE_S)
        let.set()
    assert told == ["The recogniser hangs; it is begun anew.", "back"]
    assert recognitions == [MOVES[1]]


def test_a_recogniser_that_hangs_over_an_utterance_heard_again_is_abandoned(
    recogniser: Recogniser, spoken: Spoken, patience: Patience
) -> None:
    let, told = threading.Event(), threading.Event()
    recognitions: list[Recognition | None] = []
    failed: list[str] = []

    class Again(Mishap):
        def recognise(self, pcm: bytes, phrases: Sequence[str]) -> Recognition:
            self._does()
            return self._real.recognise(pcm, phrases)

    def hang() -> None:
        patience.ends()
        let.wait()

    def lost(sentence: str) -> None:
        patience.begins()
        failed.append(sentence)

    def hear(recognition: Recognition) -> None:
        if not failed:
            made.listen_for(MOVES[:3])
            recognitions.append(made.reheard())  # hangs the first time
        else:
            recognitions.append(recognition)
            told.set()

    again = Again(recogniser, hang)
    again.runs = 1  # none of them hangs by itself
    source = QueueSource()
    made = Listener(again, source, hear, phrases=MOVES, on_error=lost)  # type: ignore[arg-type]
    with made:
        source.push(ROOM + spoken(MOVES[0]) + ROOM + ROOM)
        assert until(lambda: failed)
        source.push(ROOM + spoken(MOVES[1]) + ROOM + ROOM)
        assert told.wait(PATIENCE_S), failed
        let.set()
        time.sleep(0.3)
    assert failed == ["The recogniser hangs; it is begun anew."]
    assert [recognition and recognition.words for recognition in recognitions] == [MOVES[1]]
