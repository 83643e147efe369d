"""The table and its journal: the time after a kill, a full disk, facts that fail."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.language import load
from blindplay.laws import Game, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal, pulse, read_journal
from blindplay.table import Table
from blindplay.table.session import Session
from blindplay.table.transcript import Transcript
from blindplay.wording.pack_words import PackWords
from tests.record.disks import failing

GERMAN = load("de")
SETUP = Setup(
    t=0, time_control="300", arbiter="automatic", white=Player(impaired=True), black=Player()
)


class Hand:
    """A monotonic clock that moves when it is told."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def left_behind(path: Path, *, dead: float) -> int:
    """A game in which White had thought for 20.4 s when his table was killed, ``dead`` seconds
    ago; the last fact is older. Returns the journal's number of facts."""
    hand = Hand()
    with Journal(path) as journal:
        table = Table(journal, SETUP, now=hand)
        table.submit(f.Start())
        hand.at += 20
        table.submit(f.Tick())
        hand.at += 0.4
        table.beat()
        table.beat()
        facts = len(list(journal.facts()))
    beat = pulse.last_beat(path)
    assert beat is not None
    then = pulse.Beat(beat.facts, beat.digest, beat.t, beat.wall - dead)
    again = pulse.Pulse(path)
    again.beat(then)
    again.beat(then)
    again.close()
    return facts


@pytest.mark.parametrize(("charged", "left"), [(False, 279_600), (True, 219_600)])
def test_the_time_without_a_table_is_charged_as_the_arbiter_says_and_replays_so(
    tmp_path: Path, charged: bool, left: int
) -> None:
    path = tmp_path / "game.jsonl"
    facts = left_behind(path, dead=60)
    hand = Hand()
    with Journal(path, resume=True) as journal:
        table = Table(journal, now=hand)
        hand.at += 3  # it looks for its devices meanwhile
        table.go_on(charge_dead_time=charged)
        clock = table.game.clock
        assert clock.running == ("white" if charged else None)
        assert abs(clock.left["white"] - left + (3000 if charged else 0)) < 500
        stood = dict(clock.left)
        again = Game(PackWords())
        for fact in journal.facts():
            again.apply(fact)
        assert again.clock.left == stood and len(list(journal.facts())) == facts + 1


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP)
        transcript = Transcript(io.StringIO(), table.time)
        session = Session(table, GERMAN, None, transcript, tick_seconds=0.05)
        yield session
        session.close()


def test_a_full_disk_is_said_aloud_once_and_that_all_is_saved_again(session: Session) -> None:
    journal, out = session.table._journal, session.transcript._out
    assert isinstance(out, io.StringIO)
    with failing("write", taken=10):
        for move in ("e2e4", "d2d4"):
            session.table.submit(f.Announce(by="white", move=move))
        assert [taken.fact.kind for taken in session.table.log] == ["setup", "announce", "announce"]
        assert journal.unwritten >= 2
        assert out.getvalue().count(GERMAN.sentence("journal_failed")) == 1
        assert GERMAN.sentence("journal_saved") not in out.getvalue()
    end = time.monotonic() + 20
    while GERMAN.sentence("journal_saved") not in out.getvalue() and time.monotonic() < end:
        time.sleep(0.02)
    assert out.getvalue().count(GERMAN.sentence("journal_saved")) == 1
    assert out.getvalue().count(GERMAN.sentence("journal_failed")) == 1
    kinds = [fact.kind for fact in read_journal(journal.path).facts if fact.kind != "tick"]
    assert kinds == ["setup", "announce", "announce"]


def test_what_the_game_cannot_take_never_comes_into_the_journal(session: Session) -> None:
    """A line of the keyboard may be any fact; the journal could not be gone on with."""
    table = session.table
    with pytest.raises(f.FactError, match="come only once"):
        table.submit(Setup(t=table.time()))
    table.submit(f.Start())
    table.submit(f.Query(t=0, by="white", about="moves"))  # made long ago, by its time
    written = list(table._journal.facts())
    assert [fact.kind for fact in written if fact.kind != "tick"] == ["setup", "start", "query"]
    assert [fact.t for fact in written] == sorted(fact.t for fact in written)


def test_who_fails_to_listen_keeps_a_fact_from_nobody(session: Session) -> None:
    table = session.table
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
