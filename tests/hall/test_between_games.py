"""Between two games people hear where they play next, and ask for it by voice."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.between_games import BetweenGames
from blindplay.language import load
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.pairings import Pairings
from blindplay.wording.pairings import Pairing
from tests.table.speaking import Microphone, hear_in_second_language, spoken
from tests.waiting import until

GERMAN, ENGLISH = load("de"), load("en")
NEXT = Pairing("4", "7", "Anna", "Bert")
SENTENCE = "Runde vier, Tisch sieben: Anna hat Weiß gegen Bert"


def people(told: list[str], *pairings: Pairing) -> BetweenGames:
    known = Pairings("2")
    found = BetweenGames(GERMAN, None, known, told.append)
    known.tell(pairings)
    return found


def test_where_people_play_is_said_as_soon_as_the_hall_tells_it() -> None:
    told: list[str] = []
    people(told, NEXT)
    assert len(told) == 1 and told[0].startswith(SENTENCE)


def test_the_question_is_answered_as_far_as_the_hall_has_told() -> None:
    told: list[str] = []
    asked = people(told)
    asked.answer()
    assert told == [GERMAN.sentence("pairing_unknown")]
    other = Pairing("4", "1", "Cia", "David")
    told.clear()
    people(told, NEXT, other).answer()
    assert told[2:] == told[:2] and len(told) == 4


@pytest.mark.parametrize(
    ("words", "asks"),
    [("wo spiele ich", True), ("Wo spiele ich", True), ("e4", False), ("", False)],
)
def test_only_the_question_itself_is_one(words: str, asks: bool) -> None:
    assert people([]).is_question(words) is asks


@pytest.mark.parametrize("only_second", [False, True])
def test_the_question_is_heard_in_any_language_and_other_talk_is_not_taken_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only_second: bool
) -> None:
    told: list[str] = []
    asked, microphone = people(told, NEXT), Microphone()
    told.clear()
    recogniser = Recogniser(find_model("de"), "de", spellings=GERMAN.spoken)
    if only_second:
        hear_in_second_language(recogniser, monkeypatch)
    with Synthesiser("de", cache=tmp_path, spellings=GERMAN.spoken) as synthesiser:
        listener = asked.listen(microphone, recogniser)
        try:
            microphone.push(spoken(synthesiser, "Springer Gustav eins Felix drei"))
            microphone.push(spoken(synthesiser, "Wo spiele ich"))
            assert until(lambda: told)
            assert until(lambda: not microphone.waiting())
        finally:
            listener.close()
    assert len(told) == 1 and told[0].startswith(SENTENCE)
