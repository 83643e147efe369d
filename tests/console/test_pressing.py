"""The clock that a page presses together with a move: when it does, and what comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from blindplay.console.actions import ActionResult, act_after_hands, stamp
from blindplay.console.pages import page_of
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from tests.console.hall import Hall

SIGHTED: dict[str, Any] = {"white": Player(name="Anna"), "black": Player(name="Bert")}


@pytest.fixture
def sighted(tmp_path: Path) -> Iterator[Hall]:
    """A table at which both players see."""
    hall = Hall(tmp_path, language="en", **SIGHTED)
    hall.start()
    yield hall
    hall.close()


def send(hall: Hall, role: str, **fields: str) -> ActionResult:
    """What the page of ``role`` is answered that announces, executes and presses."""
    form = {"act": "move", "how": "both", "press": "yes", "seen": stamp(hall.table.game), **fields}
    answers: list[ActionResult] = []
    given = {name: [value] for name, value in form.items()}
    act_after_hands(hall.table, role, "en", given, answers.append)
    (answer,) = answers
    return answer


def kinds(hall: Hall, since: int) -> list[str]:
    """The kinds of the facts after the first ``since``."""
    return [one.kind for one in hall.facts[since:] if one.kind not in ("tick", "record")]


def flags(hall: Hall, role: str) -> tuple[bool, bool]:
    """Whether the page presses with the move that is due, and does so at the second square."""
    game = hall.table.game
    values = page_of(game, role).values(hall.table, game, role, "en")
    return values["presses_too"], values["at_once"]


def test_a_move_is_announced_executed_and_pressed_in_this_order(sighted: Hall) -> None:
    before = len(sighted.facts)
    answer = send(sighted, "white", text="e2e4")
    assert not answer.refused
    assert kinds(sighted, before) == ["announce", "make", "press"]
    assert sighted.table.game.side == "black"


def test_a_draw_is_offered_after_the_move_and_before_the_press(sighted: Hall) -> None:
    """9.1.2.1."""
    before = len(sighted.facts)
    send(sighted, "white", text="e2e4", draw="yes")
    assert kinds(sighted, before) == ["announce", "make", "offer_draw", "press"]
    assert sighted.table.game.offers == {"white"}


def test_a_draw_is_offered_with_a_move_whose_press_is_apart(sighted: Hall) -> None:
    before = len(sighted.facts)
    send(sighted, "white", text="e2e4", draw="yes", press="")
    assert kinds(sighted, before) == ["announce", "make", "offer_draw"]


def test_a_draw_is_not_offered_with_a_move_that_is_only_announced(sighted: Hall) -> None:
    before = len(sighted.facts)
    answer = send(sighted, "white", text="e2e4", draw="yes", how="announce")
    assert kinds(sighted, before) == ["announce"]
    assert any("after you have made it" in one for one in answer.sentences)


def test_a_form_that_says_only_not_to_press_moves(sighted: Hall) -> None:
    """A button of a page without scripts sends one value, which stands before the form's own."""
    before = len(sighted.facts)
    form = {"act": ["move"], "seen": [stamp(sighted.table.game)], "text": ["e2e4"]}
    act_after_hands(
        sighted.table, "white", "en", {**form, "press": ["", "yes"]}, list[ActionResult]().append
    )
    assert kinds(sighted, before) == ["announce", "make"]


@pytest.mark.parametrize("text", ["e2e5", "xyz", "e4 perhaps"])
def test_a_move_that_is_refused_presses_nothing(sighted: Hall, text: str) -> None:
    before = len(sighted.facts)
    answer = send(sighted, "white", text=text, draw="yes")
    assert answer.refused and answer.field == "text"
    assert not {"make", "offer_draw", "press"} & {*kinds(sighted, before)}


def test_a_page_that_is_late_does_nothing(sighted: Hall) -> None:
    late = stamp(sighted.table.game)
    send(sighted, "white", text="e2e4")
    before = len(sighted.facts)
    assert send(sighted, "white", text="d2d4", seen=late).refused
    assert kinds(sighted, before) == []


def test_a_press_that_a_question_holds_says_so_and_keeps_the_move(sighted: Hall) -> None:
    sighted.table.hold_presses(lambda presser, at: True)
    before = len(sighted.facts)
    answer = send(sighted, "white", text="e2e4")
    assert answer.refused and kinds(sighted, before) == ["announce", "make"]
    assert sighted.table.game.turn.made is not None


def test_a_move_that_ends_the_game_is_not_pressed(tmp_path: Path) -> None:
    hall = Hall(tmp_path, fen="7k/8/5KQ1/8/8/8/8/8 w - - 0 1", **SIGHTED)
    hall.start()
    before = len(hall.facts)
    answer = send(hall, "white", text="g6g7")
    assert not answer.refused and "press" not in kinds(hall, before)
    assert hall.table.game.result == "1-0"
    hall.close()


def test_without_a_clock_the_press_completes_the_move(tmp_path: Path) -> None:
    hall = Hall(tmp_path, time_control="-", **SIGHTED)
    assert flags(hall, "white") == (True, True)
    send(hall, "white", text="e2e4")
    assert hall.table.game.side == "black" and flags(hall, "black") == (True, True)
    hall.close()


def _offered(hall: Hall) -> None:
    hall.table.submit(f.OfferDraw(by="black"))


def _asked_to_adjourn(hall: Hall) -> None:
    hall.table.submit(f.Arbiter(do="withdraw"))
    hall.table.submit(f.Adjourn(by="black"))


def _sealing(hall: Hall) -> None:
    hall.table.submit(f.Arbiter(do="preside"))
    hall.table.submit(f.Arbiter(do="adjourn"))


def _adjourned(hall: Hall) -> None:
    _sealing(hall)
    hall.table.submit(f.Seal(by="white", text="e4"))
    hall.table.submit(f.Press(by="white"))


def _sensors(hall: Hall) -> None:
    hall.table.submit(f.Position(board="white", placement=hall.table.game.board.board_fen()))


def _touched(hall: Hall) -> None:
    hall.table.submit(f.Touch(by="white", square="g1", seen_by="black"))


def _stopped(hall: Hall) -> None:
    hall.table.submit(f.CallArbiter(by="white"))


@pytest.mark.parametrize(
    ("happens", "then"),
    [
        (lambda hall: None, (True, True)),
        (_offered, (True, False)),  # a move declines it
        (_asked_to_adjourn, (True, False)),
        (_touched, (True, False)),
        (_sensors, (False, False)),  # hands execute, and a lever may press
        (_sealing, (False, False)),
        (_adjourned, (False, False)),
        (_stopped, (False, False)),
    ],
)  # fmt: skip
def test_a_move_is_complete_at_the_second_square_if_nothing_else_is_due(
    sighted: Hall, happens: Callable[[Hall], None], then: tuple[bool, bool]
) -> None:
    happens(sighted)
    assert flags(sighted, "white") == then
    assert flags(sighted, "black") == (False, False)


def test_against_an_impaired_player_a_move_is_confirmed_and_pressed_at_once(hall: Hall) -> None:
    """The opponent repeats it, and hears it at once."""
    hall.start()
    assert flags(hall, "white") == (True, False)
    send(hall, "white", text="e2e4")
    assert flags(hall, "black") == (False, False)  # Black repeats and executes first
    hall.answer("black", "e2e4")
    assert flags(hall, "black") == (True, False)


def test_what_was_announced_by_voice_is_executed_and_pressed(hall: Hall) -> None:
    hall.start()
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    assert flags(hall, "white") == (True, False)
    before = len(hall.facts)
    send(hall, "white", act="due", step="execute", move="e2e4")
    assert kinds(hall, before) == ["make", "press"]


def test_a_draw_is_offered_with_a_move_that_was_announced_by_voice(sighted: Hall) -> None:
    """9.1.2.1: after the move has been made, before the press."""
    sighted.table.submit(f.Announce(by="white", move="e2e4"))
    before = len(sighted.facts)
    send(sighted, "white", act="due", step="execute", move="e2e4", draw="yes")
    assert kinds(sighted, before) == ["make", "offer_draw", "press"]
    assert sighted.table.game.offers == {"white"}


def test_a_draw_is_not_offered_with_the_opponents_move(hall: Hall) -> None:
    """Neither when it is repeated nor when it is executed: it waits for the reader's own."""
    hall.start()
    hall.play("white", "e2e4")
    before = len(hall.facts)
    send(
        hall, "black", act="due", step="repeat_and_execute", move="e2e4", only="repeat", draw="yes"
    )
    answer = send(hall, "black", act="due", step="execute", move="e2e4", draw="yes")
    assert not answer.refused
    assert kinds(hall, before) == ["repeat", "make"]
