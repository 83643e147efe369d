"""The sound of a player's phone: numbered and timed packets become a source like a microphone.

A packet is one byte for its coding, its number and the phone's time in ms, each in four bytes with
the highest first, and 40 ms of sound: plain, or in a quarter of the bits for a slow line. Packets
of one stream are numbered one by one. They may be lost, late, doubled and out of order.
"""

import io
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from blindplay.translation import _

from .audio import BLOCK_BYTES, BLOCK_MS, RATE, AudioError, QueueSource, RecordedBlock
from .audio_devices import BACKLOG_BLOCKS, LOST_S, MICROPHONE_PATIENCE_S
from .callbacks import call
from .screen_reader import ReaderError

PATIENCE_S = 2.5
"""A phone is away after so many seconds without anything from it."""
_EAR_PATIENCE_S = 4.0
"""Seconds that a phone may take longer than its sound."""
_LOOK_S = 0.05
_READ_FIRST_S, _READ_LETTER_S = 0.7, 0.06  # as fast as readers usually speak, 200 words a minute
_SLACK_MS = 100
_ROUNDS = 10
"""The time of a phone is known from so many messages and their answers."""
PCM = 0
"""The coding of plain 16-bit samples, the lowest byte first."""
ADPCM = 1
"""The coding of IMA ADPCM, 4 bits a sample: a block as in a WAV file."""
_HEAD = struct.Struct(">BII")
PACKET_BYTES = _HEAD.size + BLOCK_BYTES
_ADPCM_HEAD = struct.Struct("<hBB")  # the first sample, the index of its step, 0
ADPCM_BYTES = _ADPCM_HEAD.size + BLOCK_BYTES // 4
"""Bytes of a block: its first sample, and one sample more than are meant."""
_ADPCM_STEPS = 89
_HELD = 5
"""So many packets wait for one that is missing before it counts as lost."""
FILLED_S = 2 * BLOCK_MS / 1000
"""The longest hole that is filled."""
_FILLS, _WINDOW = 2, 75
"""So many holes are filled within so many packets, which are three seconds."""
_MOST_AHEAD = 250
"""A packet that is so far ahead of the others begins another stretch of sound: they had 10 s."""


@dataclass(frozen=True)
class SoundPacket:
    """40 ms of a phone's sound, recorded ``at`` its time in ms. Both numbers have 32 bits."""

    number: int
    at: int
    pcm: bytes

    def __bytes__(self) -> bytes:
        return _HEAD.pack(PCM, self.number, self.at) + self.pcm

    @classmethod
    def read(cls, data: bytes) -> Self | None:
        """Return the packet that is ``data``; None if it is none."""
        if len(data) not in (PACKET_BYTES, _HEAD.size + ADPCM_BYTES):
            return None
        coding, number, at = _HEAD.unpack_from(data)
        sound = data[_HEAD.size :]
        if coding == ADPCM and len(sound) == ADPCM_BYTES:
            _, step, zero = _ADPCM_HEAD.unpack_from(sound)
            return cls(number, at, _unpacked(sound)) if step < _ADPCM_STEPS and not zero else None
        return cls(number, at, sound) if (coding, len(sound)) == (PCM, BLOCK_BYTES) else None


def _unpacked(adpcm: bytes) -> bytes:
    """The samples of a block."""
    import miniaudio

    samples = miniaudio.decode(_adpcm_wav(adpcm), miniaudio.SampleFormat.SIGNED16, 1, RATE).samples
    return bytes(np.asarray(samples[: BLOCK_BYTES // 2], "<i2").tobytes())


def _adpcm_wav(block: bytes) -> bytes:
    """A WAV file of one block."""
    samples = BLOCK_BYTES // 2 + 1
    form = struct.pack(
        "<4sIHHIIHHHH", b"fmt ", 20, 0x11, 1, RATE, RATE * len(block) // samples, len(block), 4,
        2, samples,
    )  # fmt: skip
    fact = struct.pack("<4sII", b"fact", 4, samples)
    chunks = b"WAVE" + form + fact + struct.pack("<4sI", b"data", len(block)) + block
    return struct.pack("<4sI", b"RIFF", len(chunks)) + chunks


def ms_between(before: int, after: int) -> int:
    """The ms from one time of a phone to another; its times have 32 bits."""
    return (after - before + 2**31) % 2**32 - 2**31


class PhoneClock:
    """The time of a phone, as the table's: in seconds here, in ms there. The message with the
    shortest round trip is believed, and that it took as long there as back."""

    def __init__(self) -> None:
        self._rounds: deque[tuple[float, float, int]] = deque(maxlen=_ROUNDS)
        self._last: int | None = None
        self._asked = 0.0  # when the latest message was sent that has an answer

    @property
    def lag_s(self) -> float:
        """The longest time from the phone to the table of late; 0 before it is known."""
        return max((trip for trip, _, _ in self._rounds), default=0.0) / 2

    def answered(self, sent: float, now: float, at: int) -> None:
        """A message that was ``sent`` then was answered ``at`` the phone's time. The answer came
        ``now``."""
        self._rounds.append((now - sent, now, at))
        self._asked = max(self._asked, sent)
        self.heard(at)

    def begin(self) -> None:
        """Another phone has taken the place, with a time of its own."""
        self._rounds.clear()
        self._last = None

    def heard(self, at: int) -> None:
        """Something came that left the phone ``at`` its time."""
        if self._last is None or ms_between(self._last, at) > 0:
            self._last = at

    def when(self, at: int) -> float | None:
        """The table's time at which it was ``at`` on the phone; None before it is known."""
        if not self._rounds:
            return None
        trip, then, on_phone = min(self._rounds, key=lambda one: (one[0], -one[1]))
        return then - trip / 2 + ms_between(on_phone, at) / 1000

    def ago(self, at: int, now: float) -> float:
        """How many seconds before ``now`` it was ``at`` on the phone: never before what came from
        there last was sent, nor before we sent what it has answered, whatever it says about its
        time. So nobody gains time whose line works."""
        if self._last is None:
            return 0.0
        at = max(at, self._last - _SLACK_MS, key=lambda one: ms_between(self._last or 0, one))
        left = self.when(at)
        if left is None:
            return 0.0
        return max(0.0, now - max(left, self._asked - _SLACK_MS / 1000))


class PacketOrder:
    """Puts the packets of one stream in order. Pure: nothing here waits or knows the time."""

    def __init__(self) -> None:
        self.lost = 0
        """Packets that did not come in time."""
        self.useless = 0
        """Packets that came twice or too late."""
        self._next: int | None = None
        self._held: dict[int, SoundPacket] = {}
        self._before: SoundPacket | None = None

    def take(self, packet: SoundPacket) -> Iterator[tuple[float, SoundPacket]]:
        """Yield the packets that are in order now, each with the seconds missing before it."""
        if self._next is None:
            self._next = packet.number
        ahead = packet.number - self._next
        if ahead < 0 or packet.number in self._held:
            self.useless += 1
            return
        self._held[packet.number] = packet
        while self._held:
            first = min(self._held)
            waits = len(self._held) <= _HELD and first - self._next < _MOST_AHEAD
            if first != self._next and waits:
                return
            missing = first - self._next
            self.lost += missing
            self._next = first + 1
            yield self._gap(self._held[first], missing), self._held.pop(first)

    def _gap(self, packet: SoundPacket, missing: int) -> float:
        """The seconds that are missing between the packet before and this one. A phone that sleeps
        numbers nothing: only its clock tells."""
        before, self._before = self._before, packet
        gap = missing * BLOCK_MS / 1000
        if before is None:
            return gap
        slept = (ms_between(before.at, packet.at) - BLOCK_MS) / 1000
        return slept if slept >= LOST_S else gap


class PhoneEar:
    """Plays and shows on a phone what its player hears there. ``send`` sends it a message, and
    ``is_there`` says whether the phone can be reached.

    The phone tells the true end of a sound. Nobody tells that of a text, which a screen reader
    reads: it is estimated.
    """

    def __init__(self, send: Callable[[Any], None], is_there: Callable[[], bool]) -> None:
        self.name = _("phone")
        self._send, self._is_there = send, is_there
        self._number = 0
        self._ended: dict[int, bool] = {}  # whether it was played
        self._change = threading.Condition()

    def ended(self, number: object, *, played: bool) -> None:
        """The phone has ended this sound, or could not play it."""
        with self._change:
            if isinstance(number, int) and number == self._number:
                self._ended[number] = played
                self._change.notify_all()

    def play(self, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        """See :class:`.AudioSink`."""
        with self._change:
            self._number += 1
            self._ended.clear()
            number = self._number
        self._check()
        self._send(struct.pack(">I", number) + _packed(pcm, rate))
        return self._wait(number, len(pcm) / 2 / rate + _EAR_PATIENCE_S, stop)

    def _check(self) -> None:
        if not self._is_there():
            raise AudioError("The phone cannot be reached; look at its page.")

    def _wait(self, number: int, seconds: float, stop: threading.Event) -> bool:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if stop.is_set():
                self._send({"hush": number})
                return False
            with self._change:
                self._change.wait_for(lambda: number in self._ended, _LOOK_S)
                if self._ended.get(number):
                    return True
                if number in self._ended:
                    break
            self._check()
        raise AudioError("The phone plays no sound; touch its page once.")

    def lasts(self, text: str) -> float:
        """See :class:`.speaker.TextReader`."""
        return _READ_FIRST_S + len(text) * _READ_LETTER_S

    def speak(self, text: str, stop: threading.Event) -> bool:
        """See :class:`.speaker.TextReader`."""
        if not self._is_there():
            raise ReaderError("The phone cannot be reached; look at its page.")
        self._send({"say": text})
        return not stop.wait(self.lasts(text))

    def close(self) -> None:
        """The phone stays."""


def _packed(pcm: bytes, rate: int) -> bytes:
    """The sound as MP3, which every browser plays: about an eighth of its size."""
    import soundfile

    written = io.BytesIO()
    soundfile.write(
        written, np.frombuffer(pcm, "<i2"), rate, format="MP3", subtype="MPEG_LAYER_III"
    )
    return written.getvalue()


class PhoneSource(QueueSource):
    """The microphone of a phone. Other threads give it packets; :meth:`begin` before the first one
    of each stream.

    A hole of a packet or two is filled with silence, so that times stay right. A greater one, or
    the third one within three seconds, counts in ``lost_s``, as at a microphone with a cable. After
    ``patience_s`` without sound the iteration raises an AudioError, and ``reopen`` waits until the
    phone is back. ``clock`` tells the time of the phone, and ``also`` gets all sound, as it comes.
    """

    def __init__(
        self,
        clock: PhoneClock | None = None,
        also: Callable[[bytes], None] | None = None,
        patience_s: float = MICROPHONE_PATIENCE_S,
    ) -> None:
        super().__init__(limit_blocks=BACKLOG_BLOCKS)
        self._clock = clock or PhoneClock()
        self._also = also
        self._order = PacketOrder()
        self._taking = threading.Lock()
        self.given = 0
        """So many packets came in order."""
        self.came = -1
        """The number of the packet of this stream that came last; -1: none did."""
        self._filled: deque[int] = deque()  # before which packets
        self._left = False
        self._patience_s = patience_s
        self._silence_message = _("The phone gives no sound; look at its page.")

    def __enter__(self) -> Self:
        return self

    @property
    def late_s(self) -> float:
        """How many seconds after it was spoken its sound comes, as far as the line tells."""
        return self._clock.lag_s

    def begin(self) -> None:
        """A new stream begins: its numbers have nothing to do with those before."""
        with self._taking:
            self._order = PacketOrder()
            self.came = -1

    def take(self, data: bytes) -> bool:
        """Take a packet; False if it is none."""
        packet = SoundPacket.read(data)
        if packet is None:
            return False
        with self._taking:
            self._clock.heard(packet.at)
            self.came = packet.number
            for gap, one in self._order.take(packet):
                self._give(gap, one)
        return True

    def _give(self, gap: float, packet: SoundPacket) -> None:
        self.given += 1
        at = self._clock.when(packet.at)
        if 0 < gap <= FILLED_S and self._may_fill():
            self._filled.append(self.given)
            before = None if at is None else at - BLOCK_MS / 1000
            self.push(bytes(round(gap * 1000 / BLOCK_MS) * BLOCK_BYTES), at=before)
            gap = 0.0
        self.push(packet.pcm, at=at, gap_s=gap)
        call(self._also, packet.pcm)

    def _may_fill(self) -> bool:
        """Return whether a hole may be filled: several in one utterance could make another word of
        one that was said."""
        while self._filled and self._filled[0] <= self.given - _WINDOW:
            self._filled.popleft()
        return len(self._filled) < _FILLS

    def __iter__(self) -> Iterator[bytes]:
        for block in super().__iter__():
            # Much may come at once, so a hole counts where it is.
            if isinstance(block, RecordedBlock):
                self.lost_s += block.gap_s
            yield block

    @property
    def is_closed(self) -> bool:
        """Return whether nobody listens to it any more."""
        return self._left

    def lose(self, sentence: str) -> None:
        """The phone is away."""
        self.fail(sentence)

    def reopen(self) -> bool:
        """Wait until the phone gives sound again; False after ``close``."""
        with self._change:
            if not self._left:
                self._closed, self._error = False, None
                self.discard()
                self._change.wait_for(lambda: bool(self._blocks) or self._left)
            return not self._left

    def close(self) -> None:
        with self._change:
            self._left = True
        super().close()
