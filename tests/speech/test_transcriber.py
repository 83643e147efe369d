"""The transcriber, with a recogniser that hears what its sound says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blindplay.speech.audio import BLOCK_BYTES
from blindplay.speech.endpointing import (
    COMPLETE_S,
    UNDECIDED_S,
    UNFINISHED_S,
    Segment,
    SpeechContinues,
    SpeechDropped,
    SpeechEnded,
    SpeechStarted,
)
from blindplay.speech.recogniser import Hypothesis, Recognition
from blindplay.speech.transcriber import TAIL_S, FirstWords, RecognisedUtterance, Transcriber

SEGMENT = Segment(0.0, 1.0, 2.0)
LOUD = b"\xff\x7f" * (BLOCK_BYTES // 2)


class Decoder:
    """Hears the words that its recogniser says, in the result perhaps others."""

    def __init__(self, recogniser: Says, phrases: Sequence[str]) -> None:
        self.recogniser, self.phrases, self.sound = recogniser, phrases, b""

    def accept(self, pcm: bytes) -> bool:
        self.sound += pcm
        return False

    def partial(self) -> str:
        return self.recogniser.partial if self.sound else ""

    def finish(self) -> Recognition:
        return Recognition((Hypothesis(self.recogniser.result or self.recogniser.partial, 0.0),))


class Says:
    def __init__(self, partial: str, result: str | None = None) -> None:
        self.partial, self.result = partial, result
        self.decoders: list[Decoder] = []

    def start(self, phrases: Sequence[str]) -> Any:
        self.decoders.append(Decoder(self, phrases))
        return self.decoders[-1]


def transcriber(says: Says, *phrases: str) -> Transcriber:
    return Transcriber(says, frozenset(phrases))  # type: ignore[arg-type]


def test_first_words_are_told_once_and_the_utterance_with_its_sound_and_phrases() -> None:
    made = transcriber(Says("uhr"), "uhr")
    assert made.take(SpeechStarted(LOUD), 0.0) == [FirstWords()]
    assert made.take(SpeechContinues(LOUD), 0.0) == []
    (told,) = made.take(SpeechEnded(SEGMENT), 0.0)
    assert isinstance(told, RecognisedUtterance)
    assert (told.recognition.words, told.sound, told.segment) == ("uhr", 2 * LOUD, SEGMENT)
    assert told.phrases == {"uhr"}


def test_the_silence_after_speech_is_decoded_only_if_the_speaker_goes_on() -> None:
    says = Says("uhr")
    made = transcriber(says, "uhr")
    made.take(SpeechStarted(LOUD), 0.0)
    made.take(SpeechContinues(b"\1" * BLOCK_BYTES), TAIL_S + 0.1)
    assert says.decoders[-1].sound == LOUD
    made.take(SpeechContinues(LOUD), 0.0)
    assert says.decoders[-1].sound == LOUD + b"\1" * BLOCK_BYTES + LOUD


def test_other_phrases_decode_the_utterance_again_from_its_beginning() -> None:
    says = Says("ja")
    made = transcriber(says, "uhr")
    made.take(SpeechStarted(LOUD), 0.0)
    made.phrases = frozenset(("ja", "nein"))
    made.prepare()
    made.take(SpeechContinues(LOUD), 0.0)
    assert len(says.decoders) == 2 and says.decoders[1].sound == 2 * LOUD
    (told,) = made.take(SpeechEnded(SEGMENT), 0.0)
    assert isinstance(told, RecognisedUtterance) and told.phrases == {"ja", "nein"}


def test_a_complete_phrase_needs_less_silence_than_a_beginning() -> None:
    for words, silence in (
        ("uhr", COMPLETE_S),
        ("remis", UNDECIDED_S),
        ("remis an", UNFINISHED_S),
        ("", UNDECIDED_S),
    ):
        made = transcriber(Says(words), "uhr", "remis", "remis anbieten")
        made.take(SpeechStarted(LOUD), 0.0)
        assert not made.is_over(silence - 0.01)
        assert made.is_over(silence)


def test_the_result_says_how_long_a_pause_ends_the_utterance_and_partial_words_do_not() -> None:
    says = Says("springer felix drei", "springer felix")
    made = transcriber(says, "springer felix drei")
    made.take(SpeechStarted(LOUD), 0.0)
    assert not made.is_over(UNFINISHED_S - 0.01)
    assert made.is_over(UNFINISHED_S)
    (told,) = made.take(SpeechEnded(SEGMENT), 0.0)
    assert isinstance(told, RecognisedUtterance) and told.recognition.words == "springer felix"
    assert len(says.decoders) == 1, "the same sound is recognised once"


def test_a_speaker_who_goes_on_after_a_pause_is_decoded_as_a_whole() -> None:
    says = Says("springer gustav eins")
    made = transcriber(says, "springer gustav eins felix drei")
    made.take(SpeechStarted(LOUD), 0.0)
    assert not made.is_over(COMPLETE_S)
    says.partial = "springer gustav eins felix drei"
    made.take(SpeechContinues(LOUD), 0.0)
    assert says.decoders[-1].sound == 2 * LOUD
    assert made.is_over(COMPLETE_S)
    (told,) = made.take(SpeechEnded(SEGMENT), 0.0)
    assert isinstance(told, RecognisedUtterance) and told.recognition.words == says.partial


def test_phrases_that_change_in_a_pause_are_listened_for_in_what_was_said() -> None:
    made = transcriber(Says("ja"), "uhr")
    made.take(SpeechStarted(LOUD), 0.0)
    assert not made.is_over(COMPLETE_S)
    made.phrases = frozenset(("ja",))
    made.prepare()
    made.take(SpeechContinues(LOUD), TAIL_S + 0.1)
    assert made.is_over(COMPLETE_S)
    (told,) = made.take(SpeechEnded(SEGMENT), 0.0)
    assert isinstance(told, RecognisedUtterance) and told.phrases == {"ja"}


def test_a_dropped_utterance_is_never_told() -> None:
    made = transcriber(Says("uhr"), "uhr")
    made.take(SpeechStarted(LOUD), 0.0)
    assert made.take(SpeechDropped(), 0.0) == []
    assert made.take(SpeechEnded(SEGMENT), 0.0) == []
    assert not made.is_over(10.0)


def test_another_transcriber_begins_without_what_this_one_still_does() -> None:
    made = transcriber(Says("uhr"), "uhr")
    made.take(SpeechStarted(LOUD), 0.0)
    fresh = made.afresh()
    assert fresh.phrases == {"uhr"}
    assert fresh.take(SpeechEnded(SEGMENT), 0.0) == []
