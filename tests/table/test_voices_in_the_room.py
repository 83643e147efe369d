"""A player is known by how loud they speak: a softer voice that names a move is asked about."""

from __future__ import annotations

import numpy as np
import pytest

from blindplay.hearing.decision import Decision, Verdict
from blindplay.hearing.loudness import SOFTER_DB, Loudness
from blindplay.laws import facts as f
from blindplay.speech.audio import RATE, read_audio
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.recogniser import Recogniser, Recognition
from blindplay.speech.synthesis import Synthesiser
from tests.conversation.conversing import GERMAN
from tests.table.sitting import ManualClock, Sit, Sitting, play_moves
from tests.table.speaking import PAUSE, ROOM, Microphone
from tests.waiting import until

OTHER_DB = -12.0
"""Another person in the room is so much softer."""
QUESTION = "said privately: Bauer David zwei David drei. Richtig?"


class Room:
    """White's microphone, in a room where others speak, too. No time passes but the sound's."""

    def __init__(self, sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser) -> None:
        self._clock, self._source = ManualClock(), Microphone()
        self.sitting: Sitting = sit(now=self._clock, options={"tick_seconds": 3600})
        self.sitting.start()
        self._recogniser, self._synthesiser = recogniser, synthesiser
        self._heard = 0

    def listen(self, mode: MicrophoneMode = MicrophoneMode.OPEN, *, shared: bool = False) -> None:
        self.sitting.session.attach_microphone(
            "white", self._source, self._recogniser, mode, shared=shared
        )

    def hear(self, words: str, *, voice: str = "de", db: float = 0.0) -> None:
        """Hear words, so much softer than the player, and wait until they are decided about."""
        samples = np.frombuffer(read_audio(self._synthesiser.render(words, voice=voice)), "<i2")
        softer = (samples * 10 ** (db / 20)).astype("<i2").tobytes()
        sound = ROOM + softer + PAUSE
        self._clock.at += len(sound) / 2 / RATE
        self._source.push(sound)
        self._heard += 1
        self.sitting.shows("heard White", self._heard)
        # All of the pause, too: the next utterance, or press of the button, comes after it.
        assert until(lambda: not self._source.waiting())
        with self.sitting.table.lock:
            pass  # what was heard is done now

    def announce(self, words: str, then: str, *, db: float = 0.0) -> None:
        """Let White announce and make the move, and Black move."""
        self.hear(words, db=db)
        self.make()
        self.reply(then)

    def make(self) -> None:
        """Let White make the announced move."""
        table = self.sitting.table
        assert table.game.turn.announced is not None, self.sitting.printed
        for board in table.game.tables:
            table.submit(f.Make(by=board, move=self.announced))
        table.submit(f.Press(by="white"))

    def reply(self, move: str) -> None:
        """Let Black play."""
        play_moves(self.sitting.table, move)
        self.sitting.session.settle()

    def unplug(self) -> None:
        """Pull the microphone out, and plug in one."""
        self._source.fail("gone")
        self.sitting.shows(GERMAN.sentence("microphone_gone"))
        self._source.plug_in()
        self.sitting.shows("the microphone is back")

    @property
    def announced(self) -> str:
        move = self.sitting.table.game.turn.announced
        return "" if move is None else move.uci()


@pytest.fixture
def room(sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser) -> Room:
    return Room(sit, recogniser, synthesiser)


MOVES = (
    ("Bauer Eva zwei Eva vier", "e7e5", "Bauer Eva sieben Eva fünf"),
    ("Springer Gustav eins Felix drei", "b8c6", "Springer Bella acht Cäsar sechs"),
    ("Läufer Felix eins Cäsar vier", "f8c5", "Läufer Felix acht Cäsar fünf"),
)
"""Three moves of White, and what Black plays and says then."""


def make_known(room: Room, *, by_button: bool = False) -> None:
    """Let the table hear three moves of White."""
    for words, then, _reply in MOVES:
        if by_button:
            room.sitting.session.talk("white")
        room.announce(words, then)


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
    room.make()
    room.reply("a7a6")
    room.hear("Springer Bella eins Cäsar drei", db=OTHER_DB)
    assert room.announced == "b1c3", room.sitting.printed


def test_the_opponent_s_voice_does_not_count_as_the_player_s(room: Room) -> None:
    room.listen()
    for words, then, reply in MOVES:
        room.hear(words)
        room.hear(words, voice="de+f2", db=OTHER_DB)  # repeated
        room.make()
        room.hear(reply, voice="de+f2", db=OTHER_DB)
        room.reply(then)
    room.hear("Bauer David zwei David drei", voice="de+f2", db=OTHER_DB)
    assert room.announced == "" and QUESTION in room.sitting.printed


def test_the_player_s_own_move_does_not_make_a_softer_voice_theirs(room: Room) -> None:
    """What is learned from a correction was not the player's sound here."""
    room.listen()
    make_known(room)
    room.hear("Bauer David zwei David drei", voice="de+f2", db=OTHER_DB)
    room.hear("nein")
    room.hear("Bauer David zwei David vier")
    room.make()
    room.reply("a7a6")
    room.hear("Bauer Hector zwei Hector drei", voice="de+f2", db=OTHER_DB)
    assert room.announced == "", room.sitting.printed


def test_a_press_that_confirms_the_move_of_a_softer_voice_does_not_make_it_the_player_s(
    room: Room,
) -> None:
    room.listen()
    make_known(room)
    room.hear("Bauer David zwei David drei", voice="de+f2", db=OTHER_DB)
    room.sitting.session.press("white")
    room.sitting.session.settle()
    assert room.sitting.table.game.history[-1].move.uci() == "d2d3", room.sitting.printed
    room.reply("a7a6")
    room.hear("Springer Bella eins Cäsar drei", voice="de+f2", db=OTHER_DB)
    assert room.announced == "", room.sitting.printed


def test_a_soft_command_does_not_hide_the_move_that_is_confirmed(room: Room) -> None:
    room.listen()
    make_known(room)
    room.hear("Bauer David zwei David drei", db=OTHER_DB)
    room.hear("Uhr", db=OTHER_DB)
    room.hear("ja", db=OTHER_DB)
    room.make()
    room.reply("a7a6")
    room.hear("Springer Bella eins Cäsar drei", db=OTHER_DB)
    assert room.announced == "b1c3", room.sitting.printed


def test_another_microphone_knows_no_voice_yet(room: Room) -> None:
    room.listen()
    make_known(room)
    room.unplug()
    room.hear("Bauer David zwei David drei", db=OTHER_DB)
    assert room.announced == "d2d3", room.sitting.printed


def test_a_softer_announcement_in_doubt_that_is_said_again_is_asked_about(room: Room) -> None:
    room.listen()
    microphone = room.sitting.session.microphones["white"]

    def doubted(*tried: str) -> Verdict:
        asked = Decision(Verdict.ASK, Recognition(), tried=frozenset(tried))
        return microphone._doubted(asked, "white", -40.0).verdict

    assert doubted("läufer", "cäsar", "vier") is Verdict.NOTHING
    assert doubted("turm", "cäsar", "acht") is Verdict.NOTHING
    assert doubted("turm", "anton", "acht") is Verdict.ASK


def test_the_voice_of_a_player_stays_theirs_when_the_colours_are_reversed(room: Room) -> None:
    room.listen(shared=True)
    make_known(room)
    microphone = room.sitting.session.microphones["white"]
    known = microphone._loudness_of("white")
    room.sitting.table.game.swapped = True
    assert microphone._loudness_of("black") is known


def test_what_is_said_softly_with_the_talk_button_is_taken(room: Room) -> None:
    room.listen(MicrophoneMode.PUSH_TO_TALK)
    make_known(room, by_button=True)
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
