"""Devices that vanish, hang or babble: the table goes on with what is left, and they come back."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from blindplay.speech import audio, audio_devices, endpointing, listener, speaker
from blindplay.speech.audio import AudioError, QueueSource, SilentSink
from blindplay.speech.audio_devices import DeviceSink
from blindplay.speech.listener import Listener
from blindplay.speech.recogniser import Recogniser, Recognition
from blindplay.speech.speaker import Outcome, Output, Speaker
from blindplay.speech.synthesis import Synthesiser, SynthesisError
from tests.speech.conftest import MOVES
from tests.speech.test_listener import ROOM, Spoken


class HangingSink(SilentSink):
    """An output that does not come back from playing until it is let."""

    def __init__(self) -> None:
        super().__init__("loudspeaker")
        self.let = threading.Event()

    def play(self, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        self.let.wait()
        return super().play(pcm, rate, stop)


def test_an_output_that_hangs_is_a_sentence_is_left_out_and_speaks_again_when_it_is_back(
    synthesiser: Synthesiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speaker, "PLAYING_PATIENCE_S", 0.2)
    errors: list[str] = []
    outcomes: list[Outcome] = []
    public, private = HangingSink(), SilentSink("earphone")
    with Speaker(synthesiser, private, public, on_error=errors.append) as made:
        for word in ("eins", "zwei"):
            made.say(word, to=Output.PUBLIC, on_done=outcomes.append)
        made.say("drei", to=Output.PRIVATE, on_done=outcomes.append)
        assert made.wait(60)
        assert outcomes == [Outcome.FAILED, Outcome.FAILED, Outcome.SPOKEN]
        assert errors == ["The audio output (loudspeaker) hangs; plug it in again."] * 2
        assert len(private.played) == 3  # who has the earphone misses nothing
        public.let.set()
        limit = time.monotonic() + 10
        while not public.played and time.monotonic() < limit:
            time.sleep(0.01)
        assert [played.whole for played in public.played] == [False]  # what is stale is not heard
        made.say("vier", to=Output.PUBLIC, on_done=outcomes.append)
        assert made.wait(60)
    assert outcomes[-1] is Outcome.SPOKEN


def test_what_is_private_is_never_told_to_all_because_the_earphone_failed(
    synthesiser: Synthesiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speaker, "PLAYING_PATIENCE_S", 0.2)
    outcomes: list[Outcome] = []
    public, private = SilentSink(), HangingSink()
    with Speaker(synthesiser, private, public, on_error=lambda sentence: None) as made:
        made.say("eins", to=Output.PRIVATE, on_done=outcomes.append)
        assert made.wait(60)
        assert outcomes == [Outcome.FAILED] and not public.played
        private.let.set()


def test_a_device_that_never_comes_back_from_closing_is_left_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audio_devices, "CLOSING_PATIENCE_S", 0.1)
    let = threading.Event()

    class Device:
        def close(self) -> None:
            let.wait()

    sink = DeviceSink.__new__(DeviceSink)
    sink._lock, sink._device = threading.Lock(), Device()
    sink.close()
    assert sink._device is None
    let.set()


# --- the synthesiser's worker ------------------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    [
        "while True: print('x' * 1000, flush=True)",
        "import sys\nwhile True: sys.stdout.write('x' * 65536)",
        "while input(): print('5', flush=True)",
        "while input(): print('[' * 5000, flush=True)",
        "while input(): print('{\"voices\": 5}', flush=True)",
    ],
    ids=["lines without end", "a line without end", "a number", "no bottom", "no sound"],
)
def test_a_worker_that_babbles_is_ended_and_a_sentence(tmp_path: Path, program: str) -> None:
    command = [sys.executable, "-c", program]
    made = Synthesiser("de", cache=tmp_path, timeout=0.5, start_timeout=10, command=command)
    with made:
        for _ in range(2):
            with pytest.raises(SynthesisError, match="blindplay doctor"):
                made.render("weiter")
        with pytest.raises(SynthesisError, match="blindplay doctor"):
            made.voices()
    assert made.restarts <= 4
    assert list(tmp_path.glob("*")) == []


def test_a_worker_that_failed_is_asked_once_until_it_works(tmp_path: Path) -> None:
    broken = [sys.executable, "-c", "raise SystemExit(3)"]
    with Synthesiser("de", cache=tmp_path, command=broken) as made:
        for restarts in (2, 3, 4):
            with pytest.raises(SynthesisError):
                made.render("weiter")
            assert made.restarts == restarts
        made._command = [sys.executable, "-m", "blindplay.speech.synthesis_worker"]
        assert made.render("weiter").is_file()
        assert made.restarts == 4


def test_a_phrase_that_is_kept_does_not_wait_for_a_worker_that_hangs(tmp_path: Path) -> None:
    with Synthesiser("de", cache=tmp_path) as made:
        kept = made.render("weiter")
        assert made._lock.acquire()
        try:
            assert made.render("weiter") == kept
        finally:
            made._lock.release()


# --- the recogniser ------------------------------------------------------------------------------


class Mishap:
    """A recogniser whose first run does something else when it hears its first sound."""

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


def _heard(
    mishap: Mishap, source: QueueSource, sound: Sequence[bytes]
) -> tuple[list[str], list[Recognition]]:
    told: list[str] = []
    recognitions: list[Recognition] = []
    arrived = threading.Event()

    def hear(recognition: Recognition) -> None:
        recognitions.append(recognition)
        arrived.set()

    made = Listener(
        mishap,  # type: ignore[arg-type]
        source,
        hear,
        phrases=MOVES,
        on_error=told.append,
        on_back=lambda: told.append("back"),
    )
    with made:
        source.push(ROOM + sound[0] + ROOM + ROOM)
        limit = time.monotonic() + 60
        while not told and time.monotonic() < limit:
            time.sleep(0.01)
        while source.waiting() and time.monotonic() < limit:
            time.sleep(0.01)
        source.push(ROOM + sound[1] + ROOM + ROOM)
        assert arrived.wait(60), told
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


def test_a_recogniser_that_hangs_is_left_behind_and_what_it_says_later_is_told_nobody(
    recogniser: Recogniser, spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "RECOGNISER_PATIENCE_S", 3.0)
    let = threading.Event()
    sounds = [spoken(MOVES[0]), spoken(MOVES[1])]
    told, recognitions = _heard(Mishap(recogniser, let.wait), QueueSource(), sounds)
    assert told == ["The recogniser hangs; it is begun anew.", "back"]
    assert [recognition.words for recognition in recognitions][-1] == MOVES[1]
    count = len(recognitions)
    let.set()
    time.sleep(0.5)
    assert len(recognitions) == count


def test_a_voice_detector_that_hangs_is_left_behind_and_keeps_nobody_waiting(
    recogniser: Recogniser, spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "RECOGNISER_PATIENCE_S", 1.0)
    let, hangs = threading.Event(), threading.Event()
    real, made = endpointing.Silero, 0

    class Hanging(real):  # type: ignore[misc, valid-type]
        def likelihood(self, pcm: bytes) -> float:
            nonlocal made
            made += 1
            if made == 3:
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

    source = QueueSource()
    ear = Listener(
        recogniser, source, hear, phrases=MOVES, on_error=told.append,
        on_back=lambda: told.append("back"),
    )  # fmt: skip
    with ear:
        source.push(ROOM)
        assert hangs.wait(30)
        asked = time.monotonic()
        ear.listen_for(MOVES[:3])  # the table does so, and it is not to wait
        ear.mute()
        ear.unmute()
        assert time.monotonic() - asked < 0.5
        limit = time.monotonic() + 30
        while not told and time.monotonic() < limit:
            time.sleep(0.01)
        source.push(ROOM + ROOM + spoken(MOVES[1]) + ROOM + ROOM)
        assert arrived.wait(60)
        let.set()
    assert told == ["The recogniser hangs; it is begun anew.", "back"]
    assert recognitions == [MOVES[1]]


def test_an_utterance_that_is_heard_again_for_ever_is_left_behind(
    recogniser: Recogniser, spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "RECOGNISER_PATIENCE_S", 3.0)
    let, told = threading.Event(), threading.Event()
    recognitions: list[Recognition | None] = []
    failed: list[str] = []

    class Again(Mishap):
        def recognise(self, pcm: bytes, phrases: Sequence[str]) -> Recognition:
            self._does()
            return self._real.recognise(pcm, phrases)

    def hear(recognition: Recognition) -> None:
        if not failed:
            ear.listen_for(MOVES[:3])
            recognitions.append(ear.reheard())  # the first time it does not come back from here
        else:
            recognitions.append(recognition)
            told.set()

    again = Again(recogniser, let.wait)
    again.runs = 1  # none of them hangs by itself
    source = QueueSource()
    ear = Listener(again, source, hear, phrases=MOVES, on_error=failed.append)  # type: ignore[arg-type]
    with ear:
        source.push(ROOM + spoken(MOVES[0]) + ROOM + ROOM)
        limit = time.monotonic() + 60
        while not failed and time.monotonic() < limit:
            time.sleep(0.01)
        source.push(ROOM + spoken(MOVES[1]) + ROOM + ROOM)
        assert told.wait(60), failed
        let.set()
        time.sleep(0.3)
    assert failed == ["The recogniser hangs; it is begun anew."]
    assert [recognition and recognition.words for recognition in recognitions] == [MOVES[1]]


def test_a_microphone_that_babbles_keeps_no_more_than_its_last_seconds() -> None:
    source = QueueSource(limit_blocks=audio_devices.BACKLOG_BLOCKS)
    for _ in range(200):
        source.push(bytes(audio.BLOCK_BYTES * 50))
    assert len(source._blocks) == audio_devices.BACKLOG_BLOCKS


def test_a_microphone_that_gives_nothing_is_an_error_in_its_time() -> None:
    source = QueueSource()
    source._patience_s, source._silence_message = (
        0.1,
        "The microphone gives no sound; plug it in again.",
    )
    with pytest.raises(AudioError, match="gives no sound"):
        next(iter(source))
