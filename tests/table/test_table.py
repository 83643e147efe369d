"""The table: one owner, the journal before the words, going on after a stop."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from blindplay.language import load
from blindplay.laws import Origin, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.laws.rulings import Refused
from blindplay.record import Journal, JournalError, read_journal
from blindplay.table import Table
from blindplay.wording.announcements import announcements
from tests.table.manual_clock import ManualClock

SETUP = Setup(t=0, time_control="300+5", white=Player(impaired=True))


def test_a_fact_is_in_the_journal_before_its_rulings_are_delivered(tmp_path: Path) -> None:
    seen: list[int] = []
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP)

        def count(taken: Taken) -> None:
            seen.append(read_journal(tmp_path / "game.jsonl").facts.count(taken.fact))

        table.listen(count)
        table.submit(f.Start())
        table.submit(f.Announce(by="white", move="e2e4"))
    assert seen == [1, 1]


def test_a_table_goes_on_where_it_stood_clocks_included(tmp_path: Path) -> None:
    clock = ManualClock()
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP, now=clock)
        table.submit(f.Start())
        clock.at += 20
        table.submit(f.Announce(by="white", move="e2e4"))
        table.submit(f.Make(by="white", move="e2e4"))
        table.submit(f.Press(by="white"))
        clock.at += 7
        table.submit(f.Tick())
        stood = dict(table.game.clock.left)
    # 300 + 5 - 20 + 5 for White, 300 + 5 - 7 for Black.
    assert stood == {"white": 290_000, "black": 298_000}
    clock.at = 5.0  # another boot of the machine: its monotonic clock begins anew
    with Journal(tmp_path / "game.jsonl", resume=True) as journal:
        again = Table(journal, now=clock)
        assert again.game.clock.left == stood
        assert again.game.board.fen() == table.game.board.fen()
        assert again.game.clock.running == "black"
        clock.at += 3
        again.submit(f.Tick())
        assert again.game.clock.left["black"] == 295_000


def test_a_journal_that_holds_a_game_takes_no_second_setup(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.jsonl") as journal:
        Table(journal, SETUP)
        with pytest.raises(JournalError, match="already holds a game"):
            Table(journal, SETUP)


def test_an_empty_journal_cannot_be_gone_on_with(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.jsonl") as journal, pytest.raises(JournalError, match="no game"):
        Table(journal)


def test_nothing_is_called_missing_while_it_is_being_written(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP)
        clock = threading.Thread(target=lambda: [table.submit(f.Tick()) for _ in range(100)])
        clock.start()
        while clock.is_alive():
            assert table.whole
        clock.join()


def test_facts_of_many_threads_are_taken_one_at_a_time(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP)
        busy: list[int] = []

        def one_at_a_time(taken: Taken) -> None:
            busy.append(1)
            assert len(busy) == 1
            busy.pop()

        table.listen(one_at_a_time)
        threads = [
            threading.Thread(target=lambda: [table.submit(f.Tick()) for _ in range(50)])
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        written = list(journal.facts())
    assert len(written) == 1 + 8 * 50
    assert [fact.t for fact in written] == sorted(fact.t for fact in written)


def test_a_listener_may_send_a_fact_of_its_own(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP)

        def answer(taken: Taken) -> None:
            if isinstance(taken.fact, f.Start):
                table.submit(f.Query(by="white", about="time"))

        table.listen(answer)
        table.submit(f.Start())
        assert [fact.kind for fact in journal.facts()] == ["setup", "start", "query"]


def test_a_journal_that_cannot_be_written_is_told_and_the_game_goes_on(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "game.jsonl")
    table = Table(journal, SETUP)
    told: list[str | None] = []
    table.watch_journal(told.append)
    journal.close()
    table.submit(f.Start())
    assert table.game.started
    assert len(told) == 1 and "cannot be written" in str(told[0])


def test_a_fact_that_waits_while_another_is_delivered_keeps_its_own_origin(tmp_path: Path) -> None:
    """A page reports its own refusals. The refusal of a fact that a listener submits meanwhile is
    not the page's, so it is announced."""
    page = Origin("page", (Refused,))
    announced: list[tuple[str, int]] = []
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP)

        def answer(taken: Taken) -> None:
            found = announcements(taken, table.game, load("en"))
            announced.append((taken.origin.name, len(found)))
            if taken.origin is page:
                table.submit(f.Announce(by="black", move="e7e5"))

        table.listen(answer)
        table.submit(f.Announce(by="black", move="e7e5"), page)
    assert announced == [("page", 0), ("table", 1)]


def test_a_fact_without_a_time_happens_now(tmp_path: Path) -> None:
    clock = ManualClock()
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP, now=clock)
        clock.at += 2.5
        table.submit(f.Start())
        assert table.game.t == 2500
