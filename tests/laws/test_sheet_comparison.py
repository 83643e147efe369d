"""Two scoresheets held against each other: what they come to, and how far it is certain."""

from __future__ import annotations

import chess
import pytest

from blindplay.laws.sheet_comparison import Comparison, compare
from blindplay.wording.pack_words import PackWords
from tests.laws.table import PlainWords


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
    assert compared("e4 e5 Bb6 Nc6 Qh5", "e4 e5 Nb6 Nc6 Qh5").stop == "parted"


def test_a_move_that_only_what_follows_tells_is_inferred() -> None:
    sheet = "e4 e5 _ Nc6 Qxe5"
    found = compared(sheet, sheet)
    assert (found.stop, found.inferred) == (None, (3,))
    assert found.moves[2] == chess.Move.from_uci("d1h5")


# --- entries in SAN or UCI ----------------------------------------------------------------------


def held(white: str, black: str, *announced: str, fen: str = chess.STARTING_FEN) -> Comparison:
    """Sheets as moves with blanks between; ``_`` for an entry that is missing."""
    sheets = {
        side: {ply: text for ply, text in enumerate(written.split(), 1) if text != "_"}
        for side, written in (("white", white), ("black", black))
    }
    words = PlainWords()
    readers = {side: words.reader(tuple(sheet.values())) for side, sheet in sheets.items()}
    return compare(chess.Board(fen), sheets, readers, [chess.Move.from_uci(m) for m in announced])


def line(found: Comparison) -> str:
    return " ".join(move.uci() for move in found.moves)


def test_sheets_that_say_the_same_agree_to_the_end() -> None:
    found = held("e4 e5 Nf3", "e2e4 e7e5 g1f3")
    assert (line(found), found.stop) == ("e2e4 e7e5 g1f3", None)


def test_a_sheet_that_lags_does_not_disagree() -> None:
    found = held("e4 e5 Nf3 Nf6", "e4")
    assert (line(found), found.stop) == ("e2e4 e7e5 g1f3 g8f6", None)


def test_the_first_disagreement_is_found_before_a_later_one() -> None:
    found = held("e4 e5 Nf3 Nf6 Nc3", "e4 e5 Nf3 Nh6 Na3")
    assert (found.stop, found.ply, line(found)) == ("parted", 4, "e2e4 e7e5 g1f3")
    assert found.entries["white"].text == "Nf6"
    assert found.entries["black"].text == "Nh6"


def test_a_gap_and_an_entry_that_nobody_can_read_prove_nothing() -> None:
    found = held("e4 ~~~ Nf3", "e4 e5 _")
    assert (line(found), found.stop) == ("e2e4 e7e5 g1f3", None)
    assert found.unclear == [("white", 2, "unreadable")]


def test_a_move_against_an_illegal_one_is_a_disagreement() -> None:
    found = held("e4 e5", "e4 e7e4")
    assert (found.stop, found.ply) == ("parted", 2)


def test_the_same_illegal_move_on_both_sheets_ends_the_game_they_agree_on() -> None:
    found = held("e4 e7e4 d4", "e4 e7e4 d4")
    assert (found.stop, found.ply, line(found)) == ("illegal", 2, "e2e4")


def test_a_gap_in_both_sheets_is_bridged_by_what_was_announced() -> None:
    found = held("e4 _ Nf3", "e4 _ Nf3", "e2e4", "e7e5", "g1f3")
    assert (line(found), found.stop) == ("e2e4 e7e5 g1f3", None)


def test_a_gap_in_both_sheets_is_bridged_by_the_only_move_that_later_entries_fit() -> None:
    # Only a pawn on d5 can be taken by exd5.
    found = held("e4 _ exd5 Qxd5", "e4 _ exd5 Qxd5")
    assert (line(found), found.stop) == ("e2e4 d7d5 e4d5 d8d5", None)


def test_a_gap_that_several_moves_fit_ends_the_game_there() -> None:
    found = held("e4 _ Nf3", "e4 _ Nf3")
    assert (found.stop, found.ply, line(found)) == ("gap", 2, "e2e4")
    assert len(found.lines) > 1


def test_both_sheets_against_the_table_and_one_alone() -> None:
    found = held("e4 e6 d4", "e4 e6 d4", "e2e4", "e7e5", "d2d4")
    assert (found.changed, line(found)) == (2, "e2e4 e7e6 d2d4")
    found = held("e4 e6", "e4", "e2e4", "e7e5")
    assert (found.changed, found.against, line(found)) == (None, (("white", 2),), "e2e4 e7e5")


def test_an_announced_move_that_does_not_fit_what_both_wrote() -> None:
    found = held("e4 e6", "e4 e6", "e2e4", "e7e5", "d2d4", "e5d4")
    assert (found.stop, found.ply, found.changed) == ("unfit", 4, 2)
