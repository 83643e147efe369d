"""Lets a person repeat what they hear, and asks again for what is faulty or something else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from blindplay.language import Key, Language, in_language
from blindplay.speech.audio import RATE
from blindplay.speech.ensemble import AnyRecogniser

from .prompting import Booth, RecordingFault, Take
from .script import ScriptLine

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
    that something else was said. Raises AudioError if the microphone is gone.
    """
    phrases = sorted({line.words.lower() for line in lines})
    if recogniser is not None:
        phrases = recogniser.known_phrases(phrases)

    def is_it(words: str, take: Take) -> bool:
        # The way in which a player says it is still to be learned, so it need only be the likeliest
        # of all prompts, or none is likely.
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
