"""The parts of a game that several pages show, and scoresheets in notation."""

from __future__ import annotations

import pytest

from blindplay.console.pages import common
from blindplay.console.pages.common import in_notation
from blindplay.laws import facts as f
from tests.console.hall import Hall


def test_a_scoresheet_begins_with_the_last_move_and_leaves_empty_ones_out(hall: Hall) -> None:
    hall.start()
    for move in ("e2e4", "g1f3"):
        hall.play("white", move)
        hall.play("black", {"e2e4": "e7e5", "g1f3": "b8c6"}[move])
    for ply, text in ((1, "e3"), (1, "e4"), (4, "Nc6")):
        hall.table.submit(f.Record(by="black", ply=ply, text=text))
    (second, first) = common.sheet_rows(hall.table.game, "black")
    assert (second[0], second[2] and second[2].text) == (2, "Nc6")
    assert first[1] is not None and (first[1].text, first[1].struck[-1]) == ("e4", "e3")
    (_, plain) = common.sheet_rows(hall.table.game, "black", with_struck=False)
    assert plain[1] is not None and plain[1].struck == ()
    ply = common.next_ply(hall.table.game, "black")
    assert ply not in hall.table.game.sheets["black"] and ply > 1


def test_the_running_clock_counts_from_its_start_and_the_other_one_stands(hall: Hall) -> None:
    hall.now = 2.0
    hall.start()
    white, black = common.clocks(hall.table.game)
    assert (white.runs, white.at, white.left) == (True, 2000, 305_000)
    assert (black.runs, black.shown) == (False, "5:05")


def test_the_status_says_what_the_table_waits_for(hall: Hall) -> None:
    def status() -> str:
        return common.status(hall.table.game, "en")

    assert status() == "The game has not begun."
    hall.start()
    assert status() == "Move 1, White to move."
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    hall.table.submit(f.Make(by="white", move="e2e4"))
    assert status() == "Move 1: White has made a move and has still to press the clock."
    hall.table.submit(f.Resign(by="white"))
    assert status() == "The game is over: 0-1."


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
