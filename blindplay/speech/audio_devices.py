"""Microphones and loudspeakers: the sources and sinks of real devices.

A device that is unplugged, or whose sound server dies, often reports nothing. It just asks for no
more sound and gives none. So a device counts as gone after a few seconds without either. Opening
may take longer, for example over Bluetooth.
"""

import contextlib
import ctypes
import itertools
import logging
import math
import os
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Self

from blindplay.translation import _

from .audio import BLOCK_MS, RATE, AudioError, AudioSource, QueueSource
from .callbacks import call

log = logging.getLogger(__name__)

BACKLOG_BLOCKS = 10_000 // BLOCK_MS
"""A microphone that is not iterated keeps its last ten seconds."""
TICK_S = 0.01
OPENING_PATIENCE_S = 10.0
MICROPHONE_PATIENCE_S = 3.0
OUTPUT_PATIENCE_S = 2.0
CLOSING_PATIENCE_S = 2.0
LOST_S = 0.5
"""Shorter gaps are not counted."""
_SETTLED = 15
"""So many blocks in a row at their usual pace show that no late sound comes any more."""
_LONGEST_DOUBT_S = 2.0
"""Sound after a possible gap waits for so many seconds at most."""
_SAME_CLOCK = 0.999
RETRY_S = 1.0
"""The time between two attempts to open a device that is gone."""


@dataclass(frozen=True)
class AudioDevices:
    """The names of the audio devices of this machine."""

    playback: tuple[str, ...]
    capture: tuple[str, ...]


def devices() -> AudioDevices:
    """Return the names of the audio devices; none on a machine without sound."""
    return AudioDevices(
        tuple(name for name, _ in _listing(capture=False)),
        tuple(name for name, _ in _listing(capture=True)),
    )


def check_named(name: str, *, capture: bool) -> None:
    """Look for the microphone (``capture``) or the output that has (a part of) this name.

    :raises AudioError: if there is none.
    """
    _device_id(name, capture=capture)


def drain(source: AudioSource, seconds: float) -> bytes:
    """Return at most ``seconds`` of sound from an entered source, to measure its level.

    Wait at most twice as long for a source that falls silent.

    :raises AudioError: as the source does.
    """
    size = int(seconds * RATE) * 2
    pcm = bytearray()
    errors: list[AudioError] = []

    def pull() -> None:
        try:
            for block in source:
                pcm.extend(block)
                if len(pcm) >= size:
                    return
        except AudioError as error:
            errors.append(error)

    pulling = threading.Thread(target=pull, daemon=True, name="drain")
    pulling.start()
    pulling.join(2 * seconds + 1)
    if errors:
        raise errors[0]
    return bytes(pcm[:size])


class MicrophoneSource(QueueSource):
    """A microphone. It is opened on entering; ``device`` is (a part of) its name, None the default.

    Every microphone is usable: the sound library mixes its channels and converts its rate.

    ``reopen`` waits for a microphone that went away; without a name, for any default microphone.
    With ``allow_missing``, entering succeeds without a microphone, and the iteration raises the
    error instead: the microphone may be plugged in later.

    ``also`` gets all sound as it comes, in the device's thread, and must return at once.

    :raises AudioError: on entering, if there is no microphone of that name or it cannot be opened;
        from the iteration, if it goes away.
    """

    def __init__(
        self,
        device: str | None = None,
        *,
        allow_missing: bool = False,
        also: Callable[[bytes], None] | None = None,
    ) -> None:
        super().__init__(limit_blocks=BACKLOG_BLOCKS)
        self._allow_missing = allow_missing
        self._also = also
        self._wanted = device
        self._device: Any = None
        self._left = threading.Event()
        self._silence_message = _("The microphone gives no sound; plug it in again.")

    def __enter__(self) -> Self:
        try:
            self._open()
        except AudioError as error:
            if not self._allow_missing:
                raise
            self.fail(str(error))
        return self

    def _open(self) -> None:
        self._patience_s = OPENING_PATIENCE_S
        with _opening(self._wanted, capture=True) as device:
            device.stop_callback = lambda: self._stopped(device)
            receiver = self._receive()
            next(receiver)
            device.start(receiver)
        self._device = device

    def _receive(self) -> Generator[None, bytes, None]:
        missing, before = 0.0, math.inf  # opening may take its time
        doubted_since = math.inf
        latest: deque[float] = deque(maxlen=_SETTLED)  # what was missing at each of these blocks
        while True:
            sound = bytes((yield))
            now, length = time.monotonic(), len(sound) / 2 / RATE
            # A device that is asked too late drops sound and does not say so. What a sound server
            # has kept meanwhile comes late, faster than it was spoken, and is not lost. Clocks
            # differ by less than the share that is forgiven.
            passed = max(0.0, now - before) * _SAME_CLOCK
            missing = max(0.0, missing + passed - length)
            before = now
            latest.append(missing)
            settled = latest[0] - missing < length * _SETTLED / 2
            if len(latest) == _SETTLED and min(latest) >= LOST_S and settled:
                self.lost_s += missing
                missing = 0.0
                latest.clear()
            # An utterance must not end before it is known whether it has a gap.
            doubted_since = min(doubted_since, now) if missing >= LOST_S else math.inf
            withheld = 0 <= now - doubted_since < _LONGEST_DOUBT_S
            self.push(sound, withhold=withheld, at=now)
            call(self._also, sound)
            self._patience_s = MICROPHONE_PATIENCE_S

    def _stopped(self, device: Any) -> None:
        if device is self._device and not self._closed:
            self.fail(_("The microphone is gone; plug it in again."))

    def reopen(self) -> bool:
        """Try to open the microphone every second until it gives sound; False after ``close``."""
        while not self._left.is_set():
            self._release()
            with self._change:
                self._closed, self._error = False, None
                self.discard()
            try:
                self._open()
            except AudioError:
                self._left.wait(RETRY_S)
                continue
            with self._change:
                self._change.wait_for(
                    lambda: bool(self._blocks) or self._left.is_set(), MICROPHONE_PATIENCE_S
                )
                if self._blocks and not self._left.is_set():
                    return True
        self.close()
        return False

    def _release(self) -> None:
        device, self._device = self._device, None
        if device is not None:
            _close(device)

    def close(self) -> None:
        """End the iteration and give the microphone back."""
        self._left.set()
        super().close()
        self._release()


class DeviceSink:
    """A loudspeaker or earphone; ``device`` is (a part of) its name, None the default.

    The device stays open and plays silence between phrases, in periods of 10 ms. So a phrase begins
    at once, and the sound ends within 50 ms of a stop. The next ``play`` opens a device again that
    went away.

    Between phrases ``beside`` may give sound: at most so many samples at DEVICE_RATE, 16 bits,
    mono. It is called in the device's thread, also during phrases, and must return at once.

    :raises AudioError: if the device cannot be opened.
    """

    PERIOD_MS = 10
    DEVICE_RATE = 48_000

    def __init__(
        self, device: str | None = None, *, beside: Callable[[int], bytes] | None = None
    ) -> None:
        self._beside = beside
        self.name = device or _("default output")
        self._wanted = device
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
        with _opening(self._wanted, capture=False) as device:
            self._fed, self._patience_s = time.monotonic(), OPENING_PATIENCE_S
            feeder = self._feed()
            next(feeder)
            device.start(feeder)
        self._device = device

    def _feed(self) -> Generator[bytes, int, None]:
        frames = yield b""
        for period in itertools.count(1):
            with self._lock:
                self._fed = time.monotonic()
                # A device may take one period and start much later.
                self._patience_s = OUTPUT_PATIENCE_S if period > 2 else OPENING_PATIENCE_S
                if self._stop.is_set():
                    self._playing = b""
                piece = self._playing[self._at : self._at + 2 * frames]
                self._at += len(piece)
                if self._at >= len(self._playing):
                    self._done.set()
            if self._beside is not None:
                voice = self._beside(frames)
                piece = piece or voice
            frames = yield piece.ljust(2 * frames, b"\0")

    def _is_gone(self) -> bool:
        with self._lock:
            return self._device is None or time.monotonic() - self._fed > self._patience_s

    def play(self, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        if stop.is_set():
            return False
        if self._is_gone():
            self.close()
            self._open()
        sound = _resampled(pcm, rate, self.DEVICE_RATE)
        # When the feeder is done, the last periods that it handed over are still to be played.
        sound += bytes(2 * self.DEVICE_RATE * 3 * self.PERIOD_MS // 1000)
        done = threading.Event()
        with self._lock:
            self._stop, self._done = stop, done
            self._playing, self._at = sound, 0
        while not done.wait(TICK_S):
            if stop.is_set():  # the feeder may not run any more
                with self._lock:
                    self._playing = b""
                return False
            if self._is_gone():
                self.close()
                raise AudioError(
                    "The audio output ({name}) takes no sound; plug it in again.", name=self.name
                )
        return not stop.is_set()

    def close(self) -> None:
        """Give the device back and stop playing."""
        with self._lock:
            self._playing = b""
        device, self._device = self._device, None
        if device is not None:
            _close(device)


@contextlib.contextmanager
def _opening(wanted: str | None, *, capture: bool) -> Iterator[Any]:
    """Yield the device of this name to be started.

    :raises AudioError:
    """
    import miniaudio

    _silence_libraries()
    identity = _device_id(wanted, capture=capture)
    device: Any = None
    try:
        make, rate, period_ms = miniaudio.CaptureDevice, RATE, BLOCK_MS
        if not capture:
            make = miniaudio.PlaybackDevice
            rate, period_ms = DeviceSink.DEVICE_RATE, DeviceSink.PERIOD_MS
        device = make(miniaudio.SampleFormat.SIGNED16, 1, rate, period_ms, identity)
        if device.backend == "Null":
            raise miniaudio.MiniaudioError(_("only the null device"))
        yield device
    except miniaudio.MiniaudioError as error:
        if device is not None:
            device.close()
        raise AudioError(
            _(
                "No microphone can be opened; plug one in and allow this program to use it, "
                "or enter the moves in another way."
            )
            if capture
            else _("No audio output can be opened; plug in a loudspeaker or an earphone.")
        ) from error


def _listing(*, capture: bool) -> list[tuple[str, Any]]:
    """Return the names and the ids of the capture or playback devices."""
    import miniaudio

    _silence_libraries()
    try:
        system = miniaudio.Devices()
        listed = system.get_captures() if capture else system.get_playbacks()
    except miniaudio.MiniaudioError:
        return []
    if system.backend == "Null":
        return []
    # ALSA lists its null device under this name, even on machines without a sound card.
    return [
        (str(entry["name"]), entry["id"])
        for entry in listed
        if not str(entry["name"]).startswith("Discard all samples")
    ]


def _device_id(wanted: str | None, *, capture: bool) -> Any:
    if wanted is None:
        return None
    listed = _listing(capture=capture)
    for fits in (str.__eq__, str.__contains__):
        for name, identity in listed:
            if fits(name.casefold(), wanted.casefold()):
                return identity
    names = "; ".join(name for name, *_id in listed) or _("none")
    raise AudioError(
        _(
            "There is no microphone called {wanted}; there are: {names}.",
            wanted=repr(wanted),
            names=names,
        )
        if capture
        else _(
            "There is no audio output called {wanted}; there are: {names}.",
            wanted=repr(wanted),
            names=names,
        )
    )


_alsa_handler: list[object] = []


def _silence_libraries() -> None:
    """Keep ALSA's and PulseAudio's library from writing a page of messages to a screen reader's
    terminal."""
    if _alsa_handler or not sys.platform.startswith("linux"):
        return
    if not os.access(os.environ.get("HOME", "/"), os.W_OK):
        # PulseAudio's library complains for each device if it can make no folder there.
        os.environ.setdefault("PULSE_RUNTIME_PATH", tempfile.mkdtemp(prefix="blindplay-pulse-"))
    handler = ctypes.CFUNCTYPE(
        None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p
    )(lambda *_: None)
    _alsa_handler.append(handler)  # the library keeps only a pointer to it
    try:
        ctypes.CDLL("libasound.so.2").snd_lib_error_set_handler(handler)
    except (OSError, AttributeError):
        return


def _close(device: Any) -> None:
    """Close a device. If its driver hangs, leave it behind: a new one can still be opened."""

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
