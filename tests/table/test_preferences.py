"""How a player likes to be spoken to is remembered, and never in the way."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import platformdirs
import pytest

from blindplay.speech.costs import NEVER_SEEN
from blindplay.speech.speaker import Voicing
from blindplay.table import preferences, voices


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: tmp_path / "config")
    return tmp_path / "config"


def test_what_a_player_wants_is_remembered_by_his_name(folder: Path) -> None:
    preferences.keep("Anna Weiß", Voicing(volume=4, rate=220))
    preferences.keep("", Voicing(volume=-8))
    assert preferences.kept("Anna Weiß") == Voicing(volume=4, rate=220)
    assert preferences.kept("") == Voicing(volume=-8)
    assert preferences.kept("Bernd") == Voicing()
    (folder / "players.json").unlink()
    assert preferences.kept("Anna Weiß") == Voicing()


@pytest.mark.skipif(os.name != "posix", reason="a system without modes")
def test_nobody_else_may_read_the_names_whoever_made_the_folder(folder: Path) -> None:
    folder.mkdir(mode=0o755)
    (folder / "misheard.json").write_text("{}", "utf-8")
    (folder / "misheard.json").chmod(0o644)
    preferences.learn("Anna", [("dame", "turm")])
    preferences.keep("Anna", Voicing(volume=4))
    kept = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert kept == {"misheard.json": 0o600, "players.json": 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "text", ["", "[]", "nonsense", '{"": 5}', '{"": {"volume": "x"}}', '{"": {"pitch": 3}}']
)
def test_a_file_that_cannot_be_read_is_no_wish(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "players.json").write_text(text, "utf-8")
    assert preferences.kept("") == Voicing()


def test_a_wish_beyond_the_limits_is_brought_within_them(folder: Path) -> None:
    folder.mkdir()
    (folder / "players.json").write_text('{"": {"volume": 99, "rate": 1}}', "utf-8")
    assert preferences.kept("") == Voicing(volume=12, rate=80)


def test_what_was_misheard_of_a_player_is_remembered_until_he_is_forgotten(folder: Path) -> None:
    assert preferences.habits("Anna").table == {}
    pairs = [("dame", "turm"), ("eva", "eva"), ("eins", "eins")]
    once = preferences.learn("Anna", pairs)
    twice = preferences.learn("Anna", pairs)
    assert twice.one("dame", "turm") < once.one("dame", "turm") < NEVER_SEEN
    assert preferences.habits("Anna") == twice
    assert preferences.habits("Bernd").table == {}
    preferences.keep("Anna", Voicing(volume=4))
    assert preferences.forget("Anna")
    assert preferences.habits("Anna").table == {} and preferences.kept("Anna") == Voicing()
    assert not preferences.forget("Anna")


@pytest.mark.parametrize("text", ["", "[]", '{"Anna": 5}', '{"Anna": [["dame"], 3, [1, 2]]}'])
def test_a_damaged_memory_of_words_is_no_memory(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "misheard.json").write_text(text, "utf-8")
    assert preferences.habits("Anna").table == {}
    assert preferences.learn("Anna", [("dame", "turm")]).one("dame", "turm") < NEVER_SEEN


@pytest.mark.parametrize("other", ["anna weiß", " Anna  WEISS ", "ANNA WEIß"])
def test_a_player_is_the_same_however_his_name_is_written(other: str, folder: Path) -> None:
    preferences.keep("Anna Weiß", Voicing(volume=4))
    preferences.learn("Anna Weiß", [("dame", "turm")])
    assert preferences.kept(other) == Voicing(volume=4)
    preferences.learn(other, [("dame", "turm")])
    assert preferences.habits("Anna Weiß") == preferences.habits(other)
    assert len(json.loads((folder / "misheard.json").read_text("utf-8"))) == 1
    assert voices.folder(other) == voices.folder("Anna Weiß") != voices.folder("Anna Weis")
    assert voices.folder("Zoe\u0308") == voices.folder("Zoë") != voices.folder("Zoe")
    assert preferences.forget(other) and not preferences.forget("Anna Weiß")
