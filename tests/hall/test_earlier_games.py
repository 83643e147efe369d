"""The journals of a table's earlier games at an event."""

from __future__ import annotations

from dataclasses import replace

from blindplay.broker import Broker
from blindplay.hall import earlier_games
from blindplay.hall.event_file import EventFile
from blindplay.hall.protocol import MOST_BYTES, LinesWanted

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
