"""Sound in and out: files, memory and devices behind two small protocols.

A source gives 16 kHz mono 16-bit little-endian PCM, which is what the recogniser wants, in blocks
of 40 ms. A sink plays 16-bit mono PCM of any rate until it ends or is told to stop.
"""

import array
import ctypes
import itertools
import logging
import math
import queue
import struct
import sys
import threading
import time
import wave
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np

log = logging.getLogger(__name__)

RATE = 16_000
"""Samples per second of every source."""
BLOCK_MS = 40
BLOCK_BYTES = RATE * BLOCK_MS // 1000 * 2
"""Bytes in one block: 40 ms."""
BACKLOG_BLOCKS = 10_000 // BLOCK_MS  # a microphone nobody listens to keeps its last ten seconds
TICK_S = 0.01
SOFT_PEAK = 0.03  # of full scale
MOST_GAIN = 30.0  # beyond that it is noise that is made louder
_SOFT_SPEECH_DB = 26.0  # so much softer than the loudest may the first sounds of a word be
_ABOVE_NOISE_DB = 10.0
# A device that is pulled out, or whose sound server dies, often tells nobody: it just asks for no
# more sound and gives none. Opening may take long (Bluetooth), an open device is never quiet.
OPENING_PATIENCE_S = 10.0
MICROPHONE_PATIENCE_S = 3.0
OUTPUT_PATIENCE_S = 2.0
CLOSING_PATIENCE_S = 2.0
LOOK_AGAIN_S = 1.0  # between two looks for a device that is gone


class AudioError(ValueError):
    """A file or a device gives or takes no sound; the sentence says what to do."""


class AudioSource(Protocol):
    """Sound coming in: entered, iterated once, left (or closed from another thread)."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def __iter__(self) -> Iterator[bytes]:
        """Yield blocks of 20 to 100 ms until the source ends or is closed."""
        ...

    def discard(self) -> None:
        """Forget what has arrived and has not been iterated yet."""
        ...

    def reopen(self) -> bool:
        """After an AudioError: wait until there is sound again; False if there never will be."""
        ...

    def close(self) -> None:
        """End the iteration, also while it waits for sound."""
        ...


class AudioSink(Protocol):
    """Sound going out."""

    @property
    def name(self) -> str:
        """Return a name a person can recognise the output by."""
        ...

    def play(self, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        """Play mono 16-bit `pcm` at `rate` and wait for its end.

        Return True when it was played to the end, False when `stop` was set, at most 50 ms
        after which it is silent. Raises AudioError when the device fails.
        """
        ...

    def close(self) -> None:
        """Give the device back."""
        ...


def level(pcm: bytes) -> float:
    """Return the root mean square of 16-bit `pcm` in dBFS: 0 is full scale, -96 for silence."""
    samples = np.frombuffer(pcm[: len(pcm) // 2 * 2], dtype="<i2").astype(np.float64)
    power = float(np.mean(samples**2)) if samples.size else 0.0
    return max(-96.0, 10 * math.log10(power / 32768.0**2)) if power > 0 else -96.0


def is_soft(pcm: bytes) -> bool:
    """Return whether 16-bit `pcm` is so soft that a recogniser hears it worse for that."""
    samples = np.frombuffer(pcm[: len(pcm) // 2 * 2], dtype="<i2")
    return 0 < int(np.abs(samples.astype(np.int32)).max(initial=0)) < SOFT_PEAK * 32767


def amplified(pcm: bytes, peak: float = 0.3) -> bytes:
    """Return 16-bit `pcm` made louder until its peak is `peak` of full scale, never softer.

    A recogniser hears very soft sound worse; what is loud enough is left as it is.
    """
    samples = np.frombuffer(pcm[: len(pcm) // 2 * 2], dtype="<i2")
    loudest = int(np.abs(samples.astype(np.int32)).max(initial=0))
    if loudest == 0 or loudest >= peak * 32767:
        return pcm
    gain = min(peak * 32767 / loudest, MOST_GAIN)
    return np.round(samples * gain).astype("<i2").tobytes()


def begins(pcm: bytes) -> float | None:
    """Return at what second of 16-bit `pcm` at 16 kHz somebody begins to speak: where most of a
    tenth of a second, which no knock lasts, is clearly louder than the softest of it, and not far
    softer than the loudest. None if nowhere, or if he never pauses.
    """
    frame = RATE // 100
    samples = np.frombuffer(pcm[: len(pcm) // (2 * frame) * (2 * frame)], "<i2").astype(float)
    if len(samples) < 10 * frame:
        return None
    levels = 10 * np.log10(np.mean(samples.reshape(-1, frame) ** 2, axis=1) + 1)
    softest = np.sort(levels)[len(levels) // 10]
    loud = levels >= max(levels.max() - _SOFT_SPEECH_DB, softest + _ABOVE_NOISE_DB)
    lasting = loud[:-9] & (np.convolve(loud, np.ones(10), "valid") >= 8)
    return float(np.argmax(lasting)) / 100 if lasting.any() else None


def read_audio(path: Path, rate: int = RATE) -> bytes:
    """Return the sound of a WAV (or FLAC, MP3, Ogg Vorbis) file as mono 16-bit PCM at `rate` Hz.

    Any rate, any number of channels, 8 to 32 bits. WAV lengths left wrong by a program that wrote
    to a pipe are put right. Raises AudioError for what is not a sound file or holds no sound.
    """
    import miniaudio

    try:
        data = path.read_bytes()
    except OSError as error:
        raise AudioError(f"{path} cannot be read; check its name.") from error
    try:
        decoded = miniaudio.decode(
            _with_true_lengths(data), miniaudio.SampleFormat.SIGNED16, 1, rate
        )
    except (miniaudio.MiniaudioError, ValueError, struct.error) as error:
        raise AudioError(f"{path} is not a sound file; give a WAV file.") from error
    samples: array.array[int] = decoded.samples
    if not samples:
        raise AudioError(f"{path} holds no sound; record it again.")
    if sys.byteorder == "big":
        samples.byteswap()
    return samples.tobytes()


def _with_true_lengths(data: bytes) -> bytes:
    """Put right the lengths in a WAV header that disagree with the file (espeak to a pipe)."""
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        return data
    fixed = bytearray(data)
    at = 12
    while at + 8 <= len(data):
        (length,) = struct.unpack_from("<I", data, at + 4)
        rest = len(data) - at - 8
        if data[at : at + 4] == b"data" and (length > rest or (length == 0 and rest > 0)):
            struct.pack_into("<I", fixed, at + 4, rest)
            struct.pack_into("<I", fixed, 4, len(data) - 8)
            break
        at += 8 + length + length % 2
    return bytes(fixed)


def read_wav(path: Path) -> tuple[bytes, int]:
    """Return PCM and rate of a mono 16-bit WAV as the synthesiser makes them.

    Raises AudioError when it is anything else, is cut short or is empty.
    """
    try:
        with wave.open(str(path), "rb") as file:
            shape = (file.getnchannels(), file.getsampwidth())
            frames, rate = file.getnframes(), file.getframerate()
            pcm = file.readframes(frames)
    except (OSError, EOFError, wave.Error, RuntimeError, ValueError) as error:
        # The library answers lengths that lead out of the file with a RuntimeError.
        raise AudioError(f"{path} is not a WAV file.") from error
    if shape != (1, 2) or not frames or len(pcm) != 2 * frames:
        raise AudioError(f"{path} is not a whole mono WAV file of 16 bits.")
    return pcm, rate


def write_wav(path: Path, pcm: bytes, rate: int = RATE) -> None:
    """Write mono 16-bit `pcm` to a WAV file. Raises OSError as files do."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(pcm)


class _Source:
    """What every source shares: the context manager."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def discard(self) -> None:
        """Forget what waits."""

    def reopen(self) -> bool:
        """Give up: what has ended does not come back."""
        return False

    def close(self) -> None:
        """End the iteration."""


class MemorySource(_Source):
    """16 kHz mono 16-bit PCM from memory; with `realtime`, no faster than it would be spoken."""

    def __init__(self, pcm: bytes, *, realtime: bool = False) -> None:
        self._pcm = pcm
        self._realtime = realtime
        self._closed = threading.Event()

    def __iter__(self) -> Iterator[bytes]:
        began = time.monotonic()
        for count, at in enumerate(range(0, len(self._pcm), BLOCK_BYTES), 1):
            if self._realtime:
                self._closed.wait(max(0.0, began + count * BLOCK_MS / 1000 - time.monotonic()))
            if self._closed.is_set():
                return
            yield self._pcm[at : at + BLOCK_BYTES]

    def close(self) -> None:
        """End the iteration."""
        self._closed.set()


class WavSource(MemorySource):
    """A sound file as if it were spoken: see `read_audio`, which names the errors."""

    def __init__(self, path: Path, *, realtime: bool = False) -> None:
        super().__init__(read_audio(path), realtime=realtime)


class QueueSource(_Source):
    """PCM pushed in by another thread, cut into blocks; iteration waits for more until closed.

    After `close` what was pushed before is still iterated, then the source ends.
    """

    def __init__(self, limit_blocks: int | None = None) -> None:
        self._blocks: deque[bytes] = deque(maxlen=limit_blocks)
        self._rest = b""
        self._change = threading.Condition()
        self._closed = False
        self._error: str | None = None
        self._patience_s: float | None = None  # how long nothing may arrive
        self._impatient = ""  # the sentence then

    def push(self, pcm: bytes) -> None:
        """Add 16 kHz mono 16-bit PCM of any length; a part block waits for the next push."""
        with self._change:
            self._rest += pcm
            while len(self._rest) >= BLOCK_BYTES:
                self._blocks.append(self._rest[:BLOCK_BYTES])
                self._rest = self._rest[BLOCK_BYTES:]
            self._change.notify_all()

    def waiting(self) -> bool:
        """Return whether sound was pushed that has not been iterated yet."""
        with self._change:
            return bool(self._blocks)

    def fail(self, sentence: str) -> None:
        """End the source with an AudioError once what was pushed has been iterated."""
        with self._change:
            self._error = sentence
            self._closed = True
            self._change.notify_all()

    def discard(self) -> None:
        """Forget what was pushed and not yet iterated."""
        with self._change:
            self._blocks.clear()
            self._rest = b""

    def close(self) -> None:
        """End the source after what was pushed before."""
        with self._change:
            self._closed = True
            self._change.notify_all()

    def __iter__(self) -> Iterator[bytes]:
        while True:
            with self._change:
                arrived = self._change.wait_for(
                    lambda: bool(self._blocks) or self._closed, self._patience_s
                )
                if not arrived:
                    self._closed = True
                    raise AudioError(self._impatient)
                if self._blocks:
                    block = self._blocks.popleft()
                elif self._error is not None:
                    raise AudioError(self._error)
                elif self._rest:
                    block, self._rest = self._rest, b""
                else:
                    return
            yield block


class MicrophoneSource(QueueSource):
    """A microphone, opened when entered; `device` is (a part of) its name, None the default.

    Any microphone will do: the sound library mixes its channels and changes its rate. Raises
    AudioError on entering when there is none of that name or it cannot be opened, and while
    iterating when it goes away; `reopen` then waits for it, or for whatever is the default
    microphone by then if none was named. With `late` it may come after the start: what is wrong
    on entering is raised by the iteration, as if it had gone away.
    """

    def __init__(self, device: str | None = None, *, late: bool = False) -> None:
        super().__init__(limit_blocks=BACKLOG_BLOCKS)
        self._late = late
        self._wanted = device
        self._device: Any = None
        self._left = threading.Event()
        self._impatient = "The microphone gives no sound; plug it in again."

    def __enter__(self) -> Self:
        try:
            self._open()
        except AudioError as error:
            if not self._late:
                raise
            self.fail(str(error))
        return self

    def _open(self) -> None:
        import miniaudio

        _hush_alsa()
        identity = _device_id(self._wanted, capture=True)
        self._patience_s = OPENING_PATIENCE_S
        opened: Any = None
        try:
            opened = miniaudio.CaptureDevice(
                miniaudio.SampleFormat.SIGNED16, 1, RATE, BLOCK_MS, identity
            )
            if opened.backend == "Null":
                raise miniaudio.MiniaudioError("only the null device")
            opened.stop_callback = lambda: self._gone(opened)
            receiver = self._receive()
            next(receiver)
            self._device = opened
            opened.start(receiver)
        except miniaudio.MiniaudioError as error:
            self._device = None
            if opened is not None:
                opened.close()
            raise AudioError(
                "No microphone can be opened; plug one in and allow this program to use it, "
                "or type the moves."
            ) from error

    def _receive(self) -> Generator[None, bytes, None]:
        while True:
            self.push(bytes((yield)))
            self._patience_s = MICROPHONE_PATIENCE_S

    def _gone(self, device: Any) -> None:
        if device is self._device and not self._closed:
            self.fail("The microphone is gone; plug it in again.")

    def reopen(self) -> bool:
        """Look for the microphone once a second, until it gives sound (True) or `close` (False)."""
        while not self._left.is_set():
            self._give_back()
            with self._change:
                self._closed, self._error, self._rest = False, None, b""
                self._blocks.clear()
            try:
                self._open()
            except AudioError:
                self._left.wait(LOOK_AGAIN_S)
                continue
            with self._change:
                self._change.wait_for(
                    lambda: bool(self._blocks) or self._left.is_set(), MICROPHONE_PATIENCE_S
                )
                if self._blocks and not self._left.is_set():
                    return True
        self.close()
        return False

    def _give_back(self) -> None:
        device, self._device = self._device, None
        if device is not None:
            _let_go(device)

    def close(self) -> None:
        """End the iteration and give the microphone back."""
        self._left.set()
        super().close()
        self._give_back()


@dataclass(frozen=True)
class AudioDevices:
    """The names of the audio devices of this machine."""

    playback: tuple[str, ...]
    capture: tuple[str, ...]


def devices() -> AudioDevices:
    """Return the names of the audio devices; empty where there is no audio at all."""
    return AudioDevices(
        tuple(name for name, _ in _listing(capture=False)),
        tuple(name for name, _ in _listing(capture=True)),
    )


def _listing(*, capture: bool) -> list[tuple[str, Any]]:
    import miniaudio

    _hush_alsa()
    try:
        found = miniaudio.Devices()
        listed = found.get_captures() if capture else found.get_playbacks()
    except miniaudio.MiniaudioError:
        return []
    if found.backend == "Null":
        return []
    # ALSA lists its bin under a name of its own even where there is no sound card.
    return [
        (str(entry["name"]), entry["id"])
        for entry in listed
        if not str(entry["name"]).startswith("Discard all samples")
    ]


def _device_id(wanted: str | None, *, capture: bool) -> Any:
    if wanted is None:
        return None
    listed = _listing(capture=capture)
    for name, identity in listed:
        if name.casefold() == wanted.casefold():
            return identity
    for name, identity in listed:
        if wanted.casefold() in name.casefold():
            return identity
    kind = "microphone" if capture else "audio output"
    names = "; ".join(name for name, _ in listed) or "none"
    raise AudioError(f"There is no {kind} called {wanted!r}; there are: {names}.")


_alsa_handler: list[object] = []


def _hush_alsa() -> None:
    """Keep ALSA's library from writing a page of messages to a screen reader's terminal."""
    if _alsa_handler or not sys.platform.startswith("linux"):
        return
    handler = ctypes.CFUNCTYPE(
        None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p
    )(lambda *_: None)
    _alsa_handler.append(handler)  # must outlive the library
    try:
        ctypes.CDLL("libasound.so.2").snd_lib_error_set_handler(handler)
    except (OSError, AttributeError):
        return


class DeviceSink:
    """A loudspeaker or earphone; `device` is (a part of) its name, None the default.

    The device stays open and is fed silence between phrases, in periods of 10 ms, so that a
    phrase begins at once and a stop is heard within 50 ms. A device that went away is opened
    again by the next `play`. Raises AudioError when it cannot be opened.
    """

    PERIOD_MS = 10
    DEVICE_RATE = 48_000

    def __init__(self, device: str | None = None) -> None:
        self._wanted = device
        self._name = device or "default output"
        self._lock = threading.Lock()
        self._playing = b""
        self._at = 0
        self._stop = threading.Event()
        self._done = threading.Event()
        self._fed = 0.0
        self._patience_s = OPENING_PATIENCE_S
        self._device: Any = None
        self._open()

    def _open(self) -> None:
        import miniaudio

        _hush_alsa()
        identity = _device_id(self._wanted, capture=False)
        opened: Any = None
        try:
            opened = miniaudio.PlaybackDevice(
                miniaudio.SampleFormat.SIGNED16, 1, self.DEVICE_RATE, self.PERIOD_MS, identity
            )
            if opened.backend == "Null":
                raise miniaudio.MiniaudioError("only the null device")
            self._fed, self._patience_s = time.monotonic(), OPENING_PATIENCE_S
            feeder = self._feed()
            next(feeder)
            opened.start(feeder)
        except miniaudio.MiniaudioError as error:
            if opened is not None:
                opened.close()
            raise AudioError(
                "No audio output can be opened; plug in a loudspeaker or an earphone."
            ) from error
        self._device = opened

    @property
    def name(self) -> str:
        """Return the name the device was asked for by."""
        return self._name

    def _feed(self) -> Generator[bytes, int, None]:
        frames = yield b""
        for asked in itertools.count(1):
            with self._lock:
                self._fed = time.monotonic()
                # A device may take one period and start a good while later.
                self._patience_s = OUTPUT_PATIENCE_S if asked > 2 else OPENING_PATIENCE_S
                if self._stop.is_set():
                    self._playing = b""
                piece = self._playing[self._at : self._at + 2 * frames]
                self._at += len(piece)
                if self._at >= len(self._playing):
                    self._done.set()
            frames = yield piece.ljust(2 * frames, b"\0")

    def _gone(self) -> bool:
        with self._lock:
            return self._device is None or time.monotonic() - self._fed > self._patience_s

    def play(self, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        """Play `pcm`; see AudioSink."""
        if stop.is_set():
            return False
        if self._gone():
            self.close()
            self._open()
        sound = _resampled(pcm, rate, self.DEVICE_RATE)
        # The last periods handed over are still to be heard when the feeder has none left.
        sound += bytes(2 * self.DEVICE_RATE * 3 * self.PERIOD_MS // 1000)
        done = threading.Event()
        with self._lock:
            self._stop, self._done = stop, done
            self._playing, self._at = sound, 0
        while not done.wait(TICK_S):
            if stop.is_set():  # also where the device asks for nothing just now
                with self._lock:
                    self._playing = b""
                return False
            if self._gone():
                self.close()
                raise AudioError(
                    f"The audio output ({self._name}) takes no sound; plug it in again."
                )
        return not stop.is_set()

    def close(self) -> None:
        """Give the device back and forget what is being played."""
        with self._lock:
            self._playing = b""
        device, self._device = self._device, None
        if device is not None:
            _let_go(device)


def _let_go(device: Any) -> None:
    """Close a device. One whose driver never comes back from that is left behind: a new one can
    still be opened."""

    def close() -> None:
        try:
            device.close()
        except Exception:
            log.exception("closing an audio device failed")

    closing = threading.Thread(target=close, daemon=True, name="closing a device")
    closing.start()
    closing.join(CLOSING_PATIENCE_S)


def _resampled(pcm: bytes, rate: int, wanted: int) -> bytes:
    if rate == wanted:
        return pcm
    import miniaudio

    form = miniaudio.SampleFormat.SIGNED16
    return bytes(miniaudio.convert_frames(form, 1, rate, pcm, form, 1, wanted))


@dataclass(frozen=True)
class PlayedSound:
    """One phrase a SilentSink was given: its sound, and whether it came to its end."""

    pcm: bytes
    rate: int
    whole: bool

    @property
    def seconds(self) -> float:
        """Return the phrase's duration."""
        return len(self.pcm) / 2 / self.rate


class SilentSink:
    """An output without a device, for tests, demonstrations and machines without sound.

    With `realtime` a phrase takes as long as it would be heard, otherwise no time. `on_start` is
    called with the PCM and its rate when a phrase begins, for example to feed a microphone.
    """

    def __init__(
        self,
        name: str = "silent",
        *,
        realtime: bool = False,
        on_start: Callable[[bytes, int], None] | None = None,
        keeps: bool = True,
    ) -> None:
        """``keeps``: what was played is kept in ``played``; a table that plays all day does not."""
        self._name = name
        self._keeps = keeps
        self._realtime = realtime
        self._on_start = on_start
        self.played: list[PlayedSound] = []

    @property
    def name(self) -> str:
        """Return the name given."""
        return self._name

    def play(self, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        """Let `pcm` pass; see AudioSink."""
        if self._on_start is not None:
            self._on_start(pcm, rate)
        seconds = len(pcm) / 2 / rate if self._realtime else 0.0
        whole = not stop.wait(seconds) if seconds else not stop.is_set()
        if self._keeps:
            self.played.append(PlayedSound(pcm, rate, whole))
        return whole

    def close(self) -> None:
        """Do nothing: there is no device."""


def drain(source: AudioSource, seconds: float) -> bytes:
    """Return at most `seconds` of sound from an entered source (doctor: the microphone's level).

    Raises AudioError as the source does. Sources that fall silent are waited for twice as long.
    """
    wanted = int(seconds * RATE) * 2
    heard: queue.SimpleQueue[bytes | AudioError | None] = queue.SimpleQueue()

    def pull() -> None:
        try:
            for block in source:
                heard.put(block)
        except AudioError as error:
            heard.put(error)
        heard.put(None)

    threading.Thread(target=pull, daemon=True, name="drain").start()
    limit = time.monotonic() + 2 * seconds + 1
    got = b""
    while len(got) < wanted:
        try:
            block = heard.get(timeout=max(0.0, limit - time.monotonic()))
        except queue.Empty:
            break
        if isinstance(block, AudioError):
            raise block
        if block is None:
            break
        got += block
    return got[:wanted]
