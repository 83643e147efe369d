"""Going on with a game after its table has ended: whether the clocks do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.laws import facts as f
from blindplay.laws.facts import FactError, Player, Setup
from blindplay.record import Journal, read_journal
from blindplay.table import Table
from blindplay.table.play import TableOptions
from tests.table.playing import played
from tests.table.sitting import play_moves

SETUP = Setup(
    t=0, time_control="240", arbiter="present", white=Player(impaired=True), black=Player()
)


def left_behind(path: Path, *decisions: str) -> None:
    """A game that White has begun with e4, what the arbiter then decided, and a killed table."""
    with Journal(path) as journal:
        table = Table(journal, SETUP)
        table.submit(f.Start())
        play_moves(table, "e2e4")
        for do in decisions:
            table.submit(f.Arbiter(do=do, ply=0 if do == "restore" else None))
        table.beat()


def gone_on(path: Path, *lines: str) -> None:
    """The table of the game in ``path`` comes back and ends."""
    played(path, [*lines, "quit"], options=TableOptions("en"))


def decided(path: Path) -> list[tuple[str, str]]:
    """Who had the clocks stopped and started, in order."""
    return [(one.by, one.do) for one in read_journal(path).facts if isinstance(one, f.Arbiter)]


ENDED = [("table", "stop_clocks"), ("table", "start_clocks"), ("table", "stop_clocks")]


def test_clocks_that_ran_when_the_table_was_killed_go_on_and_the_arbiter_did_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "game.jsonl"
    left_behind(path)
    gone_on(path)
    assert decided(path) == ENDED
    gone_on(path)  # after an orderly end, too
    assert decided(path) == ENDED + ENDED[1:]


@pytest.mark.parametrize("decision", ["stop_clocks", "restore"])
def test_clocks_that_the_arbiter_left_standing_stand_when_the_table_comes_back(
    tmp_path: Path, decision: str
) -> None:
    path = tmp_path / "game.jsonl"
    left_behind(path, decision)
    for _ in range(2):
        gone_on(path)
        assert decided(path) == [("arbiter", decision)]
    gone_on(path, "start")  # until he has them go on
    after = [("arbiter", "start_clocks"), ("table", "stop_clocks")]
    assert decided(path) == [("arbiter", decision), *after]


def test_what_the_arbiter_stops_or_restores_before_all_is_set_up_is_his(tmp_path: Path) -> None:
    for decision in ("stop_clocks", "restore"):
        path = tmp_path / f"{decision}.jsonl"
        left_behind(path)
        with Journal(path, resume=True) as journal:
            table = Table(journal)
            table.go_on()
            assert table.game.paused == "table"
            table.submit(f.Arbiter(do=decision, ply=0))
        gone_on(path)
        assert decided(path) == [("table", "stop_clocks"), ("arbiter", decision)]


def test_the_table_decides_nothing_but_about_its_own_clocks() -> None:
    with pytest.raises(FactError, match="not the table's"):
        f.parse({"t": 0, "fact": "arbiter", "by": "table", "do": "confirm"})


@pytest.mark.parametrize("arbiter", ["automatic", "present"])
def test_what_waits_for_an_answer_is_told_again(tmp_path: Path, arbiter: str) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        table = Table(journal, replace(SETUP, arbiter=arbiter))
        table.submit(f.Start())
        play_moves(table, "e2e4", "e7e5")
        table.submit(f.Irregular(by="white", what="wrong_start"))
    printed = played(path, ["black: no", "quit"], options=TableOptions("en"))
    if arbiter == "present":
        assert "The arbiter is needed. It must be decided whether moves are taken back." in printed
        return
    due = printed.index("Black, yes or no?")
    assert (
        printed.index("This is a game that was begun earlier.")
        < due
        < printed.index("Black says no.")
    )
