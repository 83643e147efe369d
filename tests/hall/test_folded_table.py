"""A table's game, folded from the hall's copy of its journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.console.actions import stamp
from blindplay.console.table_port import TablePort
from blindplay.hall.folded_table import FoldedTable
from blindplay.hall.follower import Follower
from blindplay.laws import FactError, Taken
from blindplay.laws import facts as f
from tests.waiting import until

from .conftest import Event
from .model_hall import ModelHall
from .model_table import ModelTable
from .playing import is_equal, play


def test_the_game_is_that_of_the_table(event: Event) -> None:
    hall, table = event.hall(), event.table()
    event.publish(table)
    play(table, "e2e4", "e7e5")
    assert until(lambda: is_equal(hall, table))
    folded = FoldedTable(hall.follower, "1")
    port: TablePort = folded
    assert port.game.board.fen() == table.game.board.fen()
    assert stamp(port.game) == stamp(table.game)
    assert [one.fact for one in port.log] == [one.fact for one in table.log]
    assert port.path.read_bytes() == table.path.read_bytes()
    seen: list[Taken] = []
    folded.listen(seen.append)
    play(table, "g1f3")
    assert until(lambda: folded.catch_up() and folded.game.history[2:])
    assert stamp(folded.game) == stamp(table.game)
    assert [one.fact for one in seen] == [one.fact for one in table.log[-len(seen) :]]
    assert not folded.catch_up()
    assert abs(folded.time() - table.time()) < 60_000


def test_nothing_is_submitted_at_the_hall(hall: ModelHall) -> None:
    folded = FoldedTable(hall.follower, "1")
    with pytest.raises(FactError, match="table itself"):
        folded.submit(f.Tick(), None)  # type: ignore[arg-type]
    done: list[bool] = []
    folded.after_hands(lambda: done.append(folded.holds_press("white")))
    assert done == [False]


def test_lines_that_are_taken_out_of_the_copy_are_not_in_the_game(
    hall: ModelHall, table: ModelTable
) -> None:
    folded = FoldedTable(hall.follower, "1")
    assert len(folded.log) == 1 and folded.game.t == 40
    rogue = ModelTable(run="rogue")
    rogue.lines = list(table.lines)
    hall.publish(table.journal(rogue.play(4)))
    hall.wait(1)
    assert folded.catch_up() and folded.game.t == 80
    hall.settle()
    assert folded.catch_up() and folded.game.t == 40
    assert folded._end[0] == 5


def test_a_fact_of_a_newer_table_ends_the_folding_with_a_sentence(
    hall: ModelHall, table: ModelTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(f.KINDS, "tick")
    folded = FoldedTable(hall.follower, "1")
    assert "update BlindPlay" in folded.trouble and folded.game.setup is not None


def test_a_table_without_a_game_is_refused(tmp_path: Path) -> None:
    follower = Follower("open", tmp_path, lambda topic, payload: None)
    with pytest.raises(ValueError, match="no game of table 9"):
        FoldedTable(follower, "9")
