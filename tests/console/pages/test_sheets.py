"""Scoresheets in notation."""

from __future__ import annotations

import pytest

from blindplay.console.pages.sheets import in_notation
from blindplay.laws import facts as f
from tests.console.hall import Hall


@pytest.mark.parametrize(("language", "knight"), [("en", "Nf3"), ("de", "Sf3"), ("sv", "Sf3")])
def test_an_entry_in_words_stands_in_the_notation_of_the_page(
    hall: Hall, language: str, knight: str
) -> None:
    hall.start()
    hall.play("white", "g1f3")
    assert hall.table.game.sheets["white"][1] == "Springer Gustav eins Felix drei"
    ((number, white, black),) = in_notation(hall.table.game, "white", language)
    assert white is not None
    assert (number, white.text, black) == (1, knight, None)


def test_what_is_no_move_stands_as_it_was_written(hall: Hall) -> None:
    hall.start()
    hall.play("white", "e2e4")
    hall.table.submit(f.Record(by="white", ply=1, text="e4 or so"))
    ((_, white, _),) = in_notation(hall.table.game, "white", "en")
    assert white is not None
    assert (white.text, white.struck) == ("e4 or so", ("e4",))
