"""``blindplay play`` in two languages: messages in the user's, announcements as the Laws say."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.language import load
from tests.command_line import run

ENGLISH, GERMAN = {"LANG": "en_GB.UTF-8"}, {"LANG": "de_DE.UTF-8"}
NORWEGIAN = {"LC_ALL": "nn_NO.UTF-8"}
MOVE = "Springer Gustav eins Felix drei"


def folder(within: Path, name: str) -> Path:
    (within / name).mkdir()
    return within / name


def played(
    home: Path, environment: dict[str, str], *options: str, lines: tuple[str, ...] = ()
) -> list[str]:
    """The lines that a table prints, before the record of the game."""
    common = ("play", "--silent", "--microphone", "none", "--journal", str(home / "game.jsonl"))
    system = {"LANG": "", "LC_ALL": "", **environment}
    typed = "\n".join(("start", *lines, "quit", ""))
    done = run(*common, *options, stdin=typed, home=home, reader="", environment=system)
    assert done.status == 0, done.stderr
    return done.stdout.partition("\n[Event")[0].splitlines()


@pytest.mark.parametrize(
    ("environment", "options", "welcome"),
    [
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "sv_SE.UTF-8"}, (), "Välkommen till bordet."),
        (GERMAN, ("--language", "en"), "Welcome to the table."),
    ],
)
def test_messages_follow_the_option_and_the_system_and_then_are_english(
    tmp_path: Path, environment: dict[str, str], options: tuple[str, ...], welcome: str
) -> None:
    assert any(welcome in line for line in played(tmp_path, environment, *options))


def test_an_english_reader_announces_in_german_and_commands_in_english(tmp_path: Path) -> None:
    printed = played(tmp_path, ENGLISH, lines=(MOVE, "", "offer draw", "no", "my time"))
    assert MOVE in printed
    for key in ("settings_german", "settings_german_changed"):
        assert load("en").sentence(key) in " ".join(printed)
    assert "Do you want to offer a draw? Say yes or no." in printed
    assert load("en").sentence("cancelled") in printed
    assert any(line.startswith("You have one hour") for line in printed)


def test_a_setting_that_the_edition_refuses_is_not_recommended(tmp_path: Path) -> None:
    printed = played(tmp_path, ENGLISH, "--edition", "fide-1997")
    assert load("en").sentence("settings_german") in printed
    assert load("en").sentence("settings_german_changed") not in " ".join(printed)


def test_german_that_was_chosen_is_not_explained(tmp_path: Path) -> None:
    printed = played(tmp_path, ENGLISH, "--announce-in", "de")
    assert load("en").sentence("settings_german") not in printed


def test_a_german_reader_has_german_everywhere(tmp_path: Path) -> None:
    printed = played(tmp_path, GERMAN, lines=(MOVE, "", "Remis anbieten", "nein", "Zeit"))
    assert MOVE in printed
    assert any(line.endswith("Sagen Sie ja oder nein.") for line in printed)
    assert any(line.startswith("Ihre Zeit: ") for line in printed)
    assert any(line.endswith("Mehr mit Hilfe, Schluss mit beenden.") for line in printed)


@pytest.mark.parametrize("options", [("--against", "engine"), ("--training",)])
def test_where_nobody_else_must_understand_it_a_move_is_announced_in_the_own_language(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    printed = played(tmp_path, ENGLISH, *options, lines=("Nf3",))
    assert "Knight Gustav one Felix three" in printed
    assert not any(load("en").sentence("settings_german") in line for line in printed)
    asked = ("--announce-in", "de")
    assert MOVE in played(folder(tmp_path, "b"), ENGLISH, *options, *asked, lines=("Nf3",))
    fixed = ("--edition", "fide-1997")
    assert MOVE in played(folder(tmp_path, "c"), ENGLISH, *options, *fixed, lines=("Nf3",))


@pytest.mark.parametrize(
    ("options", "language", "announced"),
    [
        (("--against", "engine", "--white-language", "en"), "sv", "Knight Gustav one Felix three"),
        (("--training", "--black-language", "de"), "en", MOVE),
        (("--training", "--white-language", "en", "--black-language", "en"), "sv",
         "Knight Gustav one Felix three"),
    ],
)  # fmt: skip
def test_a_move_is_announced_in_an_own_language_only_if_all_who_play_here_have_it(
    tmp_path: Path, options: tuple[str, ...], language: str, announced: str
) -> None:
    printed = played(tmp_path, ENGLISH, "--language", language, *options, lines=("Nf3",))
    assert announced in printed


def test_an_option_announces_in_another_language(tmp_path: Path) -> None:
    printed = played(tmp_path, GERMAN, "--announce-in", "en", lines=("Springer f3", ""))
    assert "Knight Gustav one Felix three" in printed
    printed = played(folder(tmp_path, "b"), ENGLISH, "--announce-in", "de+nb", lines=("Nf3", ""))
    assert "Springer Gustav en Felix tre" in printed


def test_scandinavian_players_use_their_own_words_unless_it_is_decided_otherwise(
    tmp_path: Path,
) -> None:
    printed = played(tmp_path, NORWEGIAN, lines=("Sf3", ""))
    assert "Springer Gustav en Felix tre" in printed
    printed = played(folder(tmp_path, "b"), NORWEGIAN, "--announce-in", "de", lines=("Sf3", ""))
    assert MOVE in printed
    printed = played(folder(tmp_path, "c"), NORWEGIAN, "--black-language", "en", lines=("Sf3", ""))
    assert MOVE in printed


def test_each_player_may_have_a_language_of_their_own(tmp_path: Path) -> None:
    own = ("--white-language", "en", "--black-language", "sv")
    lines = ("my time", "black: min tid")
    printed = played(tmp_path, GERMAN, *own, lines=lines)
    assert any("Willkommen am Tisch." in line for line in printed)  # for everybody
    assert any(line.startswith("You have one hour") for line in printed)
    assert any(line.startswith("Din tid: ") for line in printed)


def test_the_oldest_edition_announces_in_german_only(tmp_path: Path) -> None:
    refused = run("play", "--edition", "fide-1997", "--announce-in", "en", home=tmp_path)
    assert refused.status == 2 and "(F.1)" in refused.stderr


def test_the_language_of_messages_is_one_language(tmp_path: Path) -> None:
    refused = run("play", "--language", "de+nb", home=tmp_path)
    assert refused.status == 2 and "--announce-in de+nb" in refused.stderr


def test_the_oldest_edition_knows_no_supervised_game(tmp_path: Path) -> None:
    refused = run("play", "--edition", "fide-1997", "--supervised", home=tmp_path)
    assert refused.status == 2 and "supervised" in refused.stderr
