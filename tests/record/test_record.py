"""What stays of a game: the journal, the PGN and the scoresheets."""

from __future__ import annotations

import io
import sqlite3
import subprocess
import sys
from pathlib import Path

import chess.pgn
import pytest

from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, pgn, scoresheet
from tests.laws.table import Table

FACTS = [f.Setup(t=0), f.Start(t=1), f.Announce(t=2, by="white", text="Läufer\n\0"), f.Tick(t=3)]
WRITER = """
import sys, pathlib
from blindplay.laws.facts import Tick
from blindplay.record import Journal
journal = Journal(pathlib.Path(sys.argv[1]))
for t in range(10**6):
    journal.append(Tick(t=t))
    print(t, flush=True)
"""


def test_a_journal_gives_back_its_facts_also_when_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "table.db"
    with Journal(path) as journal:
        for fact in FACTS[:2]:
            journal.append(fact)
    with Journal(path, create=False) as journal:
        for fact in FACTS[2:]:
            journal.append(fact)
        assert list(journal.facts()) == FACTS
    assert sqlite3.connect(path).execute("SELECT count(*) FROM fact").fetchone() == (4,)


def test_a_writer_that_is_killed_loses_nothing_it_had_appended(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        told = [int(writer.stdout.readline()) for _ in range(20)]
        writer.kill()
        told += [int(line) for line in writer.stdout.read().splitlines() if line]
    with Journal(path, create=False) as journal:
        written = [fact.t for fact in journal.facts()]
    assert written[: len(told)] == told
    assert len(written) <= len(told) + 1


def test_what_is_no_journal_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    other, text = tmp_path / "other.db", tmp_path / "text.db"
    db = sqlite3.connect(other)
    db.execute("CREATE TABLE mine (x)")
    db.close()
    text.write_text("no database at all " * 100)
    for path in (other, text):
        before = path.read_bytes()
        with pytest.raises(JournalError, match="choose another file"):
            Journal(path)
        assert path.read_bytes() == before
    with pytest.raises(JournalError, match="no journal at"):
        Journal(tmp_path / "missing.db", create=False)
    with pytest.raises(JournalError, match="choose another place"):
        Journal(text / "in" / "a-file.db")


def test_the_pgn_is_read_by_others_as_the_game_that_was_played() -> None:
    table = Table(time_control="300+5", white={"name": "Ada"}, black={"name": "Émile"})
    table.feed({"fact": "start"})
    table.play("f2f3", "e7e5", t=10)
    table.play("g2g4", t=20)
    table.feed({"fact": "make", "by": "black", "move": "d8h4"})
    game = chess.pgn.read_game(io.StringIO(pgn(table.game)))
    assert game is not None and not game.errors
    assert (game.headers["White"], game.headers["Black"]) == ("Ada", "Émile")
    assert game.headers["Result"] == "0-1"
    assert [move.uci() for move in game.mainline_moves()] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    first = game.next()
    # 300 + 5 at the start, 10 seconds used, 5 given for the next move.
    assert first is not None and first.clock() == 300


def test_a_scoresheet_keeps_gaps_and_struck_entries() -> None:
    table = Table()
    assert scoresheet(table.game, "white") == "(empty)"
    table.play("e2e4", "e7e5")
    for text in ("e3", "e4"):
        table.feed({"fact": "record", "by": "white", "ply": 1, "text": text})
    table.feed({"fact": "record", "by": "white", "ply": 3, "text": "Nf3"})
    assert scoresheet(table.game, "white").splitlines() == [
        "1. e4", "2. Nf3", "struck through, ply 1: e3",
    ]  # fmt: skip


def test_offers_of_a_draw_and_moves_after_an_illegal_one_are_kept_in_the_pgn() -> None:
    table = Table(mode="rapid", time_control="900+10")
    table.feed({"fact": "start"}, {"fact": "make", "by": "white", "move": "e2e4"})
    table.feed({"fact": "offer_draw", "by": "white"}, {"fact": "press", "by": "white"})
    table.feed({"fact": "make", "by": "black", "move": "e7e4"}, {"fact": "press", "by": "black"})
    table.feed({"fact": "arbiter", "do": "reject"})  # the illegal move stands (A.5.2)
    table.play("d2d4")
    written = pgn(table.game)
    assert "1. e4 { (=) [%clk 0:15:20]" in written
    assert "An illegal move stands; moves from here: e7e4 d2d4" in written
    assert chess.pgn.read_game(io.StringIO(written)) is not None
