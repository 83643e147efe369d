"""How a table opens: what it tells, and when the clocks start."""

from __future__ import annotations

from typing import Any

import pytest

from blindplay.language import Command, load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.table.hall_contact import LONG_S, Elsewhere, Pairings
from blindplay.table.opening import open_game
from blindplay.wording.values import Pairing
from tests.conversation.conversing import GERMAN
from tests.table.sitting import Sit, Sitting


def opened(sit: Sit, *facts: f.Fact, resumed: bool = False, **setup: Any) -> Sitting:
    """A table that was opened after these facts."""
    sitting = sit(time_control="900+10", **setup)
    for fact in facts:
        sitting.table.submit(fact)
    sitting.said()
    open_game(sitting.session, resumed=resumed)
    return sitting


STOPPED = f.Arbiter(by="table", do="stop_clocks")


def test_a_new_game_is_read_back_and_waits(sit: Sit) -> None:
    at = opened(sit, white=Player(name="Anna K. Weiß 2", impaired=True))
    said = at.said()
    # No voice can say an initial.
    assert said[0] == f"{GERMAN.sentence('welcome')} Weiß: Anna Weiß zwei."
    assert GERMAN.sentence("begin_key") not in said  # there is no keyboard
    assert at.table.game.clock.running is None
    assert at.session.setting_up.entered()
    assert at.said() == [GERMAN.sentence("game_begins"), "Die Uhr von Weiß läuft."]


def paired(sit: Sit) -> Sitting:
    """A game of a hall at table 4, between people of two languages."""
    anna = Player(name="Anna Berg", impaired=True, language="de")
    at = sit(time_control="900+10", round="3", white=anna,
             black=Player(name="Bert Dahl", language="en"))  # fmt: skip
    at.table.pairings = Pairings("4")
    at.said()
    open_game(at.session, resumed=False)
    return at


def test_a_game_of_a_hall_begins_with_its_pairing_in_the_languages_of_the_players(sit: Sit) -> None:
    said = paired(sit).said()
    assert said[1] == "Runde drei, Tisch vier: Anna Berg hat Weiß gegen Bert Dahl."
    assert said[2] == "Round three, table four: Anna Berg has White against Bert Dahl."
    assert "Weiß: Anna Berg." not in said
    assert GERMAN.sentence("begin_key") not in said  # there is no keyboard


def test_that_the_next_pairing_is_withdrawn_is_said_when_no_game_is_disturbed(sit: Sit) -> None:
    at = paired(sit)
    withdrawn = GERMAN.sentence("pairing_withdrawn")
    here, there = Pairing("4", "4", "Cia Ek", "Anna Berg"), Pairing("4", "7", "Eva", "Bert Dahl")
    for fact, said in ((f.Start(), False), (f.Resign(by="white"), True)):
        at.table.submit(fact)
        for lose in (at.table.pairings.lose, lambda: at.table.pairings.tell([])):
            at.table.pairings.tell([here, there])
            at.said()
            lose()
            assert (withdrawn in at.said()) is said


def test_the_next_pairing_is_said_when_no_game_is_disturbed(sit: Sit) -> None:
    at = paired(sit)
    at.said()
    here, there = Pairing("4", "4", "Cia Ek", "Anna Berg"), Pairing("4", "7", "Eva", "Bert Dahl")
    at.table.pairings.tell([Pairing("3", "4", "Anna Berg", "Bert Dahl")])
    assert at.said() == []  # that is this game
    at.table.submit(f.Start())
    at.said()
    at.table.pairings.tell([there])
    assert at.said() == []
    at.table.submit(f.Resign(by="white"))
    at.said()
    at.table.pairings.tell([here, there])
    assert at.said() == [
        "Runde vier, Tisch vier: Cia Ek hat Weiß gegen Anna Berg.",
        "Round four, table four: Cia Ek has White against Anna Berg.",
        GERMAN.sentence("pairing_leave", end="beenden"),
    ]


def test_a_game_without_clocks_waits_and_begins_too(sit: Sit) -> None:
    at = sit()
    open_game(at.session, resumed=False)
    assert GERMAN.sentence("clock_none") in at.said()
    assert not at.table.game.started
    assert at.session.setting_up.entered()
    assert at.table.game.started and at.said() == [GERMAN.sentence("game_begins")]


def test_a_game_that_goes_on_says_where_it_stands(sit: Sit) -> None:
    moves = (f.Announce(by="white", move="e2e4"), f.Make(by="white", move="e2e4"))
    at = opened(sit, f.Start(), *moves, f.Press(by="white"), STOPPED, resumed=True)
    first, *_, times, stopped = said = at.said()
    assert first == GERMAN.sentence("going_on")
    assert said[1] == GERMAN.sentence("help_say", commands="Hilfe")
    assert said[2:4] == ["Letzter Zug, Weiß: Bauer Eva zwei Eva vier.", "Schwarz ist am Zug."]
    assert times.startswith("Zeit von Weiß: fünfzehn Minuten")
    assert "Zeit von Schwarz: fünfzehn Minuten" in times
    assert stopped == GERMAN.sentence("clock_stopped")
    assert at.session.setting_up.entered()
    due = GERMAN.sentence("due_repeat_and_execute", move="Bauer Eva zwei Eva vier")
    assert at.said() == ["Die Uhr von Schwarz läuft.", due]


def test_a_game_that_goes_on_says_which_move_is_announced(sit: Sit) -> None:
    """D.2.1: who comes back must know the announcement that is not completed yet."""
    at = opened(sit, f.Start(), f.Announce(by="white", move="e2e4"), STOPPED, resumed=True)
    move = "Bauer Eva zwei Eva vier"
    assert GERMAN.sentence("announced_now", player="Weiß", move=move) in at.said()


def test_a_game_that_goes_on_says_which_move_counts(sit: Sit) -> None:
    """4.7: a player who sees has made the move that their hand released."""
    other = (f.Announce(by="white", move="e2e4"), f.Make(by="white", move="d2d4"))
    at = opened(sit, f.Start(), *other, STOPPED, resumed=True, white=Player())
    moves = {"announced": "Bauer Eva zwei Eva vier", "executed": "Bauer David zwei David vier"}
    assert GERMAN.sentence("executed_counts", **moves) in at.said()


def test_a_game_that_goes_on_says_again_that_the_arbiter_is_called(sit: Sit) -> None:
    at = opened(sit, f.Start(), f.CallArbiter(by="white"), resumed=True, arbiter="present")
    called = GERMAN.sentence("needed_called", player="Weiß")
    assert GERMAN.sentence("arbiter_needed", why=called) in at.said()


def test_both_players_hear_in_their_own_language_how_to_ask_for_help(sit: Sit) -> None:
    english = load("en")
    of_two = [GERMAN.sentence("help_say", commands=GERMAN.command(Command.HELP)),
              english.sentence("help_say", commands=english.command(Command.HELP))]  # fmt: skip
    assert [one for one in opened(sit).said() if one in of_two] == of_two[:1]
    two = opened(sit, black=Player(language="en"))
    assert [one for one in two.said() if one in of_two] == of_two


def test_a_game_that_goes_on_says_what_is_due_from_each_player(sit: Sit) -> None:
    """D.2.3: the announced move is still to be made."""
    at = opened(sit, f.Start(), f.Announce(by="white", move="e2e4"), STOPPED, resumed=True)
    at.said()
    at.session.setting_up.entered()
    move = "Bauer Eva zwei Eva vier"
    assert at.said()[-2:] == [
        GERMAN.sentence("due_execute", move=move),
        GERMAN.sentence("due_repeat_and_execute", move=move),
    ]


def test_clocks_that_the_arbiter_stopped_are_theirs_to_start(sit: Sit) -> None:
    stopped = f.Arbiter(do="stop_clocks")
    at = opened(sit, f.Start(), stopped, resumed=True, arbiter="present")
    assert GERMAN.sentence("clock_stopped") in at.said()
    assert not at.session.setting_up.waits
    assert at.table.game.clock.running is None


def test_a_clock_that_runs_is_named_and_nobody_is_waited_for(sit: Sit) -> None:
    at = opened(sit, f.Start(), resumed=True)
    assert at.said()[-1] == "Die Uhr von Weiß läuft."
    assert not at.session.setting_up.waits


def test_the_result_of_a_game_that_is_over_is_told_again(sit: Sit) -> None:
    at = opened(sit, f.Start(), f.Resign(by="white"), resumed=True)
    *_, result, leave = at.said()
    assert result.startswith("Die Partie ist beendet. Schwarz gewinnt.")
    assert leave == GERMAN.sentence("over_leave", end="beenden")
    assert not at.session.setting_up.waits


def test_people_hear_that_the_hall_cannot_be_reached_as_long_as_they_play(sit: Sit) -> None:
    at = opened(sit)
    hall = at.table.hall
    hall.see(False, 0.0)
    hall.see(False, LONG_S)
    assert at.said()[-1] == GERMAN.sentence("hall_gone")
    hall.see(True, LONG_S + 1)
    assert at.said()[-1] == GERMAN.sentence("hall_back")
    at.table.submit(f.Resign(by="white"))
    hall.see(False, LONG_S + 2)
    hall.see(False, 2 * LONG_S + 2)
    assert at.said()[-1] != GERMAN.sentence("hall_gone")


def test_how_to_leave_is_told_once_when_the_game_ends(sit: Sit) -> None:
    at = opened(sit)
    leave = GERMAN.sentence("over_leave", end="beenden")
    at.session.setting_up.entered()
    assert leave not in at.said()
    at.table.submit(f.Resign(by="white"))
    assert at.said()[-1] == leave
    at.table.submit(f.Resign(by="black"))
    assert leave not in at.said()


@pytest.mark.parametrize(
    ("name", "spoken"),
    [("Änne 2", "Änne zwei"), ("Anna21", "Anna zwei eins"), ("7", "sieben"), ("K. Weiß", "Weiß")],
)
def test_digits_of_a_name_are_spoken(sit: Sit, name: str, spoken: str) -> None:
    assert f" Weiß: {spoken}." in opened(sit, white=Player(name=name, impaired=True)).said()[0]


@pytest.mark.parametrize("by", ["arbiter", "fact"])
def test_whoever_else_starts_the_clocks_ends_the_waiting(sit: Sit, by: str) -> None:
    at = opened(sit)
    at.table.submit(f.Start() if by == "fact" else f.Arbiter(do="start_clocks"))
    assert not at.session.setting_up.waits
    assert at.table.game.clock.running == "white"
    assert [fact.kind for fact in at.journal.facts()].count("start") == (by == "fact")


ASKED = f"{GERMAN.sentence('begin_all_the_same')} {GERMAN.sentence('say_yes_or_no')}"
OTHERS = Pairing("3", "4", "Cia Ek", "David Fors")


@pytest.mark.parametrize("new", [OTHERS, Pairing("3", "7", "Eva Gran", "Anna Berg")])
@pytest.mark.parametrize("how", ["key", "press", "voice"])
def test_a_game_whose_pairing_was_replaced_begins_only_after_a_yes(
    sit: Sit, new: Pairing, how: str
) -> None:
    at = paired(sit)
    at.table.pairings.tell([new])
    at.said()

    def begin() -> list[str]:
        if how == "key":
            assert at.session.setting_up.entered()
        elif how == "press":
            at.session.press("black")
        else:
            at.session.typed("white", "weiter")
        return at.said()

    (question,) = begin()
    assert question.startswith(GERMAN.sentence("pairing_replaced")) and question.endswith(ASKED)
    assert at.table.game.clock.running is None
    assert {"ja", "nein"} <= set(at.session.setting_up.phrases())
    at.session.typed("white", "nein")
    assert at.said() == [GERMAN.sentence("cancelled")] and not at.table.game.started
    assert begin() == [question]
    at.session.typed("black", "ja")
    assert at.said()[-1] == "Die Uhr von Weiß läuft."


def test_a_pairing_that_the_hall_brings_back_is_played_without_a_question(sit: Sit) -> None:
    at = paired(sit)
    own = at.table.pairings.played(at.table.game)
    assert own is not None
    for told in ([OTHERS], [own]):
        at.table.pairings.tell(told)
    assert at.session.setting_up.entered() and at.table.game.clock.running == "white"


@pytest.mark.parametrize(
    "told", [Pairing("4", "7", "Anna Berg", "Cia Ek"), Pairing("3", "5", "Cia Ek", "David Fors")]
)
def test_a_later_round_and_other_people_replace_no_pairing(sit: Sit, told: Pairing) -> None:
    at = paired(sit)
    at.table.pairings.tell([told])
    assert at.session.setting_up.entered() and at.table.game.clock.running == "white"


def test_the_arbiter_starts_a_game_whose_pairing_was_replaced(sit: Sit) -> None:
    at = paired(sit)
    at.table.pairings.tell([OTHERS])
    at.table.submit(f.Arbiter(do="start_clocks"))
    assert not at.session.setting_up.waits and at.table.game.clock.running == "white"


@pytest.mark.parametrize("result", ["", "0-1"])
def test_a_game_that_went_on_elsewhere_says_so_first_and_asks(sit: Sit, result: str) -> None:
    at = sit(time_control="900+10")
    for fact in (f.Start(), STOPPED):
        at.table.submit(fact)
    at.said()
    at.table.hall.hear(Elsewhere(result))
    assert at.table.hall.holds
    open_game(at.session, resumed=True)
    conflict = at.said()[1]
    key = "hall_elsewhere_over" if result else "hall_elsewhere"
    assert conflict == GERMAN.sentence(key, result="Die Partie ist beendet. Schwarz gewinnt.")
    assert at.session.setting_up.entered()
    assert at.said() == [f"{conflict} {ASKED}"] and at.table.game.clock.running is None
    assert at.table.hall.holds
    at.session.typed("white", "ja")
    assert at.table.game.clock.running == "white" and not at.table.hall.holds


@pytest.mark.parametrize("resumed", [False, True])
def test_that_another_machine_has_the_table_is_said_first_and_asked_before_a_game_begins(
    sit: Sit, resumed: bool
) -> None:
    at = sit(time_control="900+10")
    if resumed:
        for fact in (f.Start(), STOPPED):
            at.table.submit(fact)
    at.said()
    at.table.hall.hear(Elsewhere(now=True))
    open_game(at.session, resumed=resumed)
    twice = GERMAN.sentence("hall_twice")
    assert twice in at.said()[:2]
    assert at.session.setting_up.entered()
    assert at.said()[-1] == f"{twice} {ASKED}" and at.table.game.clock.running is None
    assert at.table.hall.holds
    at.session.typed("white", "ja")
    assert at.table.game.clock.running == "white" and not at.table.hall.holds


def test_that_a_game_went_on_elsewhere_is_told_when_the_hall_says_so_later(sit: Sit) -> None:
    at = opened(sit, f.Start(), STOPPED, resumed=True)
    at.table.hall.hear_first(0.0)
    at.session.setting_up.entered()
    at.said()
    at.table.hall.hear(Elsewhere())
    assert at.said() == [GERMAN.sentence("hall_elsewhere")]
    assert not at.table.hall.holds and at.table.game.clock.running == "white"
