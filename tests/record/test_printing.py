"""Scoresheets on paper: Braille pages for an embosser, and a page for a printer."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.record.printing import brf, html, pages
from blindplay.record.score import Labels, ScoredPly

WORD = st.text("ABC#'.", min_size=1, max_size=14)
BLOCKS = st.lists(st.lists(WORD, min_size=1, max_size=12).map(" ".join), max_size=60)


@given(BLOCKS, st.integers(10, 40), st.integers(3, 25))
def test_no_line_and_no_page_is_too_long_and_nothing_is_lost(
    blocks: list[str], cells: int, lines: int
) -> None:
    laid_out = pages(blocks, cells=cells, lines=lines, number=lambda page: f"~{page}")
    for number, page in enumerate(laid_out, 1):
        assert len(page) <= lines and all(len(line) <= cells for line in page)
        if number > 1:
            assert page[0] == f"~{number}".rjust(cells)
    text = [line for page in laid_out for line in page if "~" not in line]
    assert "".join("".join(text).split()) == "".join("".join(blocks).split())


@given(BLOCKS, st.integers(3, 25))
def test_a_move_that_fits_on_a_page_is_not_divided(blocks: list[str], lines: int) -> None:
    laid_out = pages(blocks, cells=20, lines=lines, number=lambda page: f"~{page}")
    starts = {}
    at = 0
    for number, page in enumerate(laid_out):
        for line in page:
            if "~" not in line:
                starts[at] = number
                at += 1
    at = 0
    for block in blocks:
        long = len(pages([block], cells=20, lines=1000)[0])
        if long <= lines - 1:
            assert starts[at] == starts[at + long - 1]
        at += long


def test_a_long_block_continues_in_the_third_cell() -> None:
    assert pages(["1. Bauer Eva zwei Eva vier"], cells=12)[0] == [
        "1. Bauer Eva", "  zwei Eva", "  vier",
    ]  # fmt: skip
    assert pages(["ABCDEFGHIJKLMNO P"], cells=10)[0] == ["ABCDEFGHIJ", "  KLMNO P"]


def test_too_small_paper_is_refused() -> None:
    for cells, lines in ((9, 25), (40, 2)):
        with pytest.raises(ValueError, match="at least"):
            pages(["A"], cells=cells, lines=lines)


def test_the_default_page_has_forty_cells_and_twenty_five_lines() -> None:
    laid_out = pages(["A"] * 60 + ["B" * 41])
    assert [len(page) for page in laid_out] == [25, 25, 14]
    assert laid_out[2][-2:] == ["B" * 40, "  B"]
    assert laid_out[1][0] == " " * 39 + "2"


def test_a_file_for_an_embosser_ends_lines_with_cr_lf_and_pages_with_a_form_feed() -> None:
    assert brf([["A", "B"], ["C"]]) == "A\r\nB\r\n\fC\r\n\f"


class Read(HTMLParser):
    """The open elements must close in order; collects the text of each kind of element."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: dict[str, list[str]] = {}
        self.attributes: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)
            self.text.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.text[self.open[-1]][-1] += data


ENTRIES = [
    ScoredPly(1, 1, "white", "Bauer <b>Eva</b> & Co", ("e3", "d4"), offered=True),
    ScoredPly(2, 1, "black", None),
    ScoredPly(3, 2, "white", "Sf3"),
]


def read(page: str) -> Read:
    reader = Read()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader


def test_the_printed_page_is_a_table_that_a_screen_reader_can_walk_through() -> None:
    labels = Labels(
        "Zug", "Weiß", "Schwarz", "Unterschriften", "(leer)", "durchgestrichen: {entry}"
    )
    found = read(html("Formular", {"Ort": "A<B"}, ENTRIES, labels, language="de"))
    assert ("html", {"lang": "de"}) in found.attributes
    assert found.text["h1"] == found.text["title"] == ["Formular"]
    assert (found.text["dt"], found.text["dd"]) == (["Ort"], ["A<B"])
    assert found.text["th"] == ["Zug", "Weiß", "Schwarz", "1", "2"]
    assert found.text["td"] == ["Bauer <b>Eva</b> & Co (=)", "(leer)", "Sf3", ""]
    assert found.text["del"] == ["durchgestrichen: e3", "durchgestrichen: d4"]
    assert (found.text["h2"], found.text["p"]) == (["Unterschriften"], ["Weiß", "Schwarz"])
    scopes = [attributes["scope"] for tag, attributes in found.attributes if tag == "th"]
    assert scopes == ["col"] * 3 + ["row"] * 2


def test_the_size_of_type_is_chosen() -> None:
    assert "font: 14pt/" in html("", {}, [])
    assert "font: 22pt/" in html("", {}, [], points=22)
    for points in (5, 73):
        with pytest.raises(ValueError, match="large print"):
            html("", {}, [], points=points)
