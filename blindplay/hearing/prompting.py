"""A talk with one player alone: he is told something to say, and how he says it is kept."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Self, TextIO

import numpy as np

from blindplay.language import Language
from blindplay.speech.audio import BLOCK_MS, RATE, AudioError, AudioSource, level
from blindplay.speech.endpointing import (
    Endpointer,
    Silero,
    SpeechContinues,
    SpeechDropped,
    SpeechEnded,
    SpeechStarted,
)
from blindplay.speech.speaker import Outcome, Output, Speaker
from blindplay.speech.synthesis import NotWordsError

PATIENCE_S = 8.0
"""So long a player may think before he says what he is asked to."""
_SILENCE_S = 1.0  # so long a pause ends it
_TAIL_S = 0.15  # the room goes on sounding for a while when the loudspeaker has stopped
SOFT_DBFS = -45.0
"""A voice softer than this comes from too far away, or the microphone is turned down."""
NOISY_DB = 12.0
"""A voice should stand out of the room by so much."""
_DYNAMICS_DB = 15.0  # a voice's softer sounds; what is softer still is a pause
_CLIPPED = 32_600
_CLIPPED_SHARE = 0.002


class RecordingFault(Enum):
    """What is wrong with a recording; the name of its sentence in the pack."""

    SILENCE = "nothing_heard"
    SOFT = "voice_too_soft"
    LOUD = "voice_too_loud"


@dataclass(frozen=True)
class Take:
    """One utterance: its sound (mono 16-bit PCM, 16 kHz), how loud the voice was, and the room
    before it, both in dB below full scale."""

    pcm: bytes
    level: float
    room: float

    @property
    def fault(self) -> RecordingFault | None:
        """What should be better before it is worth being learned from."""
        samples = np.frombuffer(self.pcm, "<i2")
        if not len(samples):
            return RecordingFault.SILENCE
        if np.mean(np.abs(samples.astype(np.int32)) >= _CLIPPED) > _CLIPPED_SHARE:
            return RecordingFault.LOUD
        return RecordingFault.SOFT if self.level < SOFT_DBFS else None

    @property
    def above_room(self) -> float:
        """By how many dB the voice stands out of the room."""
        return self.level - self.room


class PromptKey(Enum):
    """What the keyboard asked for meanwhile."""

    AGAIN = "again"
    SKIP = "skip"
    QUIT = "quit"


class Booth:
    """Says and hears. ``lines`` are those of the keyboard: an empty one asks for the prompt once
    more, ``s``, or the pack's word for it, leaves it out, ``q`` ends; they are read in a thread.

    Without a ``speaker`` everything is only printed.
    """

    def __init__(
        self,
        pack: Language,
        speaker: Speaker | None,
        source: AudioSource,
        lines: Iterable[str],
        out: TextIO,
    ) -> None:
        self._pack = pack
        self._speaker = speaker
        self._source = source
        self._out = out
        self._keys: queue.SimpleQueue[PromptKey] = queue.SimpleQueue()
        self._blocks: Iterator[bytes] = iter(())
        self._endpointer = Endpointer(Silero())
        threading.Thread(target=self._read, args=(lines,), daemon=True, name="keys").start()

    def __enter__(self) -> Self:
        """:raises AudioError: when the microphone cannot be opened."""
        self._source.__enter__()
        self._blocks = iter(self._source)
        return self

    def __exit__(self, *_: object) -> None:
        self._source.close()

    def _read(self, lines: Iterable[str]) -> None:
        known = {
            "": PromptKey.AGAIN,
            **dict.fromkeys(("s", self._pack.sentence("enrol_skip")), PromptKey.SKIP),
            **dict.fromkeys(("q", "quit", self._pack.sentence("enrol_end")), PromptKey.QUIT),
        }
        for line in lines:
            key = known.get(line.strip().casefold())
            if key is not None:
                self._keys.put(key)

    @property
    def to_end(self) -> bool:
        """Whether the keyboard has asked for the end meanwhile; what else was typed is gone."""
        asked = False
        while not self._keys.empty():
            asked |= self._keys.get() is PromptKey.QUIT
        return asked

    def tell_keys(self) -> None:
        """Say what the keyboard is for."""
        skip, end = self._pack.sentence("enrol_skip"), self._pack.sentence("enrol_end")
        self.tell("enrol_keys", skip=skip, end=end)

    def tell(self, sentence: str, **values: str) -> None:
        """Say a sentence of the pack, and wait until it has been said."""
        self.say(self._pack.sentence(sentence, **values))

    def show(self, line: str) -> None:
        """Print a line that is not spoken."""
        print(line, file=self._out, flush=True)

    def say(self, words: str) -> None:
        """Say words, and wait until they have been said; what is no words, such as the name of a
        model, is only printed."""
        self.show(words)
        if self._speaker is None:
            return
        said = threading.Event()

        def done(outcome: Outcome) -> None:
            said.set()

        with contextlib.suppress(NotWordsError):
            self._speaker.say(words, to=Output.PUBLIC, on_done=done)
            said.wait(60)

    def hear(self, loudness: Callable[[float], None] = lambda db: None) -> Take | PromptKey:
        """What is said now, or what the keyboard asks for; a take without sound is silence.

        :raises AudioError: when the microphone is gone.
        """
        self._source.discard()
        endpointer = self._endpointer
        endpointer.mute()
        endpointer.unmute(_TAIL_S)
        sound, room = bytearray(), bytearray()
        waited = 0.0
        for block in self._blocks:
            if not self._keys.empty():
                return self._keys.get()
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
                if endpointer.silent_s >= _SILENCE_S:
                    endpointer.end()
                    return _take(bytes(sound), bytes(room))
            else:
                room += block
                loudness(level(block))
                waited += len(block) / 2 / RATE
                if waited >= PATIENCE_S:
                    return Take(b"", level(bytes(room)), level(bytes(room)))
        raise AudioError("The microphone gives no sound any more; plug it in and begin again.")


def _take(sound: bytes, room: bytes) -> Take:
    step = RATE * BLOCK_MS // 1000 * 2
    blocks = [level(sound[at : at + step]) for at in range(0, len(sound), step)]
    loud = [block for block in blocks if block > max(blocks) - _DYNAMICS_DB]
    voice = sum(loud) / len(loud) if loud else -96.0
    # What is just before the voice is its beginning.
    quiet = room[: max(step, len(room) - int(0.4 * RATE) * 2)]
    return Take(sound, voice, level(quiet) if quiet else -96.0)
