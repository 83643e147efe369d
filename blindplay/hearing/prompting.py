"""A talk with one player alone, who repeats prompts and is recorded."""

import contextlib
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Self, TextIO, TypeVar

import numpy as np

from blindplay.language import Key, Language, MixedText, in_language, key_of, word_of
from blindplay.speech.audio import BLOCK_MS, RATE, AudioError, AudioSource, level
from blindplay.speech.endpointing import (
    Endpointer,
    Silero,
    SpeechContinues,
    SpeechDropped,
    SpeechEnded,
    SpeechStarted,
)
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import NotWordsError
from blindplay.typed_lines import TypedLines

from .script import ScriptLine

PATIENCE_S = 8.0
"""Seconds that a player may think before an answer."""
_SILENCE_S = 1.0  # ends an answer
_TAIL_S = 0.15  # the room still sounds when the loudspeaker has stopped
_MOST_FAULTS = 3  # number of faulty answers in a row that show a faulty microphone
SOFT_DBFS = -45.0
"""A softer voice is too far away, or the microphone is turned down."""
NOISY_DB = 12.0
"""The level by which a voice should be louder than the room."""
_DYNAMICS_DB = 15.0  # of a voice; softer sound is a pause
_STEP = RATE * BLOCK_MS // 1000 * 2  # bytes of one block
_CLIPPED = 32_600
_CLIPPED_SHARE = 0.002

_OBEYED = frozenset((Key.REPEAT, Key.SKIP, Key.END))

T = TypeVar("T")


class RecordingFault(Enum):
    """A fault of a recording. The values are the names of sentences in the pack."""

    SILENCE = "nothing_heard"
    SOFT = "voice_too_soft"
    LOUD = "voice_too_loud"
    SHORT = "voice_too_short"
    LONG = "voice_too_long"


@dataclass(frozen=True)
class Take:
    """One utterance: its sound (mono 16-bit PCM, 16 kHz), and the levels of the voice and of the
    room before it, in dB below full scale."""

    pcm: bytes
    level: float
    room: float

    @property
    def fault(self) -> RecordingFault | None:
        """Return why it cannot be used, None if it can."""
        samples = np.frombuffer(self.pcm, "<i2")
        if not len(samples):
            return RecordingFault.SILENCE
        if np.mean(np.abs(samples.astype(np.int32)) >= _CLIPPED) > _CLIPPED_SHARE:
            return RecordingFault.LOUD
        return RecordingFault.SOFT if self.level < SOFT_DBFS else None

    @property
    def above_room(self) -> float:
        """Return by how many dB the voice is louder than the room."""
        return self.level - self.room


class Booth:
    """Says prompts and hears answers. Without a ``speaker`` everything is only printed. ``pack`` is
    the player's language; the prompts may be in another one.

    ``lines`` come from the keyboard and are read in a thread: an empty one repeats the prompt, and
    words of the pack or in English repeat it, skip it or end. ``keys``: the sentence that says so.
    ``late_s``: for how many seconds after its end what was said may still come from the microphone.
    """

    def __init__(
        self,
        pack: Language,
        speaker: Speaker | None,
        source: AudioSource,
        lines: Iterable[str],
        out: TextIO,
        *,
        keys: str = "enrol_keys",
        late_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.pack = pack
        self._keys, self._late_s = keys, late_s
        self._speaker = speaker
        self._source = source
        self._out = out
        self._lines = TypedLines(line.strip() for line in lines)
        self._blocks: Iterator[bytes] = iter(())
        self._endpointer = Endpointer(Silero())
        self.ended = False
        """True if the last ``answers`` ended before the last prompt."""

    def __enter__(self) -> Self:
        """Open the microphone.

        :raises AudioError: if it cannot be opened.
        """
        self._source.__enter__()
        self._blocks = iter(self._source)
        return self

    def __exit__(self, *_: object) -> None:
        self._source.close()

    def press(self, key: Key) -> None:
        """Take a key that was pressed elsewhere than on the keyboard."""
        self._lines.type("" if key is Key.REPEAT else word_of(self.pack, key))

    def _key(self) -> Key | None:
        """Return the typed key. Lines that are no key are dropped."""
        while (line := self._lines.within(0)) is not None:
            key = key_of(self.pack, line) if line else Key.REPEAT
            if key in _OBEYED:
                return key
        return None

    @property
    def to_end(self) -> bool:
        """Return whether the keyboard has asked for the end. Other keys are forgotten."""
        ended = False
        while key := self._key():
            ended |= key is Key.END
        return ended

    def typed(self, sentence: str, **values: str) -> str | None:
        """Say a sentence of the pack and wait for a line; an empty one says it again. Return None
        at the end of all lines, or for the key that ends."""
        line: str | None = ""
        while line == "":
            self.tell(sentence, **values)
            line = self._lines.next()
        return None if line is None or key_of(self.pack, line) is Key.END else line

    def begin(self, sentence: str, count: int, seconds_each: float) -> None:
        """Say with this sentence of the pack how many minutes ``count`` prompts take, and explain
        the keys."""
        pack, minutes = self.pack, max(1, round(count * seconds_each / 60))
        self.tell(sentence, count=pack.number(count), minutes=pack.duration(60_000 * minutes))
        skip, end = word_of(pack, Key.SKIP), word_of(pack, Key.END)
        self.tell(self._keys, skip=skip, end=end)

    def answers(
        self,
        prompts: Sequence[T],
        ask: Callable[[T], Take | Key],
        faults: Collection[RecordingFault] = tuple(RecordingFault),
    ) -> Iterator[tuple[T, Take | Key]]:
        """``ask`` for one thing after another, and yield it with the answer. Say now and then how
        much is left. End if the player wants to, or after three answers in a row with one of these
        ``faults``."""
        row = 0
        self.ended = False
        for number, prompt in enumerate(prompts):
            if number and number % 10 == 0:
                self.tell("enrol_left", count=self.pack.number(len(prompts) - number))
            answer = ask(prompt)
            if answer is Key.END:
                self.ended = True
                return
            yield prompt, answer
            row = row + 1 if isinstance(answer, Take) and answer.fault in faults else 0
            if row == _MOST_FAULTS:
                self.tell("voice_microphone")
                self.ended = True
                return

    def tell(self, sentence: str, **values: str) -> None:
        """Say a sentence of the pack, and wait until it has been said."""
        self.say(self.pack.sentence(sentence, **values))

    def show(self, line: str) -> None:
        """Print a line that is not spoken."""
        print(line, file=self._out, flush=True)

    def say(self, words: str) -> None:
        """Say words and wait for their end. Other text, such as a model's name, is only printed."""
        self.show(words)
        if self._speaker is None:
            return
        done = threading.Event()
        with contextlib.suppress(NotWordsError):
            spoken = words.parts if isinstance(words, MixedText) else words
            self._speaker.say(spoken, to=Output.PUBLIC, on_done=lambda outcome: done.set())
            done.wait(60)

    def hear(self, silence_s: float = _SILENCE_S) -> Take | Key:
        """Return the next utterance, or the typed key. A take without sound is silence;
        ``silence_s`` of silence ends one with sound.

        :raises AudioError: if the microphone is gone.
        """
        self._source.discard()
        endpointer = self._endpointer
        endpointer.mute()
        endpointer.unmute(_TAIL_S + self._late_s())
        sound, room = bytearray(), bytearray()
        waited = 0.0
        for block in self._blocks:
            if key := self._key():
                return key
            for event in endpointer.feed(block):
                match event:
                    case SpeechStarted(begun):
                        sound = bytearray(begun)
                    case SpeechContinues(going):
                        sound += going
                    case SpeechDropped():
                        sound = bytearray()
                    case SpeechEnded():
                        return _take(bytes(sound), bytes(room))
            if endpointer.speaking:
                if endpointer.silent_s >= silence_s:
                    endpointer.end()
                    return _take(bytes(sound), bytes(room))
            else:
                room += block
                waited += len(block) / 2 / RATE
                if waited >= PATIENCE_S:
                    return Take(b"", level(bytes(room)), level(bytes(room)))
        raise AudioError("The microphone gives no sound any more; plug it in and begin again.")


def _take(sound: bytes, room: bytes) -> Take:
    # The sound just before the voice is its beginning.
    quiet = room[: max(_STEP, len(room) - int(0.4 * RATE) * 2)]
    return Take(sound, voice_level(sound), level(quiet) if quiet else -96.0)


def voice_level(pcm: bytes) -> float:
    """Return the level of a voice in dBFS, without its pauses; -96 for silence."""
    blocks = [level(pcm[at : at + _STEP]) for at in range(0, len(pcm), _STEP)]
    softest = max(blocks, default=0.0) - _DYNAMICS_DB
    loud = [block for block in blocks if block > softest]
    return sum(loud) / len(loud) if loud else -96.0


TRIES = 3
"""One thing is asked for so often at most."""
_SHORTEST_S, _LONGEST_S = 0.08, 2.0  # a word
_PAUSE_S = 4.0  # before, within and after it all


@dataclass(frozen=True)
class RepeatedLine:
    """The line of this ``number`` as it was said: mono 16-bit PCM at 16 kHz. ``doubted``: it was
    taken for another line each time."""

    number: int
    pcm: bytes
    doubted: bool


def fault_of(words: str, take: Take) -> RecordingFault | None:
    """Return why a take cannot be what somebody says with these words, None if it can."""
    count, seconds = len(words.split()), len(take.pcm) / 2 / RATE
    if take.fault is None and seconds < _SHORTEST_S * count:
        return RecordingFault.SHORT
    if take.fault is None and seconds > _LONGEST_S * count + _PAUSE_S:
        return RecordingFault.LONG
    return take.fault


def repeated(
    booth: Booth, pack: Language, lines: Sequence[ScriptLine], recogniser: AnyRecogniser | None
) -> Iterator[RepeatedLine]:
    """Let a person say each line, in the words of ``pack``, and yield it at once.

    A line that was no good after three tries is left out. Without a ``recogniser`` nobody notices
    that something else was said.

    :raises AudioError: if the microphone is gone.
    """
    phrases = sorted({line.words.lower() for line in lines})
    if recogniser is not None:
        phrases = recogniser.known_phrases(phrases)

    def is_it(words: str, take: Take) -> bool:
        # The way in which a player says it is still to be learned: accept the best match, or none.
        if recogniser is None or words not in phrases:
            return True
        return recogniser.recognise(take.pcm, phrases).likeliest_of(phrases) in ("", words)

    def ask(numbered: tuple[int, ScriptLine]) -> Take | Key:
        number, words = numbered[0], numbered[1].words
        tries = 0
        while True:
            booth.say(in_language(words, pack.code))
            take = booth.hear()
            if take is Key.REPEAT:
                continue
            if isinstance(take, Key):
                return take
            tries += 1
            fault = fault_of(words, take)
            if fault is None and is_it(words.lower(), take):
                return take
            if fault is not None or tries < TRIES:
                booth.tell("enrol_again" if fault is None else fault.value)
            if tries == TRIES:
                doubted.add(number)
                return take

    doubted: set[int] = set()
    for (number, line), answer in booth.answers(list(enumerate(lines)), ask):
        if isinstance(answer, Take) and fault_of(line.words, answer) is None:
            yield RepeatedLine(number, answer.pcm, number in doubted)
