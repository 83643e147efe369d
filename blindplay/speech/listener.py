"""Listening: a source of sound, cut into utterances, each told as what it may have been.

Who speaks when is decided by `activity`; here is the thread that feeds it, and the recogniser
that is fed with what it cuts.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from .audio import BLOCK_MS, AudioError, AudioSource, is_soft, level
from .endpointing import (
    UNDECIDED_S,
    UNFINISHED_S,
    Endpointer,
    EndpointEvent,
    MicrophoneMode,
    Segment,
    Silero,
    SpeechContinues,
    SpeechDropped,
    SpeechEnded,
    SpeechStarted,
    silence_after,
)
from .ensemble import AnyRecogniser, EnsembleDecoder, out_of_vocabulary
from .recogniser import Recognition, UtteranceDecoder

log = logging.getLogger(__name__)

TAIL_S = 0.3
"""So much sound after somebody's last voiced block is heard with it. More is heard only when he
goes on: in a noisy hall the wait for the end of speech is full of other people's words."""
RECOGNISER_PATIENCE_S = 30.0
"""How long a recogniser may think about one block of sound before it is left behind; twice as long
after each time that it was, until it has heard something."""


@dataclass(frozen=True)
class Timing:
    """When the utterance that is being told was said: `cut` in seconds of sound, and `work_s`,
    the seconds from the arrival of its last block to the call of `on_hearing`."""

    segment: Segment
    work_s: float

    @property
    def delay_s(self) -> float:
        """Return the seconds from the end of speech to the decision about it."""
        return self.segment.decided - self.segment.ended + self.work_s


class Listener:
    """Listens to a source in a thread of its own and tells what was said, utterance by utterance.

    `on_hearing` gets each utterance when a pause ends it, and also one of unknown sound alone
    (`words` is then ""), but never silence; `timing` then tells when it was said.
    `on_speech_start` is called at its first words and when the talk button goes down, so that
    the speaker can be cut off.
    `silence` may say how many seconds of silence end an utterance of which these words have been
    heard; None, or without it, `silence_after` says it.
    `on_error` gets one sentence when the source fails. A microphone is then waited for, and
    `on_back` called when it gives sound again; with any other source the thread ends. All run in
    the listener's thread.

    So it is with a recogniser that fails, or never comes back from an utterance: `on_error` is
    told, in another thread if it hangs; that utterance is lost, the next one is begun anew, and
    `on_back` is called when one has been heard. What comes of the lost one later is not told.
    With `on_failed` and `on_works`, these are called of the recogniser in their place. Who calls a
    method waits for no recogniser, but for `reheard`.
    """

    def __init__(
        self,
        recogniser: AnyRecogniser,
        source: AudioSource,
        on_recognition: Callable[[Recognition], None],
        *,
        phrases: Sequence[str] = (),
        listening: MicrophoneMode = MicrophoneMode.OPEN,
        silence: Callable[[str], float | None] | None = None,
        on_speech_start: Callable[[], None] | None = None,
        on_error: Callable[[str], None] | None = None,
        on_back: Callable[[], None] | None = None,
        on_failed: Callable[[str], None] | None = None,
        on_works: Callable[[], None] | None = None,
    ) -> None:
        self._recogniser = recogniser
        self._source = source
        self._on_recognition = on_recognition
        self._silence = silence
        self._on_speech_start = on_speech_start
        self._on_error = on_error
        self._on_back = on_back
        self._on_failed = on_failed or on_error
        self._on_works = on_works or on_back
        # Around the cutter, the phrases and the next run; never held while a recogniser works.
        self._lock = threading.Lock()
        self._endpointer = Endpointer(Silero(), listening)
        self._next: UtteranceDecoder | EnsembleDecoder | None = recogniser.start(phrases)
        self._phrases = frozenset(phrases)
        self._heard_with = self._phrases  # those of the run, and of what was told last
        self._changed = False  # the phrases, since the next run was begun
        self._run: UtteranceDecoder | EnsembleDecoder | None = None  # of the utterance under way
        self._sound = b""  # of that utterance, so far as it has been heard
        self._held_back = b""  # and what came after it, until he speaks again
        self._told_start = False
        self._doubted = False  # its end was tried in this pause, and it was not whole
        self._early: Recognition | None = None
        self._level = -96.0
        self._timing: Timing | None = None
        self._failed = False  # the recogniser, since the last utterance that was heard
        self._busy_since: float | None = None  # with a block, and not with who is told of it
        self._detecting = False  # and with whether it is a voice
        self._hung = 0  # times in a row
        self._ended = threading.Event()
        self._thread = self._worker()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(self) -> None:
        """Open the source and begin. Raises AudioError when it cannot be opened."""
        self._source.__enter__()
        self._thread.start()
        threading.Thread(target=self._watch, daemon=True, name="listener's watchdog").start()

    def close(self) -> None:
        """Stop listening; what is being said is heard to where it is."""
        self._ended.set()
        self._source.close()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=10)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the source to end; False when `timeout` seconds were too few."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def listen_for(self, phrases: Sequence[str]) -> None:
        """Listen for other phrases; what is being said now is heard again with them, too.

        Raises VocabularyError, and then goes on with the phrases before.
        """
        if frozenset(phrases) == self._phrases:
            return
        unknown = set(phrases).difference(self._recogniser.known_phrases(phrases))
        if unknown:
            raise out_of_vocabulary(unknown)
        with self._lock:
            self._next, self._changed = None, True
            self._phrases = frozenset(phrases)

    @property
    def outdated(self) -> bool:
        """Return whether the utterance told last was heard with other phrases than are listened
        for now."""
        return self._heard_with != self._phrases

    def reheard(self) -> Recognition | None:
        """The utterance told last as it is heard with the phrases that are listened for now; None
        if they are still the ones with which it was heard.

        For who was told of it and then had to wait until nothing could change any more; it may
        take as long as a recogniser takes, so let nobody wait for it.
        """
        phrases = self._phrases
        if phrases == self._heard_with:
            return None
        ours = threading.current_thread() is self._thread
        if ours:
            self._busy_since = time.monotonic()
        try:
            recognition = self._recogniser.recognise(self._sound, tuple(phrases))
        except Exception as error:
            recognition = Recognition()
            if not ours or threading.current_thread() is self._thread:
                self._lose(f"The recogniser failed ({error}); it is begun anew.")
        if ours:
            self._must_be_ours()
            self._busy_since = None
        self._heard_with = phrases
        return recognition

    def mute(self) -> None:
        """Hear nothing until `unmute`: an utterance that is half said is forgotten.

        Calls nest: two mutes need two unmutes.
        """
        with self._lock:
            self._endpointer.mute()

    def unmute(self, tail: float = 0.0) -> None:
        """Hear again, but for the first `tail` seconds of sound (the room's echo of us)."""
        with self._lock:
            # One block may have been taken from the source before, and come to the cutter after.
            if self._endpointer.unmute(tail + BLOCK_MS / 1000):
                self._source.discard()

    def press(self, *, latched: bool = False) -> None:
        """The talk button goes down: what is said until `release` is one utterance.

        Also a little before and after, and however quiet. `latched`: the button comes up by
        itself when the player has said something, or nothing for six seconds.
        """
        with self._lock:
            self._endpointer.press(latched=latched)
        self._call(self._on_speech_start)

    def release(self) -> None:
        """The talk button comes up."""
        with self._lock:
            self._endpointer.release()

    def toggle(self) -> bool:
        """A button that tells only that it was pressed: press latched, or release.

        Return whether it is down now.
        """
        down = not self._endpointer.held
        if down:
            self.press(latched=True)
        else:
            self.release()
        return down

    @property
    def listening(self) -> MicrophoneMode:
        """Return what begins an utterance; it may be set at any time."""
        return self._endpointer.listening

    @listening.setter
    def listening(self, listening: MicrophoneMode) -> None:
        with self._lock:
            self._endpointer.listening = listening

    @property
    def muted(self) -> bool:
        """Return whether sound is being thrown away."""
        return self._endpointer.muted

    @property
    def speaking(self) -> bool:
        """Return whether somebody is speaking to us."""
        return self._endpointer.speaking

    @property
    def level(self) -> float:
        """Return the loudness of the last block in dBFS, -96 (silence) to 0."""
        return self._level

    @property
    def now(self) -> float:
        """Return how many seconds of sound have been listened to; a `Segment` is told in these."""
        return self._endpointer.now

    @property
    def timing(self) -> Timing | None:
        """Return when the utterance told last was said; None before the first."""
        return self._timing

    def _worker(self) -> threading.Thread:
        return threading.Thread(target=self._work, daemon=True, name="listener")

    def _watch(self) -> None:
        """Leave behind a recogniser that hangs: no thread can be ended, but another can go on."""
        while not self._ended.wait(RECOGNISER_PATIENCE_S / 10):
            since = self._busy_since
            if since is None or time.monotonic() - since < RECOGNISER_PATIENCE_S * 2**self._hung:
                continue
            log.error("the recogniser hangs; another thread goes on")
            self._busy_since = None
            self._hung += 1
            self._thread = self._worker()  # from now on the other one is told nothing more
            self._lose("The recogniser hangs; it is begun anew.")
            self._thread.start()

    def _lose(self, sentence: str) -> None:
        """The recogniser failed: forget what is being said, and say so once."""
        self._run, self._early = None, None
        with self._lock:
            self._next = None
            self._endpointer.interrupt()
        if not self._failed:
            self._failed = True
            self._call(self._on_failed, sentence)

    def _work(self) -> None:
        try:
            if self._detecting:  # the thread before this one, and it will never end
                self._endpointer.use_detector(Silero())
            while not self._listened():
                self._call(self._on_back)
        except _LeftBehindError:
            return
        except Exception as error:  # the table must learn that it has gone deaf
            log.exception("listening failed")
            self._call(self._on_error, f"Listening failed ({error}); run blindplay doctor.")
        self._ended.set()
        self._source.close()

    def _listened(self) -> bool:
        """Listen until the source has ended for good (True) or come back (False)."""
        try:
            for block in self._source:
                self._listen_to(block)
        except AudioError as error:
            with self._lock:
                self._endpointer.interrupt()
            self._call(self._on_error, str(error))
            return not self._source.reopen()
        self._end(time.perf_counter())
        return True

    def _listen_to(self, block: bytes) -> None:
        self._level = level(block)
        arrived, self._busy_since = time.perf_counter(), time.monotonic()
        try:
            self._detecting = True
            likely = self._endpointer.likelihood(block)
            self._must_be_ours()
            self._detecting = False
            with self._lock:
                events = self._endpointer.take(block, likely)
            self._prepare()
            for event in events:
                self._take(event, arrived)
            if self._is_over(self._endpointer.silent_s):
                self._end(arrived)
            self._must_be_ours()
        except _LeftBehindError:
            raise
        except Exception as error:  # whatever the recogniser does, the next may be heard
            self._must_be_ours()
            if not self._failed:
                log.exception("the recogniser failed")
            self._lose(f"The recogniser failed ({error}); it is begun anew.")
        self._busy_since = None

    def _must_be_ours(self) -> None:
        if threading.current_thread() is not self._thread:
            raise _LeftBehindError

    def _take(self, event: EndpointEvent, arrived: float) -> None:
        match event:
            case SpeechStarted(sound):
                self._run, self._sound, self._held_back = None, b"", b""
                self._told_start = False
                self._hear(sound)
            case SpeechContinues(sound):
                self._held_back += sound
                sound = b""
                if self._endpointer.silent_s <= TAIL_S + 1e-9:
                    sound, self._held_back = self._held_back, b""
                self._hear(sound)
            case SpeechEnded(cut):
                self._tell(cut, arrived)
            case SpeechDropped():
                self._run = None

    def _end(self, arrived: float) -> None:
        with self._lock:
            events = self._endpointer.end()
        for event in events:
            self._take(event, arrived)

    def _prepare(self) -> None:
        """Begin the next run when the phrases have changed, so that nobody waits for it later."""
        with self._lock:
            changed, self._changed, phrases = self._changed, False, self._phrases
        if not changed:
            return
        run = self._recogniser.start(tuple(phrases))
        self._must_be_ours()
        with self._lock:
            if not self._changed:
                self._next = run

    def _hear(self, sound: bytes) -> None:
        self._sound += sound
        with self._lock:
            fresh, self._next = self._next, None
            phrases = self._phrases
        if fresh is not None or self._run is None:
            # Also when the grammar changes while this is being said: it is heard again from its
            # beginning, or a player who answers quickly would never be understood.
            self._run = fresh or self._recogniser.start(tuple(phrases))
            self._heard_with = phrases
            sound = self._sound
        # Whether the model thinks this is the end is not asked: it thinks so in pauses for breath.
        if sound:
            self._run.accept(sound)
        self._must_be_ours()
        if not self._told_start and self._run.partial():
            self._told_start = True
            self._call(self._on_speech_start)

    def _is_over(self, silent_s: float) -> bool:
        """Whether so much silence ends the utterance under way."""
        self._early = None
        if silent_s == 0.0 or self._run is None:
            self._doubted = False
            return False
        words = self._run.partial()
        self._must_be_ours()
        silence = self._silence(words) if self._silence is not None else None
        if silence is None:
            silence = silence_after(words, self._phrases)
        if self._doubted:
            silence = max(silence, UNFINISHED_S)
        if silent_s < silence - 1e-9:
            return False
        if silence < UNDECIDED_S:
            # The words heard so far run ahead of the sound: with "Felix" may come "Felix drei",
            # if nothing else can. Only the result tells.
            recognition = self._run.finish()
            self._must_be_ours()
            if recognition.words != words:
                self._doubted, phrases = True, self._phrases
                self._run = self._recogniser.start(tuple(phrases))
                self._heard_with = phrases
                self._run.accept(self._sound)
                return False
            self._early = recognition
        return True

    def _tell(self, cut: Segment, arrived: float) -> None:
        run, self._run = self._run, None
        if run is None:  # its recogniser failed
            return
        recognition = self._early or run.finish()
        if is_soft(self._sound):
            # How soft it was is known only now; so it is heard once more, made louder.
            phrases = self._phrases
            recognition = self._recogniser.recognise(self._sound, tuple(phrases))
            self._heard_with = phrases
        self._must_be_ours()  # what a recogniser says that hung is told nobody
        self._hung = 0
        if self._failed:
            self._failed = False
            self._call(self._on_works)
        self._timing = Timing(cut, time.perf_counter() - arrived)
        if not recognition.hypotheses:
            return
        if recognition.words and not self._told_start:
            self._call(self._on_speech_start)
        self._call(self._on_recognition, recognition)

    def _call(self, callback: Callable[..., None] | None, *arguments: object) -> None:
        if callback is None:
            return
        ours = threading.current_thread() is self._thread and self._busy_since is not None
        if ours:
            self._busy_since = None
        try:
            callback(*arguments)
        except _LeftBehindError:
            raise
        except Exception:
            log.exception("a callback of the listener failed")
        if ours:
            self._busy_since = time.monotonic()


class _LeftBehindError(Exception):
    """This thread hung so long that another one listens now."""
