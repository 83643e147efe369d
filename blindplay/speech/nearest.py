"""Several microphones on one table hear the same words: they belong to the nearest one.

Two utterances of two microphones that overlap in time are the same speech. It belongs to the
microphone at which it stands out most from the room, or to the one whose talk button is down. That
follows from the times at which the sound was recorded and from its levels, not from the order in
which it comes over lines.
"""

import math
import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from .endpointing import Endpointer, EndpointEvent, SpeechDropped, SpeechStarted

TOLERANCE_S = 0.3
"""The times of two microphones differ by less. It is no longer than the silence that ends an
utterance, so two microphones never wait for each other."""
PATIENCE_S = 1.0
"""An utterance waits so long for what another microphone has heard meanwhile."""
_KEPT = 10
"""So many utterances of each microphone are remembered."""
_ANOTHER_DB = 8.0
"""Another person in the room is 12 dB softer than whose microphone it is, who varies by less."""
_SAME_WORDS = 0.7
"""Two microphones hear at least this share of the same words alike."""
_SOFTEST_ROOM_DB = -70.0
"""The noise of a usual microphone, in dBFS. Sound without any would stand out without limit."""


@dataclass(eq=False)
class _Speech:
    """An utterance, as a microphone hears it. Times are seconds of the monotonic clock, and powers
    are shares of that of full scale. ``words``: those recognised; None: they are not known yet."""

    microphone: str
    began: float
    until: float
    room: float
    pressed: bool = False
    taken: bool = False
    words: list[str] | None = None
    powers: list[tuple[float, float]] = field(default_factory=list)

    def is_of(self, other: "_Speech") -> bool:
        """Return whether both are the same speech: most of the shorter is heard in both."""
        until = min(self.until, other.until)
        overlap = until - max(self.began, other.began) + TOLERANCE_S
        lengths = (min(one.until, until + TOLERANCE_S) - one.began for one in (self, other))
        return overlap >= min(lengths) / 2

    def is_nearer(self, other: "_Speech") -> bool:
        """Return whether the same speech is rather of this microphone. Of two, exactly one is."""
        until = min(self.until, other.until) + TOLERANCE_S
        return self._rank(until) > other._rank(until)

    def is_apart_from(self, other: "_Speech") -> bool:
        """Return whether somebody else than at ``other`` spoke here: about as loudly, and in other
        words."""
        until = min(self.until, other.until) + TOLERANCE_S
        softer = other._rank(until)[1] - self._rank(until)[1]
        alike = SequenceMatcher(None, self.words or [], other.words or [], autojunk=False).ratio()
        return softer < _ANOTHER_DB and alike < _SAME_WORDS

    def _rank(self, until: float) -> tuple[bool, float, str]:
        powers = [power for at, power in self.powers if at <= until]
        loud = _decibels(sum(powers) / len(powers)) if powers else -math.inf
        above = loud - max(_decibels(self.room), _SOFTEST_ROOM_DB)
        return self.pressed, above, self.microphone


def _decibels(power: float) -> float:
    return 10 * math.log10(max(power, 1e-10))


class Nearest:
    """The microphones of one table. ``patience_s``: see :data:`PATIENCE_S`."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self.patience_s = patience_s
        self.change = threading.Condition()
        self.places: list[MicrophonePlace] = []

    def place(self, name: str) -> "MicrophonePlace":
        """The place of a microphone with a name of its own, among the others."""
        place = MicrophonePlace(self, name)
        with self.change:
            self.places.append(place)
        return place


class MicrophonePlace:
    """A microphone among others. Its listener's thread calls all of this but ``leave``. Sound whose
    time is not known is nobody else's."""

    def __init__(self, among: Nearest, name: str) -> None:
        self.name = name
        self._among = among
        self._speeches: deque[_Speech] = deque()
        self._last: _Speech | None = None
        self._reached: float | None = None  # the end of the sound that was heard
        self._nearer: tuple[_Speech, _Speech] | None = None  # this one, and that of the nearer one

    def take(self, at: float | None, events: Iterable[EndpointEvent], now: Endpointer) -> None:
        """A block that ended ``at`` this time was heard; the endpointer is as it is ``now``."""
        with self._among.change:
            self._reached = at
            for event in events:
                if isinstance(event, SpeechDropped) and self._last is not None:
                    self._speeches.remove(self._last)
                    self._last = None
                if isinstance(event, SpeechStarted):
                    self._last = self._nearer = None
                    if at is not None:
                        began = at - (now.now - now.began)
                        self._last = _Speech(self.name, began, at, now.room)
                        self._speeches.append(self._last)
            if self._last is not None and at is not None and now.speaking:
                self._last.pressed |= now.pressed
                if now.voice:
                    self._last.powers.append((at, now.voice))
                    self._last.until = at
            while len(self._speeches) > _KEPT:
                self._speeches.popleft()
            self._among.change.notify_all()

    def away(self) -> None:
        """No sound comes any more. Nobody waits for it."""
        with self._among.change:
            self._reached = None
            self._among.change.notify_all()

    def leave(self) -> None:
        """The microphone is used no more."""
        with self._among.change:
            if self in self._among.places:
                self._among.places.remove(self)
            self._among.change.notify_all()

    def recognised(self, words: str) -> None:
        """These words were said here last, or none."""
        if self._last is not None:
            self._last.words = words.split()

    def spoke_apart(self) -> bool | None:
        """Return whether somebody spoke here at the same time as somebody else at the nearer
        microphone; None as long as nobody knows what was said there. True only once."""
        with self._among.change:
            if self._nearer is None:
                return False
            own, other = self._nearer
            if other.words is None:
                return None
            self._nearer = None
            return own.is_apart_from(other)

    def nearer(self) -> str:
        """Return the microphone that is nearer to what was said here last; empty if this one is.
        Wait until the others have heard the same time, within the patience. What belongs to one
        microphone belongs to no other, however late the sound of that comes."""
        with self._among.change:
            own = self._last
            if own is None:
                return ""
            until = own.until + TOLERANCE_S
            self._among.change.wait_for(
                lambda: not any(one._lags_behind(until) for one in self._others()),
                self._among.patience_s,
            )
            for other in self._others():
                for speech in other._speeches:
                    if own.is_of(speech) and (speech.taken or speech.is_nearer(own)):
                        self._nearer = own, speech
                        return other.name
            own.taken = True
            return ""

    def _others(self) -> list["MicrophonePlace"]:
        return [one for one in self._among.places if one is not self]

    def _lags_behind(self, at: float) -> bool:
        return self._reached is not None and self._reached < at
