"""Each entry means what its country's notation says."""

import chess
import pytest

from blindplay.language.scoresheets.notation import is_gap, is_mark, is_numeric, meanings


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Sf3", {"S"}),
        ("Pf3", {"P"}),
        ("Gb5+", {"G"}),
        ("Hxd5", {"H"}),
        ("LxSe5", {"L", "S"}),
        ("\u041af3", {"\u041a"}),
        ("\u041a\u0440e7", {"\u041a\u0440"}),
        ("Xe1", {"X"}),
        ("1. Zg1-f3", {"Z"}),
        ("e8P", {"P"}),
        ("e8=d", {"D"}),
        ("e4", set()),
        ("exd5", set()),
        ("E2-E4", set()),
        ("0-0", set()),
    ],
)
def test_letters_of_pieces_are_those_of_any_country(text: str, letters: set[str]) -> None:
    assert {letter for one in meanings(text) if one.own for letter in one.letters} == letters


@pytest.mark.parametrize("text", ["\u04354", "\u03b54", "\u0435\u0445d5", "e\u0445d5", "eXd5"])
def test_files_and_captures_may_be_typed_in_cyrillic_and_greek(text: str) -> None:
    latin = "e4" if text.endswith("4") else "exd5"
    assert meanings(text) == meanings(latin) != ()


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
    meant = meanings(text)[0]
    assert (meant.origins, meant.targets) == (origins, targets)


@pytest.mark.parametrize(
    ("tail", "check"), [("", ""), ("+", "+"), ("++", "++"), ("matt", "#"), ("‡!", "#")]
)
def test_marks_stand_behind_a_move(tail: str, check: str) -> None:
    (meant,) = meanings(f"Sf3{tail}")
    assert meant.check == check
    assert is_mark(tail) or tail == "‡!"


def test_gaps_and_numeric_moves_are_told_from_moves() -> None:
    assert is_gap(" – ") and is_gap("(leer)") and not is_gap("e4")
    assert is_numeric("5254") and is_numeric("57581") and not is_numeric("5294")
