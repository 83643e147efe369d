"""One microphone between two players: who spoke is told by whose turn it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blindplay.laws import facts as f
from blindplay.speech.audio import QueueSource
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser
from tests.table.sitting import Sit, Sitting
from tests.table.speaking import PAUSE, spoken
from tests.waiting import PATIENCE_S


class Pair:
    """Two players at a table without a loudspeaker, and the microphones between them."""

    def __init__(
        self, sitting: Sitting, recogniser: Recogniser, sound: Callable[[str], bytes]
    ) -> None:
        self.sitting, self.session, self.table = sitting, sitting.session, sitting.table
        self.sound = sound
        self._recogniser = recogniser

    def attach(self, seat: str = "white", *, shared: bool = False) -> QueueSource:
        microphone = QueueSource()
        self.session.attach_microphone(seat, microphone, self._recogniser, shared=shared)
        return microphone

    def say(self, microphone: QueueSource, words: str, answer: str) -> str:
        """Say words; by whom the ruling that answers them has it."""
        since = len(self.session.rulings)
        microphone.push(self.sound(words))
        ruling = self.session.wait_for(answer, PATIENCE_S, since)
        assert ruling is not None, self.sitting.printed
        return str(ruling.fields["to" if answer == "answer" else "by"])


@pytest.fixture
def pair(sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser) -> Pair:
    sitting = sit(time_control="900")
    sitting.start()
    return Pair(sitting, recogniser, lambda words: spoken(synthesiser, words))


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
    other.push(said[: -len(PAUSE)])  # there its end is heard a little later
    assert pair.say(own, "Bauer Eva zwei Eva vier", "announced") == "white"
    other.push(PAUSE)
    assert pair.say(own, "wie viel Zeit habe ich noch", "answer") == "white"
    assert "repeated" not in [ruling.kind for ruling in pair.session.rulings]
    assert pair.say(other, "Bauer Eva zwei Eva vier", "repeated") == "black"
