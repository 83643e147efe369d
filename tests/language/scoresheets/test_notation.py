"""Each entry means what its country's notation says."""

import chess
import pytest

from blindplay.language.scoresheets.notation import (
    Notation,
    has_letter,
    is_gap,
    is_mark,
    is_numeric,
    knows,
    meanings,
)


def of(text: str, *notations: Notation) -> list[chess.PieceType | None]:
    return [one.piece for one in meanings(text, frozenset(notations or Notation)) if one.own]


def test_a_letter_is_the_piece_of_its_country() -> None:
    assert of("Sf3", Notation.GERMAN) == [chess.KNIGHT]
    assert of("Df3", Notation.GERMAN) == [chess.QUEEN]
    assert of("Df3", Notation.FRENCH) == [chess.QUEEN]
    assert of("Rf3", Notation.ENGLISH) == [chess.ROOK]
    assert of("Rf3", Notation.FRENCH) == [chess.KING]
    assert set(of("Rf3", Notation.ENGLISH, Notation.FRENCH)) == {chess.ROOK, chess.KING}
    assert of("♘f3", Notation.GERMAN) == [chess.KNIGHT]


def test_a_letter_of_another_country_means_nothing() -> None:
    assert meanings("Nf3", frozenset({Notation.GERMAN})) == ()
    assert knows(Notation.ENGLISH, "Nf3") and not knows(Notation.GERMAN, "Nf3")


@pytest.mark.parametrize(
    "text", ["Pf3", "Gb5+", "Hxd5", "\u041af3", "\u041a\u0440e7", "1. Zg1-f3", "e8P"]
)
def test_a_move_with_a_letter_of_any_country_has_its_form(text: str) -> None:
    assert has_letter(text)


@pytest.mark.parametrize("text", ["e4", "sf3", "exd5", "e2e4", "0-0", "E4", "Springer", "e8", ""])
def test_other_moves_have_no_letter(text: str) -> None:
    assert not has_letter(text)


@pytest.mark.parametrize(
    ("text", "origins", "targets"),
    [
        ("e4", chess.BB_ALL, chess.BB_E4),
        ("e2e4", chess.BB_E2, chess.BB_E4),
        ("5254", chess.BB_E2, chess.BB_E4),
        ("Sbd2", chess.BB_FILE_B, chess.BB_D2),
        ("S3d2", chess.BB_RANK_3, chess.BB_D2),
        ("ed", chess.BB_FILE_E, chess.BB_FILE_D),
        ("LxS", chess.BB_ALL, chess.BB_ALL),
    ],
)
def test_squares_are_written_in_whole_or_in_part(text: str, origins: int, targets: int) -> None:
    meant = meanings(text, frozenset({Notation.GERMAN}))[0]
    assert (meant.origins, meant.targets) == (origins, targets)


@pytest.mark.parametrize(
    ("tail", "check"), [("", ""), ("+", "+"), ("++", "++"), ("matt", "#"), ("‡!", "#")]
)
def test_marks_stand_behind_a_move(tail: str, check: str) -> None:
    (meant,) = meanings(f"Sf3{tail}", frozenset({Notation.GERMAN}))
    assert meant.check == check
    assert is_mark(tail) or tail == "‡!"


def test_gaps_and_numeric_moves_are_told_from_moves() -> None:
    assert is_gap(" – ") and is_gap("(leer)") and not is_gap("e4")
    assert is_numeric("5254") and is_numeric("57581") and not is_numeric("5294")
