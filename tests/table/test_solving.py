"""Puzzles by ear: right, wrong with its reason, another solution, and the solution on request."""

from __future__ import annotations

import chess
import pytest

from blindplay.language import Language, languages, load
from blindplay.record.studies import Puzzle
from blindplay.speech.synthesis import is_words
from blindplay.table.solving import solve
from tests.table.test_reviewing import ENGLISH, taught

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
        "Try again, or type continue for the solution.",
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
            "continue\n",
            "White: Rook Anna one Anna eight checkmate.",
        ),
        (
            Puzzle(LADDER, best=LINE[:1], line=LINE),
            "Rb7\ncontinue\n",
            "White: Rook Anna one Anna eight checkmate.",
        ),
        (Puzzle(BACK_RANK), "continue\n", "White: Rook Anna one Anna eight checkmate."),
    ],
)
def test_the_solution_is_told_on_request(puzzle: Puzzle, keys: str, last: str) -> None:
    said = asked(puzzle, keys)
    assert "The solution:" in said and said[-2] == last
    assert said[-1] == "Solved without help: zero of one."


def test_what_is_no_move_is_told() -> None:
    said = asked(Puzzle(LADDER, best=LINE[:1], line=LINE), "hello\nRh1\nKf9\nquit\n")
    assert ENGLISH.sentence("not_understood") in said
    assert any(line.startswith("That move is not legal.") for line in said)
    assert said[-1] == "Solved without help: zero of zero."


def test_without_a_solution_any_good_move_is_right_and_a_move_to_avoid_is_not() -> None:
    takes = chess.Move.from_uci("d2d5")
    assert "It wins the queen." in asked(Puzzle(WON), "R2xd5\n")
    said = asked(Puzzle(WON, avoid=(takes,)), "R2xd5\nquit\n")
    assert said[4] == "Another move than this is wanted: Rook David two takes David five."
    assert not any(line == "Right." for line in said)


def test_a_good_move_that_is_not_meant_is_called_good() -> None:
    meant = chess.Move.from_uci("b2b6")
    said = asked(Puzzle(LADDER, best=(meant,)), "Rb7\nquit\n")
    assert ENGLISH.sentence("puzzle_good_too") in said


@pytest.mark.parametrize("code", languages())
def test_every_language_asks_in_words(code: str) -> None:
    pack = load(code)
    said = asked(Puzzle(BACK_RANK, best=(RA8,)), "a1a7\na1a8\n", pack)
    assert len(said) == 11 and [line for line in said if not is_words(line)] == []
