"""A review by ear and at a board: what is told, and how one goes through it."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import chess
import pytest

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.language import Language, languages, load
from blindplay.opponents import analysis, uci
from blindplay.opponents.analysis import Analyst, TurningPoint, turning_points
from blindplay.record.studies import StudiedGame, studies
from blindplay.speech.synthesis import is_words
from blindplay.table.board_setup import Attendant, Prompter
from blindplay.table.reviewing import EndedError, Teacher, review, tell
from tests.opponents.playing_alone import scripted
from tests.opponents.test_analysis import FEW, free
from tests.table.test_board_setup import Running
from tests.waiting import PATIENCE_S, until

ENGLISH = load("en")
FOOLS_MATE = '[White "Anna"]\n[Black "Bert"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
QUIET = '[White "Anna"]\n[Black "Bert"]\n\n1. e4 e5 2. Nf3 Nc6 1/2-1/2\n'
POINT = "Turning point one of one: move number two of White."


def game(folder: Path, text: str) -> StudiedGame:
    path = folder / "game.pgn"
    path.write_text(text, "utf-8")
    (found,) = studies(path)
    assert isinstance(found, StudiedGame)
    return found


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> list[TurningPoint]:
    """The turning points of the fool's mate."""
    one = game(tmp_path_factory.mktemp("game"), FOOLS_MATE)
    analyst = Analyst(uci.BUILT_IN, free, FEW)
    try:
        return turning_points(one.pgn.board(), one.moves, analyst, lambda part: None)
    finally:
        analyst.rest()


def taught(
    lesson: Callable[[Teacher], None],
    keys: str,
    *,
    silent: bool = True,
    pack: Language = ENGLISH,
    program: uci.EngineProgram = uci.BUILT_IN,
) -> list[str]:
    """What a lesson says while these keys are typed."""
    out = io.StringIO()
    with ExitStack() as stack:
        voice = Prompter(stack, pack, True, out)
        attendant = Attendant(stack, voice, pack, io.StringIO(keys))
        teacher = Teacher(pack, voice, attendant, Analyst(program, free, FEW), silent)
        try:
            lesson(teacher)
        except EndedError:
            out.write("ended\n")
        assert teacher.analyst._engine._running is None
    return out.getvalue().splitlines()


def test_a_turning_point_is_told_with_what_was_played_what_was_better_and_the_lines(
    points: list[TurningPoint],
) -> None:
    said = taught(lambda teacher: tell(teacher, points), "")
    at = said.index(POINT)
    assert said[at + 1] == "Last move, Black: Pawn Eva seven Eva five."
    assert said[at + 2].startswith("White: King Eva one. Queen David one.")
    assert said[at + 3 : at + 6] == [
        "White to move.",
        "White played: Pawn Gustav two Gustav four.",
        "It allows mate in one move.",
    ]
    assert said[at + 6].startswith("Better was: ")
    line = said.index("What may follow the move that was played:")
    assert said[line + 1 : line + 3] == [
        "White: Pawn Gustav two Gustav four.",
        "Black: Queen David eight Hector four checkmate.",
    ]
    assert said[line + 3] == "The better line:" and said[-1] == "That was the review."


@pytest.mark.parametrize("code", languages())
def test_every_language_tells_it_in_words(points: list[TurningPoint], code: str) -> None:
    said = taught(lambda teacher: tell(teacher, points), "", pack=load(code))
    assert len(said) > 12 and [line for line in said if not is_words(line)] == []


def test_nothing_is_said_about_good_moves(tmp_path: Path) -> None:
    said = taught(lambda teacher: review(teacher, game(tmp_path, QUIET)), "")
    assert [line for line in said if not line.startswith("Examined")] == [
        "The game of Anna against Bert.",
        "The game is examined now. Moves: two.",
        "No turning point was found.",
    ]


def test_keys_go_on_back_again_and_to_the_next(points: list[TurningPoint]) -> None:
    keys = "repeat\n\nback\ncontinue\n"
    said = taught(lambda teacher: tell(teacher, points), keys, silent=False)
    assert said.count(POINT) == 3  # told, told again, and once more after going back
    assert said.count("White played: Pawn Gustav two Gustav four.") == 1
    assert said[-1] == "That was the review."


def test_a_word_ends_it_at_any_step_and_in_the_middle_of_the_analysis(
    points: list[TurningPoint], tmp_path: Path
) -> None:
    told = taught(lambda teacher: tell(teacher, points), "\nquit\n", silent=False)
    assert told[-1] == "ended" and "What may follow the move that was played:" not in told
    no_keys = taught(lambda teacher: tell(teacher, points), "\n", silent=False)
    assert no_keys[-1] == "ended" and no_keys[:-1] == told[:-1]
    one = game(tmp_path, FOOLS_MATE)
    assert taught(lambda teacher: review(teacher, one), "quit\n")[-1] == "ended"


def test_a_key_during_the_analysis_says_how_much_is_done(tmp_path: Path) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out, one = io.StringIO(), game(tmp_path, QUIET)
    with ExitStack() as stack:
        voice = Prompter(stack, ENGLISH, True, out)
        attendant = Attendant(stack, voice, ENGLISH, Terminal("\n"))
        assert until(lambda: attendant.ends() or attendant._typed)
        review(Teacher(ENGLISH, voice, attendant, Analyst(uci.BUILT_IN, free, FEW), False), one)
    assert out.getvalue().splitlines()[2] == "Examined: zero percent."


def test_an_engine_that_keeps_failing_is_replaced_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "BUILT_IN", FEW)
    one, program = game(tmp_path, FOOLS_MATE), scripted(tmp_path, "dies")
    said = taught(lambda teacher: review(teacher, one), "", program=program)
    assert ENGLISH.sentence("review_engine_failed") in said and POINT in said


def test_hands_are_led_to_the_position_and_through_the_lines(
    points: list[TurningPoint],
) -> None:
    with EmulatedBoard() as board, ExitStack() as stack:
        led = Running()
        voice = Prompter(stack, ENGLISH, True, led.out)
        attendant = Attendant(stack, voice, ENGLISH, led.keys, board.url)
        teacher = Teacher(ENGLISH, voice, attendant, Analyst(uci.BUILT_IN, free, FEW), True)

        def run() -> None:
            with pytest.raises(EndedError):
                tell(teacher, points)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        led.wait("Move: white pawn, from Felix two to Felix three.")
        board.lift("f2")
        board.place("f3", "P")
        led.wait("from Eva seven to Eva five.")
        board.lift("e7")
        board.place("e5", "p")
        led.wait("The position is set up.\nWhite to move.")
        led.keys.type("")
        led.wait("Better was:")
        led.keys.type("")
        led.wait("White: Pawn Gustav two Gustav four.")
        board.lift("g2")
        board.place("g4", "P")
        led.wait("The position is set up.", 2)
        led.keys.type("")
        led.wait("Black: Queen David eight Hector four checkmate.")
        board.lift("d8")
        board.place("h4", "q")
        led.wait("The position is set up.", 3)
        led.keys.type("")
        led.wait("The better line:")  # first the two moves are taken back
        led.wait("Steps: two.", 2)
        led.keys.type("quit")
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
        assert chess.BaseBoard(board.placement).piece_at(chess.H4) is not None
        assert "White: King" not in led.out.getvalue()  # hands feel the position
