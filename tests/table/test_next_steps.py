"""The step that is due: Enter, levers and words do it, or it is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess
import pytest

from blindplay.conversation import OpeningWord
from blindplay.language import Command, load
from blindplay.laws import facts as f
from blindplay.laws.due import due
from blindplay.laws.facts import Player
from blindplay.opponents.player import AbsentPlayer
from blindplay.table.keyboard import Keyboard
from tests.conversation.conversing import GERMAN
from tests.table.sitting import Sit, Sitting, waits

SAID = GERMAN.sentence
E4, E5 = "Bauer Eva zwei Eva vier", "Bauer Eva sieben Eva fünf"
D4 = "Bauer David zwei David vier"


class Nobody(AbsentPlayer):
    """Somebody who is not in the room and does nothing by themselves."""

    def _consider(self) -> None:
        pass


@pytest.fixture
def alone(sit: Sit) -> Callable[..., Sitting]:
    """A player without a board who plays White against somebody who is not in the room."""

    def sit_down(**setup: Any) -> Sitting:
        return sit(opponent=Nobody(), boards=2, time_control="600", **setup)

    return sit_down


@pytest.fixture
def both(sit: Sit) -> Callable[..., Sitting]:
    """Both players share one keyboard."""
    return lambda **setup: sit(time_control="600", **setup)


def enter(at: Sitting, *lines: str) -> list[str]:
    """What is said when these lines are typed; the last one, if none, is the Enter key."""
    at.said()
    keyboard = Keyboard(at.session)
    for line in lines or ("",):
        keyboard.do(line)
    return at.said()


def kinds(at: Sitting) -> list[str]:
    """The kinds of all facts but entries on scoresheets."""
    return [taken.fact.kind for taken in at.table.log if taken.fact.kind != "record"]


def answer(at: Sitting, move: str = "e7e5") -> None:
    """The opponent who is not in the room plays a move."""
    at.table.submit(f.Announce(by="black", move=move))
    at.table.submit(f.Make(by="black", move=move))
    at.table.submit(f.Press(by="black"))


# --- Enter at a keyboard of one person ------------------------------------------------------------


def test_enter_alone_begins_presses_repeats_and_executes(alone: Callable[..., Sitting]) -> None:
    at = alone()
    enter(at)
    assert at.table.game.started
    assert enter(at) == [SAID("due_announce")]
    enter(at, "e4", "")
    assert at.table.game.side == "black"
    assert enter(at) == [waits("repeat", "Schwarz")]
    at.table.submit(f.Repeat(by="black", move="e2e4"))
    at.table.submit(f.Make(by="black", move="e2e4"))
    answer(at)
    assert enter(at) == [SAID("executed_noted")]
    assert kinds(at)[-2:] == ["repeat", "make"]
    assert enter(at) == [SAID("due_announce")]


def test_enter_alone_signs_after_a_question(alone: Callable[..., Sitting]) -> None:
    at = alone()
    at.start()
    at.table.submit(f.Resign(by="black"))
    assert enter(at)[-1].endswith(SAID("say_yes_or_no")) or "ja oder nein" in at.printed
    assert "sign" not in kinds(at)
    enter(at, "ja")
    assert kinds(at)[-1] == "sign"
    assert enter(at) == [SAID("due_nothing")]


# --- Enter at a keyboard that both share ----------------------------------------------------------


def test_enter_never_repeats_for_somebody_else(both: Callable[..., Sitting]) -> None:
    at = both()
    at.start()
    enter(at, "e4", "")
    assert enter(at) == [SAID("due_repeat", move=E4)]
    assert kinds(at)[-1] == "press"


def test_enter_executes_the_sealed_move_for_the_player_whose_clock_runs(
    both: Callable[..., Sitting],
) -> None:
    at = both(white=Player(impaired=True))
    at.start()
    enter(at, "Hängepartie", "ja", "ja", "Sf3", "ja", "")
    assert at.table.game.adjourned
    at.table.submit(f.OpenEnvelope(by="black"))
    knight = "Springer Gustav eins Felix drei"
    told = enter(at, "Sf3", "?")
    assert any(one.startswith(SAID("due_execute", move=knight)) for one in told)
    assert SAID("due_enter") in told[-1]
    assert SAID("executed_noted") in enter(at)
    assert not at.table.game.outstanding("black")


def test_enter_goes_on_after_a_pause(both: Callable[..., Sitting]) -> None:
    at = both()
    at.start()
    enter(at, "Pause", "ja")
    assert at.table.game.paused
    assert enter(at) == [SAID("resume"), SAID("clock_started", player="Weiß")]
    assert at.table.game.clock.running == "white"


def test_enter_starts_no_clocks_that_the_arbiter_stopped(both: Callable[..., Sitting]) -> None:
    at = both(arbiter="present")
    at.start()
    at.table.submit(f.Arbiter(do="stop_clocks"))
    (told,) = enter(at)
    assert told.startswith(waits("continue", "der Schiedsrichter")) and "start" in told
    assert at.table.game.paused
    enter(at, "start")
    assert at.table.game.clock.running == "white"


def test_enter_decides_and_answers_nothing(both: Callable[..., Sitting]) -> None:
    at = both(arbiter="present")
    at.start()
    at.table.submit(f.ClaimDraw(by="white", rule="repetition"))
    (told,) = enter(at)
    assert told.startswith(waits("decide", "der Schiedsrichter")) and "confirm" in told
    alone = both()
    alone.start()
    alone.play("e2e4", "e7e5", "g1f3", "b8c6")
    enter(alone, "restore 0", "ja")
    assert enter(alone)[-1].startswith(SAID("due_consent"))
    assert alone.table.game.pending is not None


def test_enter_signs_for_nobody_at_a_shared_keyboard(both: Callable[..., Sitting]) -> None:
    at = both()
    at.start()
    at.table.submit(f.Resign(by="black"))
    (told,) = enter(at)
    assert told.startswith(SAID("due_sign", result="").strip())
    assert "sign" not in kinds(at)


def test_enter_completes_a_move_in_a_game_without_clocks(sit: Sit) -> None:
    at = sit()
    at.start()
    enter(at, "e4")
    assert at.session.steps.words("white").startswith(SAID("due_complete"))
    enter(at)
    assert at.table.game.side == "black"


@pytest.mark.parametrize("line", ["", "Assistent"])
def test_enter_or_a_word_brings_the_assistant_who_is_compulsory(sit: Sit, line: str) -> None:
    """D.2.11."""
    at = sit(time_control="600", black=Player(hearing_impaired=True))
    assert due(at.table.game, "white").do == "assist"
    enter(at, line)
    assert at.table.game.assistants["white"]
    enter(at)
    assert at.table.game.started


def test_no_opening_word_is_asked_for_where_nothing_hears_people(sit: Sit) -> None:
    at = sit(options={"opening_word": OpeningWord.SINGLE})
    at.start()
    assert GERMAN.opening_word not in " ".join(enter(at, "Hilfe"))


# --- levers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", f.SIDES)
def test_a_lever_goes_on_after_a_pause(both: Callable[..., Sitting], side: str) -> None:
    at = both()
    at.start()
    at.table.submit(f.Arbiter(do="stop_clocks"))
    at.session.press(side)
    at.session.settle()
    assert at.table.game.clock.running == "white"


def test_a_lever_without_a_move_is_a_press_and_the_laws_answer(
    both: Callable[..., Sitting],
) -> None:
    """7.5.3."""
    at = both()
    at.start()
    at.session.press("white")
    at.session.settle()
    assert kinds(at)[-1] == "press"


def test_a_lever_says_what_is_due_while_the_arbiter_decides(both: Callable[..., Sitting]) -> None:
    at = both(arbiter="present")
    at.start()
    at.table.submit(f.ClaimDraw(by="white", rule="repetition"))
    at.said()
    at.session.press("white")
    at.session.settle()
    assert at.said() == [waits("decide", "der Schiedsrichter")]
    assert kinds(at)[-1] == "claim_draw"


def test_a_lever_asks_for_a_signature(both: Callable[..., Sitting]) -> None:
    at = both()
    at.start()
    at.table.submit(f.Resign(by="black"))
    at.session.press("white")
    at.session.settle()
    assert "sign" not in kinds(at)
    at.session.typed("white", "ja")
    at.session.settle()
    assert kinds(at)[-1] == "sign"


# --- what now, and refusals -----------------------------------------------------------------------


@pytest.mark.parametrize("words", ["was ist dran", "wer ist am Zug", "was jetzt", "?"])
def test_what_now_is_answered_with_the_step_and_the_key(
    both: Callable[..., Sitting], words: str
) -> None:
    at = both()
    at.start()
    assert enter(at, words) == [SAID("due_announce")]
    enter(at, "e4")
    assert enter(at, words) == [f"{SAID('due_press')} {SAID('due_enter')}"]
    assert enter(at, f"black: {words}") == [SAID("due_repeat", move=E4)]
    at.table.submit(f.Resign(by="white"))
    assert enter(at, words)[0].startswith("Unterschreiben Sie")


@pytest.mark.parametrize("code", ["da", "de", "en", "nb", "sv"])
def test_every_language_says_what_is_due(sit: Sit, code: str) -> None:
    pack, player = load(code), Player(impaired=True, language=code)
    at = sit(time_control="600", language=code, white=player)
    at.start()
    for words in pack.command_phrases([Command.WHAT_NOW]):
        assert enter(at, words) == [pack.sentence("due_announce")]


def test_a_refusal_says_what_is_due_instead(both: Callable[..., Sitting]) -> None:
    at = both()
    at.start()
    at.play("e2e4")
    at.said()
    at.table.submit(f.Announce(by="white", move="d2d4"))
    assert at.said() == [waits("repeat", "Schwarz")]
    at.table.submit(f.AcceptDraw(by="white"))
    assert at.said() == [SAID("refused_no_offer"), waits("repeat", "Schwarz")]


def test_a_start_without_clocks_says_what_the_game_waits_for(sit: Sit) -> None:
    at = sit(arbiter="present")
    at.start()
    at.table.submit(f.CallArbiter(by="white"))
    assert enter(at, "start") == [SAID("clock_none"), waits("announce", "Weiß")]


def test_a_press_executes_the_announced_move_where_no_sensors_feel_it(sit: Sit) -> None:
    """The opponent's board has sensors, and no hand can show the move on the own one."""
    at = sit(time_control="600", white=Player(), black=Player(impaired=True))
    at.attach_boards(black=chess.STARTING_BOARD_FEN)
    at.start()
    at.table.submit(f.Announce(by="white", move="e2e4"))
    assert at.session.steps.words("white").startswith(SAID("due_execute", move=E4))
    enter(at)
    assert [ply.move.uci() for ply in at.table.game.history] == ["e2e4"]


def test_another_move_than_the_announced_one_must_be_announced(
    both: Callable[..., Sitting],
) -> None:
    """D.2.1, D.2.5: a player who sees has made it by hand, and the other one does not see it."""
    at = both(white=Player(), black=Player(impaired=True))
    at.start()
    at.table.submit(f.Announce(by="white", move="e2e4"))
    at.said()
    at.table.submit(f.Make(by="white", move="d2d4"))
    assert at.said() == [
        SAID("executed_differs", announced=E4, executed=D4),
        SAID("due_announce_made", move=D4),
    ]


def test_the_first_move_alone_says_how_it_is_completed(alone: Callable[..., Sitting]) -> None:
    at = alone()
    at.start()
    assert enter(at, "e4")[-1] == f"{SAID('due_press')} {SAID('due_enter')}"
    enter(at)
    answer(at)
    assert SAID("due_press") not in "".join(enter(at, "sf3"))
