"""Puzzles whose moves are said into a microphone."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import chess
import pytest

from blindplay.hearing.decision import Candidate, Decision, Verdict
from blindplay.hearing.statement import interpret
from blindplay.opponents import uci
from blindplay.opponents.analysis import Analyst
from blindplay.record.studies import Puzzle
from blindplay.speech import audio_devices
from blindplay.speech.audio import AudioError
from blindplay.speech.recogniser import Recogniser, Recognition
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import spoken_answers
from blindplay.table.board_setup import Attendant, Prompter
from blindplay.table.reviewing import Teacher
from blindplay.table.solving import solve
from blindplay.table.spoken_answers import AnsweringEar, open_ear
from tests.opponents.test_analysis import FEW, free
from tests.table.conversation import GERMAN
from tests.table.speaking import PAUSE, Microphone, hear_in_second_language, spoken
from tests.table.test_board_setup import Running
from tests.waiting import PATIENCE_S

BACK_RANK = chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
RA8 = chess.Move.from_uci("a1a8")
MATE = "Turm Anna eins Anna acht"
OTHER = "Turm Anna eins Anna sieben"


class Solving:
    """A person at a puzzle, with a keyboard and a microphone."""

    def __init__(self, stack: ExitStack, recogniser: Recogniser) -> None:
        self.room = Running()
        self.microphone = Microphone()
        voice = Prompter(stack, GERMAN, True, self.room.out)
        self.attendant = Attendant(stack, voice, GERMAN, self.room.keys)
        teacher = Teacher(GERMAN, voice, self.attendant, Analyst(uci.BUILT_IN, free, FEW), False)
        ear = AnsweringEar(GERMAN, recogniser, self.microphone, voice, self.attendant.hear)
        stack.callback(ear.close)
        teacher.answers.ear = ear
        self._thread = threading.Thread(
            target=lambda: solve(teacher, [Puzzle(BACK_RANK, best=(RA8,))]), daemon=True
        )
        self._thread.start()
        self.room.wait("Weiß ist am Zug.")

    def doubts(self, *words: str) -> None:
        """The ear is not sure which of these was said."""
        said = [interpret(one, [BACK_RANK], GERMAN) for one in words]
        found = tuple(Candidate(one, cost) for cost, one in enumerate(said))
        self.attendant.hear(Decision(Verdict.ASK, Recognition(()), None, found))

    def ends(self, score: str) -> None:
        self.room.wait(f"Ohne Hilfe gelöst: {score}.")
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()


@pytest.fixture
def solving(recogniser: Recogniser) -> Iterator[Solving]:
    with ExitStack() as stack:
        yield Solving(stack, recogniser)


def test_moves_are_said(solving: Solving, synthesiser: Synthesiser) -> None:
    solving.room.wait("Sie können den Zug auch sagen.")
    solving.microphone.push(spoken(synthesiser, OTHER))
    solving.room.wait("Das ist nicht die Lösung.")
    solving.room.wait("Versuchen Sie es noch einmal")
    solving.microphone.push(PAUSE + spoken(synthesiser, MATE))
    solving.room.wait("Richtig.")
    solving.ends("null von eins")


def test_a_move_that_only_the_second_language_hears_is_an_answer(
    recogniser: Recogniser, synthesiser: Synthesiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear_in_second_language(recogniser, monkeypatch)
    with ExitStack() as stack:
        solving = Solving(stack, recogniser)
        solving.microphone.push(spoken(synthesiser, MATE))
        solving.ends("eins von eins")


def test_a_doubt_is_read_back_and_confirmed_at_the_keyboard_or_the_next_one_is(
    solving: Solving,
) -> None:
    solving.doubts(OTHER, MATE)
    solving.room.wait(f"{OTHER}. Richtig?")
    solving.room.keys.type("nein")
    solving.room.wait(f"{MATE}. Richtig?")
    solving.room.keys.type("nein")
    solving.room.wait(GERMAN.sentence("not_understood"))
    solving.doubts(MATE)
    solving.room.wait(f"{MATE}. Richtig?", 2)
    solving.room.keys.type("ja")
    solving.ends("eins von eins")


def test_a_pause_between_the_squares_makes_no_other_move(
    solving: Solving, synthesiser: Synthesiser
) -> None:
    for words in ("Turm Anna eins", "Anna acht"):
        solving.microphone.push(spoken(synthesiser, words))
    solving.room.wait(f"{MATE}. Richtig?")
    solving.room.keys.type("ja")
    solving.ends("eins von eins")


def test_a_yes_that_is_said_confirms(solving: Solving, synthesiser: Synthesiser) -> None:
    solving.doubts(MATE)
    solving.room.wait(f"{MATE}. Richtig?")
    solving.microphone.push(spoken(synthesiser, "ja"))
    solving.ends("eins von eins")


@contextmanager
def prompter() -> Iterator[tuple[ExitStack, Prompter, io.StringIO]]:
    out = io.StringIO()
    with ExitStack() as stack:
        yield stack, Prompter(stack, GERMAN, True, out), out


def test_without_a_microphone_or_a_model_answers_are_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with prompter() as (stack, voice, out):
        assert open_ear(stack, GERMAN, voice, print, "none") is None
        some = audio_devices.AudioDevices((), ("a microphone",))
        monkeypatch.setattr(spoken_answers, "devices", lambda: some)
        assert open_ear(stack, GERMAN, voice, print, None) is None
        assert "Bis dahin tippen Sie" in out.getvalue()
        with pytest.raises(AudioError):
            open_ear(stack, GERMAN, voice, print, "no such microphone")
