"""Taking moves back and bringing them back: asked first, and the arbiter's where there is one."""

from __future__ import annotations

import pytest

from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.table.keyboard import Keyboard
from tests.table.conversation import GERMAN
from tests.table.sitting import Sit, Sitting
from tests.table.test_keyboard import typed


@pytest.fixture
def sitting(sit: Sit) -> Sitting:
    """A game that has started, with a clock and an arbiter."""
    made = sit(time_control="5400", arbiter="present")
    made.start()
    return made


def test_restore_asks_first_and_undo_brings_the_moves_back(sitting: Sitting) -> None:
    sitting.play("e2e4", "e7e5")
    keyboard, said = Keyboard(sitting.session), GERMAN.sentence
    keyboard.do("arbiter: restore 1")
    yes_or_no = said("say_yes_or_no")
    assert sitting.said()[-1] == f"{said('take_back', number='eins', player='Weiß')} {yes_or_no}"
    assert len(sitting.table.game.history) == 2
    keyboard.do("ja")
    assert len(sitting.table.game.history) == 1
    keyboard.do("arbiter: undo")
    keyboard.do("ja")
    assert said("take_back_undone", number="eins", player="Schwarz") in sitting.said()
    assert [ply.move.uci() for ply in sitting.table.game.history] == ["e2e4", "e7e5"]
    keyboard.do("arbiter: undo")
    assert sitting.said() == [said("nothing_taken_back")]


def test_the_question_and_its_answer_are_in_the_language_of_who_hears_them(sit: Sit) -> None:
    english = Player(impaired=True, language="en")
    sitting = sit(time_control="5400", arbiter="automatic", white=english)
    sitting.start()
    sitting.play("e2e4", "e7e5")
    keyboard, said = Keyboard(sitting.session), load("en").sentence
    keyboard.do("restore 0")
    assert sitting.said()[-1] == f"{said('take_back_all')} {said('say_yes_or_no')}"
    keyboard.do("yes")
    asked = GERMAN.sentence("consent_asked", what=GERMAN.sentence("take_back_all"))
    assert asked in sitting.said()  # to everybody
    keyboard.do("black: ja")
    assert GERMAN.sentence("take_back_all") in sitting.said()
    assert not sitting.table.game.history


@pytest.mark.parametrize("answer", ["nein", "", "Zeit"])
def test_restore_without_a_yes_takes_nothing_back(sitting: Sitting, answer: str) -> None:
    sitting.play("e2e4", "e7e5")
    facts = typed(sitting, "arbiter: restore 0", answer, "ja")
    assert not any(isinstance(fact, f.Arbiter | f.Press) for fact in facts)
    assert GERMAN.sentence("cancelled") in sitting.said()
    assert len(sitting.table.game.history) == 2


def test_restore_is_the_arbiters_where_there_is_one(sitting: Sitting) -> None:
    sitting.play("e2e4", "e7e5")
    for line in ("restore 1", '{"fact": "arbiter", "do": "restore", "ply": 1}'):
        assert not any(isinstance(fact, f.Arbiter) for fact in typed(sitting, line, "ja"))
        assert GERMAN.sentence("arbiter_only") in sitting.said()
    assert len(sitting.table.game.history) == 2


def test_a_restore_that_is_refused_is_not_asked_about(sitting: Sitting) -> None:
    typed(sitting, "arbiter: restore 7")
    assert sitting.said() == [GERMAN.sentence("refused_no_such_ply")]


def test_players_alone_take_back_the_last_move_and_more_only_together(sit: Sit) -> None:
    sitting = sit(time_control="5400")
    sitting.start()
    sitting.play("e2e4", "e7e5")
    typed(sitting, "restore 1", "ja")
    assert len(sitting.table.game.history) == 1
    typed(sitting, "undo", "ja")
    assert len(sitting.table.game.history) == 2
    typed(sitting, "restore 0", "ja")
    assert GERMAN.sentence("consent_due", player="Schwarz") in sitting.said()
    typed(sitting, "confirm")
    assert sitting.said() == [GERMAN.sentence("refused_waiting_for_players")]
    typed(sitting, "nein")  # Black's, for only Black is asked
    assert GERMAN.sentence("consent_refused", player="Schwarz") in sitting.said()
    assert len(sitting.table.game.history) == 2 and sitting.table.game.clock.running == "white"
    typed(sitting, "restore 0", "ja", "ja")
    assert sitting.table.game.history == []
    typed(sitting, "undo", "ja", "nein")
    assert sitting.table.game.history == []


def test_in_training_one_player_takes_back(sit: Sit) -> None:
    sitting = sit(time_control="5400", training=True)
    sitting.start()
    sitting.play("e2e4", "e7e5")
    typed(sitting, "restore 0", "ja")
    assert sitting.table.game.history == []


def test_a_claim_that_undoes_moves_is_asked_first(sit: Sit) -> None:
    sitting = sit(fen="4k3/8/8/8/8/8/8/4K2R w - - 0 1")
    sitting.start()
    sitting.play("h1h2", "e8e7")
    line = '{"fact": "irregular", "by": "black", "what": "wrong_start"}'
    typed(sitting, line)
    due = [GERMAN.sentence("consent_due", player=player) for player in ("Weiß", "Schwarz")]
    assert sitting.said()[-2:] == due
    assert len(sitting.table.game.history) == 2
    typed(sitting, "nein")
    assert len(sitting.table.game.history) == 2


# --- what ends the game, and clocks ---------------------------------------------------------------


def test_a_clock_is_set_after_a_yes_and_both_times_are_read_first(sit: Sit) -> None:
    """Without an arbiter a clock at zero loses the game."""
    sitting = sit(time_control="5400")
    sitting.start()
    assert typed(sitting, "clock white 0") == []
    times = GERMAN.sentence(
        "clocks_read", white="null Sekunden", black="eine Stunde dreißig Minuten"
    )
    assert sitting.said() == [GERMAN.sentence("clocks_sure", times=times)]
    assert typed(sitting, "nein") == []
    assert sitting.table.game.clock.left["white"] > 5_000_000
    assert sitting.table.game.clock.running == "white"
    typed(sitting, "clock white 0", "ja")
    sitting.table.submit(f.Tick())
    assert sitting.table.game.result == "0-1"


def test_the_arbiters_answer_that_ends_the_game_is_asked_first(sitting: Sitting) -> None:
    sitting.table.submit(f.Arbiter(do="set_clock", black=0))
    sitting.table.submit(f.Tick())
    assert sitting.table.game.pending is not None
    sitting.said()
    assert typed(sitting, "confirm") == []
    result = GERMAN.sentence("game_over_white_wins", reason=GERMAN.sentence("game_over_flag"))
    assert sitting.said() == [GERMAN.sentence("over_sure", result=result)]
    assert typed(sitting, "nein") == []
    assert sitting.table.game.pending is not None and not sitting.table.game.over
    typed(sitting, "confirm", "ja")
    assert sitting.table.game.result == "1-0"


@pytest.mark.parametrize(
    "line",
    [
        '{"fact": "resign", "by": "white"}',
        '{"fact": "arbiter", "do": "declare", "result": "1-0"}',
        '{"fact": "arbiter", "do": "penalty", "player": "white", "kind": "loss"}',
        '{"fact": "arbiter", "do": "penalty", "player": "white", "black": 60}',
    ],
)
def test_a_typed_fact_that_ends_the_game_or_sets_a_clock_is_asked_first(
    sitting: Sitting, line: str
) -> None:
    left = dict(sitting.table.game.clock.left)
    assert typed(sitting, line, "nein") == []
    assert GERMAN.sentence("cancelled") in sitting.said()
    assert not sitting.table.game.over and sitting.table.game.clock.left == left
    assert typed(sitting, line, "ja")


def test_a_move_that_mates_is_not_asked_about(sit: Sit) -> None:
    sitting = sit(fen="6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", time_control="300")
    sitting.start()
    sitting.table.submit(f.Announce(by="white", move="a1a8"))
    typed(sitting, "execute white a1a8")
    assert sitting.table.game.result == "1-0"


@pytest.mark.parametrize(
    "line", ["stop", "start", "preside", "withdraw", "arbiter: permit warnings"]
)
def test_what_ends_and_undoes_nothing_is_done_at_once(sitting: Sitting, line: str) -> None:
    typed(sitting, line)
    assert not any(GERMAN.sentence("say_yes_or_no") in said for said in sitting.said())
