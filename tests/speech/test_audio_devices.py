"""Devices that are missing, hang or babble."""

from __future__ import annotations

import threading

import pytest

from benchmarks.memory_audio import MemorySource
from blindplay.speech import audio, audio_devices
from blindplay.speech.audio import RATE, AudioError, QueueSource
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


class Driven:
    """A microphone whose sound comes when the test says so. Nothing waits for more of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._now = 0.0
        monkeypatch.setattr("blindplay.speech.audio_devices.time.monotonic", lambda: self._now)
        monkeypatch.setattr(audio_devices, "MICROPHONE_PATIENCE_S", 0.0)
        self.source = MicrophoneSource()
        self._receiver = self.source._receive()
        next(self._receiver)

    def comes(self, pauses: list[float]) -> None:
        """After each pause a block comes."""
        for pause in pauses:
            self._now += pause
            self._receiver.send(bytes(audio.BLOCK_BYTES))

    def given(self) -> int:
        """Take all blocks that the iteration gives now, and return how many."""
        count = 0
        with pytest.raises(AudioError):
            for _ in self.source:
                count += 1
        self.source._closed = False
        return count


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
    microphone = Driven(monkeypatch)
    for pause in pauses:
        microphone.comes([pause])
        microphone.source.discard()
    assert microphone.source.lost_s == pytest.approx(lost, abs=0.01)


def test_sound_after_a_possible_gap_waits_until_the_gap_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else an utterance could end, and be taken, before it is known that it has a gap."""
    microphone = Driven(monkeypatch)
    microphone.comes([0.04] * 5 + [0.7] + [0.04] * 13)
    assert microphone.given() == 5 and microphone.source.lost_s == 0
    microphone.comes([0.04])
    assert microphone.source.lost_s > 0.6 and microphone.given() == 15


def test_late_sound_that_was_not_lost_is_given_as_soon_as_it_has_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    microphone = Driven(monkeypatch)
    microphone.comes([0.04] * 5 + [0.7] + [0.001] * 3)
    assert microphone.given() == 5
    microphone.comes([0.001] * 2)
    assert microphone.given() == 6 and microphone.source.lost_s == 0


def test_sound_that_catches_up_slowly_is_not_withheld_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    microphone = Driven(monkeypatch)
    microphone.comes([0.04] * 5 + [5.0] + [0.015] * 132)
    assert microphone.given() == 5
    microphone.comes([0.015] * 2)
    assert microphone.given() == 135 and microphone.source.lost_s == 0


def test_sound_that_is_withheld_can_be_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    microphone = Driven(monkeypatch)
    microphone.comes([0.04, 0.7])
    microphone.source.discard()
    microphone.comes([0.04] * 14)
    assert microphone.source.lost_s > 0 and microphone.given() == 14


def test_a_microphone_whose_sound_is_withheld_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    source, block, waits = QueueSource(), bytes(audio.BLOCK_BYTES), list[float | None]()
    source._patience_s = 3.0

    def wait(seconds: float | None) -> bool:
        waits.append(seconds)
        source.push(block, withhold=len(waits) < 3)
        return True

    monkeypatch.setattr(source._change, "wait", wait)
    assert next(iter(source)) == block and waits == [3.0] * 3
