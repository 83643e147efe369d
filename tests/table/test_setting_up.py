"""Hands are led to a position, before the game and when a board must be corrected."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import chess
import pytest

from blindplay.language import Command
from blindplay.laws import facts as f
from blindplay.laws.due import due
from tests.conversation.conversing import GERMAN
from tests.table.sitting import START, Sit, Sitting

Led: TypeAlias = Callable[[str, str], Sitting]


@pytest.fixture
def led(sit: Sit) -> Led:
    """Lets players sit down at two boards, White's and Black's, that are to be set up."""

    def sit_down(white: str, black: str) -> Sitting:
        sitting = sit(time_control="900+10")
        sitting.session.setting_up.prepare()
        sitting.attach_boards(white=white, black=black)
        return sitting

    return sit_down


def begin(at: Sitting) -> None:
    """Lead, and wait until the game begins."""
    begun: list[int] = []
    at.session.setting_up.start(lambda: begun.append(1))
    at.wait(lambda: begun == [1])


def test_the_game_begins_when_hands_have_been_led_to_the_position(led: Led) -> None:
    at = led(START, "rnbqkbnr/pppp1ppp/4p3/8/8/8/PPPP1PPP/RNBQKBNR")
    begun: list[int] = []
    at.session.setting_up.start(lambda: begun.append(1))
    at.shows(": Jetzt wird das Brett von Schwarz aufgestellt. Schritte: zwei.")
    at.shows(": Umstecken: schwarzer Bauer, von Eva sechs nach Eva sieben.")
    assert not begun
    assert Command.RESUME not in at.session.talking.sayable("white").bare
    assert {"auslassen", "noch einmal"} <= set(at.session.setting_up.phrases())
    at.session.typed("white", "wiederholen")
    assert at.printed.count("Umstecken") == 2
    at.boards["black"].lift("e6")
    at.boards["black"].place("e7", "p")
    at.shows(": Auf Eva zwei fehlt: weißer Bauer.")
    at.boards["black"].place("e2", "P")
    at.shows(": Die Stellung ist aufgestellt.")
    at.wait(lambda: begun == [1])
    assert at.session.setting_up.phrases() == []
    assert "verschieden" not in at.printed


def test_boards_that_were_seen_before_are_set_up_all_the_same(led: Led) -> None:
    """Loading a speech model takes seconds. Until then nothing has been played, so nobody needs to
    hear that the boards differ, that nobody has written anything, or whose hands did what."""
    wrong = "rnbqkbnr/pppp1ppp/4p3/8/8/8/PPPP1PPP/RNBQKBNR"
    at = led(START, wrong)
    at.wait(lambda: all(seat.seen for seat in at.session.boards.values()))
    at.shows("records_missing")
    assert "said" not in at.printed
    at.session.setting_up.start(lambda: None)
    first, *_ = re.findall("said to everybody: (.*)", at.printed)
    assert first == "Jetzt wird das Brett von Schwarz aufgestellt. Schritte: zwei."
    at.boards["black"].lift("e6")
    at.boards["black"].place("e7", "p")
    at.boards["black"].place("e2", "P")
    at.shows(": Die Stellung ist aufgestellt.")
    for words in ("verschieden", "Schiedsrichter", "berichtigen"):
        assert words not in at.printed


def test_boards_that_show_the_position_begin_without_a_word(led: Led) -> None:
    at = led(START, START)
    begin(at)
    assert "said" not in at.printed


def test_boards_begin_no_game_that_something_speaks_against(led: Led) -> None:
    at, told, begun = led(START, START), ["Die Halle lost neu aus."], list[int]()
    at.session.setting_up.start(lambda: begun.append(1), objection=lambda: "".join(told))
    at.wait(lambda: all(seat.seen for seat in at.session.boards.values()))
    for _ in range(3):  # as each second
        at.session.setting_up.begin_if_ready()
    assert at.printed.count(told[0]) == 1 and not begun
    told.clear()
    at.session.setting_up.begin_if_ready()
    assert begun == [1]


def test_boards_begin_no_game_while_people_are_asked_something(led: Led) -> None:
    at, asked, begun = led(START, START), [True], list[int]()
    setting_up = at.session.setting_up
    setting_up.start(lambda: begun.append(1), holds=lambda: bool(asked))
    at.wait(lambda: all(seat.seen for seat in at.session.boards.values()))
    setting_up.begin_if_ready()
    assert setting_up.idle and not begun
    asked.clear()
    setting_up.begin_if_ready()
    assert begun == [1] and not setting_up.idle


def test_a_game_waits_for_people_where_a_board_is_missing(led: Led) -> None:
    at = led(START, START)
    at.boards["black"].unplug()
    at.shows("Die Verbindung zum Brett von Schwarz ist unterbrochen.")
    begun: list[int] = []
    at.session.setting_up.start(lambda: begun.append(1))
    at.wait(lambda: all(seat.seen for seat in at.session.boards.values()))
    at.session.setting_up.begin_if_ready()
    assert not begun
    assert at.session.setting_up.entered() and begun == [1]
    assert not at.session.setting_up.begin_now()


def test_hands_are_led_though_somebody_else_starts_the_clocks(led: Led) -> None:
    """The arbiter has stopped the clocks of a game that is continued."""
    at = led(START, "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR")
    begun: list[int] = []
    at.session.setting_up.start(lambda: begun.append(1), waits=False)
    at.shows(": Auf Eva zwei fehlt: weißer Bauer.")
    assert not begun and not at.session.setting_up.entered()
    at.boards["black"].place("e2", "P")
    at.wait(lambda: begun == [1])


def test_enter_repeats_a_step_that_is_due_and_start_begins_all_the_same(led: Led) -> None:
    at = led(START, "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR")
    begun: list[int] = []
    at.session.setting_up.start(lambda: begun.append(1))
    at.shows(": Auf Eva zwei fehlt: weißer Bauer.")
    assert at.session.setting_up.entered() and not begun
    at.shows(": Auf Eva zwei fehlt: weißer Bauer.", 2)
    assert at.session.setting_up.begin_now() and begun == [1]


def test_boards_do_not_begin_a_game_of_an_arbiter_who_starts_the_clock(sit: Sit) -> None:
    """6.6."""
    at = sit(time_control="900+10", arbiter="present")
    setting_up = at.session.setting_up
    setting_up.prepare()
    at.attach_boards(white=START, black=START)
    at.wait(lambda: all(seat.seen for seat in at.session.boards.values()))
    begun: list[int] = []
    setting_up.start(lambda: begun.append(1))
    assert setting_up.waits and not begun
    at.table.submit(f.Arbiter(do="start_clocks"))
    assert begun == [1] and not setting_up.waits


def test_one_board_with_sensors_does_not_tell_that_the_other_is_set_up(sit: Sit) -> None:
    at = sit(time_control="900+10")
    at.session.setting_up.prepare()
    at.attach_boards(white=START)
    at.wait(lambda: at.session.boards["white"].seen)
    at.session.setting_up.start(lambda: None)
    assert at.session.setting_up.waits


def test_a_move_before_the_game_is_answered_and_the_word_for_going_on_begins(sit: Sit) -> None:
    at = sit(time_control="900+10")
    begun: list[int] = []
    at.session.setting_up.start(lambda: begun.append(1))
    assert at.session.setting_up.phrases() == ["brett weiter"]
    at.said()
    at.session.typed("white", "Bauer Eva vier")
    (told,) = at.said()
    assert told.startswith(GERMAN.sentence("due_begin"))
    assert [taken.fact.kind for taken in at.table.log] == ["setup"]
    at.session.typed("white", "Uhr")  # other things are answered as always
    assert at.said() and not begun
    at.session.typed("white", "weiter")
    assert begun == [1]
    assert at.session.setting_up.phrases() == []


def test_the_lever_of_the_player_who_waits_begins(sit: Sit) -> None:
    at = sit(time_control="900+10")
    begun: list[int] = []
    at.session.setting_up.start(lambda: begun.append(1))
    at.session.press("black")
    at.session.settle()
    assert begun == [1]


def with_a_knight_gone_wrong(led: Led) -> Sitting:
    """White has announced and played Nf3; on Black's board the knight went to h3."""
    at = led(START, START)
    begin(at)
    at.table.submit(f.Start())
    at.session.typed("white", "Springer Gustav eins Felix drei")
    at.session.settle()
    for side, to in (("white", "f3"), ("black", "h3")):
        at.boards[side].lift("g1")
        at.boards[side].place(to, "N")
    at.boards["white"].press("white")
    return at


def test_a_wrong_board_in_the_game_is_led_back_step_by_step(led: Led) -> None:
    at = with_a_knight_gone_wrong(led)
    at.shows(": Bitte berichtigen Sie das Brett von Schwarz.")
    at.shows(": Umstecken: weißer Springer, von Hector drei nach Felix drei.")
    at.boards["black"].lift("h3")
    at.boards["black"].place("f3", "N")
    at.shows(": Die Stellungen auf beiden Brettern sind gleich.")


def test_a_board_that_was_never_felt_is_told_all_steps_at_once(led: Led) -> None:
    at = led(START, START)
    at.boards["black"].unplug()
    at.session.setting_up.start(lambda: None)
    at.table.submit(f.Start())
    at.session.typed("white", "Springer Gustav eins Felix drei")
    at.session.settle()
    at.boards["white"].lift("g1")
    at.boards["white"].place("f3", "N")
    at.shows(": Die Verbindung zum Brett von Schwarz ist unterbrochen.")
    # Black has no sensors now: what he did by hand was entered, and was another move.
    at.table.submit(f.Make(by="black", move="g1h3"))
    at.boards["white"].press("white")
    at.shows(": Bitte berichtigen Sie das Brett von Schwarz.")
    at.shows(": Herausnehmen: weißer Springer, Hector drei.")
    at.shows(": Setzen: weißer Springer, Felix drei.")


def test_after_taking_back_both_boards_are_led_one_after_the_other(led: Led) -> None:
    at = with_a_knight_gone_wrong(led)
    at.shows(": Umstecken: weißer Springer, von Hector drei nach Felix drei.")
    # While he corrects his board he writes what he had heard: now the sheets part.
    at.table.submit(f.Record(by="black", ply=1, text="Sh3"))
    at.shows(": Schwarz hat notiert: Springer Gustav eins Hector drei.")
    at.shows(": Alle Züge werden zurückgenommen, bis zur Anfangsstellung.")
    step = "Umstecken: weißer Springer, von Felix drei nach Gustav eins."
    at.shows(f": {step}")
    at.session.typed("white", "wiederholen")
    assert at.printed.count(step) == 2
    at.session.typed("white", "auslassen")
    at.shows(": Ausgelassen sind: Felix drei, Gustav eins.")
    at.shows(": Umstecken: weißer Springer, von Hector drei nach Gustav eins.")
    for side, now in (("black", "h3"), ("white", "f3")):
        at.boards[side].lift(now)
        at.boards[side].place("g1", "N")
    at.shows("auf beiden Brettern sind gleich")
    assert not at.table.game.history
    assert all(table.wanted is None for table in at.table.game.tables.values())


# --- a move that stands on both boards already ----------------------------------------------------

E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
PLAYED = GERMAN.sentence("played_sure", move="Bauer Eva zwei Eva vier")


def shown(led: Led) -> Sitting:
    """Both boards show e4 before the game begins."""
    at = led(E4, E4)

    def begin() -> None:
        at.table.submit(f.Start())

    at.session.setting_up.start(begin)
    at.shows(f": {PLAYED}")
    assert "Umstecken" not in at.printed and not at.table.game.started
    return at


def test_a_move_that_both_boards_show_is_asked_about_and_played_after_a_yes(led: Led) -> None:
    at = shown(led)
    at.session.typed("black", "ja")  # White's to answer
    assert not at.table.game.started
    at.session.typed("white", "ja")
    game = at.table.game
    assert game.turn.made == chess.Move.from_uci("e2e4")
    assert all(table.wanted is None for table in game.tables.values())
    assert (due(game, "white").do, due(game, "black").do) == ("press", "repeat")


def test_a_move_that_was_not_played_is_led_back(led: Led) -> None:
    at = shown(led)
    at.session.typed("white", "nein")
    at.shows(": Umstecken: weißer Bauer, von Eva vier nach Eva zwei.")
    assert at.printed.count(PLAYED) == 1


def test_enter_asks_again_whether_the_move_was_played(led: Led) -> None:
    at = shown(led)
    assert at.session.setting_up.entered() and not at.table.game.started
    assert at.printed.count(PLAYED) == 2


def test_how_the_game_begins_is_said_when_no_hands_are_led(led: Led) -> None:
    at, told = led(START, "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"), list[int]()
    at.boards["white"].unplug()
    at.shows("Die Verbindung zum Brett von Weiß ist unterbrochen.")
    at.session.setting_up.start(lambda: None, how=lambda: told.append(1))
    at.shows(": Auf Eva zwei fehlt: weißer Bauer.")
    assert not told
    at.boards["black"].place("e2", "P")
    at.wait(lambda: told == [1])
