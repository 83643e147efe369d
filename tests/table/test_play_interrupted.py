"""Whatever happens to the process, its terminal or its journal, the game goes on."""

from __future__ import annotations

import _thread
import io
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from blindplay.ctrl_c import CtrlC
from blindplay.language import Command
from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, read_journal
from blindplay.table import Table
from blindplay.table.choices import Printed
from blindplay.table.keyboard import Keyboard
from blindplay.table.play import ConsoleAt, Ended, TableOptions, _do_keys, run
from blindplay.table.table import WakingClock
from blindplay.typed_lines import TypedLines
from tests import web
from tests.console.test_due_on_pages import BLIND, STATES
from tests.conversation.conversing import GERMAN
from tests.table.playing import KEYS_ONLY, SETUP, announced, killed, played
from tests.table.sitting import ManualClock, Sit
from tests.waiting import until


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
    killed(path, dead=60)
    assert played(path, ["white: Bauer e2 e4", "quit"], out=Full()) == ""
    assert announced(path) == ["e2e4"]
    run(path, None, KEYS_ONLY, Gone("\n"), io.StringIO())


@pytest.mark.parametrize(
    ("passed", "worked", "counts"), [(9, 0, False), (9, 8, True), (4, 0, True)]
)
def test_time_in_which_a_process_stood_still_does_not_count(
    passed: float, worked: float, counts: bool
) -> None:
    """A process that computes, or that a busy machine delays, does not stand still."""
    now, busy = ManualClock(), ManualClock()
    clock = WakingClock(now, now, busy)
    clock.watched, before = True, clock()
    now.at, busy.at = now.at + passed, busy.at + worked
    assert clock() - before == (passed if counts else 0)
    assert clock.stood() == (0 if counts else passed) and clock.stood() == 0
    now.at += 1
    assert clock() - before == (passed if counts else 0) + 1


@pytest.mark.parametrize("counted", [0, 3600])
def test_a_computer_that_sleeps_takes_nobodys_time(sit: Sit, counted: float) -> None:
    """Linux does not count sleep as monotonic time; Windows does."""
    now, boot = ManualClock(), ManualClock()
    clock = WakingClock(lambda: now.at + counted * (boot.at > 100), boot, lambda: 0.0)
    sitting = sit(now=clock, time_control="300", arbiter="automatic")
    sitting.table.submit(f.Start())
    asked = sitting.table.time() / 1000
    boot.at += 3600
    told = GERMAN.sentence("stood_still", time="eine Stunde", player=GERMAN.sentence("white"))
    sitting.wait(lambda: told in sitting.said())
    game = sitting.table.game
    assert game.clock.left["white"] == 300_000 and game.clock.running == "white"
    assert sitting.table.age(asked) >= 3600  # an arbiter's request from before is stale


def test_after_a_standstill_the_same_clock_runs_in_every_state(sit: Sit) -> None:
    stopped, ran = list[str](), 0
    for name, (setup, reach, _) in STATES.items():
        now, boot = ManualClock(), ManualClock()
        fields = {"white": BLIND, "arbiter": "present", "time_control": "5400", **setup}
        options = {"tick_seconds": 0.02}
        sitting = sit(now=WakingClock(now, boot, lambda: 0.0), options=options, **fields)
        for do in reach:
            do(sitting.table)
        game = sitting.table.game
        before = game.clock.running if game.clock and not game.over else None
        if before:
            times = sitting.printed.count("ruled clock: running none")
            boot.at += 60
            sitting.shows("ruled clock: running none", times + 1)
            with sitting.table.lock:
                stopped += [name] * (game.clock.running != before)
            ran += 1
        sitting.close()
    assert ran > 20 and not stopped


@pytest.mark.parametrize("charged", [False, True])
def test_going_on_is_said_aloud_with_whose_the_time_is(tmp_path: Path, charged: bool) -> None:
    path = tmp_path / "game.jsonl"
    killed(path, dead=60)
    printed = played(path, ["quit"], options=TableOptions(charge_dead_time=charged))
    if charged:  # for the minute, and for how long starting again took
        assert "Die Uhr von Weiß ist eine Minute" in printed
        assert "weitergelaufen." in printed
    else:
        assert GERMAN.sentence("interrupted") in printed
    assert "the table was down for 6" in printed
    with Journal(path, resume=True) as journal:
        assert f"Das Siegel der gespeicherten Partie ist {journal.seal}." in printed


def test_the_arbiter_corrects_what_was_charged(tmp_path: Path) -> None:
    """The wall clock may have jumped while no table ran."""
    path = tmp_path / "game.jsonl"
    killed(path, dead=60)
    lines = ["clock white 59:30", "ja", "clock white 5:99", "quit"]
    printed = played(path, lines, options=TableOptions(charge_dead_time=True))
    assert "ruled clock: running white; white 3570" in printed
    assert "Störung: '5:99' ist keine Zeit" in printed


def test_a_damaged_journal_is_said_aloud_and_the_game_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    killed(path, dead=60)
    path.write_bytes(path.read_bytes().replace(b'"t":20', b'"T":21', 1))
    printed = played(path, ["white: Bauer e2 e4", "quit"])
    assert GERMAN.sentence("journal_damaged") in printed
    assert "game.damaged-1.jsonl" in printed and "ruled announced: by white; move e2e4" in printed
    assert (tmp_path / "game.damaged-1.jsonl").is_file()


def test_pages_stay_after_the_game_until_the_table_is_interrupted(tmp_path: Path) -> None:
    """Nobody can type any more, and both still have to sign and to save their scoresheets."""
    out, saved = io.StringIO(), list[int]()

    def visit() -> None:
        links = until(lambda: re.findall(r"http://\S+#\S+", out.getvalue()))
        over = until(lambda: "ruled game over" in out.getvalue())
        try:
            assert links and over
            base, _, token = next(iter(links)).partition("/#")
            with web.Client(base_url=base, headers={"origin": base}) as client:
                seat = client.post("/enter", data={"token": token}).headers["location"]
                saved.append(client.get(f"{seat}papers/game.pgn").status_code)
        finally:
            _thread.interrupt_main()

    visitor = threading.Thread(target=visit)
    visitor.start()
    keys = ["", "white: aufgeben", "white: ja"]
    pages = ConsoleAt(port=0, qr=False)
    run(tmp_path / "game.jsonl", SETUP, KEYS_ONLY, keys, out, console=pages)
    visitor.join()
    assert saved == [200]
    assert '[Result "0-1"]' in out.getvalue()


def test_a_game_whose_table_runs_is_not_resumed_by_another_table(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        table = Table(journal, SETUP)
        for setup in (None, SETUP):
            with pytest.raises(JournalError, match="at this moment; close that one first"):
                played(path, ["quit"], setup)
        table.submit(f.Start())
    assert [fact.kind for fact in read_journal(path).facts] == ["setup", "start"]


def test_ctrl_c_after_another_game_was_agreed_ends_the_table_and_says_how_to_review(
    tmp_path: Path,
) -> None:
    sign, again = GERMAN.command(Command.SIGN), GERMAN.command(Command.NEW_GAME)
    resign = GERMAN.command(Command.RESIGN)
    lines = ["", "e2e4", "", f"white: {resign}", "white: ja",
             f"Weiß: {sign}", "ja", f"Schwarz: {sign}", "ja", again, "ja"]  # fmt: skip
    prepared: list[Ended] = []

    def prepare(ended: Ended) -> None:
        prepared.append(ended)
        signal.raise_signal(signal.SIGINT)

    out = io.StringIO()
    ended = run(tmp_path / "game.jsonl", SETUP, KEYS_ONLY, lines, out,
                TableOptions(printed=Printed.WORDS), prepare=prepare)  # fmt: skip
    assert [one.again for one in prepared] == [Command.NEW_GAME], out.getvalue()
    assert ended.again is None
    assert GERMAN.printed("review_offer") in out.getvalue()
    assert GERMAN.printed("try_out_offer") in out.getvalue()
    assert f" analyse {tmp_path / 'game.jsonl'}\n" in out.getvalue()


def test_quit_counts_more_than_another_game_that_others_want(sit: Sit) -> None:
    session = sit().session

    def lines(_over: object) -> Iterator[str]:
        session.another_game.chosen = Command.NEW_GAME  # a microphone hears the yes meanwhile
        yield "quit"

    typed = cast(TypedLines, SimpleNamespace(until=lines))
    assert _do_keys(session, Keyboard(session), typed, CtrlC(), pages=False) is None
