"""Sound in files and in memory."""

from __future__ import annotations

import math
import struct
import threading
import wave
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.memory_audio import MemorySink, MemorySource
from blindplay.given import Limit
from blindplay.speech.audio import (
    BLOCK_BYTES,
    RATE,
    AudioError,
    QueueSource,
    amplified,
    level,
    read_audio,
    read_wav,
    speech_onset_s,
    write_wav,
)


def _tone(path: Path, rate: int, channels: int, width: int, seconds: float = 0.5) -> None:
    t = np.arange(int(rate * seconds)) / rate
    wave_form = np.repeat(0.5 * np.sin(2 * math.pi * 440 * t), channels)
    if width == 1:
        data = (wave_form * 127 + 128).astype("u1").tobytes()
    else:
        whole = (wave_form * (2 ** (8 * width - 1) - 1)).astype("<i4")
        data = whole.view("u1").reshape(-1, 4)[:, :width].tobytes()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(data)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100, 48_000])
@pytest.mark.parametrize("channels", [1, 2])
def test_any_wav_becomes_sixteen_kilohertz_mono(
    tmp_path: Path, rate: int, channels: int, width: int
) -> None:
    path = tmp_path / "tone.wav"
    _tone(path, rate, channels, width)
    samples = np.frombuffer(read_audio(path), "<i2")
    assert abs(len(samples) - RATE / 2) < 0.01 * RATE
    spectrum = np.abs(np.fft.rfft(samples[1000:7000]))
    assert abs(np.argmax(spectrum) * RATE / 6000 - 440) < 5
    # A sine of half scale: 20 log10(0.5) - 3.01 dB.
    assert level(samples[1000:7000].tobytes()) == pytest.approx(-9.03, abs=0.5)


@pytest.mark.parametrize("length", [0, 0x7FFFF000, 0xFFFFFFFF])
def test_a_wav_with_a_broken_length_is_read_whole(tmp_path: Path, length: int) -> None:
    path = tmp_path / "pipe.wav"
    _tone(path, RATE, 1, 2)
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, 40, length)
    path.write_bytes(data)
    assert len(read_audio(path)) == RATE


def test_a_sound_file_may_not_last_for_hours(tmp_path: Path) -> None:
    path, limit = tmp_path / "silence.wav", Limit(1_000_000, 20)
    for seconds in (20, 21):
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(1)
            file.setframerate(8000)
            file.writeframes(b"\x80" * 8000 * seconds)
        if seconds == 20:
            assert len(read_audio(path, limit=limit)) == 2 * RATE * seconds
    with pytest.raises(AudioError, match="longer than 20 s"):
        read_audio(path, limit=limit)


@pytest.mark.parametrize("data", [b"", b"RIFF", b"no sound at all" * 100, b"RIFF\0\0\0\0WAVEfmt "])
def test_a_file_that_is_no_sound_is_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.wav"
    path.write_bytes(data)
    with pytest.raises(AudioError, match=r"bad\.wav"):
        read_audio(path)
    with pytest.raises(AudioError, match=r"missing\.wav"):
        read_audio(tmp_path / "missing.wav")
    with pytest.raises(AudioError):
        read_wav(path)


@given(st.binary(max_size=4 * BLOCK_BYTES), st.lists(st.integers(0, 5000), max_size=6))
def test_a_queue_gives_back_what_was_pushed_in_blocks(data: bytes, cuts: list[int]) -> None:
    source = QueueSource()
    at = 0
    for cut in [*sorted(cuts), len(data)]:
        source.push(data[at:cut])
        at = max(at, min(cut, len(data)))
    source.close()
    blocks = list(source)
    assert b"".join(blocks) == data
    assert all(len(block) == BLOCK_BYTES for block in blocks[:-1])
    assert b"".join(MemorySource(data)) == data


def test_closing_ends_a_source_that_waits() -> None:
    source = QueueSource()
    threading.Timer(0.05, source.close).start()
    assert list(source) == []


def test_a_microphone_with_a_backlog_keeps_the_newest() -> None:
    source = QueueSource(limit_blocks=2)
    blocks = [bytes([n]) * BLOCK_BYTES for n in range(5)]
    source.push(b"".join(blocks))
    source.close()
    assert list(source) == blocks[3:]
    assert source.lost_s == pytest.approx(3 * BLOCK_BYTES / 2 / RATE)


def test_silence_is_at_the_bottom_of_the_scale() -> None:
    assert level(b"") == level(bytes(100)) == -96.0
    assert level(struct.pack("<2h", 32767, -32768)) == pytest.approx(0.0, abs=0.001)


def test_a_silent_sink_takes_the_true_time_only_when_asked() -> None:
    stop = threading.Event()
    fast, slow = MemorySink(), MemorySink(realtime=True)
    assert fast.play(bytes(2 * RATE * 60), RATE, stop)
    assert fast.played[0].seconds == 60.0
    threading.Timer(0.05, stop.set).start()
    assert not slow.play(bytes(2 * RATE * 60), RATE, stop)
    assert not slow.played[0].whole


def test_written_sound_is_read_back(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", b"\1\2\3\4", 22_050)
    assert read_wav(tmp_path / "a.wav") == (b"\1\2\3\4", 22_050)


@given(st.integers(0, 32767), st.integers(1, 400))
def test_soft_sound_is_amplified_to_its_peak_and_loud_sound_is_left(top: int, length: int) -> None:
    wave = np.round(top * np.sin(np.arange(length) * 0.7 + 1.2)).astype("<i2")
    pcm = wave.tobytes()
    louder = np.frombuffer(amplified(pcm), dtype="<i2").astype(int)
    before, after = int(np.abs(wave.astype(int)).max()), int(np.abs(louder).max())
    assert len(louder) == length
    if before >= 0.3 * 32767 or before == 0:
        assert louder.tobytes() == wave.astype(int).tobytes()
    else:
        assert before <= after <= round(0.3 * 32767) + 1


@given(
    st.integers(20, 200),
    st.floats(0.01, 1.0),
    st.sampled_from([0.0, 3.0, 100.0]),
)
def test_the_onset_of_speech_does_not_depend_on_its_loudness(
    hundredths: int, loudness: float, noise: float
) -> None:
    voice = np.sin(np.arange(RATE) * 0.2) * 10_000
    room = np.random.default_rng(1).normal(0, noise, RATE // 100 * hundredths + RATE)
    room[-RATE:] += voice
    began = speech_onset_s((room * loudness).astype("<i2").tobytes())
    assert began == pytest.approx(hundredths / 100, abs=0.03)


def test_a_click_is_no_onset_of_speech() -> None:
    sound = np.random.default_rng(1).normal(0, 3, 2 * RATE)
    sound[RATE // 4 : RATE // 4 + RATE // 20] *= 2000  # for 50 ms
    sound[RATE:] += np.sin(np.arange(RATE) * 0.2) * 10_000
    assert speech_onset_s(sound.astype("<i2").tobytes()) == pytest.approx(1.0, abs=0.03)


def test_sound_without_anything_louder_than_the_rest_has_no_onset() -> None:
    hiss = np.random.default_rng(1).normal(0, 500, RATE).astype("<i2").tobytes()
    for sound in (b"", bytes(100), bytes(2 * RATE), hiss):
        assert speech_onset_s(sound) is None


def test_a_microphone_without_sound_is_an_error_after_a_while() -> None:
    source = QueueSource()
    source._patience_s, source._silence_message = (
        0.1,
        "The microphone gives no sound; plug it in again.",
    )
    with pytest.raises(AudioError, match="gives no sound"):
        next(iter(source))
