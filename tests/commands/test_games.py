"""``blindplay games``, and ``play --resume`` without a name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blindplay.commands import record as command
from blindplay.language import load
from tests.command_line import run

PLAY = ("play", "--microphone", "none", "--silent", "--time-control", "-")


def test_games_lists_the_games_of_this_machine(tmp_path: Path) -> None:
    assert run("games", "--language", "en", home=tmp_path).stdout == "There is no game yet.\n"
    run(*PLAY, "--white", "Anna", stdin="start\ne4\n\nquit\n", home=tmp_path)
    listed = run("games", "--language", "en", home=tmp_path).stdout
    assert "Anna against Black, moves: 1, not finished." in listed
    assert "Anna gegen Schwarz, Züge: 1" in run("games", "--language", "de", home=tmp_path).stdout
    told = json.loads(run("games", "--json", home=tmp_path).stdout)
    assert (told["white"], told["moves"], told["result"]) == ("Anna", 1, "")


@pytest.mark.parametrize(
    ("language", "date"),
    [
        ("da", "3. november 2026"),
        ("de", "3. November 2026"),
        ("en", "3 November 2026"),
        ("nb", "3. november 2026"),
        ("sv", "3 november 2026"),
    ],
)
def test_dates_are_written_as_people_write_them(language: str, date: str) -> None:
    assert command._date("2026-11-03", load(language)) == date
    assert command._date("2026.??.??", load(language)) == "2026.??.??"
    assert command._date("", load(language)) == load(language).printed("games_undated")


def test_resume_without_a_name_continues_the_last_unfinished_game(tmp_path: Path) -> None:
    run(*PLAY, "--white", "Anna", stdin="start\ne4\n\nquit\n", home=tmp_path)
    again = run(
        "play", "--microphone", "none", "--silent", "--resume", stdin="quit\n", home=tmp_path
    )
    assert (again.status, again.stderr) == (0, "")
    assert '[White "Anna"]' in again.stdout and "1. e4" in again.stdout


def test_without_an_unfinished_game_nothing_is_continued(tmp_path: Path) -> None:
    done = run(*PLAY, "--resume", home=tmp_path)
    assert (done.status, done.stdout) == (2, "") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("count", [0, 3])
def test_old_games_are_counted_and_listed_when_wanted(
    tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_NEWEST", 1)
    for _ in range(count):
        run(*PLAY, stdin="start\nquit\n", home=tmp_path)
    short = run("games", "--language", "en", home=tmp_path).stdout.splitlines()
    whole = run("games", "--all", "--language", "en", home=tmp_path).stdout.splitlines()
    assert len(whole) == max(count, 1)
    assert ("Older games: 2; --all lists them." in short) is (count == 3)
