"""The reader of the command line: their language, and the system's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from blindplay import cli, translation
from blindplay.commands.reader import typed_language, user_language
from tests.command_line import run
from tests.english_left import english_in
from tests.test_bad_input import leaves

ERRORS = {
    "de": "Es gibt kein Journal nowhere; prüfen Sie den Namen.",
    "en": "There is no journal at nowhere; check the name.",
}


@pytest.mark.parametrize(
    ("arguments", "language"),
    [
        (["play", "--language", "sv"], "sv"),
        (["demo", "--language=da"], "da"),
        (["play"], ""),
        (["announce", "--language", "nb"], ""),
        (["say", "--language=nb", "Hei"], ""),
        ([], ""),
    ],
)
def test_the_language_that_is_typed_is_the_readers_if_it_is_not_that_of_moves_or_a_voice(
    arguments: list[str], language: str
) -> None:
    assert typed_language(arguments) == language


@pytest.mark.parametrize("language", ERRORS)
def test_an_error_is_in_the_language_of_the_system(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", f"{language}.UTF-8")
    done = run("score", "nowhere", home=tmp_path)
    assert (done.status, done.stderr.strip()) == (2, ERRORS[language])


def test_the_settings_go_before_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    assert run("settings", "set", "language", "de", home=tmp_path).status == 0
    assert run("score", "nowhere", home=tmp_path).stderr.strip() == ERRORS["de"]


def test_broken_settings_are_told_in_the_language_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert run("settings", "set", "language", "en", home=tmp_path).status == 0
    (file,) = tmp_path.rglob("settings.toml")
    file.write_text("language = [", "utf-8")
    done = run("play", "--silent", home=tmp_path, reader="de_DE.UTF-8")
    assert (done.status, done.stderr.startswith("Berichtigen Sie ")) == (2, True)


@pytest.mark.parametrize("language", [code for code in translation.codes() if code != "en"])
def test_the_help_of_every_command_is_in_the_readers_language(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", f"{language}.UTF-8")
    for name in ("", *(name for name, _command in leaves(cli.TABLE))):
        told = " ".join(run(*name.split(), "--help", reader=language).stdout.split())
        assert not english_in(told, language), name
        assert "Usage:" not in told and "required]" not in told, name


def test_the_name_of_a_file_is_not_translated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = run("score", "Karl May instead of Bert.jsonl", home=tmp_path, reader="de").stderr
    assert told == "Es gibt kein Journal Karl May instead of Bert.jsonl; prüfen Sie den Namen.\n"


# --- The language of the user: LC_ALL, LC_MESSAGES, LANG, then English


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "sv_SE"}, "sv"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": ""}, "de"),
        ({"LANG": "nn_NO.UTF-8"}, "nb"),
        ({"LANG": "no"}, "nb"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LC_ALL": "POSIX"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "../de"}, "en"),
    ],
)
def test_the_first_variable_that_is_set_names_the_language(
    environment: dict[str, str], code: str
) -> None:
    assert user_language(environment) == code


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows its user's language.")
def test_without_any_variable_it_is_english() -> None:
    assert user_language({}) == "en"
