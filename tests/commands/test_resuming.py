"""``play --resume``: what a game was begun with comes back, and what contradicts it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.commands.play_options import PlayOptions
from blindplay.commands.play_sources import kept_values
from blindplay.language import load
from blindplay.record import read_journal
from tests.command_line import Ran, run

SILENT = ("--silent", "--microphone", "none")
AGREED = ("--white", "Anna", "--impaired", "both", "--time-control", "900+10", "--arbiter",
          "--mode", "rapid", "--event", "Cup")  # fmt: skip


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A game that was begun in Danish and left."""
    path = tmp_path / "game.jsonl"
    begin = ("play", *SILENT, *AGREED, "--language", "da", "--journal", str(path))
    assert run(*begin, stdin="\ne4\nquit\n", home=tmp_path).status == 0
    return path


def resume(journal: Path, *options: str) -> Ran:
    again = ("play", "--resume", "--journal", str(journal), *options)
    return run(*again, stdin="quit\n", home=journal.parent)


def test_what_holds_for_a_resumed_game_only_is_refused_without_one(tmp_path: Path) -> None:
    done = run("play", *SILENT, "--dead-time", "running", home=tmp_path)
    assert done.status == 2 and "--resume" in done.stderr and done.stderr.count("\n") == 1
    file = tmp_path / "blindplay" / "settings.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text('dead-time = "running"\n', "utf-8")
    assert run("play", *SILENT, stdin="quit\n", home=tmp_path).status == 0


def test_language_and_devices_of_the_game_come_back_by_themselves(journal: Path) -> None:
    said = resume(journal)
    assert said.status == 0, said.stderr
    assert load("da").sentence("going_on") in said.stdout
    assert "trouble" not in said.stdout  # it is silent again, and wants no microphone


def test_a_language_that_is_typed_counts(journal: Path) -> None:
    assert load("sv").sentence("going_on") in resume(journal, "--language", "sv").stdout


def test_the_language_of_a_player_counts_where_nothing_was_kept(journal: Path) -> None:
    journal.with_suffix(".options").unlink()
    assert load("da").sentence("going_on") in resume(journal, *SILENT).stdout


@pytest.mark.parametrize(
    ("options", "has"),
    [
        (("--white", "Berta"), "--white Anna"),
        (("--black", "Berta"), "no --black"),
        (("--impaired", "white"), "--impaired both"),
        (("--time-control", "900+20"), "--time-control 900+10"),
        (("--no-arbiter",), "--arbiter"),
        (("--supervised",), "--no-supervised"),
        (("--mode", "blitz"), "--mode rapid"),
        (("--edition", "fide-2014"), "--edition fide-2023"),
        (("--chess960",), "--no-chess960"),
        (("--fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"), "--fen rnbqkbnr/"),
        (("--white-assistant",), "--no-white-assistant"),
        (("--round", "3"), "no --round"),
    ],
)  # fmt: skip
def test_a_setting_that_contradicts_the_game_is_refused(
    journal: Path, options: tuple[str, ...], has: str
) -> None:
    before = read_journal(journal).facts
    refused = resume(journal, *options)
    assert refused.status == 2
    assert f"was begun with {has}" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert read_journal(journal).facts == before


def test_settings_that_are_those_of_the_game_may_be_typed_again(journal: Path) -> None:
    assert resume(journal, *AGREED).status == 0


def test_files_that_were_named_from_one_folder_are_found_from_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "engine"
    program.touch(mode=0o700)
    monkeypatch.chdir(tmp_path)
    models = Path("models/de"), Path("/models/en")
    given = PlayOptions(model=models, engine="./engine", hall=Path("hall.toml"))
    kept = kept_values(given)
    assert kept["model"] == [str(tmp_path / "models" / "de"), "/models/en"]
    assert kept["engine"] == str(program) and kept["hall"] == str(tmp_path / "hall.toml")
    assert kept_values(PlayOptions())["engine"] is None


def test_a_name_that_is_not_there_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    refused = run("play", "--board", "no-such-port", "--journal", str(path), home=tmp_path)
    assert refused.status == 2
    assert not list(tmp_path.glob("game*"))
