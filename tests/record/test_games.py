"""The games that are kept on this machine, read from their journals."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from blindplay.laws import facts as f
from blindplay.record import Journal, games, storage


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(storage, "tables_folder", lambda: tmp_path)
    return tmp_path


def keep(folder: Path, name: str, *facts: f.Fact, at: int) -> Path:
    """A game whose journal was written last at ``at`` seconds."""
    path = folder / f"{name}.jsonl"
    with Journal(path) as journal:
        for fact in facts:
            journal.append(fact)
    os.utime(path, (at, at))
    return path


SETUP = f.Setup(
    boards=1, date="2026-05-01", arbiter="automatic",
    white=f.Player(name="Anna"), black=f.Player(name="Bert"),
)  # fmt: skip
MOVES = (
    f.Make(t=1, by="white", move="e2e4"), f.Press(t=2, by="white"),
    f.Make(t=3, by="black", move="e7e5"), f.Press(t=4, by="black"),
    f.Make(t=5, by="white", move="g1f3"), f.Press(t=6, by="white"),
)  # fmt: skip


def test_games_are_listed_with_players_date_moves_and_result(folder: Path) -> None:
    keep(folder, "a", SETUP, f.Start(), *MOVES, at=1)
    keep(folder, "b", SETUP, f.Start(), f.Resign(t=1, by="white"), at=2)
    second, first = list(games.kept_games())
    assert (first.white, first.black, first.date) == ("Anna", "Bert", "2026-05-01")
    assert (first.moves, first.result, first.unfinished) == (2, "", True)
    assert (second.moves, second.result, second.unfinished) == (0, "0-1", False)


def test_the_last_unfinished_game_is_found(folder: Path) -> None:
    keep(folder, "old", SETUP, f.Start(), at=1)
    wanted = keep(folder, "left", SETUP, f.Start(), *MOVES, at=2)
    keep(folder, "over", SETUP, f.Start(), f.Resign(t=1, by="white"), at=3)
    keep(folder, "never-begun", SETUP, at=4)
    assert games.last_unfinished() == wanted


def test_without_an_unfinished_game_one_sentence_says_what_to_do(folder: Path) -> None:
    keep(folder, "over", SETUP, f.Start(), f.Resign(t=1, by="white"), at=3)
    with pytest.raises(ValueError, match=r"There is no unfinished game .*without --resume\."):
        games.last_unfinished()


def test_a_game_that_is_played_now_is_shown_as_running(folder: Path) -> None:
    with Journal(folder / "now.jsonl") as journal:
        journal.append(SETUP)
        journal.append(f.Start())
        (game,) = games.kept_games()
    assert game.running and game.unfinished
    assert not games.kept_game(game.journal).running


def test_a_damaged_journal_shows_what_is_whole_and_says_what_is_wrong(folder: Path) -> None:
    path = keep(folder, "a", SETUP, f.Start(), *MOVES, at=1)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1].replace(b"press", b"prexx"))
    (folder / "other.jsonl").write_text("no journal", "utf-8")
    (game,) = games.kept_games()
    assert game.white == "Anna" and game.moves == 1
    assert "damaged" in game.trouble


def test_the_game_that_ended_last_is_found(folder: Path) -> None:
    with pytest.raises(ValueError, match="There is no finished game"):
        games.last_finished()
    keep(folder, "before", SETUP, f.Start(), f.Resign(t=1, by="white"), at=1)
    wanted = keep(folder, "over", SETUP, f.Start(), f.Resign(t=1, by="white"), at=2)
    keep(folder, "left", SETUP, f.Start(), *MOVES, at=3)
    assert games.last_finished() == wanted


def test_a_game_that_is_being_played_is_found_in_the_folder_and_elsewhere(folder: Path) -> None:
    done = keep(folder, "over", SETUP, f.Start(), f.Resign(t=1, by="white"), at=2)
    assert games.being_played(done, folder / "none") is None
    with Journal(folder / "now.jsonl") as journal:
        journal.append(SETUP)
        assert games.being_played() == folder / "now.jsonl"
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    with Journal(elsewhere / "now.txt") as other:
        assert games.being_played() is None and games.being_played(other.path) == other.path
