"""Cells, BRF files and print say the same."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.roundtrip import positions
from blindplay.language.scoresheets import braille
from blindplay.language.scoresheets.letters import SheetLetters
from tests.language.scoresheets.sheets import ENGLISH, FRENCH, GERMAN, printed

CELLS = st.text(st.sampled_from([chr(0x2800 + cell) for cell in range(64)]))


@given(CELLS)
def test_cells_are_the_same_after_a_file_for_the_embosser(cells: str) -> None:
    brf = braille.to_brf(cells)
    assert brf.isascii()
    assert braille.from_brf(brf).replace(" ", braille.BLANK) == cells
    assert braille.from_brf(brf.lower()) == braille.from_brf(brf)


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x5F)))
def test_file_for_the_embosser_is_the_same_after_cells(brf: str) -> None:
    assert braille.to_brf(braille.from_brf(brf)) == brf


def dots(*numbers: int) -> str:
    return chr(0x2800 + sum(1 << number - 1 for number in numbers))


# From the North American Braille ASCII Code: letters, lowered digits, and the indicators.
@pytest.mark.parametrize(
    ("sign", "cell"),
    [
        ("A", dots(1)),
        ("Z", dots(1, 3, 5, 6)),
        ("W", dots(2, 4, 5, 6)),
        ("1", dots(2)),
        ("2", dots(2, 3)),
        ("3", dots(2, 5)),
        ("4", dots(2, 5, 6)),
        ("5", dots(2, 6)),
        ("6", dots(2, 3, 5)),
        ("7", dots(2, 3, 5, 6)),
        ("8", dots(2, 3, 6)),
        ("9", dots(3, 5)),
        ("0", dots(3, 5, 6)),
        ("#", dots(3, 4, 5, 6)),
        (",", dots(6)),
        (".", dots(4, 6)),
        ("-", dots(3, 6)),
        ("'", dots(3)),
        (";", dots(5, 6)),
        ("^", dots(4, 5)),
        ("_", dots(4, 5, 6)),
        ("=", dots(1, 2, 3, 4, 5, 6)),
    ],
)
def test_sign_of_a_brf_file_is_its_cell(sign: str, cell: str) -> None:
    assert braille.from_brf(sign) == cell
    assert braille.to_brf(cell) == sign


def test_lines_and_pages_of_a_brf_file_stay() -> None:
    assert braille.to_brf("⠁\n⠃\r\n\f⠉ ⠙") == "A\nB\r\n\fC D"
    assert braille.from_brf("A\r\n\fB C") == "⠁\r\n\f⠃ ⠉"


@pytest.mark.parametrize("text", ["⡀", "e4", "ä"])
def test_what_six_dots_cannot_be_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="not a cell of six dots"):
        braille.to_brf(text)


@pytest.mark.parametrize("language", ["de", "da", "nb", "sv", "en", "fr"])
@pytest.mark.parametrize("letters", [GERMAN, ENGLISH, FRENCH])
def test_move_in_basic_braille_is_read_as_it_was_printed(
    language: str, letters: SheetLetters
) -> None:
    for board in positions(60, 3):
        for move in board.legal_moves:
            text = printed(board, move, letters)
            cells = braille.write(text, language)
            assert braille.read(cells) == text
            assert braille.read(braille.from_brf(braille.to_brf(cells))) == text


@pytest.mark.parametrize(
    "text",
    ["e2-e4", "e2e4", "g1f3", "Sg1-f3", "Kb1(=)", "exd6e.p.", "12.", "e8=D+", "ed", "Dd1xd8++"],
)
@pytest.mark.parametrize("language", ["de", "nb", "en"])
def test_other_forms_are_read_as_they_were_printed(text: str, language: str) -> None:
    assert braille.read(braille.write(text, language)) == text


# Braille Chess Code and Layout (2001/2015): 1.3, 2.2, 3.2 to 3.6.
@pytest.mark.parametrize(
    ("san", "cells"),
    [
        ("Nf3", "⠎⠋⠒"),
        ("e4", "⠑⠲"),
        ("Rf4", "⠗⠋⠲"),
        ("d5", "⠙⠢"),
        ("cxd5", "⠉⠰⠙⠢"),
        ("f5+", "⠘⠋⠢"),
        ("Rxf4+", "⠗⠸⠋⠲"),
        ("Nce5", "⠎⠉⠑⠢"),
        ("Nb1c3", "⠎⠃⠂⠉⠒"),
        ("Re8#", "⠗⠑⠦⠜⠍"),
        ("Bb5", "⠇⠃⠢"),
    ],
)
def test_british_code_is_written_as_its_examples(san: str, cells: str) -> None:
    assert braille.write_british(san) == cells


def test_every_move_can_be_written_in_the_british_code() -> None:
    for board in positions(200, 4):
        for move in board.legal_moves:
            cells = braille.write_british(chess.Board.copy(board, stack=False).san(move))
            assert braille.to_brf(cells)


def test_what_is_no_move_has_no_british_code() -> None:
    with pytest.raises(ValueError, match="not a move"):
        braille.write_british("Sf3")


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ("⠎⠋⠒", "sf3"),
        ("⠎⠋⠒⠖", "sf3+"),
        ("⠎⠛⠂⠤⠋⠒", "sg1-f3"),
        ("⠉⠙⠢", "cd5"),
        ("⠼⠁⠃⠄", "12."),
        ("⠼⠁⠃⠲", "12."),
        ("⠼⠂⠆", "12."),
        ("⠂⠆", "12."),
        ("⠼⠚⠤⠼⠚", "0-0"),
        ("⠼⠚⠤⠚⠤⠚", "0-0-0"),
        ("⠴⠤⠴", "0-0"),
        ("⠕⠤⠕", "0-0"),
        ("⠑⠲⠏⠲", "e.p."),
        ("⠦⠶⠴", "(=)"),
        ("⠼⠁⠄⠨⠎⠋⠼⠉ e5", "1.Sf3 e5"),
    ],
)
def test_braille_is_read_by_its_place(cells: str, text: str) -> None:
    assert braille.read(cells) == text


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Weiß: Jürgen Müller, Köln"),
        ("de", "Runde 3, Brett 12"),
        ("da", "Anna mod Bella"),
        ("en", "White Anna Black Bella 2026"),
    ],
)
def test_text_that_is_no_chess_stays_readable(language: str, text: str) -> None:
    cells = braille.write(text, language)
    assert braille.to_brf(cells)
    assert braille.read(cells) == text


@given(st.text())
def test_every_text_can_be_written_and_embossed(text: str) -> None:
    for language in ("de", "en"):
        cells = braille.write(" ".join(text.split()), language)
        assert all(cell == " " or "\u2800" <= cell <= "\u283f" for cell in cells)


@given(st.text(st.characters(min_codepoint=0x2800, max_codepoint=0x28FF)))
def test_reading_never_fails(cells: str) -> None:
    assert isinstance(braille.read(cells), str)


# Liblouis' tables of these countries; the marks of English are those of UEB, 4.2.1.
@pytest.mark.parametrize(
    ("language", "text", "cells"),
    [
        ("de", "Łukasz Núñez", "⠨⠈⠇⠥⠅⠁⠎⠵ ⠨⠝⠈⠥⠈⠝⠑⠵"),
        ("da", "Núñez", "⠨⠝⠐⠥⠐⠝⠑⠵"),
        ("nb", "André Čekić", "⠠⠁⠝⠙⠗⠿ ⠠⠈⠉⠑⠅⠊⠈⠉"),
        ("sv", "Hélène", "⠠⠓⠿⠇⠮⠝⠑"),
        ("en", "Núñez Müller Ødegård", "⠠⠝⠘⠌⠥⠘⠻⠝⠑⠵ ⠠⠍⠘⠒⠥⠇⠇⠑⠗ ⠠⠈⠡⠕⠙⠑⠛⠘⠫⠁⠗⠙"),
        ("de", "O’Neill-Œdip – ĳs", "⠨⠕⠠⠨⠝⠑⠊⠇⠇⠤⠨⠕⠑⠙⠊⠏ ⠤ ⠊⠚⠎"),
    ],
)
def test_letters_of_other_languages_keep_their_marks(language: str, text: str, cells: str) -> None:
    assert braille.write(text, language) == cells
    assert braille.unwritten(text, language) == []


def test_letters_without_a_cell_are_named() -> None:
    assert braille.unwritten("Anna Ἑλένη Иванов") == ["Ἑ", "λ", "έ", "ν", "η", *"Иван", "о"]
