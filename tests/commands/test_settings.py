"""``blindplay settings``, and what the settings do for other commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from blindplay.table import play as table_play
from tests.command_line import run

pytestmark = pytest.mark.usefixtures("reads_english")


def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What tables are started with, in place of starting them."""
    tables: list[Any] = []
    monkeypatch.setattr(table_play, "run", lambda *given: tables.append(given))
    return tables


def test_settings_are_set_printed_and_removed(tmp_path: Path) -> None:
    assert run("settings", home=tmp_path).stdout.startswith("Nothing is set.")
    assert run("settings", "set", "language", "en", home=tmp_path).status == 0
    assert run("settings", "set", "silent", "true", home=tmp_path).status == 0
    assert run("settings", "set", "model", "one", "two", home=tmp_path).status == 0
    printed = run("settings", home=tmp_path)
    assert printed.stdout.splitlines()[1:] == [
        'language = "en"', "silent = true", 'model = ["one", "two"]'
    ]  # fmt: skip
    assert run("settings", "check", home=tmp_path).stdout == "Every setting can be used.\n"
    assert run("settings", "remove", "silent", home=tmp_path).status == 0
    shown = json.loads(run("settings", "--json", home=tmp_path).stdout)
    assert shown["settings"] == {"language": "en", "model": ["one", "two"]}


@pytest.mark.parametrize(
    "arguments",
    [
        ("set", "langauge", "en"),
        ("set", "language", "xx"),
        ("set", "language", "de", "en"),
        ("set", "silent", "perhaps"),
        ("set", "time-control", "5+3"),
        ("set", "language"),
        ("remove", "language"),
        ("remove", "langauge"),
    ],
)
def test_a_wrong_change_is_refused_and_changes_nothing(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = run("settings", *arguments, home=tmp_path)
    assert (done.status, done.stdout) == (2, "") and done.stderr.count("\n") == 1
    assert not list(tmp_path.rglob("settings.toml"))


def test_a_table_takes_the_settings_and_the_command_line_comes_before_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = started(monkeypatch)
    for name, value in (("white", "Anna"), ("language", "en"), ("time-control", "15m+10s")):
        run("settings", "set", name, value, home=tmp_path)
    assert run("play", "--white", "Berta", home=tmp_path).status == 0
    setup = tables[0][1]
    assert (setup.white.name, setup.white.language, setup.mode) == ("Berta", "en", "rapid")


def test_other_commands_take_the_language_of_the_settings(tmp_path: Path) -> None:
    run("settings", "set", "language", "en", home=tmp_path)
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert "White can still mate" in run("mating", "--fen", fen, home=tmp_path).stdout
    # Moves are announced in German whatever the messages are (D.2.1).
    announced = run("announce", "--fen", fen, "--move", "g1f3", home=tmp_path).stdout
    assert announced == "Springer Gustav eins Felix drei\n"


def test_a_wrong_setting_stops_a_table_and_no_command_that_does_not_need_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = started(monkeypatch)
    run("settings", "set", "white", "Anna", home=tmp_path)
    (file,) = tmp_path.rglob("settings.toml")
    file.write_text('mode = "slow"\n', "utf-8")
    done = run("play", home=tmp_path)
    assert (done.status, tables) == (2, [])
    assert str(file) in done.stderr and "mode" in done.stderr and done.stderr.count("\n") == 1
    assert run("settings", home=tmp_path).status == 2
    assert run("play", "--help", home=tmp_path).status == 0
    assert run("version", home=tmp_path).status == 0
    assert run("language", "list", home=tmp_path).status == 0


def test_every_setting_is_listed_with_its_meaning(tmp_path: Path) -> None:
    listed = run("settings", "names", home=tmp_path).stdout.splitlines()
    assert any(line.startswith("language: ") for line in listed)
    assert len(listed) > 30
