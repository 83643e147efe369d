"""Two scoresheets held against each other: what they come to, and how far it is certain."""

from __future__ import annotations

import chess
import pytest

from blindplay.laws.sheet_comparison import Comparison, compare
from blindplay.wording.pack_words import PackWords


def compared(white: str, black: str, fen: str = chess.STARTING_FEN) -> Comparison:
    sheets = {
        side: {ply: text for ply, text in enumerate(texts.split(), 1) if text != "_"}
        for side, texts in (("white", white), ("black", black))
    }
    words = PackWords("en")
    readers = {side: words.reader(tuple(sheet.values())) for side, sheet in sheets.items()}
    return compare(chess.Board(fen), sheets, readers)


def test_four_promotions_that_nobody_has_named_leave_every_position_open() -> None:
    sheet = "a8 a1 b8 b1 Kh3 Kh6"
    found = compared(sheet, sheet, "8/PP5k/8/8/8/8/pp5K/8 w - - 0 1")
    assert (found.stop, found.ply) == ("ambiguous", 1)
    assert len(found.lines) == 4**4


def test_more_games_than_can_be_followed_are_ambiguous_from_where_they_part() -> None:
    sheet = "a8 a1 b8 b1 c8 c1"
    found = compared(sheet, sheet, "8/PPP4k/8/8/8/8/ppp4K/8 w - - 0 1")
    assert (found.stop, found.ply, found.lines) == ("ambiguous", 1, ())


def test_two_ways_to_one_position_are_one_game_from_where_it_is_open() -> None:
    sheet = "Rd1 Kh7 Re1 Kh8"
    found = compared(sheet, sheet, "7k/8/8/8/8/8/6K1/R4R2 w - - 0 1")
    placements = set()
    for line in found.lines:
        board = chess.Board("7k/8/8/8/8/8/6K1/R4R2 w - - 0 1")
        for move in line:
            board.push(move)
        placements.add(board.epd())
    assert len(placements) == len(found.lines)
    assert (found.stop, found.ply) == ("ambiguous", 1)


@pytest.mark.parametrize(("one", "other"), [("Lb6", "Bb6"), ("0-0", "O-O"), ("Tb6", "Rb6")])
def test_the_same_impossible_move_in_two_spellings_is_no_disagreement(one: str, other: str) -> None:
    found = compared(f"e4 e5 {one} Sc6 Dh5", f"e4 e5 {other} Nc6 Qh5")
    assert (found.stop, found.ply) == ("illegal", 3)


def test_other_impossible_moves_are_a_disagreement() -> None:
    assert compared("e4 e5 Bb6", "e4 e5 Nb6").stop == "parted"


def test_a_move_that_only_what_follows_tells_is_inferred() -> None:
    sheet = "e4 e5 _ Nc6 Qxe5"
    found = compared(sheet, sheet)
    assert (found.stop, found.inferred) == (None, (3,))
    assert found.moves[2] == chess.Move.from_uci("d1h5")
