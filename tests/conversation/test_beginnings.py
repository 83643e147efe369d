"""The beginning of an announcement, a pause, and the rest: typed, and as the ear decides."""

from __future__ import annotations

import pytest

from blindplay.conversation.state import ANSWER_SECONDS, BEGINNING_SECONDS
from blindplay.hearing.decision import Verdict
from blindplay.language import Command
from blindplay.laws import facts as f
from tests.conversation.conversing import GERMAN, PROMOTION, Conversation, Talk

BEGINNING = "springer gustav eins"
WHOLE = "Springer Gustav eins Felix drei"
BOTH = "Springer Gustav eins Felix drei oder Bauer Felix zwei Felix drei?"
WHERE = "Springer Gustav eins. Wohin?"


def begin(at: Conversation, words: str = BEGINNING, side: str = "white") -> None:
    assert at.hear(Verdict.ILLEGAL, words, side=side) == []


def test_the_rest_after_a_pause_is_understood_with_the_beginning(at: Conversation) -> None:
    begin(at)
    assert at.hear(Verdict.ACCEPT, "felix drei") == [WHOLE]
    assert at.announced == "g1f3"


@pytest.mark.parametrize("beginning", ["Springer", "Springer g1", "sg1", "Gustav eins", "S g1 -"])
def test_a_typed_beginning_is_asked_for_its_rest(at: Conversation, beginning: str) -> None:
    asked = at.type(beginning)
    assert len(asked) == 1 and asked[0].endswith(". Wohin?")
    at.wait(ANSWER_SECONDS - 1)
    at.type("f3")
    assert at.announced == "g1f3"


def test_a_beginning_may_come_in_parts(at: Conversation) -> None:
    at.hear(Verdict.NOTHING, "springer")
    at.hear(Verdict.ILLEGAL, "gustav eins")
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.said[-1][1] == BOTH  # the piece was heard as one word, which may have been talk
    at.hear(Verdict.ACCEPT, "springer")
    assert at.announced == "g1f3"


def test_a_pause_may_be_within_a_square(at: Conversation) -> None:
    at.hear(Verdict.REFUSE, "springer gustav")
    assert at.hear(Verdict.NOTHING, "eins") == []
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.asked() and at.said[-1][1] == BOTH


def test_a_pause_may_be_within_the_square_of_the_destination(at: Conversation) -> None:
    at.type("springer gustav eins felix")
    at.type("drei")
    assert at.announced == "g1f3"


def test_a_file_alone_may_be_a_name_of_people_so_its_move_is_read_back(at: Conversation) -> None:
    at.hear(Verdict.NOTHING, "david")
    assert at.hear(Verdict.REFUSE, "drei") == ["Bauer David zwei David drei. Richtig?"]
    assert at.announced is None


MISHEARD = "springer gustav acht"


def test_a_square_after_one_that_is_no_move_is_read_back(at: Conversation) -> None:
    at.hear(Verdict.ILLEGAL, MISHEARD)
    assert at.hear(Verdict.ACCEPT, "felix drei") == ["Bauer Felix zwei Felix drei. Richtig?"]
    assert at.announced is None
    at.hear(Verdict.COMMAND, "ja")
    assert at.announced == "f2f3"


@pytest.mark.parametrize("whole", [WHOLE.lower(), "springer felix drei"])
def test_a_whole_announcement_after_it_counts_by_itself(at: Conversation, whole: str) -> None:
    at.hear(Verdict.ILLEGAL, MISHEARD)
    at.hear(Verdict.ACCEPT, whole)
    assert at.announced == "g1f3"


def test_some_seconds_later_a_square_counts_by_itself(at: Conversation) -> None:
    at.hear(Verdict.ILLEGAL, MISHEARD)
    at.wait(BEGINNING_SECONDS + 1)
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "f2f3"


def test_a_typed_square_that_is_no_move_is_none(at: Conversation) -> None:
    at.type(MISHEARD)
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "f2f3"


def test_a_letter_alone_may_be_a_mumble_and_begins_nothing(at: Conversation) -> None:
    assert at.hear(Verdict.NOTHING, "e") == []
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "f2f3"


@pytest.mark.parametrize("answer", ["felix drei", "springer", WHOLE.lower()])
def test_after_a_piece_alone_both_readings_are_asked_about(at: Conversation, answer: str) -> None:
    assert at.hear(Verdict.NOTHING, "springer") == []
    assert at.hear(Verdict.ACCEPT, "felix drei") == ["Springer oder Bauer?"]
    at.hear(Verdict.ACCEPT, answer)
    assert at.announced == (None if answer == "felix drei" else "g1f3")
    assert at.asked() == (answer == "felix drei")


def test_a_piece_alone_that_nobody_goes_on_with_is_talk(at: Conversation) -> None:
    assert at.hear(Verdict.NOTHING, "springer") == at.wait(BEGINNING_SECONDS + 1) == []
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "f2f3"


@pytest.mark.parametrize("whole", ["Springer Hector drei", "Bauer Felix drei", "e2e4"])
def test_a_whole_announcement_counts_by_itself(at: Conversation, whole: str) -> None:
    begin(at)
    at.hear(Verdict.ACCEPT, GERMAN.understand(whole, at.table.game.board).words)
    assert at.announced in ("g1h3", "f2f3", "e2e4") and not at.asked()


def test_a_whole_announcement_that_may_also_be_the_rest_is_asked_about(talk: Talk) -> None:
    at = talk(fen="4k3/8/8/b7/8/8/3B4/R3K3 w - - 0 1")
    at.hear(Verdict.REFUSE, "turm anna eins schlägt")
    asked = "Turm Anna eins schlägt Anna fünf oder Läufer David zwei schlägt Anna fünf?"
    assert at.hear(Verdict.ACCEPT, "läufer anna fünf") == [asked]


def test_what_is_too_short_and_does_not_fit_the_beginning_is_read_back(at: Conversation) -> None:
    begin(at)
    assert at.hear(Verdict.ACCEPT, "eva vier") == ["Bauer Eva zwei Eva vier. Richtig?"]


def test_the_reason_why_a_move_is_illegal_is_that_of_the_whole(at: Conversation) -> None:
    at.type("Springer g1")
    why = GERMAN.sentence("illegal_cannot_move_there")
    assert at.type("e5") == [GERMAN.sentence("illegal", why=why)]


@pytest.mark.parametrize("verdict", [Verdict.ASK, Verdict.REFUSE, Verdict.NOTHING])
def test_an_unsure_rest_is_asked_about(talk: Talk, verdict: Verdict) -> None:
    at = talk(fen="4k3/8/8/8/8/8/8/4K1NR w K - 0 1")
    begin(at)
    assert at.hear(verdict, "felix drei") == ["Springer Gustav eins Felix drei. Richtig?"]


def test_the_promotion_is_asked_for_as_always(talk: Talk) -> None:
    at = talk(fen=PROMOTION)
    begin(at, "bauer eva sieben")
    missing = GERMAN.sentence("promotion_which")
    assert at.hear(Verdict.REFUSE, "eva acht") == [missing]
    at.hear(Verdict.ACCEPT, "dame")
    assert at.announced == "e7e8q"


# --- time -----------------------------------------------------------------------------------------


def test_after_six_seconds_the_rest_is_asked_for_and_then_nothing_is_played(
    at: Conversation,
) -> None:
    begin(at)
    assert at.wait(BEGINNING_SECONDS) == []
    assert at.wait(1) == [WHERE]
    assert at.type("ja") == [WHERE]
    assert at.wait(ANSWER_SECONDS + 1) == [GERMAN.sentence("cancelled")]
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "f2f3"


def test_the_rest_answers_the_question_for_it(at: Conversation) -> None:
    begin(at)
    at.wait(BEGINNING_SECONDS + 1)
    at.wait(ANSWER_SECONDS - 1)
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "g1f3"


def test_nobody_is_expected_to_go_on_while_the_table_speaks(at: Conversation) -> None:
    begin(at)
    at.speaking = True
    assert at.wait(BEGINNING_SECONDS + 1) == []
    at.speaking = False
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "g1f3"


# --- what happens in between ----------------------------------------------------------------------


def test_a_command_in_between_changes_nothing(at: Conversation) -> None:
    begin(at)
    at.hear(Verdict.COMMAND, "zeit")
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "g1f3"


def test_a_word_of_talk_in_between_changes_nothing(at: Conversation) -> None:
    begin(at)
    assert at.hear(Verdict.NOTHING, "turm") == at.hear(Verdict.NOTHING, "", sound="") == []
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "g1f3"


def test_a_question_of_another_kind_leaves_the_beginning(at: Conversation) -> None:
    begin(at)
    at.hear(Verdict.COMMAND, "aufgeben")
    at.hear(Verdict.COMMAND, "nein")
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "g1f3"


def test_a_correction_drops_the_beginning(at: Conversation) -> None:
    begin(at)
    at.hear(Verdict.COMMAND, "korrektur")
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "f2f3"


def test_a_short_correction_of_the_beginning_is_asked_about(at: Conversation) -> None:
    begin(at)
    assert at.hear(Verdict.ACCEPT, "korrektur felix drei") == [BOTH]


def test_the_destination_in_a_correction_may_be_that_of_the_announced_piece(
    at: Conversation,
) -> None:
    at.hear(Verdict.ACCEPT, WHOLE.lower())
    asked = "Springer Gustav eins Hector drei oder Bauer Hector zwei Hector drei?"
    assert at.hear(Verdict.ACCEPT, "korrektur hector drei") == [asked]
    at.hear(Verdict.ACCEPT, "springer")
    assert at.announced == "g1h3"
    at.type("Korrektur Eva vier")  # no knight goes there
    assert at.announced == "e2e4"
    at.type("Korrektur Eva drei")
    assert at.announced == "e2e3"


@pytest.mark.parametrize(("square", "announced"), [("g1", "g1f3"), ("f2", None)])
def test_hands_that_contradict_the_beginning_let_the_table_ask(
    at: Conversation, square: str, announced: str | None
) -> None:
    begin(at)
    at.table.submit(f.Position(board="white", placement=at.table.game.position.board_fen()))
    at.table.submit(f.Lift(board="white", square=square))
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == announced and at.asked() == (announced is None)


def test_a_beginning_takes_the_place_of_a_move_that_was_read_back(at: Conversation) -> None:
    at.hear(Verdict.ASK, "bauer eva zwei eva vier")
    begin(at)
    at.press()
    assert at.announced is None
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "g1f3"


def test_a_piece_that_answers_a_question_begins_nothing(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei", "bauer felix drei")
    at.hear(Verdict.ACCEPT, "bauer")
    assert at.announced == "f2f3"


def test_a_begun_correction_holds_the_clock(at: Conversation) -> None:
    at.table.submit(f.Position(board="white", placement=at.table.game.position.board_fen()))
    at.hear(Verdict.ACCEPT, WHOLE.lower())
    at.execute("g1h3")
    begin(at, "korrektur springer gustav eins")
    assert at.press() == [WHERE]
    assert not at.table.game.history
    at.hear(Verdict.ACCEPT, "hector drei")
    assert at.said[-1][1] == GERMAN.sentence("corrected", move="Springer Gustav eins Hector drei")


def test_both_players_begin_apart(at: Conversation) -> None:
    begin(at)
    assert at.hear(Verdict.ACCEPT, "felix drei", side="black") == []
    at.hear(Verdict.ACCEPT, "felix drei")
    assert at.announced == "g1f3"


def test_a_repetition_may_pause_and_is_not_asked_about(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, WHOLE.lower())
    begin(at, side="black")
    assert at.wait(BEGINNING_SECONDS) == []
    assert at.hear(Verdict.ACCEPT, "felix drei", side="black") == []
    assert at.rulings[-1].kind == "repeated"
    begin(at, side="black")
    assert at.wait(BEGINNING_SECONDS + 1) == []


def test_the_repetition_of_the_last_move_may_pause_too(at: Conversation) -> None:
    at.play("e2e4", "g8f6")
    begin(at, "springer gustav acht")
    assert at.wait(BEGINNING_SECONDS) == []
    at.hear(Verdict.ACCEPT, "felix sechs")
    assert at.rulings[-1].kind == "repeated" and at.announced is None


def test_the_opponents_pause_in_the_movers_microphone_is_not_asked_about(
    at: Conversation,
) -> None:
    at.hear(Verdict.ACCEPT, WHOLE.lower())
    begin(at)
    assert at.hear(Verdict.ACCEPT, "felix drei") == at.wait(BEGINNING_SECONDS + 1) == []


def test_a_beginning_is_a_begun_move_and_no_irregularity(at: Conversation) -> None:
    begin(at)
    at.table.submit(f.Press(by="white"))
    assert at.table.game.turn.begun and at.rulings[-1].kind == "not_made"


def test_players_who_are_both_asked_and_talk_it_over_begin_nothing(at: Conversation) -> None:
    at.play("e2e4", "e7e5", "g1f3")
    at.table.submit(f.Irregular(by="white", what="wrong_start"))
    assert at.hear(Verdict.REFUSE, "springer bella", side="black") == []
    assert at.wait(BEGINNING_SECONDS + 1) == []


def test_a_beginning_leaves_what_the_opponent_wants_and_calls_nothing_off(
    at: Conversation,
) -> None:
    at.type("Hängepartie", "black")
    at.type("ja", "black")
    assert at.asked()
    begin(at)
    assert at.table.game.wants_to_adjourn == "black"


def test_the_sealed_move_is_not_asked_for_its_rest(at: Conversation) -> None:
    at.play("e2e4", "e7e5")
    at.table.submit(f.Arbiter(do="adjourn"))
    assert not at.type("Springer g1")[0].endswith("Wohin?")


@pytest.mark.parametrize("fact", [f.Arbiter(do="adjourn"), f.Resign(by="black")])
def test_once_nothing_may_be_announced_no_rest_is_asked_for(at: Conversation, fact: f.Fact) -> None:
    begin(at)
    at.table.submit(fact)
    before = len(at.said)
    at.wait(BEGINNING_SECONDS + 1)
    assert at.said[before:] == [] and not at.asked()


def test_help_and_repeat_say_the_question_again(at: Conversation) -> None:
    at.type("Springer g1")
    assert at.type(GERMAN.command(Command.REPEAT)) == [WHERE]


@pytest.mark.parametrize("language", ["de", "en", "nb", "sv", "da"])
def test_the_rest_is_asked_for_in_every_language(talk: Talk, language: str) -> None:
    at = talk(language=language)
    asked = at.type("Ng1")
    assert len(asked) == 1 and asked[0].endswith("?")
    at.type("f3")
    assert at.announced == "g1f3"
