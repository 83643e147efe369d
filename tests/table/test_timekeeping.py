"""The clock on the wall: while a game clock runs, each second is a fact."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal
from blindplay.record.pulse import last_beat
from blindplay.table import Table
from blindplay.table.timekeeping import Timekeeper
from tests.record.disks import failing
from tests.table.manual_clock import ManualClock
from tests.table.sitting import Sit
from tests.waiting import PATIENCE_S, until


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Journal(tmp_path / "game.jsonl") as journal:
        yield Table(journal, Setup(t=0, time_control="60"), now=ManualClock())


class Seconds:
    """Counts the seconds that pass, and what went wrong meanwhile."""

    def __init__(self, fails: Callable[[int], Exception | None] = lambda count: None) -> None:
        self.count, self.troubles = 0, list[str]()
        self._fails = fails

    def __call__(self) -> None:
        self.count += 1
        error = self._fails(self.count)
        if error is not None:
            raise error

    def keep(self, table: Table) -> Timekeeper:
        return Timekeeper(table, self, self.failed, tick_seconds=0.005)

    def failed(self, error: Exception) -> None:
        self.troubles.append(str(error))

    def wait_for(self, count: int) -> None:
        assert until(lambda: self.count >= count)


def ticks(table: Table) -> int:
    return sum(isinstance(fact, f.Tick) for fact in table._journal.facts())


def test_time_is_a_fact_only_while_a_clock_runs(table: Table) -> None:
    seconds = Seconds()
    keeper = seconds.keep(table)
    seconds.wait_for(3)
    assert ticks(table) == 0
    table.submit(f.Start())
    assert until(lambda: ticks(table) >= 2)
    keeper.close()
    assert seconds.troubles == []


def test_what_could_not_be_written_is_written_while_no_clock_runs(table: Table) -> None:
    with failing("write", taken=10):
        table.submit(f.Announce(by="white", move="e2e4"))
    assert table._journal.unwritten == 1
    keeper = Seconds().keep(table)
    assert until(lambda: table._journal.unwritten == 0)
    keeper.close()


def test_a_failure_does_not_stop_the_time_and_is_said_once(table: Table) -> None:
    seconds = Seconds(lambda count: ValueError("deaf") if count < 4 else OSError("and dumb"))
    keeper = seconds.keep(table)
    seconds.wait_for(8)
    keeper.close()
    assert [trouble.count("deaf") for trouble in seconds.troubles] == [1, 0]
    assert "and dumb" in seconds.troubles[1]


def test_after_it_is_closed_no_time_passes_and_the_last_beat_is_written(
    table: Table, tmp_path: Path
) -> None:
    seconds = Seconds()
    keeper = seconds.keep(table)
    seconds.wait_for(1)
    keeper.close()
    count = seconds.count
    beat = last_beat(tmp_path / "game.jsonl")
    assert beat is not None and beat.facts == 1
    assert not [one for one in threading.enumerate() if one in keeper._threads]
    assert seconds.count == count


def test_a_flag_falls_though_somebody_fails_at_every_second_before(sit: Sit) -> None:
    clock, failed = ManualClock(), threading.Event()

    def fails(taken: Taken) -> None:
        if isinstance(taken.fact, f.Tick):
            failed.set()
            raise RuntimeError("no room")

    white = Player(impaired=True)
    sitting = sit(now=clock, time_control="60", white=white, options={"tick_seconds": 0.01})
    sitting.table.listen(fails)
    sitting.start()
    assert failed.wait(PATIENCE_S)
    clock.at += 61
    assert sitting.session.wait_for("flag", PATIENCE_S) is not None
    sitting.session.close()
    assert sitting.printed.count("trouble: Während die Zeit lief") == 1
