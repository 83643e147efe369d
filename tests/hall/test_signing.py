"""A table signs its journal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.broker import Broker
from blindplay.hall.event_file import EventFile
from blindplay.hall.protocol import Request
from blindplay.hall.signing import JournalSigner
from blindplay.laws import facts as f
from blindplay.record import Journal, read_journal, signatures
from blindplay.record.verifying import KnownKeys, verify
from blindplay.table import Table

from .conftest import SETUP
from .playing import play

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
