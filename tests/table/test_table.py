"""The table: one owner, the journal before the words, going on after a stop."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from blindplay.language import load
from blindplay.laws import Game, Origin, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.laws.rulings import Refused
from blindplay.record import Journal, JournalError, read_journal
from blindplay.table import Table
from blindplay.wording.announcements import announcements
from blindplay.wording.pack_words import PackWords
from tests.conversation.conversing import GERMAN
from tests.record.disks import failing
from tests.table.playing import killed
from tests.table.sitting import ManualClock, Sit, Sitting

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
        left = 219_600 - (down + 3000 if charged else 0)
        assert clock.left["white"] == pytest.approx(left, abs=2)
        stood = dict(clock.left)
        again = Game(PackWords())
        for fact in journal.facts():
            again.apply(fact)
        assert again.clock.left == stood and len(list(journal.facts())) == facts + 1


@pytest.fixture
def sitting(sit: Sit) -> Sitting:
    return sit(options={"tick_seconds": 0.05}, time_control="240")


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
