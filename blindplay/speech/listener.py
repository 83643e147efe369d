"""Words from sound: Vosk with a grammar of the phrases that make sense now.

Vosk's grammar is a bigram with back-off: any result can be a mixture of phrases, and its
confidence says little. So several alternatives are asked for, and one counts only if it is one of
the phrases and scores close enough to the best (`Hearing.decide`).
"""

import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from blindplay.speech import models
from blindplay.speech.audio import BLOCK_MS, RATE, AudioError, AudioSource, level
from blindplay.speech.models import ModelError

log = logging.getLogger(__name__)

ALTERNATIVES = 8
"""How many alternatives Vosk is asked for."""
MARGIN = 4.0
"""How far (in the natural logarithm of likelihood) a phrase may score below the best."""
COMMAND_MARGIN = 0.0
"""The same for commands: short words are triggered too easily by others."""
UNKNOWN = "[unk]"
PREROLL_BLOCKS = 600 // BLOCK_MS  # a word begun before a grammar changes is heard whole
UTTERANCE_BLOCKS = 20_000 // BLOCK_MS  # no announcement takes longer; an older start is forgotten
QUIET_BLOCKS = 1_200 // BLOCK_MS  # so long a pause ends an utterance whatever the model thinks
QUIET_DB = 25.0  # what is this much softer than the utterance's loudest block is a pause


class VocabularyError(ValueError):
    """A phrase has words the model does not know."""


@dataclass(frozen=True)
class Alternative:
    """One reading: plain words ("springer gustav eins") and its score, larger is likelier.

    `words` is empty where nothing but unknown sound was heard.
    """

    words: str
    score: float


@dataclass(frozen=True)
class Hearing:
    """What one utterance may have been, best first; no alternatives means silence."""

    alternatives: tuple[Alternative, ...] = ()

    @property
    def words(self) -> str:
        """Return the words of the best alternative, "" if there are none."""
        return self.alternatives[0].words if self.alternatives else ""

    def decide(
        self,
        phrases: Collection[str],
        *,
        commands: Collection[str] = (),
        margin: float = MARGIN,
        command_margin: float = COMMAND_MARGIN,
    ) -> str | None:
        """Return the first alternative that is a listed phrase within its margin, else None.

        `commands` are phrases to which `command_margin` applies; a phrase in both counts as a
        command. Case and spacing do not matter; the phrase is returned as it was listed.
        """
        if not self.alternatives:
            return None
        listed = {_plain(phrase): (phrase, margin) for phrase in phrases}
        listed |= {_plain(phrase): (phrase, command_margin) for phrase in commands}
        best = self.alternatives[0].score
        for alternative in self.alternatives:
            phrase, allowed = listed.get(_plain(alternative.words), ("", -1.0))
            if phrase and best - alternative.score <= allowed:
                return phrase
        return None


def _plain(phrase: str) -> str:
    return " ".join(phrase.casefold().split())


class Recogniser:
    """A loaded model. Loading takes 0.05 s for the built-in one; recognising is thread-safe.

    `spellings` maps words of the phrases to the model's own, {"cesar": "cäsar"}; what is heard is
    given back in the phrase's words. Raises ModelError when the model cannot be loaded.
    """

    def __init__(
        self, model: Path, language: str, *, spellings: Mapping[str, str] | None = None
    ) -> None:
        models.check_model(model)
        self.language = language
        self.vocabulary = models.vocabulary(model)
        """Every word the model can hear, square tokens ("gustav_eins") included."""
        self._spellings = {_plain(word): _plain(to) for word, to in (spellings or {}).items()}
        self._vosk = _vosk()
        try:
            self._model: Any = self._vosk.Model(str(model))
        except Exception as error:  # vosk raises nothing more specific
            raise ModelError(
                f"Vosk cannot load the model in {model}; unpack the model again."
            ) from error

    def missing(self, phrases: Iterable[str]) -> list[str]:
        """Return the words of `phrases` the model does not know, sorted, each once.

        Vosk would drop them in silence and hear the rest of the phrase as the whole.
        """
        words = {word for phrase in phrases for word in _plain(phrase).split()}
        return sorted(word for word in words if self._known(word) is None)

    def sayable(self, phrases: Iterable[str]) -> list[str]:
        """Return those of `phrases` of which every word is known, in their order."""
        return [phrase for phrase in phrases if not self.missing([phrase])]

    def _known(self, word: str) -> str | None:
        if word in self.vocabulary:
            return word
        other = self._spellings.get(word)
        return other if other in self.vocabulary else None

    def grammar(self, phrases: Iterable[str]) -> dict[str, str]:
        """Return the model's token string of each phrase, mapped to the phrase as given.

        Adjacent words are joined ("gustav eins" → "gustav_eins") where the model has the token.
        Raises VocabularyError naming the words the model does not know.
        """
        phrases = list(phrases)
        if missing := self.missing(phrases):
            raise VocabularyError(
                f"The speech model does not know: {', '.join(missing)}; "
                "leave those phrases out or choose another model."
            )
        tokens: dict[str, str] = {}
        for phrase in phrases:
            words = [self._known(word) or word for word in _plain(phrase).split()]
            joined: list[str] = []
            for word in words:
                if joined and f"{joined[-1]}_{word}" in self.vocabulary:
                    joined[-1] = f"{joined[-1]}_{word}"
                else:
                    joined.append(word)
            if joined:
                tokens.setdefault(" ".join(joined), phrase)
        return tokens

    def recognise(self, pcm: bytes, phrases: Sequence[str]) -> Hearing:
        """Return what one utterance (16 kHz mono 16-bit PCM) may have been.

        `phrases` is all that may be said now, as plain words, commands included; anything else is
        heard as unknown or as the nearest phrase, which `Hearing.decide` then judges. Raises
        VocabularyError.
        """
        run = self.start(phrases)
        run.accept(pcm)
        return run.finish()

    def start(self, phrases: Sequence[str]) -> "Run":
        """Return a decoder for a stream of sound with this grammar. Raises VocabularyError."""
        tokens = self.grammar(phrases)
        items = [*tokens] + ([UNKNOWN] if UNKNOWN in self.vocabulary else [])
        kaldi = self._vosk.KaldiRecognizer(
            self._model, float(RATE), json.dumps(items, ensure_ascii=False)
        )
        kaldi.SetMaxAlternatives(ALTERNATIVES)
        return Run(kaldi, tokens)


class Run:
    """One decoder and its grammar; use it from one thread."""

    def __init__(self, kaldi: Any, tokens: Mapping[str, str]) -> None:
        self._kaldi = kaldi
        self._phrases = {text.replace("_", " "): phrase for text, phrase in tokens.items()}

    def accept(self, pcm: bytes) -> bool:
        """Take sound; return whether the utterance has ended by a pause."""
        return bool(self._kaldi.AcceptWaveform(pcm))

    def partial(self) -> str:
        """Return the words heard so far in this utterance, unknown sound left out."""
        told = json.loads(self._kaldi.PartialResult()).get("partial", "")
        return " ".join(word for word in str(told).replace("_", " ").split() if word != UNKNOWN)

    def result(self) -> Hearing:
        """Return the utterance that `accept` found to have ended."""
        return self._hearing(self._kaldi.Result())

    def finish(self) -> Hearing:
        """Return what has been heard since the last result, the sound having ended."""
        return self._hearing(self._kaldi.FinalResult())

    def _hearing(self, told: str) -> Hearing:
        heard: dict[str, float] = {}
        for entry in json.loads(told).get("alternatives", []):
            tokens = str(entry.get("text", "")).split()
            if not tokens:
                continue
            while tokens and tokens[0] == UNKNOWN:
                tokens.pop(0)
            while tokens and tokens[-1] == UNKNOWN:
                tokens.pop()
            words = " ".join(tokens).replace("_", " ")
            score = float(entry.get("confidence", 0.0))
            words = self._phrases.get(words, words)
            heard[words] = max(score, heard.get(words, score))
        # sorted() is stable: equal scores keep Vosk's order.
        best_first = sorted(heard.items(), key=lambda item: -item[1])
        return Hearing(tuple(Alternative(words, score) for words, score in best_first))


def _vosk() -> Any:
    import vosk

    vosk.SetLogLevel(-1)
    return vosk


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
