"""Whatever happens to the process, its terminal or its journal, the game goes on."""

from __future__ import annotations

import io
import threading
import time
from pathlib import Path

import pytest

from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, read_journal
from blindplay.table import Table
from blindplay.table.devices import WantedDevices
from blindplay.table.play import TableOptions, run
from blindplay.table.session import Session
from blindplay.table.transcript import Transcript
from tests.table.test_table_journal import GERMAN, SETUP, left_behind


def played(path: Path, keys: str, *, charged: bool = False, out: io.StringIO | None = None) -> str:
    out = io.StringIO() if out is None else out
    devices = WantedDevices(microphone="none", silent=True)
    run(path, None, devices, io.StringIO(keys), out, TableOptions(charge_dead_time=charged))
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
    run(path, None, WantedDevices(microphone="none", silent=True), Gone("\n"), io.StringIO())


def test_lines_that_two_threads_print_at_once_stay_whole() -> None:
    printed: list[str] = []

    class Slow(io.StringIO):
        """Another thread gets its turn after each piece."""

        def write(self, text: str) -> int:
            printed.append(text)
            time.sleep(0.001)
            return len(text)

    transcript = Transcript(Slow(), lambda: 0)

    def print_often(word: str) -> None:
        for _ in range(50):
            transcript.show(word)

    threads = [
        threading.Thread(target=lambda word=word: print_often(word))
        for word in ("hands", "boards", "pages")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = "".join(printed).splitlines()
    assert sorted(lines) == ["boards"] * 50 + ["hands"] * 50 + ["pages"] * 50


@pytest.mark.parametrize("charged", [False, True])
def test_going_on_is_said_aloud_with_whose_the_time_is(tmp_path: Path, charged: bool) -> None:
    path = tmp_path / "game.jsonl"
    left_behind(path, dead=60)
    printed = played(path, "quit\n", charged=charged)
    if charged:  # for the minute, and for how long starting again took
        assert "Die Uhr von Weiß ist eine Minute" in printed
        assert "weitergelaufen. Der Schiedsrichter kann sie stellen." in printed
    else:
        assert GERMAN.sentence("interrupted") in printed
    assert "the table was down for 6" in printed
    with Journal(path, resume=True) as journal:
        assert f"The journal's seal is {journal.seal}." in printed


def test_the_arbiter_corrects_what_was_charged(tmp_path: Path) -> None:
    """The wall clock may have jumped while no table ran."""
    path = tmp_path / "game.jsonl"
    left_behind(path, dead=60)
    printed = played(path, "clock white 59:30\nclock white 5:99\nquit\n", charged=True)
    assert "ruled clock: running white; white 3570" in printed
    assert "trouble: '5:99' has more than 59 seconds in a minute." in printed


def test_a_damaged_journal_is_said_aloud_and_the_game_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    left_behind(path, dead=60)
    path.write_bytes(path.read_bytes().replace(b'"tick"', b'"torn"', 1))
    printed = played(path, "white: Bauer e2 e4\nquit\n")
    assert GERMAN.sentence("journal_damaged") in printed
    assert "game.damaged-1.jsonl" in printed and "ruled announced: by white; move e2e4" in printed
    assert (tmp_path / "game.damaged-1.jsonl").is_file()


def test_a_game_whose_table_runs_is_not_resumed_by_another_table(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        table = Table(journal, SETUP)
        devices = WantedDevices(microphone="none", silent=True)
        for setup in (None, SETUP):
            with pytest.raises(JournalError, match="at this moment; close that one first"):
                run(path, setup, devices, io.StringIO("quit\n"), io.StringIO())
        table.submit(f.Start())
    assert [fact.kind for fact in read_journal(path).facts] == ["setup", "start"]
