"""The journals of a table's earlier games at an event."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.broker import Broker
from blindplay.hall import earlier_games
from blindplay.hall.event_file import EventFile
from blindplay.hall.protocol import MOST_BYTES, LinesWanted
from blindplay.laws.facts import Setup, Start
from blindplay.record import Journal
from blindplay.record.chain import encoded
from blindplay.table import Table

from .conftest import Event
from .playing import play

HERE = EventFile("open", Broker(), "1")


def test_only_games_of_this_table_at_this_event_are_given(event: Event) -> None:
    old, now = event.table("1", "old.jsonl"), event.table("1", "now.jsonl")
    folder = old.path.parent
    assert earlier_games.ends(folder, HERE) == {}
    for table in (old, now):
        earlier_games.mark(table.path, HERE)
    play(old, "e2e4")
    ends = earlier_games.ends(folder, HERE, now.path)
    assert list(ends.values()) == [list(old.written)]
    assert earlier_games.ends(folder, replace(HERE, table="2")) == {}
    assert earlier_games.ends(folder, replace(HERE, event="other")) == {}


def test_the_lines_from_a_number_on_come_in_messages_of_a_size(event: Event) -> None:
    table = event.table()
    earlier_games.mark(table.path, HERE)
    while table.path.stat().st_size < 2 * MOST_BYTES:
        play(table, "g1f3", "g8f6", "f3g1", "f6g8")
    (game,) = earlier_games.ends(table.path.parent, HERE)
    folder = table.path.parent
    messages = list(earlier_games.lines(LinesWanted(game, 3), folder, HERE))
    whole = table.path.read_bytes().splitlines(keepends=True)
    assert b"".join(messages) == b"".join(whole[2:]) and len(messages) > 1
    assert max(map(len, messages)) <= MOST_BYTES
    assert list(earlier_games.lines(LinesWanted("a" * 32), folder, HERE)) == []


def test_equal_games_that_begin_in_one_millisecond_are_two_games(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1763827200.123)
    tables = [event.table("1", name) for name in ("first.jsonl", "second.jsonl")]
    for table in tables:
        earlier_games.mark(table.path, HERE)
    ends = earlier_games.ends(tables[0].path.parent, HERE)
    assert sorted(ends.values()) == sorted(list(table.written) for table in tables)


def test_a_journal_without_an_identity_is_named_by_its_first_line(tmp_path: Path) -> None:
    """As journals were before set-ups had one. Whoever holds the journal finds the same name."""
    line, (_, digest) = encoded(Setup(round="3"), (0, ""))
    assert b'"id"' not in line
    for machine in ("one", "another"):
        journal = tmp_path / machine / "game.jsonl"
        journal.parent.mkdir()
        journal.write_bytes(line)
        earlier_games.mark(journal, HERE)
        assert earlier_games.ends(journal.parent, HERE) == {digest: [1, digest]}
        with Journal(journal, resume=True) as again:  # and it keeps the name
            Table(again).submit(Start())
        assert list(earlier_games.ends(journal.parent, HERE)) == [digest]


def test_a_journal_with_another_ending_is_given_too(event: Event) -> None:
    tables = [event.table("1", name) for name in ("round.1", "plain", "usual.jsonl")]
    for table in tables:
        earlier_games.mark(table.path, HERE)
        play(table, "e2e4")
    ends = earlier_games.ends(tables[0].path.parent, HERE)
    assert sorted(ends.values()) == sorted(list(table.written) for table in tables)
    assert earlier_games.earlier(tables[0].path.parent, HERE, tables[0].path) == [
        tables[1].path, tables[2].path,
    ]  # fmt: skip
