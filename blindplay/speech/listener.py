"""Listening: a thread that feeds a source of sound to an endpointer and a transcriber.

The ``Endpointer`` decides when somebody speaks, the ``Transcriber`` what they said. The listener
calls back with each utterance, and replaces a recogniser that fails or hangs.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Self

from blindplay.translation import _

from .audio import BLOCK_MS, AudioError, AudioSource, Closing
from .callbacks import call
from .endpointing import Endpointer, MicrophoneMode, Segment, Silero
from .ensemble import AnyRecogniser
from .nearest import MicrophonePlace
from .recogniser import Recognition, VocabularyError
from .transcriber import FirstWords, RecognisedUtterance, Transcriber, TranscriberEvent

log = logging.getLogger(__name__)

RECOGNISER_PATIENCE_S = 30.0
"""Seconds that a recogniser may work on one block of sound before it is abandoned. The time doubles
after each time and is reset when an utterance was recognised."""


class Listener(Closing):
    """Listens to a source in a thread of its own and recognises utterance by utterance.

    All callbacks run in the listener's thread, except where the recogniser hangs.

    - ``on_recognition`` gets each utterance when a pause ends it, also one that consists of unknown
      sound alone (its ``words`` are ""), never silence. ``segment`` then says when it was spoken.
    - ``on_speech_start`` is called at its first words, and when the talk button goes down, so that
      the speaker can be cut off.
    - ``silence`` gives the seconds of silence that end an utterance of which this was recognised.
      Without it, the phrases tell: see :class:`.Transcriber`.
    - ``on_error`` gets a sentence when the source fails. The listener then waits for a microphone
      and calls ``on_back`` when it gives sound again. With any other source the thread ends.
    - ``on_elsewhere`` gets an utterance in place of ``on_recognition`` if it belongs to another
      microphone than that of ``place``, with the name of that one.
    - ``on_lost`` gets the seconds of sound that the source has lost. An utterance with a gap does
      not count.
    - ``on_failed`` gets a sentence when the recogniser fails or hangs, and ``on_works`` is called
      when an utterance was recognised again. By default these are ``on_error`` and ``on_back``.
      The utterance under way is lost, and results that come later are discarded.

    No method waits for a recogniser, except ``reheard``.

    :raises VocabularyError: for phrases that no model knows.
    """

    def __init__(
        self,
        recogniser: AnyRecogniser,
        source: AudioSource,
        on_recognition: Callable[[Recognition], None],
        *,
        phrases: Sequence[str] = (),
        listening: MicrophoneMode = MicrophoneMode.OPEN,
        silence: Callable[[Recognition], float] | None = None,
        on_speech_start: Callable[[], None] | None = None,
        on_error: Callable[[str], None] | None = None,
        on_back: Callable[[], None] | None = None,
        on_lost: Callable[[float], None] | None = None,
        on_failed: Callable[[str], None] | None = None,
        on_works: Callable[[], None] | None = None,
        place: MicrophonePlace | None = None,
        on_elsewhere: Callable[[Recognition, str], None] | None = None,
    ) -> None:
        self._place, self._on_elsewhere = place, on_elsewhere
        self._recogniser = recogniser
        self._source = source
        self._on_recognition = on_recognition
        self._on_speech_start = on_speech_start
        self._on_error = on_error
        self._on_back = on_back
        self._on_lost = on_lost
        self._lost_s = source.lost_s
        self._on_failed = on_failed or on_error
        self._on_works = on_works or on_back
        # Guards the endpointer and the choice of the transcriber. Never held during recognition.
        self._lock = threading.Lock()
        self._endpointer = Endpointer(Silero(), listening)
        self._silence = silence
        self._transcriber = Transcriber(
            recogniser, frozenset(phrases), silence, recogniser.start(phrases)
        )
        self._between: Callable[[], None] | None = None
        self._last: RecognisedUtterance | None = None
        self._failed = False  # the recogniser, since the last utterance
        self._hangs = 0  # in a row
        self._busy_since: float | None = None  # recognising, not calling back
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True, name="listener")

    def __enter__(self) -> Self:
        self.start()
        return self

    def start(self) -> None:
        """Open the source and begin.

        :raises AudioError: if it cannot be opened.
        """
        self._source.__enter__()
        self._thread.start()
        threading.Thread(target=self._watch, daemon=True, name="listener's watchdog").start()

    def close(self) -> None:
        """Stop listening. The utterance under way ends here."""
        self._ended.set()
        if self._place is not None:
            self._place.leave()
        self._source.close()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=10)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the source; return False if ``timeout`` seconds passed before."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def listen_for(self, phrases: Sequence[str]) -> None:
        """Listen for other phrases. An utterance under way is recognised again with them.

        :raises VocabularyError: for phrases that no model knows; the old phrases stay.
        """
        wanted = frozenset(phrases)
        if wanted == self._transcriber.phrases:
            return
        if unknown := wanted.difference(self._recogniser.known_phrases(phrases)):
            raise VocabularyError(unknown)
        with self._lock:
            self._transcriber.phrases = wanted

    def between_utterances(self, do: Callable[[], None]) -> None:
        """Call ``do`` once, in the listener's thread, as soon as no utterance is under way."""
        with self._lock:
            self._between = do

    def use(self, recogniser: AnyRecogniser, phrases: Sequence[str]) -> None:
        """Listen for ``phrases`` with another recogniser. Call it between utterances."""
        with self._lock:
            self._recogniser = recogniser
            self._transcriber = Transcriber(recogniser, frozenset(phrases), self._silence)

    @property
    def outdated(self) -> bool:
        """Return whether the last utterance was recognised with other phrases than the present."""
        return self._last is not None and self._last.phrases != self._transcriber.phrases

    @property
    def segment(self) -> Segment | None:
        """When the last utterance was spoken; None before the first."""
        return None if self._last is None else self._last.segment

    @property
    def sound(self) -> bytes:
        """The sound of the last utterance: 16 kHz mono 16-bit PCM."""
        return b"" if self._last is None else self._last.sound

    def reheard(self, before: bytes = b"") -> Recognition | None:
        """Return the last utterance, recognised with the present phrases; None if it was already.
        ``before``: together with this sound before it, as one utterance.

        For callbacks that had to wait, so that the game has gone on. It takes as long as the
        recogniser takes: hold no lock meanwhile.
        """
        last, phrases = self._last, self._transcriber.phrases
        if last is None or (phrases == last.phrases and not before):
            return None
        in_our_thread = threading.current_thread() is self._thread
        if in_our_thread:
            self._busy_since = time.monotonic()
        try:
            recognition = self._recogniser.recognise(before + last.sound, tuple(phrases))
        except Exception as error:
            recognition = Recognition()
            if not in_our_thread or threading.current_thread() is self._thread:
                self._lose(_("The recogniser failed ({error}); it is begun anew.", error=error))
        if in_our_thread:
            self._end_if_abandoned()
            self._busy_since = None
        self._last = replace(last, phrases=phrases)
        return recognition

    def mute(self) -> None:
        """Hear nothing until ``unmute``, and forget an utterance that is half said.

        Calls nest: two mutes need two unmutes.
        """
        with self._lock:
            self._endpointer.mute()

    def unmute(self, tail: float = 0.0) -> None:
        """Hear again, except the first ``tail`` seconds of sound (the room's echo of us)."""
        with self._lock:
            # One block may have left the source already, and reach the endpointer after this.
            if self._endpointer.unmute(tail + BLOCK_MS / 1000):
                self._source.discard()

    def press(self, *, latched: bool = False) -> None:
        """The talk button goes down. Everything until ``release`` is one utterance, however quiet,
        with a little sound before and after.

        A ``latched`` button comes up by itself after an utterance, or after six seconds of silence.
        """
        with self._lock:
            self._endpointer.press(latched=latched)
        call(self._on_speech_start)

    def release(self) -> None:
        """The talk button comes up."""
        with self._lock:
            self._endpointer.release()

    def drop(self) -> None:
        """The talk button comes up, and what was heard while it was down is forgotten."""
        with self._lock:
            self._endpointer.release()
            self._endpointer.interrupt()

    def toggle(self) -> bool:
        """A talk button without a release was pressed: press it latched, or release it.

        Return whether it is down now.
        """
        if self._endpointer.held:
            self.release()
            return False
        self.press(latched=True)
        return True

    @property
    def held(self) -> bool:
        """Return whether the talk button is down."""
        return self._endpointer.held

    @property
    def speaking(self) -> bool:
        """Return whether an utterance is under way."""
        return self._endpointer.speaking

    @property
    def now(self) -> float:
        """Return how many seconds of sound were heard. A ``Segment`` counts in these."""
        return self._endpointer.now

    @property
    def voice_until(self) -> float:
        """Return when a voice was last heard, however soft, in seconds of sound."""
        return self._endpointer.voice_until

    def _watch(self) -> None:
        """Abandon a recogniser that hangs. A thread cannot be ended, but another can go on."""
        while not self._ended.wait(RECOGNISER_PATIENCE_S / 10):
            since = self._busy_since
            if since is None or time.monotonic() - since < RECOGNISER_PATIENCE_S * 2**self._hangs:
                continue
            log.error("the recogniser hangs; another thread goes on")
            self._busy_since = None
            self._hangs += 1
            self._thread = threading.Thread(target=self._work, daemon=True, name="listener")
            self._lose(_("The recogniser hangs; it is begun anew."))
            self._thread.start()

    def _lose(self, sentence: str) -> None:
        """The recogniser failed: forget the utterance under way, and report it once."""
        with self._lock:
            self._transcriber = self._transcriber.afresh()
            self._endpointer.interrupt()
        if not self._failed:
            self._failed = True
            call(self._on_failed, sentence)

    def _work(self) -> None:
        try:
            if self._hangs:  # perhaps it was the detector that hung
                self._endpointer.use_detector(Silero())
            while not self._listen():
                call(self._on_back)
        except _AbandonedError:
            return
        except Exception as error:  # the table must learn that it hears nothing any more
            log.exception("listening failed")
            call(
                self._on_error, _("Listening failed ({error}); run blindplay doctor.", error=error)
            )
        self._ended.set()
        self._source.close()

    def _listen(self) -> bool:
        """Listen until the source has ended for good (True) or gives sound again (False)."""
        try:
            for block in self._source:
                self._hear(block)
        except AudioError as error:
            with self._lock:
                self._endpointer.interrupt()
            if self._place is not None:
                self._place.away()
            call(self._on_error, str(error))
            return not self._source.reopen()
        with self._lock:
            events = self._endpointer.end()
        for event in events:
            self._tell(self._transcriber.take(event, 0.0))
        return True

    def _hear(self, block: bytes) -> None:
        lost_s = self._source.lost_s - self._lost_s
        if lost_s > 0:
            self._lost_s += lost_s
            with self._lock:
                self._endpointer.interrupt()
            call(self._on_lost, lost_s)
        if self._between is not None and not self._endpointer.speaking:
            with self._lock:
                between, self._between = self._between, None
            call(between)
        self._busy_since = time.monotonic()
        try:
            recognised = self._recognised(block)
        except Exception as error:  # the next utterance may be recognised
            self._end_if_abandoned()
            self._busy_since = None
            if not self._failed:
                log.exception("the recogniser failed")
            self._lose(_("The recogniser failed ({error}); it is begun anew.", error=error))
            return
        self._end_if_abandoned()
        self._busy_since = None
        self._tell(recognised)

    def _recognised(self, block: bytes) -> list[TranscriberEvent]:
        endpointer, transcriber = self._endpointer, self._transcriber
        likelihood = endpointer.likelihood(block)
        self._end_if_abandoned()
        with self._lock:
            events = endpointer.take(block, likelihood)
            if self._place is not None:
                self._place.take(getattr(block, "at", None), events, endpointer)
        transcriber.prepare()
        heard = [one for event in events for one in transcriber.take(event, endpointer.silent_s)]
        if transcriber.is_over(endpointer.silent_s):
            self._end_if_abandoned()
            with self._lock:
                events = endpointer.end()
            heard += [one for event in events for one in transcriber.take(event, 0.0)]
        return heard

    def _end_if_abandoned(self) -> None:
        """End this thread if another has taken its place while it hung."""
        if threading.current_thread() is not self._thread:
            raise _AbandonedError

    def _tell(self, events: Iterable[TranscriberEvent]) -> None:
        for event in events:
            if isinstance(event, FirstWords):
                call(self._on_speech_start)
                continue
            self._hangs = 0
            if self._failed:
                self._failed = False
                call(self._on_works)
            self._last = event
            if self._place is not None:
                self._place.recognised(event.recognition.words)
            if event.recognition.heard_anything:
                nearer = self._place.nearer() if self._place is not None else ""
                if nearer:
                    call(self._on_elsewhere, event.recognition, nearer)
                else:
                    call(self._on_recognition, event.recognition)


class _AbandonedError(BaseException):
    """This thread hung so long that another one listens now. No callback may catch it."""
