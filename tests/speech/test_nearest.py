"""Of several microphones that hear the same speech, it belongs to the nearest one."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

from blindplay.speech.audio import BLOCK_BYTES, BLOCK_MS, RATE
from blindplay.speech.endpointing import Endpointer, SpeechEnded
from blindplay.speech.nearest import MicrophonePlace, Nearest
from tests.waiting import PATIENCE_S, until

BLOCK_S = BLOCK_MS / 1000
NOISE = np.random.default_rng(3).normal(0, 1, RATE)


class Loud:
    """Takes a block for a voice if it is louder than any room here."""

    def likelihood(self, pcm: bytes) -> float:
        return float(np.abs(np.frombuffer(pcm, "<i2")).max() > 1000)

    def reset(self) -> None:
        pass


class Ear:
    """A microphone in a room of this loudness, whose sound begins ``at`` this time."""

    def __init__(self, among: Nearest, name: str, room: float = 20.0, at: float = 100.0) -> None:
        self.place: MicrophonePlace = among.place(name)
        self.endpointer = Endpointer(Loud())
        self._room, self.at = room, at

    def hear(self, loudness: float, seconds: float, *, timed: bool = True) -> int:
        """Hear a voice this much louder than the room for some time; return how many utterances
        have ended."""
        ended = 0
        for _ in range(round(seconds / BLOCK_S)):
            self.at += BLOCK_S
            sound = NOISE[: BLOCK_BYTES // 2] * (self._room + loudness)
            events = self.endpointer.feed(sound.astype("<i2").tobytes())
            if self.endpointer.silent_s >= 0.3 - 1e-6:
                self.place.take(self.at if timed else None, events, self.endpointer)
                events = self.endpointer.end()
                ended += len(events)
                continue
            ended += sum(isinstance(event, SpeechEnded) for event in events)
            self.place.take(self.at if timed else None, events, self.endpointer)
        return ended

    def say(self, loudness: float, seconds: float = 1.5, after: float = 2.0) -> None:
        assert self.hear(0, after) == 0
        assert self.hear(loudness, seconds) + self.hear(0, 0.6) == 1


def pair(**how: float) -> tuple[Nearest, Ear, Ear]:
    among = Nearest(PATIENCE_S)
    return among, Ear(among, "white"), Ear(among, "black", **how)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("seconds", [0.4, 1.5, 5.0])
def test_the_same_speech_is_of_the_microphone_at_which_it_is_louder_in_any_order(
    first: int, seconds: float
) -> None:
    _, white, black = pair()
    white.say(6000, seconds)
    black.say(1500, seconds)
    for ear in (white, black)[:: 1 - 2 * first]:
        assert ear.place.nearer() == ("" if ear is white else "white")


def test_a_sensitive_microphone_far_away_is_not_nearer() -> None:
    """The room is as much louder there as the voice is."""
    _, white, black = pair(room=100.0)
    white.say(6000)
    black.say(9000)
    assert white.place.nearer() == ""
    assert black.place.nearer() == "white"


@pytest.mark.parametrize("late", [0.0, 0.2, -0.2])
def test_equally_loud_speech_is_of_exactly_one(late: float) -> None:
    _, white, black = pair(at=100.0 + late)
    for ear in (white, black):
        ear.say(4000, 0.4)
        ear.hear(0, 0.4)
    assert sorted((white.place.nearer(), black.place.nearer())) in (["", "white"], ["", "black"])


def test_one_after_the_other_each_is_of_its_own_microphone() -> None:
    _, white, black = pair()
    white.say(6000)
    black.hear(0, 2.1)
    black.say(1500, after=2.5)
    white.hear(0, 4)
    assert white.place.nearer() == black.place.nearer() == ""


def test_speech_into_a_microphone_whose_talk_button_is_down_is_of_that_one() -> None:
    _, white, black = pair()
    white.say(6000)
    black.endpointer.press(latched=True)
    black.say(1500)
    assert white.place.nearer() == "black"
    assert black.place.nearer() == ""


def test_an_utterance_waits_until_the_other_microphone_has_heard_that_time_too() -> None:
    _, white, black = pair()
    white.say(1500)
    black.hear(0, 2.0)  # its sound is late
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(white.place.nearer()))
    thread.start()
    black.hear(6000, 1.5)
    assert not found
    black.hear(0, 0.6)
    thread.join(PATIENCE_S)
    assert found == ["black"]
    assert black.place.nearer() == ""


def test_what_was_taken_belongs_to_nobody_else_however_late_that_comes() -> None:
    among, white, black = pair()
    among.patience_s = 0.0
    black.hear(0, 1.0)
    white.say(1500)
    assert white.place.nearer() == ""
    black.say(6000, after=1.0)
    assert black.place.nearer() == "white"


@pytest.mark.parametrize("how", ["away", "left", "timeless"])
def test_nobody_waits_for_a_microphone_that_is_away_or_whose_time_is_not_known(how: str) -> None:
    among, white, black = pair()
    among.patience_s = 10 * PATIENCE_S
    black.hear(0, 1.0, timed=how != "timeless")
    if how == "away":
        black.place.away()
    elif how == "left":
        black.place.leave()
    white.say(1500)
    found: list[str] = []
    threading.Thread(target=lambda: found.append(white.place.nearer()), daemon=True).start()
    assert until(lambda: found) == [""]


def test_speech_with_a_gap_is_nobodys() -> None:
    _, white, black = pair()
    white.say(1500)
    black.hear(0, 2.0)
    black.hear(6000, 1.0)
    black.endpointer.interrupt()
    black.hear(0, 2.0)
    assert white.place.nearer() == ""


def test_of_three_microphones_speech_is_of_one() -> None:
    among = Nearest(PATIENCE_S)
    for loudness in itertools.permutations((1500, 3000, 6000)):
        ears = [Ear(among, name) for name in ("white", "black", "assistant:white")]
        for ear, loud in zip(ears, loudness, strict=True):
            ear.say(loud)
        assert [ear.place.nearer() == "" for ear in ears] == [loud == 6000 for loud in loudness]
        for ear in ears:
            ear.place.leave()


def spoke_at_once(loudness: float, words: tuple[str, str]) -> MicrophonePlace:
    """The place of Black, who spoke this loudly while White spoke louder, each in these words."""
    _, white, black = pair()
    white.say(6000)
    black.say(loudness)
    for ear, said in zip((white, black), words, strict=True):
        if said:
            ear.place.recognised(said)
    assert black.place.nearer() == "white"
    return black.place


@pytest.mark.parametrize(
    ("loudness", "words", "apart"),
    [
        (4000, ("bauer eva zwei eva vier", "ich gebe auf"), True),
        (4000, ("bauer eva zwei eva vier", "bauer eva zwei eva vier"), False),
        (4000, ("bauer eva zwei eva vier", "bauer eva zwei eva fünf"), False),
        (1500, ("bauer eva zwei eva vier", "ich gebe auf"), False),  # the same voice, farther away
    ],
)
def test_whoever_spoke_as_loudly_in_other_words_was_somebody_else(
    loudness: float, words: tuple[str, str], apart: bool
) -> None:
    assert spoke_at_once(loudness, words).spoke_apart() is apart


def test_whether_two_spoke_at_once_is_known_when_both_are_recognised_and_is_told_once() -> None:
    _, white, black = pair()
    white.say(6000)
    black.say(4000)
    black.place.recognised("ich gebe auf")
    assert black.place.nearer() == "white"
    assert black.place.spoke_apart() is None
    white.place.recognised("bauer eva zwei eva vier")
    assert [black.place.spoke_apart() for _ in range(2)] == [True, False]
    assert not white.place.spoke_apart()
