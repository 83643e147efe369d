"""The settings file: what it may hold, what is wrong in it, and how one line of it is changed."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from blindplay.commands import settings_file
from blindplay.commands.play import play
from blindplay.commands.settings import defaults_of
from blindplay.commands.settings_file import SettingsError
from tests.command_line import run


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
        ('mode = "slow"', "mode is wrong: 'slow' is not one of"),
        ('edition = "fide-1800"', "edition is wrong"),
        ('silent = "yes"', "silent must be true or false"),
        ('model = "one"', "model must be a list of texts"),
        ("white = true", "white must be one text in quotes"),
        ("console-port = 70000", "console-port is wrong"),
        ("[play]", "there is no setting 'play'"),
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
    found = said.count("\n"), str(file) in said, "goes on" in said
    assert found == ((1, True, True) if warns else (0, False, False))


def test_a_wrong_setting_stops_a_game(tmp_path: Path) -> None:
    file = tmp_path / "blindplay" / "settings.toml"
    file.parent.mkdir()
    file.write_text('time-control = "5+3"\n', "utf-8")
    done = run("play", "--microphone", "none", "--silent", home=tmp_path)
    assert (done.status, done.stdout) == (2, "") and str(file) in done.stderr


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
