"""Listening: a source of sound, cut into utterances, each told as what it may have been."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from blindplay.speech.audio import BLOCK_MS, RATE, AudioError, AudioSource, level
from blindplay.speech.recogniser import Hearing, Recogniser, Run

log = logging.getLogger(__name__)

PREROLL_BLOCKS = 600 // BLOCK_MS  # a word begun before a grammar changes is heard whole
UTTERANCE_BLOCKS = 20_000 // BLOCK_MS  # no announcement takes longer; an older start is forgotten
QUIET_BLOCKS = 1_200 // BLOCK_MS  # so long a pause ends an utterance whatever the model thinks
QUIET_DB = 25.0  # what is this much softer than the utterance's loudest block is a pause


class Listener:
    """Listens to a source in a thread of its own and tells what was said, utterance by utterance.

    `on_hearing` gets each utterance when a pause (0.5 to 1 s, the model's own setting) ends it,
    and also one of unknown sound alone (`words` is then ""), but never silence.
    `on_speech_start` is called at its first words, so that the speaker can be cut off.
    `on_error` gets one sentence when the source fails, after which the thread ends. All run in
    the listener's thread.
    """

    def __init__(
        self,
        recogniser: Recogniser,
        source: AudioSource,
        on_hearing: Callable[[Hearing], None],
        *,
        phrases: Sequence[str] = (),
        on_speech_start: Callable[[], None] | None = None,
        on_error: Callable[[str], None] | None = None,
    ) -> None:
        self._recogniser = recogniser
        self._source = source
        self._on_hearing = on_hearing
        self._on_speech_start = on_speech_start
        self._on_error = on_error
        self._lock = threading.Lock()
        self._next: Run | None = recogniser.start(phrases)
        self._phrases = tuple(phrases)
        self._mutes = 0
        self._reset = False
        self._skip = 0
        self._level = -96.0
        self._thread = threading.Thread(target=self._run, daemon=True, name="listener")

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

    def close(self) -> None:
        """Stop listening; what is being said is heard to where it is."""
        self._source.close()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=10)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the source to end; False when `timeout` seconds were too few."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def listen_for(self, phrases: Sequence[str]) -> None:
        """Listen for other phrases from the next utterance on, at once if nobody speaks.

        Raises VocabularyError, and then goes on with the phrases before.
        """
        if tuple(phrases) == self._phrases:
            return
        run = self._recogniser.start(phrases)
        with self._lock:
            self._next = run
            self._phrases = tuple(phrases)

    def mute(self) -> None:
        """Hear nothing until `unmute`: an utterance that is half said is forgotten.

        Calls nest: two mutes need two unmutes.
        """
        with self._lock:
            self._mutes += 1

    def unmute(self, tail: float = 0.0) -> None:
        """Hear again, but for the first `tail` seconds of sound (the room's echo of us)."""
        with self._lock:
            if self._mutes == 0:
                return
            self._mutes -= 1
            if self._mutes == 0:
                self._source.discard()
                self._reset = True
                self._skip = round(tail * RATE) * 2

    @property
    def muted(self) -> bool:
        """Return whether sound is being thrown away."""
        return self._mutes > 0

    @property
    def level(self) -> float:
        """Return the loudness of the last block in dBFS, -96 (silence) to 0."""
        return self._level

    def _run(self) -> None:
        try:
            self._listen()
        except AudioError as error:
            self._call(self._on_error, str(error))
        except Exception as error:  # the table must learn that it has gone deaf
            log.exception("listening failed")
            self._call(self._on_error, f"Listening failed ({error}); run blindplay doctor.")
        finally:
            self._source.close()

    def _listen(self) -> None:
        run: Run | None = None
        begun = False
        # Since the last utterance's end: while nobody speaks only the last moment of it.
        sound: deque[bytes] = deque(maxlen=PREROLL_BLOCKS)
        loudest, quiet = -96.0, 0
        for block in self._source:
            self._level = level(block)
            with self._lock:
                deaf = self._mutes > 0
                if not deaf and self._skip > 0:
                    self._skip -= len(block)
                    deaf = True
                if deaf or self._reset:
                    sound = deque(maxlen=PREROLL_BLOCKS)
                    begun = False
                    self._reset = False
                    # A decoder that has heard a part of something starts afresh.
                    if run is not None and self._next is None:
                        self._next = self._recogniser.start(self._phrases)
                    run = None
                if deaf:
                    continue
                fresh = None
                if self._next is not None and not begun:
                    fresh, self._next = self._next, None
            if fresh is not None:
                run = fresh
                for earlier in sound:
                    run.accept(earlier)
            assert run is not None
            sound.append(block)
            ended = run.accept(block)
            if not begun and not ended and run.partial():
                begun = True
                sound = deque(sound, maxlen=UTTERANCE_BLOCKS)
                loudest, quiet = self._level, 0
                self._call(self._on_speech_start)
            # Where the model takes the room's noise for speech it finds no end (a grammar that
            # does not fit what is said does this), so loudness decides, too.
            loudest = max(loudest, self._level)
            quiet = quiet + 1 if self._level < loudest - QUIET_DB else 0
            if not ended and not (begun and quiet >= QUIET_BLOCKS):
                continue
            hearing = run.result() if ended else run.finish()
            with self._lock:
                late, self._next = self._next, None
                if not ended or late is not None:
                    self._next = self._recogniser.start(self._phrases)
            if late is not None:
                # The grammar changed while this was being said: it is heard again with the new
                # one, or a player who answers quickly would never be understood.
                for earlier in sound:
                    late.accept(earlier)
                hearing = late.finish()
            self._emit(hearing, begun)
            begun = False
            sound = deque(maxlen=PREROLL_BLOCKS)
            loudest, quiet = -96.0, 0
        if run is not None:
            self._emit(run.finish(), begun)

    def _emit(self, hearing: Hearing, begun: bool) -> None:
        if not hearing.alternatives:
            return
        if not begun and hearing.words:
            self._call(self._on_speech_start)
        self._call(self._on_hearing, hearing)

    def _call(self, callback: Callable[..., None] | None, *arguments: object) -> None:
        if callback is None:
            return
        try:
            callback(*arguments)
        except Exception:
            log.exception("a callback of the listener failed")
