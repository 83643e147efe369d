"""Sound as data: files, memory, and the two protocols for sound coming in and going out.

A source gives PCM as the recogniser wants it (16 kHz, mono, 16 bits, little-endian) in blocks of
40 ms. A sink plays mono 16-bit PCM of any rate until it ends or is stopped. Sources and sinks of
real devices are in ``audio_devices``.
"""

import array
import io
import itertools
import math
import struct
import sys
import threading
import wave
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from blindplay.given import SOUND, Limit, read_bytes
from blindplay.translation import UserError

RATE = 16_000
"""Samples per second of every source."""
BLOCK_MS = 40
BLOCK_BYTES = RATE * BLOCK_MS // 1000 * 2
"""Bytes in one block: 40 ms."""
_PEAK = 0.3  # of full scale, for a recogniser
SOFT_PEAK = 0.03
"""Sound with a lower peak than this, of full scale, is amplified before it is recognised."""
MAX_GAIN = 30.0
"""More gain than this would only amplify noise."""
_SOFT_SPEECH_DB = 26.0  # the first sounds of a word may be this much softer than the loudest one
_ABOVE_NOISE_DB = 10.0


class AudioError(UserError):
    """A file or a device gives or takes no sound. The message names the remedy."""


class Closing:
    """A context manager that is closed at the end of its block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is held."""


class AudioSource(AbstractContextManager[Any, None], Protocol):
    """Sound coming in. Enter it, iterate it once, and leave it or close it from another thread."""

    @property
    def lost_s(self) -> float:
        """The seconds of sound that were lost, because nobody took them in time."""

    def __iter__(self) -> Iterator[bytes]:
        """Yield blocks of 20 to 100 ms until the source ends or is closed."""

    def discard(self) -> None:
        """Forget the sound that has arrived and was not iterated yet."""

    def reopen(self) -> bool:
        """After an AudioError, wait for sound. Return False if none will ever come again."""

    def close(self) -> None:
        """End the iteration, even while it waits for sound."""


class AudioSink(Protocol):
    """Sound going out. A person recognises the output by its ``name``."""

    name: str

    def play(self, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        """Play mono 16-bit ``pcm`` at ``rate`` samples per second and wait for its end.

        Return True if it was played to its end, and False if ``stop`` was set; the sink is silent
        at most 50 ms after that.

        :raises AudioError: if the device fails.
        """

    def close(self) -> None:
        """Give the device back."""


def _samples(pcm: bytes) -> npt.NDArray[np.float64]:
    return np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2").astype(np.float64)


def level(pcm: bytes) -> float:
    """Return the root mean square of 16-bit ``pcm`` in dBFS: 0 is full scale, -96 for silence."""
    samples = _samples(pcm)
    power = float(np.mean(samples**2)) if samples.size else 0.0
    return max(-96.0, 10 * math.log10(power / 32768.0**2)) if power > 0 else -96.0


def _peak(pcm: bytes) -> float:
    """Return the peak as a share of full scale."""
    return float(np.abs(_samples(pcm)).max(initial=0)) / 32767


def is_soft(pcm: bytes) -> bool:
    """Return whether 16-bit ``pcm`` is so soft that the recogniser would understand it worse."""
    return 0 < _peak(pcm) < SOFT_PEAK


def amplified(pcm: bytes) -> bytes:
    """Return 16-bit ``pcm``, amplified until its peak is 0.3 of full scale; never attenuated.

    Recognisers understand very soft sound worse.
    """
    loudest = _peak(pcm)
    if loudest == 0 or loudest >= _PEAK:
        return pcm
    return np.round(_samples(pcm) * min(_PEAK / loudest, MAX_GAIN)).astype("<i2").tobytes()


def speech_onset_s(pcm: bytes) -> float | None:
    """Return the second of 16-bit, 16 kHz ``pcm`` at which speech begins; None if there is none.

    Speech begins where most of a tenth of a second is clearly louder than the softest parts of
    ``pcm``, and not far softer than its loudest part. Knocks are shorter than that.
    """
    frame = RATE // 100
    samples = _samples(pcm[: len(pcm) // (2 * frame) * (2 * frame)])
    if len(samples) < 10 * frame:
        return None
    levels = 10 * np.log10(np.mean(samples.reshape(-1, frame) ** 2, axis=1) + 1)
    softest = np.sort(levels)[len(levels) // 10]
    loud = levels >= max(levels.max() - _SOFT_SPEECH_DB, softest + _ABOVE_NOISE_DB)
    lasting = loud[:-9] & (np.convolve(loud, np.ones(10), "valid") >= 8)
    return float(np.argmax(lasting)) / 100 if lasting.any() else None


def read_audio(path: Path, rate: int = RATE, limit: Limit = SOUND) -> bytes:
    """Return the sound of a WAV (or FLAC, MP3, Ogg Vorbis) file as mono 16-bit PCM at ``rate`` Hz.

    The file may have any rate, any number of channels, and 8 to 32 bits. Wrong lengths in a WAV
    header, as programs that write to a pipe leave them, are corrected.

    :raises AudioError: if the file is not a sound file, has no sound in it, or is beyond the limit.
    """
    import miniaudio

    try:
        data = _with_true_lengths(read_bytes(path, limit))
    except ValueError as error:
        raise AudioError(str(error)) from error
    format_ = miniaudio.SampleFormat.SIGNED16
    try:
        # Silence of hours may lie in a small file, and fill all memory.
        seconds = miniaudio.stream_memory(data, format_, 1, rate, frames_to_read=rate)
        lasts = sum(1 for _second in itertools.islice(seconds, limit.seconds + 1))
        decoded = miniaudio.decode(data, format_, 1, rate) if lasts <= limit.seconds else None
    except (miniaudio.MiniaudioError, ValueError, struct.error) as error:
        raise AudioError("{path} is not a sound file; give a WAV file.", path=path) from error
    if decoded is None:
        raise AudioError(
            "{path} lasts longer than {seconds} s; cut it.", path=path, seconds=limit.seconds
        )
    samples: array.array[int] = decoded.samples
    if not samples:
        raise AudioError("{path} holds no sound; record it again.", path=path)
    if sys.byteorder == "big":
        samples.byteswap()
    return samples.tobytes()


def _with_true_lengths(data: bytes) -> bytes:
    """Correct the lengths in a WAV header that disagree with the file (espeak to a pipe)."""
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        return data
    at = 12
    while at + 8 <= len(data):
        (length,) = struct.unpack_from("<I", data, at + 4)
        rest = len(data) - at - 8
        if data[at : at + 4] == b"data" and (length > rest or (length == 0 and rest > 0)):
            whole, size = struct.pack("<I", len(data) - 8), struct.pack("<I", rest)
            return b"".join((data[:4], whole, data[8 : at + 4], size, data[at + 8 :]))
        at += 8 + length + length % 2
    return data


def read_wav(path: Path) -> tuple[bytes, int]:
    """Return the PCM and the rate of a mono 16-bit WAV file, as the synthesiser writes them. Raises
    AudioError if the file is anything else, is cut short or is empty."""
    try:
        data = read_bytes(path, SOUND)
    except ValueError as error:
        raise AudioError(str(error)) from None
    return parse_wav(data, str(path))


def parse_wav(data: bytes, name: str) -> tuple[bytes, int]:
    """Return the PCM and the rate of the mono 16-bit WAV file ``name`` that is ``data``. Raises
    AudioError as ``read_wav``."""
    try:
        with wave.open(io.BytesIO(data)) as file:
            shape = (file.getnchannels(), file.getsampwidth())
            frames, rate = file.getnframes(), file.getframerate()
            pcm = file.readframes(frames)
    except (EOFError, wave.Error, RuntimeError, ValueError) as error:
        # wave raises RuntimeError for a length that points beyond the end of the file.
        raise AudioError("{path} is not a WAV file.", path=name) from error
    if shape != (1, 2) or not frames or len(pcm) != 2 * frames:
        raise AudioError("{name} is not a whole mono WAV file of 16 bits.", name=name)
    return pcm, rate


def write_wav(path: Path, pcm: bytes, rate: int = RATE) -> None:
    """Write mono 16-bit ``pcm`` to a WAV file.

    :raises OSError:
    """
    path.write_bytes(wav(pcm, rate))


def wav(pcm: bytes, rate: int = RATE) -> bytes:
    """Return mono 16-bit ``pcm`` as a WAV file holds it."""
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(pcm)
    return written.getvalue()


class RecordedBlock(bytes):
    """A block of sound. ``at``: when its last sample was recorded, in seconds of the monotonic
    clock; None: it is not known. ``gap_s`` seconds of sound are missing before it."""

    at: float | None = None
    gap_s = 0.0


class QueueSource(Closing):
    """PCM pushed in by another thread, cut into blocks. The iteration waits for more until
    ``close``.

    After ``close``, the iteration still gives the sound pushed before and then ends.
    """

    def __init__(self, limit_blocks: int | None = None) -> None:
        self.lost_s = 0.0
        self._blocks: deque[RecordedBlock] = deque(maxlen=limit_blocks)
        self._withheld = 0  # so many of the newest blocks are not given yet
        self._rest = b""
        self._change = threading.Condition()
        self._closed = False
        self._error: str | None = None
        # The iteration raises an AudioError with this message after so long without sound.
        self._patience_s: float | None = None
        self._silence_message = ""

    def push(
        self, pcm: bytes, *, withhold: bool = False, at: float | None = None, gap_s: float = 0.0
    ) -> None:
        """Add 16 kHz mono 16-bit PCM of any length. A partial block waits for the next push.

        ``withhold``: the iteration does not give it before the next push without that. For
        ``at`` and ``gap_s`` see :class:`RecordedBlock`.
        """
        with self._change:
            self._rest += pcm
            if not withhold:
                self._withheld = 0
            while len(self._rest) >= BLOCK_BYTES:
                self._withheld += withhold
                if len(self._blocks) == self._blocks.maxlen:
                    self.lost_s += BLOCK_MS / 1000
                block, self._rest = (
                    RecordedBlock(self._rest[:BLOCK_BYTES]),
                    self._rest[BLOCK_BYTES:],
                )
                block.gap_s, gap_s = gap_s, 0.0
                block.at = None if at is None else at - len(self._rest) / 2 / RATE
                self._blocks.append(block)
            self._change.notify_all()

    def waiting(self) -> bool:
        """Return whether pushed sound was not iterated yet."""
        with self._change:
            return bool(self._blocks)

    def fail(self, message: str) -> None:
        """End the source with an AudioError after the sound that was pushed."""
        with self._change:
            self._error = message
            self._closed = True
            self._change.notify_all()

    def discard(self) -> None:
        with self._change:
            self._blocks.clear()
            self._withheld, self._rest = 0, b""

    def reopen(self) -> bool:
        return False

    def close(self) -> None:
        """End the source after the sound that was pushed."""
        with self._change:
            self._closed = True
            self._change.notify_all()

    def __iter__(self) -> Iterator[bytes]:
        while True:
            with self._change:
                came = True  # something, though it may be withheld
                while len(self._blocks) <= self._withheld and not self._closed:
                    if not came:
                        self._closed = True
                        raise AudioError(self._silence_message)
                    came = self._change.wait(self._patience_s)
                block: bytes
                if self._blocks:
                    block = self._blocks.popleft()
                elif self._error is not None:
                    raise AudioError(self._error)
                elif self._rest:
                    block, self._rest = self._rest, b""
                else:
                    return
            yield block


class SilentSink:
    """An output of a machine without sound: it plays nothing, in no time."""

    def __init__(self, name: str) -> None:
        self.name = name

    def play(self, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        return not stop.is_set()

    def close(self) -> None:
        pass  # there is no device
