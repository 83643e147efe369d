"""A player is known by how loud they speak: a softer voice that names a move is asked about."""

from __future__ import annotations

import numpy as np
import pytest

from blindplay.hearing.loudness import SOFTER_DB, Loudness
from blindplay.laws import facts as f
from blindplay.speech.audio import RATE, QueueSource, read_audio
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser
from tests.table.sitting import ManualClock, Sit, Sitting, play_moves
from tests.table.speaking import PAUSE, ROOM

OTHER_DB = -12.0
"""Another person in the room is so much softer."""
QUESTION = "said privately: Bauer David zwei David drei. Richtig?"


class Room:
    """White's microphone, in a room where others speak, too. No time passes but the sound's."""

    def __init__(self, sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser) -> None:
        self._clock, self._source = ManualClock(), QueueSource()
        self.sitting: Sitting = sit(now=self._clock, options={"tick_seconds": 3600})
        self.sitting.start()
        self._recogniser, self._synthesiser = recogniser, synthesiser
        self._heard = 0

    def listen(self, mode: MicrophoneMode = MicrophoneMode.OPEN) -> None:
        self.sitting.session.attach_microphone("white", self._source, self._recogniser, mode)

    def hear(self, words: str, *, voice: str = "de", db: float = 0.0) -> None:
        """Hear words, so much softer than the player, and wait until they are decided about."""
        samples = np.frombuffer(read_audio(self._synthesiser.render(words, voice=voice)), "<i2")
        softer = (samples * 10 ** (db / 20)).astype("<i2").tobytes()
        sound = ROOM + softer + PAUSE
        self._clock.at += len(sound) / 2 / RATE
        self._source.push(sound)
        self._heard += 1
        self.sitting.shows("heard White", self._heard)
        with self.sitting.table.lock:
            pass  # what was heard is done now

    def announce(self, words: str, then: str, *, db: float = 0.0) -> None:
        """Let White announce and make the move, and Black move."""
        self.hear(words, db=db)
        self.make(then)

    def make(self, reply: str) -> None:
        """Let White make the announced move, and Black play."""
        table = self.sitting.table
        assert table.game.turn.announced is not None, self.sitting.printed
        for board in table.game.tables:
            table.submit(f.Make(by=board, move=self.announced))
        table.submit(f.Press(by="white"))
        play_moves(table, reply)
        self.sitting.session.settle()

    @property
    def announced(self) -> str:
        move = self.sitting.table.game.turn.announced
        return "" if move is None else move.uci()


@pytest.fixture
def room(sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser) -> Room:
    return Room(sit, recogniser, synthesiser)


def make_known(room: Room) -> None:
    """Let the table hear three moves of White."""
    room.announce("Bauer Eva zwei Eva vier", "e7e5")
    room.announce("Springer Gustav eins Felix drei", "b8c6")
    room.announce("Läufer Felix eins Cäsar vier", "f8c5")


def test_a_move_in_a_softer_voice_is_asked_about_and_not_taken(room: Room) -> None:
    room.listen()
    make_known(room)
    room.hear("Bauer David zwei David drei", voice="de+f2", db=OTHER_DB)
    assert room.announced == "" and QUESTION in room.sitting.printed
    room.hear("Springer Bella eins Cäsar drei")
    assert room.announced == "b1c3"


def test_a_player_whose_microphone_was_moved_is_asked_once(room: Room) -> None:
    room.listen()
    make_known(room)
    room.hear("Bauer David zwei David drei", db=OTHER_DB)
    assert room.announced == "" and QUESTION in room.sitting.printed
    room.hear("Bauer David zwei David drei", db=OTHER_DB)  # as good an answer as a ja
    assert room.announced == "d2d3"
    room.make("a7a6")
    room.hear("Springer Bella eins Cäsar drei", db=OTHER_DB)
    assert room.announced == "b1c3", room.sitting.printed


def test_what_is_said_softly_with_the_talk_button_is_taken(room: Room) -> None:
    room.listen(MicrophoneMode.PUSH_TO_TALK)
    for words, then in (
        ("Bauer Eva zwei Eva vier", "e7e5"),
        ("Springer Gustav eins Felix drei", "b8c6"),
        ("Läufer Felix eins Cäsar vier", "f8c5"),
    ):
        room.sitting.session.talk("white")
        room.announce(words, then)
    room.sitting.session.talk("white")
    room.hear("Bauer David zwei David drei", db=OTHER_DB)
    assert room.announced == "d2d3"


def test_somebody_else_s_move_in_the_player_s_pause_is_not_the_player_s(room: Room) -> None:
    """Nothing is known of this player but the beginning of the announcement."""
    room.listen()
    room.hear("Springer Gustav eins")
    room.hear("Bauer David zwei David drei", voice="de+f2", db=OTHER_DB)
    assert room.announced == "" and QUESTION in room.sitting.printed
    room.hear("Felix drei")
    assert room.announced == "g1f3", room.sitting.printed


def test_a_player_is_known_after_three_utterances() -> None:
    loudness = Loudness()
    for level in (-20.0, -26.0):
        loudness.add(level)
        assert not loudness.is_another(-60.0)
    loudness.add(-21.0)
    assert loudness.is_another(-21.5 - SOFTER_DB) and not loudness.is_another(-20.5 - SOFTER_DB)


def test_a_tired_player_who_gets_softer_is_not_asked() -> None:
    loudness, level = Loudness(), -20.0
    for number in range(100):
        level = -20.0 - number / 4 + (-3.0 if number % 2 else 3.0)
        assert not loudness.is_another(level), number
        loudness.add(level)


def test_the_level_of_a_beginning_says_more_than_what_was_said_before() -> None:
    loudness = Loudness()
    for _ in range(10):
        loudness.add(-20.0)
    assert not loudness.is_another(-35.0, begun=-30.0)
    assert loudness.is_another(-25.0, begun=-15.0)
