"""The board of a page."""

import chess
import pytest

from blindplay.console.pieces import NAMES, drawing, rows


def test_the_player_below_has_the_first_rank_below() -> None:
    for black_below, corners in ((False, ("a8", "h1")), (True, ("h1", "a8"))):
        board = rows({}, "en", black_below=black_below)
        assert (board[0][0].name, board[-1][-1].name) == corners
        assert [len(row) for row in board] == [8] * 8


def test_a_square_tells_its_piece_the_last_move_and_a_difference() -> None:
    board = rows(
        {chess.E4: "N"}, "en", black_below=False, marked={chess.E4}, differing={chess.E4, chess.A1}
    )
    knight, corner = board[4][4], board[7][0]
    assert (knight.label, knight.image) == ("e4, white knight, last move, differs", "white-knight")
    assert (corner.label, corner.image, corner.dark) == ("a1, empty, differs", "", True)


def test_each_piece_has_a_drawing_and_nothing_else_has() -> None:
    assert len(NAMES) == 12 and all("<svg" in drawing(name) for name in NAMES)
    with pytest.raises(KeyError):
        drawing("white-horse")
