"""Attempts to announce, as a microphone hears them: the room must be quiet before and after."""

from __future__ import annotations

import pytest

from blindplay.speech.audio import QueueSource
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser
from tests.conversation.conversing import GERMAN
from tests.table.sitting import ManualClock, Sit, Sitting
from tests.table.speaking import PAUSE, ROOM, spoken
from tests.waiting import until

ATTEMPT, TALK = "Löffel Bella zwei", "Das Wetter ist heute schön"
QUIET = ("",) * 3
NOT_UNDERSTOOD = f"said privately: {GERMAN.sentence('not_understood')}"


class Room:
    """The microphone of White, who is on move."""

    def __init__(self, sitting: Sitting, recogniser: Recogniser, synthesiser: Synthesiser) -> None:
        self.sitting, self._synthesiser = sitting, synthesiser
        self._source = QueueSource()
        self._seat = sitting.session.attach_microphone("white", self._source, recogniser)

    def hear(self, *words: str) -> None:
        """Hear words, each with seconds of silence before and after, or nothing but the room."""
        sounds = [spoken(self._synthesiser, one) if one else PAUSE for one in words]
        sound = b"".join(sounds) or PAUSE
        self._source.push(sound + ROOM)
        already = self._seat.listener.now
        seconds = (len(sound) + len(ROOM)) // 32_000
        assert until(lambda: self._seat.listener.now >= already + seconds - 0.1)
        self.sitting.session.second()


@pytest.fixture
def room(sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser) -> Room:
    sitting = sit(now=ManualClock(), options={"tick_seconds": 3600})
    sitting.start()
    return Room(sitting, recogniser, synthesiser)


def test_an_attempt_in_a_quiet_room_is_answered(room: Room) -> None:
    room.hear(*QUIET)
    room.hear(ATTEMPT)
    assert "not understood" in room.sitting.printed
    assert room.sitting.printed.count(NOT_UNDERSTOOD) == 1
    room.hear()
    assert room.sitting.printed.count(NOT_UNDERSTOOD) == 1


def test_what_is_no_part_of_a_talk_is_answered_and_a_talk_is_not(room: Room) -> None:
    room.hear(*QUIET)
    room.hear(TALK, TALK, ATTEMPT)
    assert room.sitting.printed.count("not understood: ") == 3
    assert NOT_UNDERSTOOD not in room.sitting.printed
