"""A player alone with the table: a voice of the machine that took no part in training.

It says what was printed last, through the same source and cutter as a person.
"""

import io
import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import chess
import numpy as np

from blindplay.hearing import speaker_models
from blindplay.hearing.kept_recordings import SpeakerRecording
from blindplay.hearing.prompting import Booth
from blindplay.hearing.script import ScriptLine, UtteranceKind
from blindplay.language import load
from blindplay.speech.audio import BLOCK_MS, RATE
from tests.waiting import until

GERMAN = load("de")
_BLOCK = RATE * BLOCK_MS // 1000


class Person(io.StringIO):
    """Says what was printed last as soon as the microphone listens; both its out and its source.

    ``loudness`` scales what is said; ``instead`` is what is said instead, once each."""

    lost_s = 0.0

    def __init__(self, say: Callable[[str], bytes], phrases: set[str]) -> None:
        super().__init__()
        self.loudness = 1.0
        self.instead: dict[str, list[str]] = {}
        self.asked: list[str] = []
        self.told: list[str] = []
        self._say, self._phrases = say, phrases
        self._sound = b""
        self._room = np.random.default_rng(1)

    def write(self, text: str) -> int:
        if text in self._phrases:
            self.asked.append(text)
        elif text.strip():
            self.told.append(text)
        return len(text)

    def discard(self) -> None:
        words = self.asked[-1]
        others = self.instead.get(words)
        spoken = others.pop(0) if others else words
        sound = np.frombuffer(self._say(spoken) if spoken else b"", "<i2") * self.loudness
        pause = np.zeros(RATE)
        self._sound = np.concatenate([pause, sound, pause, pause]).clip(-32768, 32767).tobytes()
        self._sound = (
            np.frombuffer(self._sound, float) + self._room.normal(0, 5, len(self._sound) // 8)
        ).clip(-32768, 32767).astype("<i2").tobytes()  # fmt: skip

    def __iter__(self) -> Iterator[bytes]:  # type: ignore[override]
        while True:
            block, self._sound = self._sound[: 2 * _BLOCK], self._sound[2 * _BLOCK :]
            yield block if len(block) == 2 * _BLOCK else bytes(2 * _BLOCK)

    def reopen(self) -> bool:
        return False


def typing(person: Person, *typed: tuple[str, str]) -> Iterator[str]:
    """Type each line as soon as a sentence that begins so has been told once more."""
    told = 0

    def at(beginning: str) -> int:
        after = enumerate(person.told[told:], told + 1)
        return next((number for number, one in after if one.startswith(beginning)), 0)

    for beginning, text in typed:
        told = until(partial(at, beginning))
        yield text


def booth_of(person: Person, *keys: str, typed: Iterable[str] = ()) -> Booth:
    return Booth(GERMAN, None, person, itertools.chain(keys, typed), person)


def line(words: str, what: UtteranceKind = UtteranceKind.MOVE) -> ScriptLine:
    return ScriptLine(what, chess.STARTING_FEN, words)


def recording(words: str) -> SpeakerRecording:
    return SpeakerRecording(words, None, bytes(3200))


def keep(*said: SpeakerRecording) -> Path:
    """What Anna says in an enrolment, and where it is."""
    with speaker_models.Keeper("Anna", "de") as keeper:
        for one in said:
            keeper.add(one)
    return speaker_models.recordings("Anna", "de")


def put(model: Path) -> Path:
    """Give Anna a model of her own, like this one."""
    return speaker_models.install("Anna", "de", model, model, {})
