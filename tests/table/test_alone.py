"""A player alone at a table, with an opponent who is not in the room: hints, taking back, and the
move that they execute for the opponent."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from blindplay.language import Command, load
from blindplay.laws import facts as f
from blindplay.opponents.player import AbsentPlayer
from blindplay.table.keyboard import Keyboard
from tests.conversation.conversing import GERMAN
from tests.table.sitting import START, Sit, Sitting, waits


class Adviser(AbsentPlayer):
    """An opponent who never moves by itself, and knows a good move for the player."""

    gives_hints = True

    def __init__(self) -> None:
        super().__init__()
        self.known: chess.Move | None = chess.Move.from_uci("g1f3")

    def hint(self) -> chess.Move | None:
        return self.known

    def _consider(self) -> None:
        return


@pytest.fixture
def alone(sit: Sit) -> Sitting:
    at = sit(opponent=Adviser(), training=True, boards=2, time_control="600")
    at.start()
    return at


def types(at: Sitting, *lines: str) -> list[str]:
    at.said()
    keyboard = Keyboard(at.session)
    for line in lines:
        keyboard.do(line)
    return at.said()


def answers(at: Sitting, move: str = "e7e5") -> None:
    """The opponent plays a move, which White's board does not show yet."""
    at.table.submit(f.Announce(by="black", move=move))
    at.table.submit(f.Make(by="black", move=move))
    at.table.submit(f.Press(by="black"))


def play(at: Sitting, move: str = "e2e4") -> None:
    at.play(move)
    at.table.submit(f.Make(by="black", move=move))


def test_a_hint_names_a_move_to_the_player_alone_and_the_journal_keeps_the_question(
    alone: Sitting,
) -> None:
    assert types(alone, "Tipp") == ["Ein guter Zug: Springer Gustav eins Felix drei."]
    assert "said privately: Ein guter Zug" in alone.printed
    assert list(alone.journal.facts())[-1] == f.Query(
        t=alone.table.game.t, by="white", about="position"
    )


def test_a_hint_that_is_not_found_yet_and_one_out_of_turn_are_told_so(alone: Sitting) -> None:
    assert isinstance(alone.opponent, Adviser)
    alone.opponent.known = None
    assert types(alone, "Tipp") == [GERMAN.sentence("hint_later")]
    play(alone)
    assert types(alone, "Tipp") == [GERMAN.sentence("refused_not_on_move")]


@pytest.mark.parametrize("how", [{"training": False}, {"arbiter": "present", "training": True}])
def test_a_game_under_the_laws_has_no_hints(sit: Sit, how: dict[str, object]) -> None:
    at = sit(opponent=Adviser(), boards=2, **how)
    at.start()
    assert types(at, "Tipp") == [GERMAN.sentence("hint_refused")]
    assert "Tipp" not in "".join(types(at, "Hilfe", "mehr", "mehr", "mehr"))


def test_people_at_one_table_have_no_hints(sit: Sit) -> None:
    at = sit(training=True)
    at.start()
    assert types(at, "Tipp") == [GERMAN.sentence("hint_refused")]


@pytest.mark.parametrize("code", ["da", "de", "en", "nb", "sv"])
@pytest.mark.parametrize("command", [Command.HINT, Command.DONE])
def test_both_commands_have_words_in_each_language(code: str, command: Command) -> None:
    pack = load(code)
    assert pack.understand(pack.command(command), chess.Board()).command is command


@pytest.mark.parametrize("line", ["", "fertig", "ausgeführt"])
def test_enter_or_a_word_says_that_the_opponents_move_is_executed(
    alone: Sitting, line: str
) -> None:
    play(alone)
    answers(alone)
    assert alone.table.game.outstanding("white")
    assert types(alone, line) == [GERMAN.sentence("executed_noted")]
    assert not alone.table.game.outstanding("white")
    again = {"": "due_announce"}.get(line, "nothing_to_execute")
    assert types(alone, line)[0] == GERMAN.sentence(again)


def test_enter_executes_the_opponents_move_also_after_a_refused_move(alone: Sitting) -> None:
    play(alone)
    answers(alone)
    types(alone, "Bauer Eva sieben Eva sechs")  # no piece of White's
    assert types(alone, "") == [GERMAN.sentence("executed_noted")]
    assert types(alone, "") == [GERMAN.sentence("due_announce")]


def test_a_typed_move_says_by_itself_that_the_one_before_is_executed(alone: Sitting) -> None:
    play(alone)
    answers(alone)
    types(alone, "sf3", "")
    assert [ply.move.uci() for ply in alone.table.game.history] == ["e2e4", "e7e5", "g1f3"]
    assert not alone.table.game.outstanding("white")


def test_what_is_typed_while_the_opponent_thinks_is_the_players_own(alone: Sitting) -> None:
    play(alone)
    assert types(alone, "letzter Zug") == [
        GERMAN.sentence("last_move", player="Weiß", move="Bauer Eva zwei Eva vier")
    ]
    assert types(alone, "") == [waits("repeat", "Schwarz")]
    types(alone, "Remis anbieten", "ja")
    assert alone.table.game.offers == {"white"}
    assert alone.table.game.turn.announced is None


def test_a_move_is_taken_back_with_the_answer_to_it_and_no_board_is_named_that_feels_no_hands(
    alone: Sitting,
) -> None:
    play(alone)
    answers(alone)
    said = types(alone, "Zug zurück", "ja")
    assert alone.table.game.history == []
    for player in ("Weiß", "Schwarz"):
        assert GERMAN.sentence("correct_board", player=player) not in said


def test_an_absent_opponent_does_not_adjourn(alone: Sitting) -> None:
    said = [GERMAN.sentence(key) for key in ("adjourn_alone", "due_announce")]
    assert types(alone, "Hängepartie") == said
    assert not alone.table.game.adjourning


def test_help_tells_of_hints_and_of_the_move_to_execute(alone: Sitting, tmp_path: Path) -> None:
    play(alone)
    answers(alone)
    told = " ".join(types(alone, "Hilfe", *["mehr"] * 6))
    assert GERMAN.command(Command.HINT) in told and GERMAN.command(Command.DONE) in told
    assert GERMAN.command(Command.ADJOURN) not in told


@pytest.fixture
def one_enter(sit: Sit) -> Sitting:
    options = {"one_enter": True}
    at = sit(opponent=Adviser(), training=True, boards=2, time_control="600", options=options)
    at.start()
    return at


def test_one_enter_announces_a_typed_move_executes_it_and_presses_the_clock(
    one_enter: Sitting,
) -> None:
    pressed = GERMAN.sentence("pressed", player="Schwarz")
    assert types(one_enter, "e4") == ["Bauer Eva zwei Eva vier", pressed]
    game = one_enter.table.game
    assert [ply.move.uci() for ply in game.history] == ["e2e4"]
    assert game.clock.running == "black"
    answers(one_enter)
    one_enter.said()
    assert types(one_enter, "?") == [GERMAN.sentence("due_announce")]
    assert not game.outstanding("white")
    assert types(one_enter, "Sf3") == ["Springer Gustav eins Felix drei"]  # it was told once
    assert game.clock.running == "black"


def test_the_answer_to_a_question_about_the_move_completes_it_too(sit: Sit) -> None:
    fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
    options = {"one_enter": True}
    at = sit(opponent=Adviser(), boards=2, time_control="600", fen=fen, options=options)
    at.start()
    types(at, "Rochade")
    assert at.table.game.clock.running == "white"
    types(at, "kurze")
    assert [ply.move.uci() for ply in at.table.game.history] == ["e1g1"]


def test_an_illegal_move_and_an_empty_line_complete_nothing(one_enter: Sitting) -> None:
    types(one_enter, "e5", "", "Springer")
    assert not one_enter.table.game.history
    assert one_enter.table.game.clock.running == "white"


def test_a_board_that_feels_hands_is_executed_and_pressed_by_hand(sit: Sit) -> None:
    at = sit(opponent=Adviser(), boards=2, time_control="600", options={"one_enter": True})
    at.attach_boards(white=START)
    at.start()
    types(at, "e4")
    at.shows("Bauer Eva zwei Eva vier")
    assert not at.table.game.history


def test_a_move_typed_while_the_opponent_thinks_is_told_what_is_awaited(
    one_enter: Sitting,
) -> None:
    types(one_enter, "e4")
    one_enter.table.submit(f.Repeat(by="black", move="e2e4"))
    one_enter.table.submit(f.Make(by="black", move="e2e4"))
    for line in ("Sf3", "Sf4", "?"):
        assert types(one_enter, line) == [waits("announce", "Schwarz")]


def test_nobody_types_the_moves_of_an_opponent_who_is_not_here(one_enter: Sitting) -> None:
    types(one_enter, "e4")
    said = types(one_enter, "schwarz: e5")
    assert said == [GERMAN.sentence("refused_not_their_task")]
    assert len(one_enter.table.game.history) == 1
