"""The queue of announcements: each is spoken exactly once, to the right ears, and can be cut off.

Two outputs, one queue: a person has one pair of ears, so a private answer and a public
announcement never sound at once, and where there is one device both share it.

What `interrupt` does: a private utterance that is being played ends there (INTERRUPTED) and the
private ones that wait are dropped (DROPPED); they were answers, and can be asked for again. A
public announcement is never lost: it falls silent at once, goes back to the head of the queue and
is spoken again from its beginning, after `hold` seconds or `resume`, and is SPOKEN only when it
came to its end.
"""

import enum
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

import numpy as np

from .audio import AudioError, AudioSink, read_wav
from .synthesis import NotWordsError, Synthesiser, SynthesisError, words_only

log = logging.getLogger(__name__)

PLAYING_PATIENCE_S = 20.0
"""How much longer than its sound an output may take to play it, opening the device included."""


class Output(enum.Enum):
    """Who hears it."""

    PRIVATE = "private"
    """The player's earphone: queries, his clock."""
    PUBLIC = "public"
    """Everybody at the table: announcements."""


class Outcome(enum.Enum):
    """What became of an utterance."""

    SPOKEN = "spoken"
    INTERRUPTED = "interrupted"
    DROPPED = "dropped"
    FAILED = "failed"


@dataclass(frozen=True)
class Voicing:
    """How somebody likes to be spoken to: `volume` in dB, -24 to 12, 0 as the voice itself is;
    `rate` in words a minute, 80 to 320."""

    volume: int = 0
    rate: int = 160

    def __post_init__(self) -> None:
        object.__setattr__(self, "volume", min(max(self.volume, -24), 12))
        object.__setattr__(self, "rate", min(max(self.rate, 80), 320))

    def changed(self, *, louder: int = 0, faster: int = 0) -> Self:
        """So many steps louder and faster, fewer than none softer and slower; within the limits."""
        return replace(self, volume=self.volume + 4 * louder, rate=self.rate + 20 * faster)

    def amplify(self, pcm: bytes) -> bytes:
        """16-bit PCM at this volume. Peaks are rounded off, not cut: a voice stays a voice."""
        if self.volume == 0:
            return pcm
        samples = np.frombuffer(pcm, "<i2") * (10 ** (self.volume / 20) / 32768)
        if self.volume > 0:
            samples = np.tanh(samples)
        loud: bytes = np.round(samples * 32767).astype("<i2").tobytes()
        return loud


Sound = tuple[bytes, int]
"""Mono 16-bit PCM and its samples per second."""


@dataclass(frozen=True)
class _Utterance:
    ticket: int
    words: str
    to: Output
    on_done: Callable[[Outcome], None] | None
    on_spoken: Callable[[bytes, int], None] | None
    sound: Callable[[], Sound] | None


class Speaker:
    """Speaks what it is told in the order it is told, in a thread of its own.

    Callbacks run in that thread and must return soon; one that raises is logged and forgotten.
    A failing synthesiser or device is told to `on_error` in one sentence, the utterance is
    FAILED, and the next one is tried. So it is with an output that never comes back from playing:
    it is not used again before it has. Where the public output fails and the private one is another
    device, who has that hears the announcement at least; the other way round nothing is told.
    """

    def __init__(
        self,
        synthesiser: Synthesiser,
        private: AudioSink,
        public: AudioSink,
        *,
        on_error: Callable[[str], None] | None = None,
    ) -> None:
        self._synthesiser = synthesiser
        self._voicing: Voicing | None = None
        self._sinks = {Output.PRIVATE: private, Output.PUBLIC: public}
        self._on_error = on_error
        self.on_output: Callable[[Output, bool], None] | None = None
        """Called with False when an output fails that worked, with True when it works again."""
        self._gone: set[Output] = set()
        self._stuck: dict[int, threading.Thread] = {}  # by the id of the sink
        self._change = threading.Condition()
        self._queue: deque[_Utterance] = deque()
        self._current: _Utterance | None = None
        self._stop = threading.Event()
        self._hold_until = 0.0
        self._tickets = 0
        self._closed = False
        self._speaking = False
        self._speaking_to: Output | None = None
        self._speaking_callbacks: list[Callable[[bool], None]] = []
        self._ahead: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True, name="speaker")
        self._renderer = threading.Thread(target=self._render_ahead, daemon=True, name="renderer")
        self._thread.start()
        self._renderer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def say(
        self,
        words: str,
        *,
        to: Output,
        on_done: Callable[[Outcome], None] | None = None,
        on_spoken: Callable[[bytes, int], None] | None = None,
        sound: Callable[[], Sound] | None = None,
    ) -> int:
        """Queue `words` and return their ticket (1, 2, …); equal words are spoken again.

        `on_done` hears the outcome once. `on_spoken` gets the PCM and its rate before that, if
        it was spoken to its end. What `sound` gives is played instead of a voice that says the
        words, which then may be anything. Raises NotWordsError at once for what is not words, and
        ValueError once the speaker is closed.
        """
        if sound is None:
            words = words_only(words)
        with self._change:
            if self._closed:
                raise ValueError("The speaker is closed; make a new one.")
            self._tickets += 1
            self._queue.append(_Utterance(self._tickets, words, to, on_done, on_spoken, sound))
            self._change.notify_all()
            return self._tickets

    @property
    def voicing(self) -> Voicing:
        """How loud and how fast, from the next utterance on."""
        return self._voicing or Voicing()

    @voicing.setter
    def voicing(self, wanted: Voicing) -> None:
        self._voicing = wanted
        self._synthesiser.rate = wanted.rate

    def prepare(self, words: str) -> None:
        """Render `words` ahead of time in the background, so that `say` starts at once."""
        self._ahead.put(words_only(words))

    def interrupt(self, *, hold: float = 0.0) -> None:
        """Fall silent within 50 ms; what becomes of the utterances is told at the module's head.

        `hold` is how many seconds to keep silent afterwards, so that a player who speaks is not
        talked over; `resume` ends it early.
        """
        with self._change:
            dropped = [u for u in self._queue if u.to is Output.PRIVATE]
            self._queue = deque(u for u in self._queue if u.to is not Output.PRIVATE)
            self._hold_until = max(self._hold_until, time.monotonic() + hold)
            if self._current is not None:
                self._stop.set()
            self._change.notify_all()
        for utterance in dropped:
            self._tell(utterance, Outcome.DROPPED)

    def resume(self) -> None:
        """End the silence an interruption asked for."""
        with self._change:
            self._hold_until = 0.0
            self._change.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until everything queued is done with; False when `timeout` seconds were too few."""
        with self._change:
            return self._change.wait_for(lambda: not self._queue and self._current is None, timeout)

    @property
    def speaking(self) -> bool:
        """Return whether sound may be going out."""
        return self._speaking

    @property
    def speaking_to(self) -> Output | None:
        """Return which output was spoken to last; while `speaking`, the one in use."""
        return self._speaking_to

    def on_speaking(self, callback: Callable[[bool], None]) -> None:
        """Call `callback` with True before sound goes out and False when it has ended.

        For half duplex: mute the listener on True. It is also told now if sound is going out, and
        False, True when the sound goes to the other output (`speaking_to`) without a pause.
        """
        with self._change:
            self._speaking_callbacks.append(callback)
            now = self._speaking
        if now:
            callback(True)

    def close(self) -> None:
        """Fall silent, drop what waits (DROPPED) and end the threads. The sinks stay open."""
        with self._change:
            if self._closed:
                return
            self._closed = True
            self._stop.set()
            self._change.notify_all()
        self._ahead.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=30)

    def _run(self) -> None:
        while True:
            with self._change:
                while not self._closed and (not self._queue or time.monotonic() < self._hold_until):
                    left = self._hold_until - time.monotonic()
                    self._change.wait(left if self._queue and left > 0 else None)
                if self._closed:
                    rest = list(self._queue)
                    self._queue.clear()
                    self._change.notify_all()
                    break
                utterance = self._current = self._queue.popleft()
                self._stop = stop = threading.Event()
            outcome, sound = self._speak(utterance, stop)
            with self._change:
                again = (
                    outcome is Outcome.INTERRUPTED
                    and utterance.to is Output.PUBLIC
                    and not self._closed
                )
                if again:
                    self._queue.appendleft(utterance)
                more = bool(self._queue) and time.monotonic() >= self._hold_until
            if not more or self._closed:
                self._set_speaking(False)
            if outcome is Outcome.SPOKEN and sound is not None:
                self._call(utterance.on_spoken, *sound)
            if not again:
                self._tell(utterance, outcome)
            with self._change:
                self._current = None
                self._change.notify_all()
        self._set_speaking(False)
        for utterance in rest:
            self._tell(utterance, Outcome.DROPPED)

    def _speak(self, utterance: _Utterance, stop: threading.Event) -> tuple[Outcome, Sound | None]:
        try:
            if utterance.sound is not None:
                pcm, rate = utterance.sound()
            else:
                pcm, rate = read_wav(self._synthesiser.render(utterance.words))
            if stop.is_set():
                return Outcome.INTERRUPTED, None
            if self._speaking_to is not utterance.to:
                # Who mutes a microphone must learn that other ears are meant now.
                self._set_speaking(False)
            self._speaking_to = utterance.to
            self._set_speaking(True)
            loud = self.voicing.amplify(pcm)
            try:
                whole = self._play(utterance.to, loud, rate, stop)
            except Exception as error:
                if utterance.to is Output.PRIVATE or len({*map(id, self._sinks.values())}) == 1:
                    raise
                self._report(_sentence(error))
                self._set_speaking(False)
                self._speaking_to = Output.PRIVATE
                self._set_speaking(True)
                self._play(Output.PRIVATE, loud, rate, stop)
                return Outcome.FAILED, None
        except (SynthesisError, AudioError, NotWordsError) as error:
            self._report(str(error))
        except Exception as error:  # a broken driver must not silence the game
            log.exception("speaking failed")
            self._report(_sentence(error))
        else:
            return (Outcome.SPOKEN if whole else Outcome.INTERRUPTED), (pcm, rate)
        return Outcome.FAILED, None

    def _play(self, to: Output, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        try:
            whole = self._play_aside(to, pcm, rate, stop)
        except Exception:
            if to not in self._gone:
                self._gone.add(to)
                self._call(self.on_output, to, False)
            raise
        if whole and to in self._gone:
            self._gone.discard(to)
            self._call(self.on_output, to, True)
        return whole

    def _play_aside(self, to: Output, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        """Play in a thread of its own, for a driver may never come back."""
        sink = self._sinks[to]
        before = self._stuck.pop(id(sink), None)
        if before is not None and before.is_alive():
            self._stuck[id(sink)] = before
            raise AudioError(_HANGS.format(sink.name))
        ended: queue.SimpleQueue[bool | Exception] = queue.SimpleQueue()

        def play() -> None:
            try:
                ended.put(sink.play(pcm, rate, stop))
            except Exception as error:
                ended.put(error)

        player = threading.Thread(target=play, daemon=True, name="player")
        player.start()
        try:
            came = ended.get(timeout=len(pcm) / 2 / rate + PLAYING_PATIENCE_S)
        except queue.Empty:
            stop.set()  # should it come back, it has nothing to say any more
            self._stuck[id(sink)] = player
            raise AudioError(_HANGS.format(sink.name)) from None
        if isinstance(came, Exception):
            raise came
        return came

    def _render_ahead(self) -> None:
        while (words := self._ahead.get()) is not None and not self._closed:
            try:
                self._synthesiser.render(words)
            except Exception:  # it is told when the words are really to be spoken
                log.debug("could not render ahead", exc_info=True)

    def _set_speaking(self, now: bool) -> None:
        with self._change:
            if self._speaking == now:
                return
            self._speaking = now
            callbacks = list(self._speaking_callbacks)
        for callback in callbacks:
            try:
                callback(now)
            except Exception:
                log.exception("an on_speaking callback failed")

    def _tell(self, utterance: _Utterance, outcome: Outcome) -> None:
        self._call(utterance.on_done, outcome)

    def _call(self, callback: Callable[..., None] | None, *arguments: object) -> None:
        if callback is None:
            return
        try:
            callback(*arguments)
        except Exception:
            log.exception("a callback of the speaker failed")

    def _report(self, sentence: str) -> None:
        if self._on_error is None:
            log.error(sentence)
            return
        try:
            self._on_error(sentence)
        except Exception:
            log.exception("an on_error callback failed")


_HANGS = "The audio output ({}) hangs; plug it in again."


def _sentence(error: Exception) -> str:
    if isinstance(error, SynthesisError | AudioError | NotWordsError):
        return str(error)
    return f"Speaking failed ({error}); run blindplay doctor."
