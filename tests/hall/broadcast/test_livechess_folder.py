"""The folder in the layout of DGT LiveChess, read as its readers do."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from blindplay.console.public import Audience
from blindplay.hall.broadcast.delayed import DelayedHall
from blindplay.hall.broadcast.livechess_folder import LiveChessFolder
from blindplay.laws import facts as f
from tests.hall.model import ModelHall, ScriptedTable, setup


class Cast:
    """Tables, a hall, and the folder."""

    def __init__(self, folder: Path, *tables: ScriptedTable, names: bool = True) -> None:
        self.hall = ModelHall(folder / "copies", *tables)
        self.tables = tables
        for table in tables:
            self.hall.publish(table.presence(), table.journal(table.lines))
        audience = Audience(0, names)
        self.shown = DelayedHall(self.hall.follower, audience, "Oslo", lambda: self.hall.now)
        self.out = folder / "out"
        self.folder = LiveChessFolder(self.out, "Oslo")
        self.write()

    def write(self) -> None:
        for table in self.tables:
            self.hall.publish(table.head())
        self.hall.wait(0.3)
        self.shown.catch_up()
        self.folder.write(self.shown.games())

    def json(self, name: str) -> Any:
        return json.loads((self.out / name).read_text("utf-8"))


def test_the_layout_is_that_of_livechess(tmp_path: Path) -> None:
    table = ScriptedTable(setup(), f.Start(), name="1")
    table.move(3.0, "e2e4")
    table.move(10.0, "c7c5", by="black")
    cast = Cast(tmp_path, table)
    assert cast.json("tournament.json") == {
        "id": "Oslo", "name": "Oslo", "location": "Oslo", "country": None, "website": None,
        "rules": "STANDARD", "chess960": "STANDARD", "timecontrol": "5400+30",
        "rounds": [{"count": 0, "live": 0}, {"count": 0, "live": 0}, {"count": 1, "live": 1}],
        "eboards": [],
    }  # fmt: skip
    nobody = dict.fromkeys(("mname", "title", "federation", "gender", "fideid"))
    assert cast.json("round-3/index.json") == {
        "date": "2026-11-23",
        "pairings": [
            {
                "white": {**nobody, "fname": "Anna", "lname": "Berg"},
                "black": {**nobody, "fname": "Bert", "lname": "Dahl"},
                "result": "*",
                "live": True,
            }
        ],
    }
    game = cast.json("round-3/game-1.json")
    # 5400 and 30 s each, 3 and 7 s of thought, and 30 s more for each move.
    assert game["moves"] == ["e4 5457", "c5 5453"]
    assert game["live"] and game["result"] == "*" and game["chess960"] == 518
    assert (game["clock"]["white"], game["clock"]["black"]) == (5457, 5453)
    assert abs(game["firstMove"] - game["clock"]["time"]) < 600_000
    found = chess.pgn.read_game(io.StringIO((cast.out / "round-3/game-1.pgn").read_text("utf-8")))
    assert found is not None and found.headers["Round"] == "3.1" and found.headers["Board"] == "1"
    assert [move.uci() for move in found.mainline_moves()] == ["e2e4", "c7c5"]


def test_a_result_ends_the_game_in_all_files(tmp_path: Path) -> None:
    table = ScriptedTable(setup(), f.Start(), name="1")
    cast = Cast(tmp_path, table)
    cast.hall.publish(table.journal(table.tell(f.Resign(t=20, by="black"))))
    cast.write()
    pairing = cast.json("round-3/index.json")["pairings"][0]
    assert (pairing["result"], pairing["live"]) == ("1-0", False)
    game = cast.json("round-3/game-1.json")
    assert (game["result"], game["live"]) == ("1-0", False)
    assert cast.json("tournament.json")["rounds"][2] == {"count": 1, "live": 0}
    assert '[Result "1-0"]' in (cast.out / "round-3/game-1.pgn").read_text("utf-8")


def test_the_place_of_a_pairing_is_the_number_of_its_file(tmp_path: Path) -> None:
    """Tables 2 and 4 play; 1 and 3 have empty games."""
    tables = [ScriptedTable(setup(), f.Start(), name=f"table-{n}", run=f"r{n}") for n in (4, 2)]
    tables[0].move(3.0, "d2d4")
    cast = Cast(tmp_path, *tables)
    assert [one["white"]["lname"] for one in cast.json("round-3/index.json")["pairings"]] == [
        None, "Berg", None, "Berg",
    ]  # fmt: skip
    moves = [len(cast.json(f"round-3/game-{n}.json")["moves"]) for n in range(1, 5)]
    assert moves == [0, 0, 0, 1]


def test_names_are_only_in_the_files_if_they_are_allowed(tmp_path: Path) -> None:
    table = ScriptedTable(setup(), f.Start(), name="7")
    table.move(3.0, "e2e4")
    cast = Cast(tmp_path, table, names=False)
    texts = [path.read_text("utf-8") for path in cast.out.rglob("*.*")]
    assert not any(name in text for text in texts for name in ("Anna", "Berg", "Bert", "Dahl"))
    assert cast.json("round-3/index.json")["pairings"][6]["white"]["lname"] == "7"
    assert '[White "White 7"]' in (cast.out / "round-3/game-7.pgn").read_text("utf-8")


def test_chess960_has_its_number_and_other_positions_only_the_pgn(tmp_path: Path) -> None:
    nine = chess.Board.from_chess960_pos(1)
    first = ScriptedTable(setup(variant="chess960", fen=nine.fen()), f.Start(), name="1", run="a")
    lone = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    second = ScriptedTable(setup(fen=lone), f.Start(), name="2", run="b")
    second.move(3.0, "e2e4")
    cast = Cast(tmp_path, first, second)
    assert cast.json("round-3/game-1.json")["chess960"] == 1
    assert cast.json("round-3/game-2.json")["moves"] == []
    assert "1. e4" in (cast.out / "round-3/game-2.pgn").read_text("utf-8")


def test_only_what_has_changed_is_written_and_never_in_part(tmp_path: Path) -> None:
    tables = [ScriptedTable(setup(), f.Start(), name=str(n), run=f"r{n}") for n in (1, 2)]
    cast = Cast(tmp_path, *tables)
    before = {path: path.stat().st_ino for path in cast.out.rglob("*.*")}
    cast.write()
    assert {path: path.stat().st_ino for path in cast.out.rglob("*.*")} == before
    cast.hall.publish(tables[0].journal(tables[0].move(4.0, "e2e4")))
    cast.write()
    changed = {p.name for p, ino in before.items() if p.stat().st_ino != ino}
    assert changed == {"game-1.json", "game-1.pgn"}
    assert not list(cast.out.rglob("*.part"))


def test_a_new_process_keeps_the_pairings_of_tables_that_it_does_not_see(tmp_path: Path) -> None:
    tables = [ScriptedTable(setup(), f.Start(), name=str(n), run=f"r{n}") for n in (1, 2)]
    Cast(tmp_path, *tables)
    again = tmp_path / "again"
    again.mkdir()
    (tmp_path / "out").rename(again / "out")
    cast = Cast(again, tables[0])
    assert len(cast.json("round-3/index.json")["pairings"]) == 2
    assert cast.json("tournament.json")["rounds"][2]["count"] == 2


@pytest.mark.parametrize("content", ["", "[]", '{"pairings": 1}', '{"pairings": [1]}', "[" * 9999])
def test_a_spoilt_index_is_written_anew(tmp_path: Path, content: str) -> None:
    (tmp_path / "out/round-3").mkdir(parents=True)
    (tmp_path / "out/round-3/index.json").write_text(content, "utf-8")
    cast = Cast(tmp_path, ScriptedTable(setup(), f.Start()))
    assert len(cast.json("round-3/index.json")["pairings"]) == 1


def test_what_cannot_be_written_is_told_and_written_later(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("in the way", "utf-8")
    cast = Cast(tmp_path, ScriptedTable(setup(), f.Start()))
    assert cast.folder.trouble
    (tmp_path / "out").unlink()
    cast.write()
    assert not cast.folder.trouble and cast.json("round-3/game-1.json")["live"]


def test_the_files_show_the_game_that_is_played_after_another_was_begun(tmp_path: Path) -> None:
    """A table plays a wrong game of the round for a moment, and then goes on with the first."""
    table = ScriptedTable(setup(), f.Start(), name="1")
    table.move(3.0, "e2e4")
    cast = Cast(tmp_path, table)
    first = list(table.lines)
    table.next_game("run-2", setup(), f.Start())
    cast.hall.publish(table.presence(), table.journal(table.lines))
    cast.write()
    assert cast.json("round-3/game-1.json")["moves"] == []
    table.before, table.lines = [table.lines], first
    table.restart("run-3")
    cast.hall.publish(table.presence(), table.journal(table.lines))
    cast.write()
    cast.write()
    assert cast.json("round-3/game-1.json")["moves"] == ["e4 5457"]
