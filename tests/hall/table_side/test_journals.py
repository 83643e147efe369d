"""The journals of a table at an event: earlier games and signatures."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.broker import Broker
from blindplay.hall.event_file import EventFile
from blindplay.hall.protocol import MOST_BYTES, LinesWanted, Request
from blindplay.hall.table_side import journals
from blindplay.hall.table_side.journals import (
    JournalSigner,
    earlier_journals,
    earlier_lines,
    game_ends,
    mark_journal,
)
from blindplay.laws import facts as f
from blindplay.laws.facts import Setup, Start
from blindplay.record import Journal, read_journal, signatures
from blindplay.record.chain import encoded
from blindplay.record.journal import JournalContents
from blindplay.record.signatures import KnownKeys, verify
from blindplay.table import Table
from tests.hall.running import SETUP, Event, play

HERE = EventFile("open", Broker(), "1")


def test_only_games_of_this_table_at_this_event_are_given(event: Event) -> None:
    old, now = event.table("1", "old.jsonl"), event.table("1", "now.jsonl")
    folder = old.path.parent
    assert game_ends(folder, HERE) == {}
    for table in (old, now):
        mark_journal(table.path, HERE)
    play(old, "e2e4")
    ends = game_ends(folder, HERE, now.path)
    assert list(ends.values()) == [list(old.written)]
    assert game_ends(folder, replace(HERE, table="2")) == {}
    assert game_ends(folder, replace(HERE, event="other")) == {}


def test_an_earlier_journal_is_read_again_only_when_it_has_changed(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table tells the ends of its games again and again, and a journal may be long."""
    table, read = event.table(), list[Path]()

    def reading(path: Path) -> JournalContents:
        read.append(path)
        return read_journal(path)

    monkeypatch.setattr(journals, "read_journal", reading)
    mark_journal(table.path, HERE)
    for moves in ((), (), ("e2e4",), ()):
        play(table, *moves)
        assert list(game_ends(table.path.parent, HERE).values()) == [list(table.written)]
    assert read == [table.path] * 2


def test_the_lines_from_a_number_on_come_in_messages_of_a_size(event: Event) -> None:
    table = event.table()
    mark_journal(table.path, HERE)
    while table.path.stat().st_size < 2 * MOST_BYTES:
        play(table, "g1f3", "g8f6", "f3g1", "f6g8")
    (game,) = game_ends(table.path.parent, HERE)
    folder = table.path.parent
    messages = list(earlier_lines(LinesWanted(game, 3), folder, HERE))
    whole = table.path.read_bytes().splitlines(keepends=True)
    assert b"".join(messages) == b"".join(whole[2:]) and len(messages) > 1
    assert max(map(len, messages)) <= MOST_BYTES
    assert list(earlier_lines(LinesWanted("a" * 32), folder, HERE)) == []


def test_equal_games_that_begin_in_one_millisecond_are_two_games(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1763827200.123)
    tables = [event.table("1", name) for name in ("first.jsonl", "second.jsonl")]
    for table in tables:
        mark_journal(table.path, HERE)
    ends = game_ends(tables[0].path.parent, HERE)
    assert sorted(ends.values()) == sorted(list(table.written) for table in tables)


def test_a_journal_without_an_identity_is_named_by_its_first_line(tmp_path: Path) -> None:
    """As journals were before set-ups had one. Whoever holds the journal finds the same name."""
    line, (_, digest) = encoded(Setup(round="3"), (0, ""))
    assert b'"id"' not in line
    for machine in ("one", "another"):
        journal = tmp_path / machine / "game.jsonl"
        journal.parent.mkdir()
        journal.write_bytes(line)
        mark_journal(journal, HERE)
        assert game_ends(journal.parent, HERE) == {digest: [1, digest]}
        with Journal(journal, resume=True) as again:  # and it keeps the name
            Table(again).submit(Start())
        assert list(game_ends(journal.parent, HERE)) == [digest]


def test_a_journal_with_another_ending_is_given_too(event: Event) -> None:
    tables = [event.table("1", name) for name in ("round.1", "plain", "usual.jsonl")]
    for table in tables:
        mark_journal(table.path, HERE)
        play(table, "e2e4")
    ends = game_ends(tables[0].path.parent, HERE)
    assert sorted(ends.values()) == sorted(list(table.written) for table in tables)
    assert earlier_journals(tables[0].path.parent, HERE, tables[0].path) == [
        tables[1].path, tables[2].path,
    ]  # fmt: skip


KEY = signatures.new_key()
JOINED = EventFile("open", Broker(), "4", key=KEY)
KNOWN = KnownKeys("open", {"4": signatures.public_key(KEY)})
ASKED = Request("r1", "", 0.0, "Berta", "sign")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Journal(tmp_path / "game.jsonl") as journal:
        yield Table(journal, SETUP)


def game_of(table: Table) -> str:
    return read_journal(table.path).game


def test_nothing_is_signed_before_the_end(table: Table) -> None:
    signer = JournalSigner(table, JOINED)
    play(table, "e2e4")
    assert not signer.sign_end(game_of(table))
    assert signatures.lines_of(table.path) == []


def test_the_end_is_signed_once_and_so_is_what_comes_after_it(table: Table) -> None:
    signer = JournalSigner(table, JOINED)
    play(table, "e2e4")
    table.submit(f.Resign(by="black"))
    assert [signer.sign_end(game_of(table)) for _ in range(2)] == [True, False]
    assert all(one.holds for one in verify(table.path, KNOWN))
    table.submit(f.Query(by="white", about="time"))
    assert signer.sign_end(game_of(table))
    assert all(one.holds for one in verify(table.path, KNOWN))
    assert not JournalSigner(table, JOINED).sign_end(game_of(table))  # started again


def test_the_arbiter_gets_a_signature_in_the_middle_of_a_game(table: Table) -> None:
    signer = JournalSigner(table, JOINED)
    play(table, "e2e4")
    answer = signer.answer(ASKED, game_of(table))
    assert answer.status == "done" and answer.n == table.written[0]
    stated = signatures.read_line(f"{answer.body['signature']}\n".encode())
    assert (stated.table, stated.moves, stated.result) == ("4", 1, "")
    assert all(one.holds for one in verify(table.path, KNOWN))


def test_a_table_that_was_started_again_signs_the_same_rulings(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        play(Table(journal, SETUP), "e2e4", "e7e5")
    with Journal(path, resume=True) as journal:
        table = Table(journal)
        table.go_on()
        play(table)
        assert JournalSigner(table, JOINED).sign(game_of(table))
        assert all(one.holds for one in verify(path, KNOWN))


def test_a_table_without_a_key_refuses(table: Table) -> None:
    signer = JournalSigner(table, replace(JOINED, key=""))
    answer = signer.answer(ASKED, game_of(table))
    assert answer.status == "refused" and "no key" in answer.sentences[0]
    table.submit(f.Resign(by="black"))
    assert not signer.sign_end(game_of(table))


def test_a_table_that_cannot_write_refuses_and_signs_later(table: Table) -> None:
    signer = JournalSigner(table, JOINED)
    play(table, "e2e4")
    table.submit(f.Resign(by="black"))
    in_the_way = signatures.file_of(table.path)
    in_the_way.mkdir()
    assert signer.answer(ASKED, game_of(table)).status == "refused"
    assert not signer.sign_end(game_of(table))
    in_the_way.rmdir()
    assert signer.sign_end(game_of(table))
