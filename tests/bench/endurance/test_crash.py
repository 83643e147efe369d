"""A table that is killed at any moment: nothing that was told is lost."""

from __future__ import annotations

import io
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.bench.endurance.crash import crash
from blindplay.language import load
from blindplay.laws import Game, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal, JournalError, pulse, read_journal
from blindplay.table import Table
from blindplay.table.play import WantedDevices, run
from blindplay.table.session import Session
from blindplay.wording.pack_words import PackWords
from tests.record.disks import failing

GERMAN = load("de")
SETUP = Setup(
    t=0, time_control="300", arbiter="automatic", white=Player(impaired=True), black=Player()
)


def _killed_often(kills: int, heard: float, longest: float) -> None:
    told: list[str] = []
    seen = crash(kills, seed=2026, heard=heard, longest=longest, progress=told.append)
    assert seen.faults == [], "\n".join(seen.lines())
    assert seen.kills == kills and seen.rulings and seen.moves and seen.back
    # The pulse beats each 0.1 s; stamps are rounded to 0.1 s; a machine may be busy.
    assert sorted(seen.back)[len(seen.back) // 2] < 400
    assert all(back <= dead * 1000 + 400 for back, dead in zip(seen.back, seen.dead, strict=True))


def test_a_table_that_is_killed_twenty_times_loses_nothing_it_has_told() -> None:
    _killed_often(20, heard=0.0, longest=0.6)


@pytest.mark.long
def test_a_table_that_is_killed_five_hundred_times_loses_nothing_it_has_told() -> None:
    _killed_often(500, heard=0.2, longest=4.0)


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


def played(path: Path, keys: str, *, charged: bool = False, out: io.StringIO | None = None) -> str:
    out = io.StringIO() if out is None else out
    devices = WantedDevices(microphone="none", silent=True)
    run(path, None, "de", devices, io.StringIO(keys), out, charge_dead_time=charged)
    return out.getvalue()


def moves_in(path: Path) -> list[str]:
    announced = [fact for fact in read_journal(path).facts if isinstance(fact, f.Announce)]
    return [fact.move for fact in announced if fact.move is not None]


def test_no_line_that_is_typed_ends_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    left_behind(path, dead=60)
    typed = Session.typed

    def fails(session: Session, side: str, text: str) -> None:
        if text == "fail":
            raise RuntimeError("somebody was not told")
        typed(session, side, text)

    monkeypatch.setattr(Session, "typed", fails)
    odd = ["restore ²", "tape ²", "record white ² e4", f"restore {'9' * 5000}", "restore 1e3",
           f"record white {'9' * 30} e4", '{"fact":' * 5000, f'{{"t":{"9" * 5000}}}', "\0", "{}",
           "white:", "execute white", "link", "fail"]  # fmt: skip
    printed = played(path, "\n".join([*odd, "white: Bauer e2 e4", "quit", ""]))
    assert moves_in(path) == ["e2e4"]
    assert "Something failed at what was typed (somebody was not told)" in printed
    assert "The journal's seal is" in printed


def test_a_game_goes_on_where_nothing_can_be_printed_or_typed_any_more(tmp_path: Path) -> None:
    """A terminal that was closed; a file for what is printed, on a full disk."""

    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

        def flush(self) -> None:
            raise BrokenPipeError(32, "Broken pipe")

    class Gone(io.StringIO):
        def __next__(self) -> str:  # type: ignore[override]
            if line := self.readline():
                return line
            raise OSError(5, "Input/output error")

    path = tmp_path / "game.jsonl"
    left_behind(path, dead=60)
    assert played(path, "white: Bauer e2 e4\nquit\n", out=Full()) == ""
    assert moves_in(path) == ["e2e4"]
    run(path, None, "de", WantedDevices(microphone="none", silent=True), Gone("\n"), io.StringIO())


@pytest.mark.parametrize("charged", [False, True])
def test_going_on_is_said_aloud_with_whose_the_time_is(tmp_path: Path, charged: bool) -> None:
    path = tmp_path / "game.jsonl"
    left_behind(path, dead=60)
    printed = played(path, "quit\n", charged=charged)
    key = "interrupted_charged" if charged else "interrupted"
    assert GERMAN.sentence(key, player=GERMAN.sentence("white")) in printed
    assert "the table was down for 6" in printed
    with Journal(path, resume=True) as journal:
        assert f"The journal's seal is {journal.seal}." in printed


def test_a_damaged_journal_is_said_aloud_and_the_game_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    left_behind(path, dead=60)
    path.write_bytes(path.read_bytes().replace(b'"tick"', b'"torn"', 1))
    printed = played(path, "white: Bauer e2 e4\nquit\n")
    assert GERMAN.sentence("journal_damaged") in printed
    assert "game.damaged-1.jsonl" in printed and "ruled announced: by white; move e2e4" in printed
    assert (tmp_path / "game.damaged-1.jsonl").is_file()


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Journal(tmp_path / "game.jsonl") as journal:
        session = Session(Table(journal, SETUP), GERMAN, None, io.StringIO(), tick_seconds=0.05)
        yield session
        session.close()


def test_a_full_disk_is_said_aloud_once_and_that_all_is_saved_again(session: Session) -> None:
    journal, out = session.table._journal, session._out
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


def test_a_game_whose_table_runs_is_not_resumed_by_another_table(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        table = Table(journal, SETUP)
        devices = WantedDevices(microphone="none", silent=True)
        for setup in (None, SETUP):
            with pytest.raises(JournalError, match="at this moment; close that one first"):
                run(path, setup, "de", devices, io.StringIO("quit\n"), io.StringIO())
        table.submit(f.Start())
    assert [fact.kind for fact in read_journal(path).facts] == ["setup", "start"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems share one heap")
def test_threads_share_one_heap() -> None:
    """Else a table grows with each game, though nothing is kept."""
    script = """
import sys, threading
from blindplay.table.memory import share_one_heap
if sys.argv[1] == "shared":
    share_one_heap()
together, heaps = threading.Barrier(6), set()
def work():
    together.wait()
    kept = [bytes(1000 + size) for size in range(500)]
    heaps.update(id(one) >> 26 for one in kept)
    together.wait()
threads = [threading.Thread(target=work) for _ in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(heaps))
"""

    def heaps(how: str) -> int:
        command = [sys.executable, "-c", script, how]
        return int(subprocess.run(command, capture_output=True, check=True).stdout)

    assert heaps("shared") <= 2
    if platform.libc_ver()[0] == "glibc":
        assert heaps("each its own") > 2
