"""The processes of a host's tables."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from blindplay.hall import hosting
from blindplay.hall.hosting import HostedTables, TableLine
from blindplay.laws.facts import Player, Setup, Start
from blindplay.record import Journal
from blindplay.table import Table
from tests.waiting import until

pytestmark = pytest.mark.realtime


def table(folder: str, line: TableLine, root: str, arguments: Sequence[str]) -> int:
    """A table that notes its process, and lives until it is ended."""
    ended: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: ended.append(number))
    with Path(folder, root.strip("/")).open("a") as file:
        file.write(f"{os.getpid()} {' '.join(arguments)}\n")
    print("I am", root)

    def read() -> None:
        sys.stdin.readline()
        Path(folder, "typed").touch()

    threading.Thread(target=read, daemon=True).start()
    while not ended and os.getppid() != 1:
        time.sleep(0.02)
    Path(folder, f"{root.strip('/')}-ended").touch()
    return 0


def arguments(number: int, journal: Path) -> list[str]:
    return [str(number), journal.name]


arguments_of_host = arguments
Host = Callable[[], HostedTables]


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: list[str]) -> Iterator[Host]:
    monkeypatch.setattr(hosting, "data_folder", lambda: tmp_path)
    monkeypatch.setattr("blindplay.record.games.tables_folder", lambda: tmp_path)
    begun: list[HostedTables] = []

    def begin() -> HostedTables:
        run = partial(table, str(tmp_path))
        begun.append(HostedTables(2, run, arguments_of_host, told.append))
        return begun[-1]

    yield begin
    for one in begun:
        if not one._closing.is_set():
            one.close()


def runs(folder: Path, number: int) -> list[list[str]]:
    file = folder / str(number)
    return [line.split() for line in file.read_text().splitlines()] if file.exists() else []


def test_a_table_that_is_killed_is_started_again_with_its_game(
    tmp_path: Path, host: Host, told: list[str]
) -> None:
    tables = host()
    assert until(lambda: runs(tmp_path, 1) and runs(tmp_path, 2))
    (first,) = runs(tmp_path, 1)
    assert until(lambda: "I am /1" in tables.tables[1].lines)
    process = tables.tables[1]._process
    assert process is not None
    process.kill()
    assert until(lambda: len(runs(tmp_path, 1)) == 2)
    again = runs(tmp_path, 1)[1]
    assert again[1:] == first[1:] and again[0] != first[0]
    assert len(runs(tmp_path, 2)) == 1
    assert tables.tables[1].failed == 1
    assert told == ["Table 1 has ended by itself, and is started again. It said last: I am /1"]


@pytest.mark.parametrize("written", [b"", b'{"k'])
def test_a_table_that_is_killed_before_its_game_has_a_line_begins_another(
    tmp_path: Path, host: Host, written: bytes
) -> None:
    tables = host()
    assert until(lambda: runs(tmp_path, 1) and tables.tables[1]._process)
    journal, process = tables.tables[1].journal, tables.tables[1]._process
    assert journal is not None and process is not None
    journal.write_bytes(written)
    process.kill()
    assert until(lambda: len(runs(tmp_path, 1)) == 2)
    first, again = runs(tmp_path, 1)
    assert first[2] == journal.name != again[2] and journal.read_bytes() == written


def test_all_tables_end_with_their_host_in_their_own_way(tmp_path: Path, host: Host) -> None:
    tables = host()
    assert until(lambda: runs(tmp_path, 1) and runs(tmp_path, 2))
    tables.close()
    assert (tmp_path / "1-ended").exists() and (tmp_path / "2-ended").exists()
    assert [len(runs(tmp_path, number)) for number in (1, 2)] == [1, 1]
    assert not (tmp_path / "typed").exists()  # as if the keyboard had ended


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_window_that_is_closed_ends_no_table_before_its_host_does(
    tmp_path: Path, host: Host
) -> None:
    tables = host()
    assert until(lambda: runs(tmp_path, 1) and runs(tmp_path, 2))
    if sys.platform != "win32":
        for number in (1, 2):
            os.kill(int(runs(tmp_path, number)[0][0]), signal.SIGHUP)
    tables.close()
    assert (tmp_path / "1-ended").exists() and (tmp_path / "2-ended").exists()


def test_another_game_begins_where_none_is_under_way(
    tmp_path: Path, host: Host, told: list[str]
) -> None:
    tables = host()
    assert until(lambda: runs(tmp_path, 1) and runs(tmp_path, 2))
    assert tables.begin_anew(2)
    assert until(lambda: len(runs(tmp_path, 2)) == 2)
    before, after = runs(tmp_path, 2)
    assert before[2] != after[2] and told == []
    tables.tables[1].game = hosting.HostedGame(begun=True)
    assert not tables.begin_anew(1)


def begun_game(journal: Path) -> None:
    with Journal(journal) as kept:
        setup = Setup(t=0, white=Player("Anna", impaired=True), black=Player("Bert"))
        Table(kept, setup, now=lambda: 0.0).submit(Start())


def test_a_game_that_begins_while_its_table_is_being_ended_goes_on(
    tmp_path: Path, host: Host, told: list[str]
) -> None:
    tables = host()
    assert until(lambda: runs(tmp_path, 2))
    journal = tables.tables[2].journal
    assert journal is not None
    begun_game(journal)  # the host has not heard of it
    assert tables.begin_anew(2)
    assert until(lambda: len(runs(tmp_path, 2)) == 2)
    before, after = runs(tmp_path, 2)
    assert before[2] == after[2] and told == []


def test_a_game_of_a_host_before_is_not_left_while_its_table_is_being_started(
    tmp_path: Path, host: Host
) -> None:
    journal = tmp_path / "game.jsonl"
    begun_game(journal)
    (tmp_path / "host.json").write_text(json.dumps({"1": str(journal)}))
    assert not host().begin_anew(1)
    assert until(lambda: runs(tmp_path, 1))[0][2] == "game.jsonl"


def test_a_table_that_cannot_be_started_is_tried_again_and_keeps_its_next_game(
    tmp_path: Path, host: Host, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    full, tried = threading.Event(), list[str]()
    full.set()

    def try_to_give(number: int, journal: Path) -> list[str]:
        if number == 1:
            tried.append(journal.name)
            if full.is_set():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return arguments(number, journal)

    monkeypatch.setattr(f"{__name__}.arguments_of_host", try_to_give)
    tables = host()
    assert until(lambda: told)
    assert "started again" in told[0] and os.strerror(errno.ENOSPC) in told[0]
    assert tables.begin_anew(1)
    assert until(lambda: tried[-1] != tried[0])
    full.clear()
    assert until(lambda: runs(tmp_path, 1))
    process = tables.tables[1]._process
    assert process is not None
    process.kill()
    assert until(lambda: len(runs(tmp_path, 1)) == 2)
    first, again = runs(tmp_path, 1)
    assert first[2] == again[2] != tried[0]


def test_there_is_one_host_only(host: Host) -> None:
    host()
    with pytest.raises(ValueError, match="runs already"):
        host()
