"""Reviews and puzzles by ear and at a board: what is told, and how one goes through it."""

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
from blindplay.record.studies import studies
from blindplay.record.study import Puzzle, StudiedGame
from blindplay.speech.synthesis import is_words
from blindplay.table.attendant import Attendant, EndedError, Prompter
from blindplay.table.reviewing import Teacher, review, solve, tell
from tests.opponents.playing_alone import scripted
from tests.opponents.test_analysis import FEW, free
from tests.table.test_attendant import Running
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
    lesson: Callable[[Teacher], object],
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
        attendant = Attendant(stack, voice, io.StringIO(keys))
        teacher = Teacher(voice, attendant, Analyst(program, free, FEW), silent)
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
    assert len(said) > 12 and [line for line in said if not is_words(line, code)] == []


def test_nothing_is_said_about_good_moves(tmp_path: Path) -> None:
    said = taught(lambda teacher: review(teacher, game(tmp_path, QUIET)), "")
    assert [line for line in said if not line.startswith("Analysed: ")] == [
        "The game of Anna against Bert.",
        "The game is being analysed. Moves: two.",
        "No turning point was found.",
    ]


def test_keys_go_on_back_again_and_to_the_next(points: list[TurningPoint]) -> None:
    keys = "repeat\n\nback\nskip\n"
    said = taught(lambda teacher: tell(teacher, points), keys, silent=False)
    assert said.count(POINT) == 3  # told, told again, and once more after going back
    assert said.count("White played: Pawn Gustav two Gustav four.") == 1
    assert said[-1] == "That was the review."


def test_help_says_the_keys_and_the_step_again(points: list[TurningPoint]) -> None:
    said = taught(lambda teacher: tell(teacher, points), "help\nquit\n", silent=False)
    keys = [line for line in said if line.startswith("Press Enter to go on.")]
    assert len(keys) == said.count(POINT) == 2


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
        attendant = Attendant(stack, voice, Terminal("\n"))
        assert until(lambda: attendant.ends() or attendant._typed)
        review(Teacher(voice, attendant, Analyst(uci.BUILT_IN, free, FEW), False), one)
    assert out.getvalue().splitlines()[2] == "Analysed: zero percent."


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
        attendant = Attendant(stack, voice, led.keys, board.url)
        teacher = Teacher(voice, attendant, Analyst(uci.BUILT_IN, free, FEW), True)

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


BACK_RANK = chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
RA8 = chess.Move.from_uci("a1a8")
LADDER = chess.Board("7k/8/8/8/8/8/1R6/R3K3 w - - 0 1")
LINE = tuple(map(chess.Move.from_uci, ("b2b7", "h8g8", "a1a8")))
WON = chess.Board("4k3/8/8/3q4/8/8/P2R4/3QK3 w - - 0 1")


def asked(puzzle: Puzzle, keys: str, pack: Language = ENGLISH) -> list[str]:
    return taught(lambda teacher: solve(teacher, [puzzle]), keys, silent=False, pack=pack)


def test_the_position_is_told_and_the_right_move_taken_in_words_or_notation() -> None:
    puzzle = Puzzle(BACK_RANK, "back rank", (RA8,))
    for answer in ("Ra8", "rook anna eight", "a1a8"):
        said = asked(puzzle, f"{answer}\n")
        assert said[1:] == [
            "Puzzle one.",
            "back rank",
            "White: King Gustav one. Rook Anna one. "
            "Black: King Gustav eight. Pawns Felix seven, Gustav seven, Hector seven.",
            "White to move.",
            "Right.",
            "White: Rook Anna one Anna eight checkmate.",
            "It mates in one move.",
            "Solved without help: one of one.",
        ]


def test_a_wrong_move_has_a_reason_and_may_be_tried_again() -> None:
    said = asked(Puzzle(BACK_RANK, best=(RA8,)), "Ra7\n\nRa8\n")
    at = said.index("That is not the solution.")
    assert said[at + 1 : at + 3] == [
        "It misses mate in one move.",
        "Try again, or type skip for the solution.",
    ]
    assert said.count("White to move.") == 2  # an empty line tells the position again
    assert said[-1] == "Solved without help: zero of one."


def test_a_line_is_solved_move_by_move_and_the_answers_are_told() -> None:
    said = asked(Puzzle(LADDER, best=LINE[:1], line=LINE), "Rb7\nRa8\n")
    assert said.count("Right.") == 2 and "Black: King Hector eight Gustav eight." in said
    assert said[-1] == "Solved without help: one of one."


@pytest.mark.parametrize(
    ("puzzle", "keys", "last"),
    [
        (
            Puzzle(BACK_RANK, best=(RA8,)),
            "skip\n",
            "White: Rook Anna one Anna eight checkmate.",
        ),
        (
            Puzzle(LADDER, best=LINE[:1], line=LINE),
            "Rb7\nskip\n",
            "White: Rook Anna one Anna eight checkmate.",
        ),
        (Puzzle(BACK_RANK), "skip\n", "White: Rook Anna one Anna eight checkmate."),
    ],
)
def test_the_solution_is_told_on_request(puzzle: Puzzle, keys: str, last: str) -> None:
    said = asked(puzzle, keys)
    assert "The solution:" in said and said[-2] == last
    assert said[-1] == "Solved without help: zero of one."


def test_help_says_what_a_puzzle_takes() -> None:
    said = asked(Puzzle(LADDER, best=LINE[:1], line=LINE), "help\nquit\n")
    assert sum(line.startswith("Type the best move,") for line in said) == 2


def test_what_is_no_move_is_told() -> None:
    said = asked(Puzzle(LADDER, best=LINE[:1], line=LINE), "hello\nRh1\nKf9\nquit\n")
    assert ENGLISH.sentence("not_understood") in said
    assert any(line.startswith("That move is not legal.") for line in said)
    assert said[-1] == "Solved without help: zero of zero."


def test_without_a_solution_any_good_move_is_right_and_a_move_to_avoid_is_not() -> None:
    takes = chess.Move.from_uci("d2d5")
    assert "It wins the queen." in asked(Puzzle(WON), "R2xd5\n")
    said = asked(Puzzle(WON, avoid=(takes,)), "R2xd5\nquit\n")
    assert said[4] == "Find another move than: Rook David two takes David five."
    assert not any(line == "Right." for line in said)


def test_a_good_move_that_is_not_meant_is_called_good() -> None:
    meant = chess.Move.from_uci("b2b6")
    said = asked(Puzzle(LADDER, best=(meant,)), "Rb7\nquit\n")
    assert ENGLISH.sentence("puzzle_good_too") in said


@pytest.mark.parametrize("code", languages())
def test_every_language_asks_in_words(code: str) -> None:
    pack = load(code)
    said = asked(Puzzle(BACK_RANK, best=(RA8,)), "a1a7\na1a8\n", pack)
    assert len(said) == 11 and [line for line in said if not is_words(line, code)] == []
