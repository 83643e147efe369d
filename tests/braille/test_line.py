"""A long text on a short line: nothing is lost, whatever the display's size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.braille.line import MORE, BrailleLine

SENTENCES = st.lists(st.text("abcdefgh ", min_size=1).map(str.strip).filter(bool), max_size=5)


def everything(line: BrailleLine, cells: int) -> list[str]:
    """The pieces that a reader feels who pans to the right until the state is there."""
    found = []
    while line.sentence is not None:
        piece = line.shown(cells, "STATE")[0].rstrip()
        assert len(piece) <= cells
        found.append(piece)
        line.right(cells, "STATE")
    return found


@given(SENTENCES, st.integers(14, 80))
def test_who_pans_to_the_right_reads_every_sentence_once_and_then_the_state(
    sentences: list[str], cells: int
) -> None:
    line = BrailleLine(keeps=True)
    for sentence in sentences:
        line.say(sentence)
    assert line.unread is bool(sentences)
    pieces = everything(line, cells)
    assert not line.unread
    read = "".join(piece.removesuffix(MORE).replace(" ", "") for piece in pieces)
    assert read == "".join(sentences).replace(" ", "")
    # Six dots say that more follows, and only then.
    assert [piece.endswith(MORE) for piece in pieces] == [True] * (len(pieces) - 1) + [
        False
    ] * bool(pieces)


def test_who_also_hears_feels_the_newest_sentence_and_can_go_back() -> None:
    line = BrailleLine(keeps=False)
    for sentence in ("eins", "zwei", "drei"):
        line.say(sentence)
    assert not line.unread and line.shown(14, "")[0].rstrip() == "drei"
    line.left(14)
    assert line.shown(14, "")[0] == "zwei".ljust(13) + MORE
    line.back()
    line.back()
    assert line.sentence == "eins"
    line.home()
    assert line.sentence is None


def test_a_long_sentence_is_read_back_from_its_end() -> None:
    line = BrailleLine(keeps=False)
    line.say("Springer Gustav eins")
    line.next()
    line.left(14)
    assert line.shown(14, "")[0].rstrip() == "Gustav eins"
    line.left(14)
    assert line.shown(14, "")[0] == "Springer".ljust(13) + MORE


def test_what_is_typed_takes_the_place_of_all_with_the_cursor_behind_it() -> None:
    line = BrailleLine(keeps=True)
    line.say("eins")
    line.typed = "abcdefghijklmnop"
    assert line.shown(14, "") == ("defghijklmnop", 13)


@pytest.mark.parametrize("cells", [1, 0])
def test_a_display_of_a_cell_stops_nothing(cells: int) -> None:
    line = BrailleLine(keeps=True)
    line.say("ab")
    assert everything(line, cells + 2)
