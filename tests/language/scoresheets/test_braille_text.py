"""Text in a country's Braille: as its authority writes it, and read back as the same text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.language.scoresheets import braille
from blindplay.language.scoresheets.braille_text import (
    BROKEN,
    normal,
    numbered,
    numbered_signs,
    read_text,
    write_text,
)
from tests.sampling import examples

CODES = ["de", "en", "nb", "sv", "da"]
SIGNS = [chr(point) for point in range(0x21, 0x7F)]
OTHERS = list("äöüßéèàçñåæøłđšžčőÎ“”„«»’…–—½ΑαςάωжЯйїЁ日😀⠿⠁ ")


def dots(*cells: int) -> str:
    """Cells by the numbers of their dots: 136 is ⠥."""
    return "".join(chr(0x2800 + sum(1 << int(dot) - 1 for dot in str(cell))) for cell in cells)


@pytest.mark.parametrize("language", CODES)
@examples(300)
@given(text=st.text(st.sampled_from(SIGNS + OTHERS), max_size=40))
def test_a_text_is_read_back_as_it_was_written(language: str, text: str) -> None:
    assert read_text(write_text(text, language), language) == normal(text)


def test_a_number_that_is_no_sign_stays_in_cells() -> None:
    for point in (0xD800, 0xDFFF, 0x110000):
        number = write_text(str(point)).removeprefix("⠼")
        cells = numbered("x").replace(write_text(str(ord("x"))).removeprefix("⠼"), number)
        assert read_text(cells) == cells


@pytest.mark.parametrize("language", CODES)
@examples(100)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_a_text_of_any_signs_is_read_back_from_a_file_for_an_embosser(
    language: str, text: str
) -> None:
    cells = write_text(text, language)
    assert BROKEN not in cells.split()  # nothing is taken for a word that goes on
    brf = braille.to_brf(cells)
    assert brf.isascii()
    assert read_text(braille.from_brf(brf), language) == normal(text)


# German: BSKDL 2018. Norwegian: Håndbok i litterær punktskrift 2019. Swedish: Svenska skrivregler
# för punktskrift 2009. Danish: liblouis' tables. English: Rules of UEB 2013. Cells by their dots.
@pytest.mark.parametrize(
    ("language", "text", "cells"),
    [
        ("de", "Ja!", (46, 245, 1, 235)),
        ("de", "5!", (3456, 15, 6, 235)),  # punctuation behind a number has dot 6 before it
        ("de", "(ja)", (2356, 245, 1, 2356)),
        ("de", "(3)", (2356, 3456, 14, 6, 2356)),
        ("de", "–", (6, 36)),
        ("de", "50%", (3456, 15, 245, 3456, 245, 356)),
        ("de", "Öl", (46, 246, 123)),
        ("de", "é", (4, 123456)),
        ("de", "3a", (3456, 14, 6, 1)),
        ("en", "Yes?", (6, 13456, 15, 234, 236)),
        ("en", "(a)", (5, 126, 1, 5, 345)),
        ("en", "é", (45, 34, 15)),
        ("en", "č", (45, 346, 14)),
        ("en", "ā", (4, 36, 1)),
        ("en", "ł", (4, 16, 123)),
        ("en", "3a", (3456, 14, 56, 1)),
        ("en", '"a"', (236, 1, 356)),
        ("nb", "Å", (6, 16)),
        ("nb", "(ø)", (236, 246, 356)),
        ("nb", "–", (36, 36)),
        ("nb", "é", (123456,)),
        ("sv", "2+", (3456, 12, 256)),
        ("sv", '"ä"', (56, 345, 56)),
        ("sv", "š", (4, 234)),
        ("da", "Ær", (46, 345, 1235)),
        ("da", "é", (5, 15)),
        ("da", '"a"', (2356, 1, 2356)),
    ],
)
def test_text_is_written_as_the_countrys_authority_does(
    language: str, text: str, cells: tuple[int, ...]
) -> None:
    assert write_text(text, language) == dots(*cells)


def test_cyrillic_and_greek_have_the_letters_of_their_own_alphabets() -> None:
    # World Braille Usage: в is dots 2456, η dots 156.
    assert write_text("Ивα", "de") == "⠿⠿⠉" + dots(46, 24, 2456) + "⠿⠿⠛" + dots(1)
    assert read_text(write_text("Η ΤΙΜΗ της Ελλάδας", "en"), "en") == "Η ΤΙΜΗ της Ελλάδας"


def test_a_sign_without_cells_stands_with_its_number() -> None:
    cells = write_text("日", "de")
    assert cells == f"⠿⠿⠼{'⠃⠋⠚⠓⠑'}⠿"  # 26085
    assert numbered_signs(f"{cells} {cells}") == ["日"]
