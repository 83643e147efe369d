"""Exercises: the answer is what the board gives, and typed answers are understood."""

from __future__ import annotations

import random
import re

import chess
import pytest

from blindplay.language import load
from blindplay.speech.synthesis import is_words
from blindplay.wording.drills import DrillKind, Exercise, exercise, squares_in
from blindplay.wording.values import write_time

GERMAN = load("de")


def some(kind: DrillKind, count: int = 12) -> list[tuple[str, list[chess.Square], Exercise]]:
    made = [exercise(kind, GERMAN, random.Random(seed)) for seed in range(count)]
    return [(one.question, squares_in(GERMAN, one.question), one) for one in made]


@pytest.mark.parametrize("code", ["da", "de", "en", "nb", "sv"])
@pytest.mark.parametrize("kind", list(DrillKind))
def test_every_exercise_is_spoken_and_its_own_answer_is_right(kind: DrillKind, code: str) -> None:
    pack = load(code)
    one = exercise(kind, pack, random.Random(4))
    assert is_words(one.question) and is_words(one.answer)
    if kind is not DrillKind.TIMES:  # is typed in digits
        assert one.right(one.answer)
    assert not one.right("?") and not one.right("")


def test_a1_is_black_and_a_letter_is_enough() -> None:
    for question, (square,), one in some(DrillKind.COLOUR):
        light = (chess.square_file(square) + chess.square_rank(square)) % 2 == 1  # a1 is dark
        assert one.right("w") is one.right("weiß") is one.right("Weiss") is light, question
        assert one.right("s") is one.right("schwarz") is not light


def test_a_knight_needs_as_few_moves_as_there_are() -> None:
    for question, (start, end), one in some(DrillKind.KNIGHT):
        path = squares_in(GERMAN, one.answer)
        assert 2 <= len(path) <= 4 and path[-1] == end, question
        typed = " ".join(map(chess.square_name, path))
        assert one.right(typed) and one.right(f"{chess.square_name(start)} {typed}")
        assert not one.right(chess.square_name(end))
        # There and back again is a path, too, but a longer one.
        there, back = chess.square_name(path[0]), chess.square_name(start)
        assert not one.right(f"{there} {back} {typed}")


def test_another_shortest_path_is_right_too() -> None:
    found = 0
    for _, (start, end), one in some(DrillKind.KNIGHT, 30):
        path = squares_in(GERMAN, one.answer)
        for first in chess.SquareSet(chess.BB_KNIGHT_ATTACKS[start]):
            last = chess.BB_KNIGHT_ATTACKS[first] & chess.BB_SQUARES[end]
            if len(path) == 2 and first != path[0] and last:
                found += 1
                assert one.right(f"{chess.square_name(first)} {chess.square_name(end)}")
    assert found


def test_exactly_one_piece_attacks_the_square() -> None:
    names = {"Dame": "Q", "Turm": "R", "Läufer": "B", "Springer": "N"}
    for question, _, one in some(DrillKind.ATTACK):
        told, asked = question.split(". ", 1)
        board = chess.Board(None)
        for piece in told.split(", "):
            name, _, square = piece.partition(" ")
            (at,) = squares_in(GERMAN, square)
            board.set_piece_at(at, chess.Piece.from_symbol(names[name]))
        (attacked,) = squares_in(GERMAN, asked)
        (attacker,) = board.attackers(chess.WHITE, attacked)
        letter = board.piece_at(attacker)
        german = next(name for name, of in names.items() if letter and of == letter.symbol())
        for typed in (german, german[0].lower(), chess.square_name(attacker)):
            assert one.right(typed), question
        assert sum(one.right(name) for name in names) == 1


def test_a_dictated_move_may_be_written_as_on_any_scoresheet() -> None:
    one = next(one for _, _, one in some(DrillKind.MOVES) if one.answer.startswith("Springer"))
    start, end = squares_in(GERMAN, one.answer)
    for typed in (one.answer, f"{chess.square_name(start)}{chess.square_name(end)}"):
        assert one.right(typed)
    assert not one.right("e9") and not one.right("ja")


def test_a_dictated_time_is_typed_as_a_clock_shows_it() -> None:
    numbers = {GERMAN.number(n): n for n in range(60)} | {"eine": 1}
    for question, _, one in some(DrillKind.TIMES):
        said = re.findall(r"(\w+) (Minute|Sekunde)", question)
        seconds = sum(numbers[n] * (60 if unit == "Minute" else 1) for n, unit in said)
        assert one.right(write_time(1000 * seconds)), question
        assert not one.right(write_time(1000 * (seconds + 1)))
