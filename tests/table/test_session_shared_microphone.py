"""One microphone between two players: who spoke is told by whose turn it was."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal
from blindplay.speech.audio import RATE, QueueSource, read_audio
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import Table
from blindplay.table.session import Session
from blindplay.table.transcript import Transcript

GERMAN = load("de")
ROOM = np.random.default_rng(1).normal(0, 20, 2 * RATE).astype("<i2").tobytes()
PATIENCE_S = 30.0


class Pair:
    """Two players, a table without a loudspeaker, and the microphones between them."""

    def __init__(self, table: Table, synthesiser: Synthesiser) -> None:
        self.table, self._synthesiser = table, synthesiser
        self.out = io.StringIO()
        self.session = Session(table, GERMAN, None, Transcript(self.out, table.time))
        self.recogniser = Recogniser(find_model("de"), "de", spellings=GERMAN.spoken)

    def attach(self, seat: str = "white", *, shared: bool = False) -> QueueSource:
        microphone = QueueSource()
        self.session.attach_microphone(seat, microphone, self.recogniser, shared=shared)
        return microphone

    def sound(self, words: str) -> bytes:
        return ROOM + read_audio(self._synthesiser.render(words, voice="de")) + ROOM

    def say(self, microphone: QueueSource, words: str, answer: str) -> str:
        """Say words; by whom the ruling that answers them has it."""
        since = len(self.session.rulings)
        microphone.push(self.sound(words))
        ruling = self.session.wait_for(answer, PATIENCE_S, since)
        assert ruling is not None, self.out.getvalue()
        return str(ruling.fields["to" if answer == "answer" else "by"])


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with (
        Journal(tmp_path / "game.jsonl") as journal,
        Synthesiser("de", cache=tmp_path / "phrases") as synthesiser,
    ):
        setup = Setup(t=0, arbiter="automatic", time_control="900", white=Player(impaired=True))
        made = Pair(Table(journal, setup), synthesiser)
        made.table.submit(f.Start())
        yield made
        made.session.close()


def test_each_is_heard_in_his_turn_and_commands_are_of_whose_microphone_it_is(pair: Pair) -> None:
    shared = pair.attach(shared=True)
    assert pair.say(shared, "Bauer Eva zwei Eva drei", "announced") == "white"
    assert pair.say(shared, "Bauer Eva zwei Eva drei", "repeated") == "black"
    assert pair.say(shared, "Bauer David zwei David drei", "repeat_differs") == "black"
    assert pair.say(shared, "Korrektur Bauer Eva zwei Eva vier", "slip_corrected") == "white"
    assert pair.say(shared, "Bauer Eva zwei Eva vier", "repeated") == "black"
    for by in f.SIDES:
        pair.table.submit(f.Make(by=by, move="e2e4"))
    pair.table.submit(f.Press(by="white"))
    assert pair.say(shared, "Bauer Eva sieben Eva fünf", "announced") == "black"
    assert pair.say(shared, "wie viel Zeit habe ich noch", "answer") == "white"
    assert pair.say(shared, "Bauer Eva sieben Eva fünf", "repeated") == "white"
    assert pair.table.game.turn.announced is not None


def test_an_announcement_is_no_repetition_of_itself_at_the_other_microphone(pair: Pair) -> None:
    own, other = pair.attach("white"), pair.attach("black")
    said = pair.sound("Bauer Eva zwei Eva vier")
    other.push(said[: -len(ROOM)])  # there its end is heard a little later
    assert pair.say(own, "Bauer Eva zwei Eva vier", "announced") == "white"
    other.push(ROOM)
    assert pair.say(own, "wie viel Zeit habe ich noch", "answer") == "white"
    assert "repeated" not in [ruling.kind for ruling in pair.session.rulings]
    assert pair.say(other, "Bauer Eva zwei Eva vier", "repeated") == "black"
