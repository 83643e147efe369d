"""What becomes of a move that is announced, repeated or corrected, and what is learned from it."""

from __future__ import annotations

import chess
import pytest

from blindplay.conversation.effects import HoldPress, Say
from blindplay.hearing.decision import Verdict
from blindplay.laws import facts as f
from blindplay.speech.speaker import Output
from tests.conversation.conversing import GERMAN, Conversation, Talk


def test_an_accepted_announcement_is_told_to_everybody_before_the_clock(at: Conversation) -> None:
    assert at.hear(Verdict.ACCEPT, "springer felix drei") == ["Springer Gustav eins Felix drei"]
    assert at.said[-1][0] is Output.PUBLIC
    assert (at.announced, at.table.game.clock.running) == ("g1f3", "white")


def test_an_illegal_announcement_is_answered_with_the_reason(at: Conversation) -> None:
    said = at.hear(Verdict.ILLEGAL, "turm anna eins anna vier")
    assert said == ["Dieser Zug ist regelwidrig. Der Weg ist versperrt."]
    assert at.announced is None


def test_the_opponent_repeats_and_the_player_may_repeat_the_opponents_move(
    at: Conversation,
) -> None:
    at.hear(Verdict.ACCEPT, "eva vier")
    at.hear(Verdict.ACCEPT, "bauer eva zwei eva vier", side="black")
    assert at.rulings[-1].kind == "repeated"
    at.play("e2e4")
    at.hear(Verdict.ACCEPT, "bauer eva sieben eva fünf", side="black")
    at.play("e7e5")
    at.hear(Verdict.ACCEPT, "bauer eva sieben eva fünf")
    assert [ruling.kind for ruling in at.rulings if ruling.kind == "repeated"] == ["repeated"] * 2


def test_words_that_repeat_a_capture_and_could_recapture_are_the_repetition(
    at: Conversation,
) -> None:
    at.play("e2e4", "e7e5", "g1f3", "g8f6", "b1c3", "f6e4")
    at.hear(Verdict.ACCEPT, "springer schlägt eva vier")
    assert at.announced is None
    assert at.kinds()[-1] == "repeat"
    # Once it was repeated, the same words are his own move.
    at.hear(Verdict.ACCEPT, "springer schlägt eva vier")
    assert at.announced == "c3e4"


def test_who_types_does_not_repeat(at: Conversation) -> None:
    at.play("e2e4", "d7d5")
    at.type("Bauer schlägt David fünf")
    assert at.announced == "e4d5"


# --- corrections ----------------------------------------------------------------------------------


def test_a_slip_is_corrected_without_a_question_before_it_is_executed(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.hear(Verdict.ACCEPT, "korrektur springer hector drei")
    assert (at.announced, at.asked()) == ("g1h3", False)


def test_a_correction_that_hands_contradict_needs_a_yes(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.execute("b1c3")
    assert at.type("Korrektur Springer Anna drei") == [
        "Soll die Ansage berichtigt werden: Springer Bella eins Anna drei? Sagen Sie ja oder nein."
    ]
    assert at.announced == "g1f3"
    at.type("ja")
    assert at.announced == "b1a3"  # the touched knight must move (4.3.1)


def test_a_move_that_hands_have_executed_as_announced_is_not_corrected(at: Conversation) -> None:
    # fide-2023 D.2.3: the move is made; there was no slip of the tongue (D.2.8).
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.execute("g1f3")
    made = [GERMAN.sentence("refused_already_made")]
    assert at.type("Korrektur Springer Hector drei") == made
    assert at.type("Korrektur") == made
    assert at.hear(Verdict.ACCEPT, "springer hector drei") == made
    assert (at.announced, at.asked()) == ("g1f3", False)
    assert at.type("Hilfe")[0] == GERMAN.sentence("due_press")
    assert at.holds() == []


@pytest.mark.parametrize("side", ["white", "black"])
def test_a_typed_move_is_corrected_without_a_question_where_no_board_has_felt_it(
    talk: Talk, side: str
) -> None:
    moved = {"white": ("g1f3", "g1h3"), "black": ("g8f6", "g8h6")}[side]
    names = {"white": ("Felix drei", "Hector drei"), "black": ("Felix sechs", "Hector sechs")}[side]
    with talk() as at:
        if side == "black":
            at.play("e2e4")
        at.type(f"Springer {names[0]}", side)
        at.table.submit(f.Make(by=side, move=moved[0], presumed=True))  # as the session does
        told = at.type(f"Korrektur Springer {names[1]}", side)
        assert told == [f"Berichtigt: Springer {MADE[side]} {names[1]}."]
        assert (at.announced, at.asked(side)) == (moved[1], False)


MADE = {"white": "Gustav eins", "black": "Gustav acht"}


def test_a_correction_to_what_hands_have_done_needs_none(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.execute("g1h3")
    at.hear(Verdict.ACCEPT, "korrektur springer hector drei")
    assert (at.announced, at.asked()) == ("g1h3", False)


def test_what_sounds_like_another_announcement_corrects_only_after_a_yes(
    at: Conversation,
) -> None:
    # It may be the opponent's repetition, misheard; who says that he corrects is believed.
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.hear(Verdict.ACCEPT, "springer hector drei")
    assert (at.announced, at.asked()) == ("g1f3", True)
    at.hear(Verdict.COMMAND, "ja")
    assert at.announced == "g1h3"
    at.hear(Verdict.ACCEPT, "korrektur springer felix drei")
    assert (at.announced, at.asked()) == ("g1f3", False)


def test_a_correction_is_too_late_when_the_clock_was_pressed_before_the_yes(
    at: Conversation,
) -> None:
    # fide-2023 D.2.8: before the opponent's clock is started.
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.table.submit(f.Make(by="white", move="g1f3", presumed=True))
    at.type("Korrektur")
    at.table.submit(f.Press(by="white"))
    assert at.type("ja") == [GERMAN.sentence("refused_no_question")]
    assert "repeat" not in at.kinds()
    assert at.table.game.history[-1].move == chess.Move.from_uci("g1f3")


def test_a_press_does_not_complete_what_the_player_has_called_wrong(at: Conversation) -> None:
    at.type("Springer Felix drei")
    at.table.submit(f.Make(by="white", move="g1f3", presumed=True))
    move = "Springer Gustav eins Felix drei"
    which, how = (GERMAN.sentence(f"correct_{key}", move=move) for key in ("which", "how"))
    assert at.type("Korrektur") == [which]
    hold, asked = at.holds()
    assert hold == HoldPress() and isinstance(asked, Say) and asked.words == how
    for answer in ("Korrektur", "falsch", "ja"):
        assert at.type(answer) == [how]
    assert at.type("nein") == [GERMAN.sentence("cancelled")]
    assert at.holds() == []


def test_the_move_said_after_a_bare_correction_replaces_the_announced_one(at: Conversation) -> None:
    at.type("Bauer Eva vier")
    at.type("Korrektur")
    assert at.type("Bauer David vier") == ["Berichtigt: Bauer David zwei David vier."]
    assert (at.announced, at.asked()) == ("d2d4", False)
    at.type("Korrektur")
    assert at.hear(Verdict.ACCEPT, "korrektur bauer eva drei") == [
        "Berichtigt: Bauer Eva zwei Eva drei."
    ]


TOO_LATE = "Zu spät: Eine Ansage muss berichtigt werden, bevor die Uhr des Gegners läuft."


@pytest.mark.parametrize("text", ["Korrektur Bauer Eva drei", "Korrektur Bauer Eva sechs"])
def test_a_correction_after_the_press_is_told_to_be_too_late(at: Conversation, text: str) -> None:
    """fide-2023 D.2.8; a move of his own or one that only his opponent could make."""
    at.play("e2e4")
    assert at.type(text) == [TOO_LATE]
    assert at.rulings[-1].articles == ("fide-2023 D.2.8",)
    assert (at.announced, "repeat" in at.kinds()) == (None, False)


def test_a_late_correction_at_a_keyboard_for_both_announces_nothing_for_the_opponent(
    at: Conversation,
) -> None:
    """Whoever types there is taken for the player on move, who has not begun his."""
    at.play("e2e4")
    for text in ("Korrektur Bauer Eva drei", "Korrektur Bauer Eva fünf", "Korrektur"):
        assert at.type(text, at.talking.author(text)) == [TOO_LATE]
        assert (at.rulings[-1].fields["by"], at.table.game.turn.begun) == ("white", False)
        assert at.announced is None
    at.type("Korrektur Bauer Eva fünf", "black")  # said to be his
    assert at.announced == "e7e5"


def test_who_corrects_how_he_repeated_is_not_too_late(at: Conversation) -> None:
    at.type("Springer Felix drei")
    assert at.type("Springer Hector drei", "black") == [
        "Die Wiederholung stimmt nicht. Angesagt war: Springer Gustav eins Felix drei."
    ]
    assert at.type("Korrektur Springer Felix drei", "black") == []
    assert at.rulings[-1].kind == "repeated"


# --- what is learned ------------------------------------------------------------------------------


def test_the_answer_to_a_question_is_learned(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei", sound="what was heard")
    at.hear(Verdict.COMMAND, "hector")
    assert at.learned == [("what was heard", "springer hector drei")]


def test_what_is_said_after_a_no_is_learned_if_it_differs_in_one_thing(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei", sound="first")
    at.hear(Verdict.COMMAND, "nein")
    at.hear(Verdict.ACCEPT, "springer hector drei", sound="second")
    assert at.learned == [("first", "springer hector drei")]


def test_a_correction_is_learned_if_it_differs_in_one_thing(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei", sound="first")
    at.hear(Verdict.ACCEPT, "korrektur springer hector drei", sound="second")
    assert at.learned == [("first", "springer hector drei")]
    at.hear(Verdict.ACCEPT, "korrektur bauer eva zwei eva vier", sound="third")
    assert len(at.learned) == 1  # he has changed his mind


def test_nothing_is_learned_from_keys_or_from_a_yes_to_a_command(at: Conversation) -> None:
    at.type("Springer Felix drei")
    at.type("Korrektur Springer Hector drei")
    at.hear(Verdict.COMMAND, "remis anbieten")
    at.hear(Verdict.COMMAND, "ja")
    assert at.learned == []
