"""Sound that comes from memory and goes there, for measurements and tests without devices."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from blindplay.speech.audio import BLOCK_BYTES, Closing


class MemorySource(Closing):
    """A source of 16 kHz mono 16-bit PCM in memory."""

    lost_s = 0.0
    given_at = 0.0
    """When the last block was given, as :func:`time.perf_counter` tells it."""

    def __init__(self, pcm: bytes) -> None:
        self._pcm = pcm
        self._closed = threading.Event()

    def __iter__(self) -> Iterator[bytes]:
        for at in range(0, len(self._pcm), BLOCK_BYTES):
            if self._closed.is_set():
                return
            self.given_at = time.perf_counter()
            yield self._pcm[at : at + BLOCK_BYTES]

    def discard(self) -> None:
        pass  # no sound is waiting

    def reopen(self) -> bool:
        return False

    def close(self) -> None:
        self._closed.set()


@dataclass(frozen=True)
class PlayedSound:
    """One phrase that a MemorySink played; ``whole`` if it was not stopped before its end."""

    pcm: bytes
    rate: int
    whole: bool

    @property
    def seconds(self) -> float:
        """Return the phrase's duration."""
        return len(self.pcm) / 2 / self.rate


class MemorySink:
    """An output without a device.

    With ``realtime`` a phrase takes its true time, otherwise none. ``on_start`` is called with the
    PCM and its rate when a phrase begins, for example to feed a microphone. ``played`` keeps every
    phrase; ``keeps=False`` saves that memory at a table that plays all day.
    """

    def __init__(
        self,
        name: str = "memory",
        *,
        realtime: bool = False,
        on_start: Callable[[bytes, int], None] | None = None,
        keeps: bool = True,
    ) -> None:
        self.name = name
        self._keeps = keeps
        self._realtime = realtime
        self._on_start = on_start
        self.played: list[PlayedSound] = []

    def play(self, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        if self._on_start is not None:
            self._on_start(pcm, rate)
        seconds = len(pcm) / 2 / rate if self._realtime else 0.0
        whole = not stop.wait(seconds) if seconds else not stop.is_set()
        if self._keeps:
            self.played.append(PlayedSound(pcm, rate, whole))
        return whole

    def close(self) -> None:
        pass  # there is no device
