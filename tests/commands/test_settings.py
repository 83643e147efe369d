"""The settings file, ``blindplay settings``, and what settings do for commands."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from blindplay.commands import settings_file
from blindplay.commands.play import play
from blindplay.commands.settings import defaults_of
from blindplay.commands.settings_file import SettingsError
from blindplay.laws.facts import Setup
from blindplay.table import play as table_play
from tests.command_line import run


def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What tables are started with, in place of starting them."""
    tables: list[Any] = []

    def run(*given: Any) -> table_play.Ended:
        tables.append(given)
        return table_play.Ended(over=False, again=None, setup=Setup(t=0))

    monkeypatch.setattr(table_play, "run", run)
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


def test_a_number_in_the_file_is_taken_as_if_it_were_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = started(monkeypatch)
    run("settings", "set", "white", "Anna", home=tmp_path)
    (file,) = tmp_path.rglob("settings.toml")
    file.write_text("time-control = 900\ntime-warnings = 60\n", "utf-8")
    assert run("settings", "check", home=tmp_path).status == 0
    assert run("play", home=tmp_path).status == 0
    _, setup, _, _, _, options, *_ = tables[0]
    assert (setup.time_control, options.time_warnings) == ("900", (60,))


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


# --- The settings file: what it may hold, what is wrong in it, and how one line of it is changed


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings file of a user who has none yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    found = settings_file.settings_path()
    found.parent.mkdir(parents=True, exist_ok=True)
    return found


def test_without_a_file_nothing_is_set(path: Path) -> None:
    assert defaults_of(play) == {}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('langauge = "de"', "perhaps language is meant."),
        ('sighted_board = "dgt"', "perhaps sighted-board is meant."),
        ('language = "xx"', "language is wrong: Unknown language 'xx'"),
        ('time-control = "5+3"', "time-control is wrong: The time control 5+3 has two readings"),
        ('mode = "slow"', "mode is wrong: 'slow'"),
        ('edition = "fide-1800"', "edition is wrong"),
        ('silent = "yes"', "silent must be true or false"),
        ('model = "one"', "model must be a list of texts"),
        ("white = true", "white must be one text in quotes"),
        ("console-port = 70000", "console-port is wrong"),
        ("[play]", "There is no setting 'play'"),
        ("white = Anna", "line 1: write the words in straight quotes"),
        ('fen = "8/8"', "fen is wrong: '8/8' is not a position"),
    ],
)
def test_a_wrong_setting_is_one_sentence_with_the_file(path: Path, line: str, words: str) -> None:
    path.write_text(f"{line}\n", "utf-8")
    with pytest.raises(SettingsError) as error:
        defaults_of(play)
    assert words in str(error.value) and str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_settings_in_a_folder_that_cannot_be_looked_into_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_for = Path.exists

    def locked(path: Path) -> bool:
        if path.name == "settings.toml":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return looked_for(path)

    monkeypatch.setattr(Path, "exists", locked)
    for command, status in (("games", 0), ("play", 2)):
        done = run(command, home=tmp_path)
        assert done.status == status and done.stderr.count("\n") == 1
        assert "settings.toml cannot be used (Permission denied); check" in done.stderr


@pytest.mark.parametrize(
    ("text", "command", "warns"),
    [
        ("white = Anna\n", ("games",), True),
        ("white = Anna\n", ("announce", "--move", "e4"), True),
        ('language = "xx"\n', ("games",), True),
        ('language = "xx"\n', ("announce", "--move", "e4"), False),  # it is not its language
    ],
)
def test_a_wrong_setting_does_not_stop_a_command_that_needs_no_game(
    tmp_path: Path, text: str, command: tuple[str, ...], warns: bool
) -> None:
    file = tmp_path / "blindplay" / "settings.toml"
    file.parent.mkdir()
    file.write_text(text, "utf-8")
    done = run(*command, home=tmp_path)
    assert done.status == 0 and done.stdout, done.stderr
    said = done.stderr
    found = said.count("\n"), str(file) in said, "continues without your settings" in said
    assert found == ((1, True, True) if warns else (0, False, False))


def test_a_change_keeps_the_other_lines_and_the_comments(path: Path) -> None:
    path.write_text('# Our club.\nlanguage = "de"  # German\nsite = "Oslo"\n', "utf-8")
    settings_file.change("language", "nb")
    settings_file.change("console-port", 8081)
    settings_file.change("site", None)
    assert path.read_text("utf-8") == '# Our club.\nlanguage = "nb"\nconsole-port = 8081\n'


def test_a_value_on_several_lines_is_left_to_its_writer(path: Path) -> None:
    text = 'model = [\n "a",\n]\n'
    path.write_text(text, "utf-8")
    with pytest.raises(SettingsError, match="change it in the file"):
        settings_file.change("model", ["b"])
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("value", ['Ann "the rook" Lee', "Åse\\Bø", "# no comment"])
def test_every_text_can_be_a_value(path: Path, value: str) -> None:
    settings_file.change("white", value)
    assert defaults_of(play) == {"white": value}
