"""Devices that are missing, hang or babble."""

from __future__ import annotations

import threading

import pytest

from blindplay.speech import audio, audio_devices
from blindplay.speech.audio import (
    RATE,
    AudioError,
    MemorySource,
    QueueSource,
)
from blindplay.speech.audio_devices import DeviceSink, MicrophoneSource, devices, drain


def test_a_device_that_hangs_while_it_is_closed_is_left_behind(
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


def test_a_microphone_that_babbles_keeps_no_more_than_its_last_seconds() -> None:
    source = QueueSource(limit_blocks=audio_devices.BACKLOG_BLOCKS)
    for _ in range(200):
        source.push(bytes(audio.BLOCK_BYTES * 50))
    assert len(source._blocks) == audio_devices.BACKLOG_BLOCKS


def test_draining_takes_no_more_than_asked() -> None:
    assert len(drain(MemorySource(bytes(RATE * 4)), 1.0)) == 2 * RATE
    assert len(drain(MemorySource(bytes(100)), 1.0)) == 100


def test_without_a_device_there_is_a_sentence(capfd: pytest.CaptureFixture[str]) -> None:
    found = devices()
    with pytest.raises(AudioError, match="no such thing"):
        DeviceSink("no such thing")
    with pytest.raises(AudioError, match="no such thing"), MicrophoneSource("no such thing"):
        pass
    if not found.playback:
        with pytest.raises(AudioError, match="plug in"):
            DeviceSink()
    if not found.capture:
        with pytest.raises(AudioError, match="plug one in"), MicrophoneSource():
            pass
    assert "ALSA" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "pauses, lost",
    [
        ([0.04] * 50, 0.0),
        ([0.040004] * 9000, 0.0),  # another clock
        ([5.0] + [0.04] * 20, 0.0),  # it was opened slowly
        ([0.04] * 5 + [0.4] + [0.0] * 9 + [0.04] * 20, 0.0),  # late, but whole
        ([0.04] * 5 + [3.0] + [0.001] * 78 + [0.04] * 20, 0.0),  # later, but whole
        ([0.04] * 5 + [3.0] + [0.001] * 30 + [0.2] + [0.001] * 55 + [0.04] * 20, 0.0),
        ([0.04] * 5 + [3.0] + [0.0] * 40 + [0.04] * 20, 1.36),  # a part was kept
        ([0.04] * 5 + [0.7] + [0.04] * 20, 0.66),
    ],
)
def test_sound_that_a_device_drops_is_counted(
    pauses: list[float], lost: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("blindplay.speech.audio_devices.time.monotonic", lambda: now)
    microphone = MicrophoneSource()
    receiver = microphone._receive()
    next(receiver)
    for pause in pauses:
        now += pause
        receiver.send(bytes(audio.BLOCK_BYTES))
        microphone.discard()
    assert microphone.lost_s == pytest.approx(lost, abs=0.01)
