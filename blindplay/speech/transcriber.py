"""From the events of an endpointer to recognised utterances, without threads or clocks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .audio import is_soft
from .endpointing import (
    COMPLETE_S,
    UNDECIDED_S,
    UNFINISHED_S,
    EndpointEvent,
    Segment,
    SpeechContinues,
    SpeechDropped,
    SpeechEnded,
    SpeechStarted,
)
from .ensemble import AnyDecoder, AnyRecogniser
from .recogniser import Recognition

TAIL_S = 0.3
"""Seconds of sound after the last voiced block that are recognised with it. Later sound counts only
if the speaker goes on: in a noisy hall, the silence that ends speech is full of other people's
words."""


@dataclass(frozen=True)
class FirstWords:
    """The first words of the utterance under way were recognised."""


@dataclass(frozen=True)
class RecognisedUtterance:
    """One whole utterance: its time, its sound, and the phrases that were listened for."""

    recognition: Recognition
    segment: Segment
    sound: bytes
    phrases: frozenset[str]


TranscriberEvent: TypeAlias = FirstWords | RecognisedUtterance


class Transcriber:
    """Recognises utterances while they are spoken, and says when they are over.

    ``phrases`` may be set at any time and from any thread. An utterance under way is then
    recognised again from its beginning: a player who answers quickly must be understood. Everything
    else belongs to one thread. ``decoder`` is one that was started for ``phrases`` already.
    ``silence`` gives the seconds of silence that end an utterance of which this was recognised.
    Without it, they are shortest after a phrase that no other one continues, and longest after a
    beginning: slow speakers pause for breath between the squares.
    """

    def __init__(
        self,
        recogniser: AnyRecogniser,
        phrases: frozenset[str],
        silence: Callable[[Recognition], float] | None = None,
        decoder: AnyDecoder | None = None,
    ) -> None:
        self.phrases = phrases
        self._recogniser = recogniser
        self._silence = silence
        self._next = decoder  # takes over from the present one
        self._next_phrases = phrases  # of the decoder that was started last
        self._decoder: AnyDecoder | None = None  # of the utterance under way
        self._decoder_phrases = phrases
        self._sound = b""  # of the utterance, as far as it was decoded
        self._held_back = b""  # the sound after it, until the speaker goes on
        self._has_words = False
        self._heard: tuple[Recognition, frozenset[str]] | None = None  # in this pause
        self._silence_s = 0.0  # that ends the utterance after it

    def afresh(self) -> "Transcriber":
        """Return another one for the same phrases. It has no part in what this one still does."""
        return Transcriber(self._recogniser, self.phrases, self._silence)

    def prepare(self) -> None:
        """After a change of the phrases, start the next decoder, so that no utterance waits."""
        if self.phrases != self._next_phrases:
            self._next = self._started()

    def _started(self) -> AnyDecoder:
        self._next_phrases = self.phrases
        return self._recogniser.start(tuple(self._next_phrases))

    def take(self, event: EndpointEvent, silent_s: float) -> list[TranscriberEvent]:
        """Take an event of the endpointer; ``silent_s`` is how long the speaker has been silent."""
        match event:
            case SpeechStarted(sound):
                self._decoder, self._sound, self._held_back = None, b"", b""
                self._heard = None
                self._has_words = False
                return self._decode(sound)
            case SpeechContinues(sound):
                self._held_back += sound
                sound = b""
                if silent_s <= TAIL_S + 1e-9:
                    sound, self._held_back = self._held_back, b""
                return self._decode(sound)
            case SpeechEnded(segment):
                return self._finish(segment)
            case SpeechDropped():
                self._decoder = None
                return []

    def _decode(self, sound: bytes) -> list[TranscriberEvent]:
        self._sound += sound
        goes_on = bool(sound) and self._heard is not None  # a decoder that has finished cannot
        if self._next is not None or self._decoder is None or goes_on:
            self._use(self._next or self._started())
        elif sound:
            # The decoder's own opinion about the end is ignored: it ends in pauses for breath.
            self._decoder.accept(sound)
        assert self._decoder is not None
        if self._has_words or not self._decoder.partial():
            return []
        self._has_words = True
        return [FirstWords()]

    def _use(self, decoder: AnyDecoder) -> None:
        """Decode the utterance from its beginning with a new decoder."""
        self._next = self._heard = None
        self._decoder, self._decoder_phrases = decoder, self._next_phrases
        if self._sound:
            decoder.accept(self._sound)

    def is_over(self, silent_s: float) -> bool:
        """Return whether so many seconds of silence end the utterance under way. Its words are
        recognised at the beginning of the silence: partial words run ahead of the sound ("Felix
        drei" is shown as soon as "Felix" was said, if nothing else can follow), and they are those
        of one model."""
        if silent_s < COMPLETE_S - 1e-9 or self._decoder is None:
            return False
        if self._heard is None:
            self._heard = self._recognised(self._decoder)
            recognition = self._heard[0]
            self._silence_s = (self._silence or self._silence_of_phrases)(recognition)
        return silent_s >= self._silence_s - 1e-9

    def _silence_of_phrases(self, recognition: Recognition) -> float:
        words = recognition.words
        if words in self.phrases:
            longer = any(phrase.startswith(f"{words} ") for phrase in self.phrases)
            return UNDECIDED_S if longer else COMPLETE_S
        return UNFINISHED_S if words else UNDECIDED_S

    def _recognised(self, decoder: AnyDecoder) -> tuple[Recognition, frozenset[str]]:
        """Return what was said, and the phrases that were listened for."""
        if not is_soft(self._sound):
            return decoder.finish(), self._decoder_phrases
        # Only now is it known how soft the utterance was: recognise it again, amplified.
        phrases = self.phrases
        return self._recogniser.recognise(self._sound, tuple(phrases)), phrases

    def _finish(self, segment: Segment) -> list[TranscriberEvent]:
        decoder, self._decoder = self._decoder, None
        if decoder is None:  # it failed
            return []
        recognition, phrases = self._heard or self._recognised(decoder)
        first = [FirstWords()] if recognition.words and not self._has_words else []
        return [*first, RecognisedUtterance(recognition, segment, self._sound, phrases)]
