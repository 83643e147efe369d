"""The table and its journal: the time after a kill, a full disk, facts that fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.laws import Game, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Setup
from blindplay.record import Journal, read_journal
from blindplay.table import Table
from blindplay.wording.pack_words import PackWords
from tests.record.disks import failing
from tests.table.conversation import GERMAN
from tests.table.manual_clock import ManualClock
from tests.table.playing import killed
from tests.table.sitting import Sit, Sitting


@pytest.mark.parametrize("charged", [False, True])
def test_the_time_without_a_table_is_charged_as_the_arbiter_says_and_replays_so(
    tmp_path: Path, charged: bool
) -> None:
    path = tmp_path / "game.jsonl"
    facts = killed(path, dead=60)
    now = ManualClock()
    with Journal(path, resume=True) as journal:
        table = Table(journal, now=now)
        now.at += 3  # it looks for its devices meanwhile
        table.go_on(charge_dead_time=charged)
        clock, down = table.game.clock, table.down
        assert clock.running == ("white" if charged else None)
        assert down is not None and down >= 60_000
        left = 279_600 - (down + 3000 if charged else 0)
        assert clock.left["white"] == pytest.approx(left, abs=2)
        stood = dict(clock.left)
        again = Game(PackWords())
        for fact in journal.facts():
            again.apply(fact)
        assert again.clock.left == stood and len(list(journal.facts())) == facts + 1


@pytest.fixture
def sitting(sit: Sit) -> Sitting:
    return sit(options={"tick_seconds": 0.05}, time_control="300")


def test_a_full_disk_is_said_aloud_once_and_that_all_is_saved_again(sitting: Sitting) -> None:
    table, journal = sitting.table, sitting.journal
    failed, saved = GERMAN.sentence("journal_failed"), GERMAN.sentence("journal_saved")
    with failing("write", taken=10):
        for move in ("e2e4", "d2d4"):
            table.submit(f.Announce(by="white", move=move))
        assert [taken.fact.kind for taken in table.log] == ["setup", "announce", "announce"]
        assert journal.unwritten >= 2
        assert sitting.printed.count(failed) == 1
        assert saved not in sitting.printed
    sitting.shows(saved)
    assert (sitting.printed.count(saved), sitting.printed.count(failed)) == (1, 1)
    kinds = [fact.kind for fact in read_journal(journal.path).facts if fact.kind != "tick"]
    assert kinds == ["setup", "announce", "announce"]


def test_what_the_game_cannot_take_never_comes_into_the_journal(sitting: Sitting) -> None:
    """A line of the keyboard may be any fact; the journal could not be gone on with."""
    table = sitting.table
    with pytest.raises(f.FactError, match="come only once"):
        table.submit(Setup(t=table.time()))
    table.submit(f.Start())
    table.submit(f.Query(t=0, by="white", about="moves"))  # made long ago, by its time
    written = list(sitting.journal.facts())
    assert [fact.kind for fact in written if fact.kind != "tick"] == ["setup", "start", "query"]
    assert [fact.t for fact in written] == sorted(fact.t for fact in written)


def test_who_fails_to_listen_keeps_a_fact_from_nobody(sitting: Sitting) -> None:
    table = sitting.table
    heard: list[str] = []

    def fail(taken: Taken) -> None:
        if isinstance(taken.fact, f.Start):
            table.submit(f.Query(by="white", about="moves"))
        raise RuntimeError("it is deaf")

    table.listen(fail)
    table.listen(lambda taken: heard.append(taken.fact.kind))
    with pytest.raises(RuntimeError, match="deaf"):
        table.submit(f.Start())
    assert [kind for kind in heard if kind != "tick"] == ["start", "query"]
