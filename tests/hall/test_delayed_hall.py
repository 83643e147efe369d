"""Which games a hall shows to everybody, under which numbers, also after it was started again."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.console.public import Audience
from blindplay.hall.delayed_hall import DelayedHall
from blindplay.laws import facts as f

from .model_hall import ModelHall
from .told_table import ToldTable, pass_time, setup

DELAY = 900


class Watched:
    """Tables, and the hall as everybody sees it."""

    def __init__(self, folder: Path, *tables: ToldTable, names: bool = True) -> None:
        self.hall = ModelHall(folder, *tables)
        self.tables = tables
        self.names = names
        for table in tables:
            self.hall.publish(table.presence(), table.journal(table.lines))
        self.again()

    def again(self) -> None:
        """A new process of what everybody sees."""
        audience = Audience(DELAY, self.names)
        self.shown = DelayedHall(self.hall.follower, audience, "Cup", lambda: self.hall.now)

    def wait(self, seconds: float) -> None:
        """Pass time at the tables, too."""
        pass_time(self.hall, self.tables, seconds)
        self.shown.catch_up()

    def moves(self) -> dict[str, int]:
        """How many moves each table shows."""
        return {one.table: len(one.game.history) for one in self.shown.boards()}


def test_a_table_shows_its_new_game_only_when_that_is_old_enough(tmp_path: Path) -> None:
    """The next round begins before the last moves of this one are shown."""
    table = ToldTable(setup(), f.Start())
    watched = Watched(tmp_path, table)
    watched.wait(1000)
    watched.hall.publish(table.journal(table.move(1000, "e2e4")))
    watched.wait(100)
    watched.wait(200)
    assert watched.moves() == {"1": 0}
    table.next_game("run-2", setup(round="4"), f.Start())
    watched.hall.publish(table.presence(), table.journal(table.lines))
    watched.wait(100)
    assert watched.moves() == {"1": 0} and watched.shown.boards()[0].round == 3
    watched.wait(DELAY - 250)
    assert watched.moves() == {"1": 1} and watched.shown.boards()[0].round == 3
    watched.wait(200)
    assert watched.moves() == {"1": 0} and watched.shown.boards()[0].round == 4
    assert {one.round for one in watched.shown.games()} <= {3, 4}


def test_a_hall_that_is_started_again_shows_no_less_and_nothing_newer(tmp_path: Path) -> None:
    """The table is switched off after its game, so that nothing tells its time any more."""
    table = ToldTable(setup(), f.Start())
    watched = Watched(tmp_path, table)
    watched.hall.publish(table.journal(table.move(10, "e2e4")))
    watched.wait(1000)
    watched.hall.publish(table.journal(table.move(1001, "e7e5", by="black")))
    watched.wait(10)
    assert watched.moves() == {"1": 1}
    watched.shown.close()
    watched.hall.start()
    watched.again()
    watched.shown.catch_up()
    assert watched.moves() == {"1": 1}
    watched.hall.now += DELAY + 1
    watched.shown.catch_up()
    assert watched.moves() == {"1": 2}


def test_tables_keep_their_numbers(tmp_path: Path) -> None:
    names = ("hall-b", "table-4", "2", "a-2", "007", "12345")
    tables = [ToldTable(setup(), name=name, run=name) for name in names]
    watched = Watched(tmp_path, *tables)
    watched.wait(DELAY + 1)
    numbers = {one.table: one.number for one in watched.shown.boards()}
    assert numbers["table-4"] == 4 and numbers["2"] == 2 and numbers["007"] == 7
    assert len(set(numbers.values())) == len(names)
    watched.shown.close()
    watched.hall.start()
    watched.again()
    watched.shown.catch_up()
    assert {one.table: one.number for one in watched.shown.boards()} == numbers


@pytest.mark.parametrize("content", ["", "[]", '{"numbers": {"1": "x"}, "shown": {}}', "[" * 9999])
def test_a_spoilt_file_only_costs_the_delay(tmp_path: Path, content: str) -> None:
    (tmp_path / "shown.json").write_text(content, "utf-8")
    watched = Watched(tmp_path, ToldTable(setup(), f.Start()))
    assert watched.moves() == {}
    watched.wait(DELAY + 1)
    assert watched.moves() == {"1": 0}


@pytest.mark.parametrize(
    ("told", "number"),
    [("3", 3), ("", 1), ("Round 4", 4), ("5.2", 5), ("0", 1), ("final", 1), ("1234", 123)],
)
def test_a_round_has_a_number(tmp_path: Path, told: str, number: int) -> None:
    watched = Watched(tmp_path, ToldTable(setup(round=told)))
    watched.wait(DELAY + 1)
    assert watched.shown.boards()[0].round == number


def test_the_pgn_has_the_board_and_names_only_if_they_are_allowed(tmp_path: Path) -> None:
    watched = Watched(tmp_path, ToldTable(setup(event=""), name="6"), names=False)
    watched.wait(DELAY + 1)
    text = watched.shown.boards()[0].pgn()
    for tag in ('[Round "3.6"]', '[Board "6"]', '[White "White 6"]', '[Event "Cup"]'):
        assert tag in text
    assert "Anna" not in text and "Bert" not in text


def test_a_game_that_is_over_for_everybody_is_forgotten(tmp_path: Path) -> None:
    table = ToldTable(setup())
    watched = Watched(tmp_path, table)
    watched.wait(DELAY + 1)
    table.next_game("run-2", setup(round="4"))
    watched.hall.publish(table.presence(), table.journal(table.lines))
    watched.wait(DELAY + 1)
    watched.wait(1)
    watched.wait(1)
    assert [one.round for one in watched.shown.games()] == [4]
    assert len(watched.shown._games) == 1
