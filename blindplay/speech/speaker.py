"""The queue of announcements: each is spoken exactly once, on the right output, and can be stopped.

There are two outputs, but one queue. A person has one pair of ears, so a private answer and a
public announcement never sound at once; with one device, both outputs share it. A phone may be a
third one, of the other player.

A screen reader may speak what is private. It is one more mouth of the same queue: nobody speaks
before it should have ended, and where it fails, our voice says the sentence.

An interruption treats the two kinds differently. Private utterances are answers and can be asked
for again: the one being played ends there (INTERRUPTED), and those that wait are dropped (DROPPED).
A public announcement is never lost: it falls silent, returns to the head of the queue, and is
spoken again from its beginning after the hold. It is SPOKEN only when it reached its end.
"""

import contextlib
import enum
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, Self, TypeAlias

import numpy as np

from blindplay.translation import UserError, _

from .audio import RATE, AudioError, AudioSink, Closing, read_audio, read_wav
from .callbacks import call, call_all
from .screen_reader import ReaderError
from .synthesis import NotWordsError, Synthesiser, SynthesisError, words_only

log = logging.getLogger(__name__)

PLAYING_PATIENCE_S = 20.0
"""Seconds that an output may take longer than its sound, the opening of the device included."""


class Output(enum.Enum):
    """The output on which an utterance is played."""

    PRIVATE = "private"
    """The player's earphone: answers, the player's clock."""
    SECOND = "second"
    """The same of the other player, while they hear it on a phone of their own."""
    PUBLIC = "public"
    """For everybody at the table: announcements."""


class Outcome(enum.Enum):
    """The outcome of an utterance."""

    SPOKEN = "spoken"
    INTERRUPTED = "interrupted"
    DROPPED = "dropped"
    FAILED = "failed"


@dataclass(frozen=True)
class Voicing:
    """The voice that a player prefers: ``volume`` in dB relative to the voice, -24 to 12; ``rate``
    in words a minute, 80 to 320. Other values are moved to the nearest limit."""

    volume: int = 0
    rate: int = 160

    def __post_init__(self) -> None:
        object.__setattr__(self, "volume", min(max(self.volume, -24), 12))
        object.__setattr__(self, "rate", min(max(self.rate, 80), 320))

    def changed(self, *, louder: int = 0, faster: int = 0) -> Self:
        """A copy that is louder and faster by these steps; negative steps are softer and slower."""
        return replace(self, volume=self.volume + 4 * louder, rate=self.rate + 20 * faster)

    def amplify(self, pcm: bytes) -> bytes:
        """Return 16-bit PCM at this volume. Peaks are rounded, not clipped, which would distort."""
        if self.volume == 0:
            return pcm
        samples = np.frombuffer(pcm, "<i2") * (10 ** (self.volume / 20) / 32768)
        if self.volume > 0:
            samples = np.tanh(samples)
        loud: bytes = np.round(samples * 32767).astype("<i2").tobytes()
        return loud


Part: TypeAlias = tuple[str, str]
"""Words and their language; "" is the synthesiser's language."""
Sound: TypeAlias = tuple[bytes, int]
"""Mono 16-bit PCM and its samples per second."""


@dataclass(frozen=True)
class _Utterance:
    parts: tuple[Part, ...]
    to: Output
    on_done: Callable[[Outcome], None] | None
    on_spoken: Callable[[bytes, int], None] | None
    sound: Callable[[], Sound] | None


class TextReader(Protocol):
    """Reads text aloud in its own voice, such as a :class:`.ScreenReader`."""

    def lasts(self, text: str) -> float:
        """The longest that it should need for ``text``, in seconds."""

    def speak(self, text: str, stop: threading.Event) -> bool:
        """Say ``text`` and wait for its end; False if ``stop`` was set before.

        :raises ReaderError: if the text was not taken.
        """


class Speaker(Closing):
    """Speaks utterances in the order in which they came, in a thread of its own.

    Callbacks run in that thread and must return soon. Their exceptions are logged.

    If the synthesiser or a device fails, ``on_error`` gets one sentence, the utterance is FAILED,
    and the next one is tried. The same happens if an output hangs; it is not used again before it
    comes back. If the public output fails, and the private one is another device, the announcement
    is at least played there. A private utterance is never played on the public output.
    """

    def __init__(
        self,
        synthesiser: Synthesiser,
        private: AudioSink,
        public: AudioSink,
        *,
        reader: TextReader | None = None,
        on_error: Callable[[str], None] | None = None,
    ) -> None:
        self._synthesiser = synthesiser
        self._wired = {Output.PRIVATE: (private, reader)}
        self._readers = {Output.PRIVATE: reader}
        self._copies: dict[Output, AudioSink] = {}  # of what is public, by whose phones they are
        self._voicing = Voicing()
        self._sinks = {Output.PRIVATE: private, Output.PUBLIC: public}
        self._on_error = on_error or log.error
        self._on_speaking: list[Callable[[bool], None]] = []
        self._on_output: list[Callable[[Output, bool], None]] = []
        self._on_reader: list[Callable[[bool], None]] = []
        self._reader_works = True
        self._failed: set[Output] = set()
        self._voiceless: set[str] = set()  # languages
        self._hanging: dict[int, threading.Thread] = {}  # by the id of sink or reader
        self._change = threading.Condition()
        self._queue: deque[_Utterance] = deque()
        self._current: _Utterance | None = None
        self._stop = threading.Event()  # of the mouth that speaks now
        self._hold_until = 0.0
        self._closed = False
        self.speaking = False
        """True while sound may be going out."""
        self.speaking_to: Output | None = None
        """The output used last; while ``speaking``, the one in use."""
        self._thread = threading.Thread(target=self._run, daemon=True, name="speaker")
        self._thread.start()

    def say(
        self,
        words: str | Sequence[Part],
        *,
        to: Output,
        on_done: Callable[[Outcome], None] | None = None,
        on_spoken: Callable[[bytes, int], None] | None = None,
        sound: Callable[[], Sound] | None = None,
    ) -> None:
        """Queue ``words``, or parts of them in several languages. Equal words are spoken again.

        ``on_done`` gets the outcome, once. Before that, ``on_spoken`` gets the PCM and its rate if
        the utterance was spoken to its end. If ``sound`` is given, its sound is played instead of a
        voice that says the words, which may then be any text.

        :raises NotWordsError: at once for text that is not words, and ValueError after the speaker
            was closed.
        """
        parts = ((words, ""),) if isinstance(words, str) else tuple(words)
        if sound is None:
            own = self._synthesiser.language
            parts = tuple((words_only(text, code or own), code) for text, code in parts)
        with self._change:
            if self._closed:
                raise UserError("The speaker is closed; make a new one.")
            self._queue.append(_Utterance(parts, to, on_done, on_spoken, sound))
            self._change.notify_all()

    @property
    def voicing(self) -> Voicing:
        """Return how loud and how fast to speak, from the next utterance on."""
        return self._voicing

    @voicing.setter
    def voicing(self, wanted: Voicing) -> None:
        self._voicing = wanted
        self._synthesiser.rate = wanted.rate

    def interrupt(self, *, hold: float = 0.0, announcements: bool = True) -> None:
        """Fall silent within 50 ms. The module's docstring says what becomes of the utterances.

        Stay silent for ``hold`` seconds, so as not to talk over a player; ``resume`` ends that
        early. Without ``announcements`` only what is private ends.
        """
        with self._change:
            dropped = [u for u in self._queue if u.to is not Output.PUBLIC]
            self._queue = deque(u for u in self._queue if u.to is Output.PUBLIC)
            self._hold_until = max(self._hold_until, time.monotonic() + hold)
            now = self._current
            if now is not None and (announcements or now.to is not Output.PUBLIC):
                self._stop.set()
            self._change.notify_all()
        for utterance in dropped:
            call(utterance.on_done, Outcome.DROPPED)

    def use_phone(
        self,
        to: Output,
        private: AudioSink | None,
        reader: TextReader | None,
        public: AudioSink | None,
    ) -> None:
        """From the next utterance on, say on the phone of one player what is private ``to`` them,
        with its ``reader`` if it has one, and also what is ``public``. None: as before there was a
        phone."""
        with self._change:
            self._copies.pop(to, None)
            if public is not None:
                self._copies[to] = public
            sink, self._readers[to] = self._wired.get(to, (None, None))
            if private is not None:
                sink, self._readers[to] = private, reader
            self._sinks.pop(to, None)
            if sink is not None:
                self._sinks[to] = sink
            self._failed.discard(to)
            if to is Output.PRIVATE:
                self._reader_works = True

    def resume(self) -> None:
        """End the silence of an interruption."""
        with self._change:
            self._hold_until = 0.0
            self._change.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until everything queued is done; return False if ``timeout`` seconds passed
        before."""
        with self._change:
            return self._change.wait_for(lambda: not self._queue and self._current is None, timeout)

    def on_speaking(self, callback: Callable[[bool], None]) -> Callable[[], None]:
        """Call ``callback`` with True before sound goes out and with False when it has ended, until
        the returned function is called.

        For half duplex: mute the listener on True. If sound is going out, ``callback`` is called at
        once. If the sound moves to the other output (``speaking_to``) without a pause, it is called
        with False and True.
        """
        with self._change:
            self._on_speaking.append(callback)
            now = self.speaking
        if now:
            callback(True)

        def end() -> None:
            with self._change:
                self._on_speaking.remove(callback)

        return end

    def on_output(self, callback: Callable[[Output, bool], None]) -> None:
        """Call ``callback`` with False when an output fails, and with True when it works again."""
        self._on_output.append(callback)

    def on_reader(self, callback: Callable[[bool], None]) -> None:
        """Call ``callback`` with False when the screen reader fails, and with True when it works
        again."""
        self._on_reader.append(callback)

    def close(self) -> None:
        """Fall silent, drop the queue (DROPPED) and end the threads. The sinks stay open."""
        with self._change:
            if self._closed:
                return
            self._closed = True
            self._stop.set()
            self._change.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=30)

    def _run(self) -> None:
        while (utterance := self._next()) is not None:
            outcome, sound = self._speak(utterance)
            with self._change:
                cut_off = outcome is Outcome.INTERRUPTED and not self._closed
                if again := cut_off and utterance.to is Output.PUBLIC:
                    self._queue.appendleft(utterance)
                more = bool(self._queue) and time.monotonic() >= self._hold_until
            if not more or self._closed:
                self._set_speaking(False)
            if outcome is Outcome.SPOKEN and sound is not None:
                call(utterance.on_spoken, *sound)
            if not again:
                call(utterance.on_done, outcome)
            with self._change:
                self._current = None
                self._change.notify_all()
        with self._change:
            dropped = list(self._queue)
            self._queue.clear()
            self._change.notify_all()
        self._set_speaking(False)
        for utterance in dropped:
            call(utterance.on_done, Outcome.DROPPED)

    def _next(self) -> _Utterance | None:
        """Wait for the next utterance, and make it the current one; None after ``close``."""
        with self._change:
            while not self._closed and (not self._queue or time.monotonic() < self._hold_until):
                left = self._hold_until - time.monotonic()
                self._change.wait(left if self._queue and left > 0 else None)
            if self._closed:
                return None
            self._stop = threading.Event()
            self._current = self._queue.popleft()
            return self._current

    def _speak(self, utterance: _Utterance) -> tuple[Outcome, Sound | None]:
        reader = self._readers.get(utterance.to)
        if reader is not None and not utterance.sound:
            text = " ".join(words for words, _ in utterance.parts)
            if (outcome := self._read(reader, text, utterance.to)) is not None:
                return outcome, None
        try:
            if utterance.sound is not None:
                pcm, rate = utterance.sound()
            else:
                pcm, rate = self._render(utterance.parts, utterance.to is Output.PUBLIC)
            if self._stop.is_set():
                return Outcome.INTERRUPTED, None
            self._set_speaking(True, utterance.to)
            loud = self.voicing.amplify(pcm)
            try:
                whole = self._play(utterance.to, loud, rate)
            except Exception as error:
                one = self._sinks[Output.PRIVATE] is self._sinks[Output.PUBLIC]
                if utterance.to is not Output.PUBLIC or one:
                    raise
                self._report(error)
                self._set_speaking(True, Output.PRIVATE)
                self._play(Output.PRIVATE, loud, rate)
                return Outcome.FAILED, None
        except Exception as error:  # a broken driver must not silence the game
            self._report(error)
            return Outcome.FAILED, None
        return (Outcome.SPOKEN if whole else Outcome.INTERRUPTED), (pcm, rate)

    def _read(self, reader: TextReader, text: str, to: Output) -> Outcome | None:
        """Let the screen reader say ``text``, and tell when it fails or works again. None if it
        cannot."""
        self._set_speaking(True, to)
        try:
            whole = self._in_thread(
                reader,
                lambda stop: reader.speak(text, stop),
                3 * reader.lasts(text) + PLAYING_PATIENCE_S,
                ReaderError("The screen reader hangs; start it again."),
            )
        except Exception as error:
            if self._reader_works:
                self._report(error)
            if to is Output.PRIVATE:
                self._tell_reader(works=False)
            return None
        if whole and to is Output.PRIVATE:
            self._tell_reader(works=True)
        return Outcome.SPOKEN if whole else Outcome.INTERRUPTED

    def _tell_reader(self, *, works: bool) -> None:
        if works is not self._reader_works:
            self._reader_works = works
            call_all(self._on_reader, works)

    def _render(self, parts: Sequence[Part], public: bool) -> Sound:
        """The sound of all parts, each in a voice of its language. A language that this machine has
        no voice for is spoken by the usual one; silence would be worse."""
        files = [self._voiced(text, language, public) for text, language in parts]
        pcm, rate = read_wav(files[0])
        return pcm + b"".join(read_audio(file, rate) for file in files[1:]), rate

    def _voiced(self, text: str, language: str, public: bool) -> Path:
        own = self._synthesiser.language
        if language in ("", own) or language in self._voiceless:
            return self._synthesiser.render(text, public=public)
        try:
            return self._synthesiser.render(text, language=language, public=public)
        except SynthesisError as error:
            # If this fails, too, no voice can speak.
            file = self._synthesiser.render(text, public=public)
            self._voiceless.add(language)
            call(
                self._on_error,
                _("{error} Until then the voice for {own} speaks it.", error=error, own=repr(own)),
            )
            return file

    def _play(self, to: Output, pcm: bytes, rate: int) -> bool:
        """Play on an output, and tell when it fails or works again. What is for everybody is played
        on phones of the players, too; nobody is told if it fails there."""
        copies = tuple(self._copies.values()) if to is Output.PUBLIC else ()
        copying = [
            threading.Thread(
                target=_play_copy, args=(copy, pcm, rate, self._stop), daemon=True, name="copy"
            )
            for copy in copies
        ]
        for one in copying:
            one.start()
        try:
            return self._play_here(to, pcm, rate)
        finally:
            for one in copying:  # a microphone hears it until it ends
                one.join(PLAYING_PATIENCE_S)

    def _play_here(self, to: Output, pcm: bytes, rate: int) -> bool:
        try:
            sink = self._sinks.get(to)
            if sink is None:
                raise AudioError("The phone cannot be reached; look at its page.")
            whole = self._in_thread(
                sink,
                lambda stop: sink.play(pcm, rate, stop),
                len(pcm) / 2 / rate + PLAYING_PATIENCE_S,
                AudioError("The audio output ({name}) hangs; plug it in again.", name=sink.name),
            )
        except Exception:
            if to not in self._failed:
                self._failed.add(to)
                call_all(self._on_output, to, False)
            raise
        if whole and to in self._failed:
            self._failed.discard(to)
            call_all(self._on_output, to, True)
        return whole

    def _in_thread(
        self,
        mouth: object,
        speak: Callable[[threading.Event], bool],
        seconds: float,
        hangs: Exception,
    ) -> bool:
        """Speak in a thread of its own, because a driver may hang. Raise ``hangs`` after
        ``seconds``; while the driver still hangs, raise it at once."""
        before = self._hanging.pop(id(mouth), None)
        if before is not None and before.is_alive():
            self._hanging[id(mouth)] = before
            raise hangs
        ended: queue.Queue[bool | Exception] = queue.Queue()
        stop = self._stop

        def run() -> None:
            try:
                ended.put(speak(stop))
            except Exception as error:
                ended.put(error)

        player = threading.Thread(target=run, daemon=True, name="player")
        player.start()
        try:
            answer = ended.get(timeout=seconds)
        except queue.Empty:
            self._leave_behind(stop)
            self._hanging[id(mouth)] = player
            raise hangs from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _leave_behind(self, hung: threading.Event) -> None:
        """Silence a mouth that hung if it comes back. Until then another one may speak, unless
        people have interrupted it."""
        with self._change:
            self._stop = threading.Event()
            if hung.is_set():
                self._stop.set()
            hung.set()

    def _set_speaking(self, now: bool, to: Output | None = None) -> None:
        """Tell the listeners of ``on_speaking``. A change of the output goes through silence,
        because another microphone may have to be muted."""
        if to is not None and to is not self.speaking_to:
            self._set_speaking(False)
            self.speaking_to = to
        with self._change:
            if self.speaking == now:
                return
            self.speaking = now
            callbacks = list(self._on_speaking)
        call_all(callbacks, now)

    def _report(self, error: Exception) -> None:
        sentence = str(error)
        if not isinstance(error, SynthesisError | AudioError | NotWordsError | ReaderError):
            log.error("speaking failed", exc_info=error)
            sentence = _("Speaking failed ({error}); run blindplay doctor.", error=error)
        call(self._on_error, sentence)


def _play_copy(sink: AudioSink, pcm: bytes, rate: int, stop: threading.Event) -> None:
    """Play what is also played elsewhere."""
    with contextlib.suppress(AudioError):
        sink.play(pcm, rate, stop)


_PRESSED = (880, 587)  # Hz: downwards, as a clock that stops
_HEARD = (587, 880)
_TONE_S = 0.07
_LOUDNESS = 0.3  # of the loudest


def press_tones() -> Sound:
    """Two falling tones: the press of the clock was taken."""
    return _tones(_PRESSED)


def heard_tones() -> Sound:
    """Two rising tones: the player's words were heard."""
    return _tones(_HEARD)


def _tones(pitches: Sequence[int]) -> Sound:
    times = np.arange(int(RATE * _TONE_S)) / RATE
    fade = np.sin(np.pi * times / _TONE_S)  # without it a tone begins and ends with a click
    tones = [np.sin(2 * np.pi * pitch * times) * fade for pitch in pitches]
    samples = np.round(np.concatenate(tones) * _LOUDNESS * 32767)
    return samples.astype("<i2").tobytes(), RATE
