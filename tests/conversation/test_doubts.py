"""A doubtful move: what its player does next confirms or withdraws it, and nobody else does."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.conversation.state import ClockPressed
from blindplay.hearing.decision import Verdict
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from tests.conversation.conversing import GERMAN, KNIGHTS, Conversation, Talk
from tests.sampling import examples

CANCELLED = GERMAN.sentence("cancelled")
ASKED = "Springer Gustav eins Felix drei. Richtig?"
ANNOUNCED = "Springer Gustav eins Felix drei"
YES_OR_NO = "Ja oder nein?"


def doubt(at: Conversation) -> None:
    """The ear is not sure of White's knight move."""
    assert at.hear(Verdict.ASK, "springer felix drei", sound="what was heard") == [ASKED]


# --- hands ----------------------------------------------------------------------------------------


def test_hands_answer_a_question_about_their_move(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei", sound="what was heard")
    at.table.submit(f.Lift(board="white", square="g1"))
    assert at.asked()
    at.table.submit(f.Place(board="white", square="h3"))
    assert (at.announced, at.asked()) == ("g1h3", False)
    assert at.rulings[-1].kind == "made"
    assert at.learned == [("what was heard", "springer hector drei")]


def test_hands_that_do_something_else_withdraw_it_and_that_is_said_at_the_first_touch(
    at: Conversation,
) -> None:
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei")
    said = at._then(lambda: at.table.submit(f.Lift(board="white", square="e2")))
    assert said[-1] == CANCELLED and not at.asked()
    at.table.submit(f.Place(board="white", square="e4"))
    at.type("Hector")
    assert at.announced is None


def test_another_move_of_the_same_piece_withdraws_it(at: Conversation) -> None:
    doubt(at)
    at.table.submit(f.Lift(board="white", square="g1"))
    assert at.asked()
    said = at._then(lambda: at.table.submit(f.Place(board="white", square="h3")))
    assert said[-1] == CANCELLED and (at.announced, at.asked()) == (None, False)


def test_what_hands_have_done_already_is_not_asked_about(at: Conversation) -> None:
    at.table.submit(f.Lift(board="white", square="g1"))
    at.table.submit(f.Place(board="white", square="h3"))
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei")
    assert (at.announced, at.asked()) == ("g1h3", False)


def test_a_doubtful_repetition_of_what_was_just_announced_is_confirmed_by_hands_unasked(
    at: Conversation,
) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    assert at.hear(Verdict.ASK, "springer felix drei", "springer hector drei", side="black") == []
    assert not at.asked("black")
    at.table.submit(f.Make(by="white", move="g1f3"))
    assert "repeat" not in at.kinds()
    at.table.submit(f.Make(by="black", move="g1f3"))
    at.table.submit(f.Tick())
    assert at.kinds().count("repeat") == 1
    assert at.rulings[-1].kind == "repeated"


def test_a_late_doubtful_repetition_is_not_asked_about_unless_it_may_be_a_move(
    at: Conversation,
) -> None:
    at.play("e2e4")
    assert at.hear(Verdict.ASK, "eva vier", side="black") == []
    asked = at.hear(Verdict.ASK, "eva vier", "eva fünf", side="black")
    assert len(asked) == 1 and asked[0].endswith("?")


def test_hands_that_execute_the_announced_move_withdraw_a_doubtful_other_repetition(
    at: Conversation,
) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.hear(Verdict.ASK, "springer hector drei", side="black")
    at.table.submit(f.Make(by="white", move="g1f3"))
    assert at.asked("black")
    assert at._then(partial(at.table.submit, f.Make(by="black", move="g1f3")))[-1] == CANCELLED
    assert not at.asked("black")


# --- the clock ------------------------------------------------------------------------------------


def test_a_press_of_the_own_clock_confirms_it(at: Conversation) -> None:
    doubt(at)
    assert at.press()[0] == ANNOUNCED
    assert (at.announced, at.asked()) == ("g1f3", False)
    assert at.learned == [("what was heard", "springer felix drei")]


@pytest.mark.parametrize("presser", ["black", "assistant:white", "assistant:black"])
def test_nobody_elses_press_confirms_it(talk: Talk, presser: str) -> None:
    at = talk(white=Player(impaired=True, assistant=True), black=Player(assistant=True))
    doubt(at)
    at.press(presser)
    assert at.announced is None and at.asked()


def test_a_press_before_the_question_was_heard_confirms_nothing(at: Conversation) -> None:
    at.now = 10.0
    doubt(at)
    at.told = math.inf  # it is still being spoken
    assert at.press() == [] and at.asked()
    at.told = None  # the press has cut it off
    assert at.press() == [ASKED]
    at.told, at.now = 12_000, 13.0  # the clock was pressed in time, and the board was read late
    assert at.press(at=11.0) == [YES_OR_NO]
    assert at.announced is None
    assert at.press(at=12.5)[0] == ANNOUNCED


def test_a_press_does_not_choose_between_two(talk: Talk) -> None:
    at = talk(fen=KNIGHTS)
    for asked in (
        at.hear(Verdict.ASK, "springer david zwei"),
        at.press(),
        at.tap(),
    ):
        assert asked == ["Bella eins oder Felix drei?"]
    assert at.announced is None and "press" not in at.kinds()


def test_a_press_that_hands_contradict_withdraws_it(at: Conversation) -> None:
    at.execute("g1h3")
    doubt(at)  # the ear is surer than hands make it doubt
    assert at.press() == [CANCELLED]
    assert (at.announced, at.asked(), "press" in at.kinds()) == (None, False, False)


def test_a_press_does_not_complete_what_a_doubtful_word_has_corrected(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.execute("g1f3")
    at.hear(Verdict.ASK, "korrektur springer hector drei")
    assert at.asked()
    assert at.press() == [CANCELLED]
    assert not at.table.game.history
    at.press()
    assert at.table.game.history


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict.COMMAND, "aufgeben"),
        (Verdict.COMMAND, "remis anbieten"),
        (Verdict.ASK, "remis anbieten"),
    ],
)
def test_a_button_is_no_yes_to_what_ends_or_changes_the_game(
    at: Conversation, verdict: Verdict, words: str
) -> None:
    at.hear(verdict, words)
    assert at.asked()
    assert at.holds() == []
    assert at.tap() == [] and at.asked()
    assert at.kinds() == ["start"]


# --- the talk button ------------------------------------------------------------------------------


def test_two_quick_presses_of_the_own_talk_button_confirm_it(at: Conversation) -> None:
    doubt(at)
    assert at.tap("black") == [] and at.asked()
    assert at.tap()[0] == ANNOUNCED
    assert at.tap() == []


def test_the_opponents_doubtful_repetition_is_confirmed_by_their_own_button(
    at: Conversation,
) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.hear(Verdict.ASK, "springer hector drei", side="black")
    at.tap()
    assert at.asked("black")
    at.tap("black")
    assert at.rulings[-1].kind == "repeat_differs"


# --- words ----------------------------------------------------------------------------------------


def test_what_was_heard_is_not_read_again_after_an_unclear_answer(at: Conversation) -> None:
    doubt(at)
    assert at.hear(Verdict.REFUSE) == [YES_OR_NO]
    assert at.hear(Verdict.ASK, "ja", "nein") == [YES_OR_NO]
    at.told = None
    at.hear(Verdict.COMMAND, "nein")
    assert at.hear(Verdict.ASK, "springer hector drei") != []
    assert at.hear(Verdict.REFUSE) == ["Springer Gustav eins Hector drei. Richtig?"]


def test_another_move_however_doubtful_withdraws_it_and_is_asked_about(at: Conversation) -> None:
    doubt(at)
    said = at.hear(Verdict.ASK, "springer hector drei", "springer felix drei")
    assert said == ["Springer Gustav eins Hector drei. Richtig?"]
    at.press()
    assert at.announced == "g1h3"


def test_a_command_withdraws_it_and_that_is_said_first(at: Conversation) -> None:
    doubt(at)
    asked = GERMAN.sentence("resign_sure")
    assert at.hear(Verdict.COMMAND, "ich gebe auf") == [CANCELLED, asked]
    at.hear(Verdict.COMMAND, "nein")
    assert at.announced is None


def test_an_illegal_move_withdraws_it(at: Conversation) -> None:
    doubt(at)
    assert at.hear(Verdict.ILLEGAL, "turm anna eins anna vier")[0] == CANCELLED
    assert not at.asked()


def test_help_says_what_confirms_it(at: Conversation) -> None:
    doubt(at)
    assert at.type("Hilfe") == [GERMAN.sentence("help_confirm"), ASKED]


# --- what happens meanwhile -----------------------------------------------------------------------


def test_a_call_or_a_decision_of_the_arbiter_withdraws_it(talk: Talk) -> None:
    """From then on people talk with the arbiter, and a *ja* may be for them."""
    for fact in (f.Arbiter(do="stop_clocks"), f.CallArbiter(by="black")):
        with talk(arbiter="present") as at:
            doubt(at)
            said = at._then(partial(at.table.submit, fact))
            assert said[-1] == CANCELLED and not at.asked()
            at.hear(Verdict.COMMAND, "ja")
            assert at.announced is None


def test_who_announces_in_another_way_ends_it(at: Conversation) -> None:
    doubt(at)
    at.table.submit(f.Announce(by="white", move="e2e4"))
    assert not at.asked()
    at.hear(Verdict.COMMAND, "ja")
    assert at.announced == "e2e4"


def test_a_repetition_that_came_in_another_way_ends_the_question_about_it(
    at: Conversation,
) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.hear(Verdict.ASK, "springer hector drei", side="black")
    at.table.submit(f.Repeat(by="black", move="g1f3"))
    assert not at.asked("black")


ACTS = st.lists(
    st.sampled_from(
        [
            "press black", "press assistant:white", "press assistant:black", "tap black",
            "hear ja black", "wait", "unclear", "early press", "make black",
        ]
    ),
    max_size=12,
)  # fmt: skip


@examples(25)
@given(acts=ACTS)
def test_without_an_act_of_its_player_no_doubtful_move_is_announced(
    acts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    both: dict[str, Any] = {
        "white": Player(impaired=True, assistant=True),
        "black": Player(assistant=True),
    }
    with Conversation(tmp_path_factory.mktemp("talk") / "g.jsonl", time_control="-", **both) as at:
        at.now = 1.0
        doubt(at)
        for act in acts:
            match act.split():
                case "press", who:
                    at.converse(ClockPressed(who, at.table.time()))
                case "tap", side:
                    at.tap(side)
                case "hear", word, side:
                    at.hear(Verdict.COMMAND, word, side=side)
                case "early", _:
                    at.press(at=0.5)
                case ("unclear",):
                    at.hear(Verdict.ASK, "ja", "nein")
                case "make", side:
                    at.table.submit(f.Make(by=side, move="g1f3"))
                case _:
                    at.wait(5.0)
            assert at.announced is None
