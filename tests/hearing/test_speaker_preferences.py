"""How a player likes to be spoken to is remembered, and never in the way."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import platformdirs
import pytest

from blindplay.hearing import speaker_models, speaker_preferences
from blindplay.speech.confusions import NEVER_SEEN
from blindplay.speech.speaker import Voicing


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: tmp_path / "config")
    return tmp_path / "config"


def test_what_a_player_wants_is_remembered_by_his_name(folder: Path) -> None:
    speaker_preferences.keep("Anna Weiß", Voicing(volume=4, rate=220))
    speaker_preferences.keep("", Voicing(volume=-8))
    assert speaker_preferences.kept("Anna Weiß") == Voicing(volume=4, rate=220)
    assert speaker_preferences.kept("") == Voicing(volume=-8)
    assert speaker_preferences.kept("Bernd") == Voicing()
    (folder / "players.json").unlink()
    assert speaker_preferences.kept("Anna Weiß") == Voicing()


@pytest.mark.skipif(os.name != "posix", reason="a system without modes")
def test_nobody_else_may_read_the_names_whoever_made_the_folder(folder: Path) -> None:
    folder.mkdir(mode=0o755)
    (folder / "misheard.json").write_text("{}", "utf-8")
    (folder / "misheard.json").chmod(0o644)
    speaker_preferences.learn("Anna", [("dame", "turm")])
    speaker_preferences.keep("Anna", Voicing(volume=4))
    kept = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert kept == {"misheard.json": 0o600, "players.json": 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "text", ["", "[]", "nonsense", '{"": 5}', '{"": {"volume": "x"}}', '{"": {"pitch": 3}}']
)
def test_a_file_that_cannot_be_read_is_no_wish(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "players.json").write_text(text, "utf-8")
    assert speaker_preferences.kept("") == Voicing()


def test_a_wish_beyond_the_limits_is_brought_within_them(folder: Path) -> None:
    folder.mkdir()
    (folder / "players.json").write_text('{"": {"volume": 99, "rate": 1}}', "utf-8")
    assert speaker_preferences.kept("") == Voicing(volume=12, rate=80)


def test_what_was_misheard_of_a_player_is_remembered_until_he_is_forgotten(folder: Path) -> None:
    assert speaker_preferences.habits("Anna").table == {}
    pairs = [("dame", "turm"), ("eva", "eva"), ("eins", "eins")]
    once = speaker_preferences.learn("Anna", pairs)
    twice = speaker_preferences.learn("Anna", pairs)
    assert twice.cost("dame", "turm") < once.cost("dame", "turm") < NEVER_SEEN
    assert speaker_preferences.habits("Anna") == twice
    assert speaker_preferences.habits("Bernd").table == {}
    speaker_preferences.keep("Anna", Voicing(volume=4))
    assert speaker_preferences.forget("Anna")
    assert (
        speaker_preferences.habits("Anna").table == {}
        and speaker_preferences.kept("Anna") == Voicing()
    )
    assert not speaker_preferences.forget("Anna")


@pytest.mark.parametrize("text", ["", "[]", '{"Anna": 5}', '{"Anna": [["dame"], 3, [1, 2]]}'])
def test_a_damaged_memory_of_words_is_no_memory(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "misheard.json").write_text(text, "utf-8")
    assert speaker_preferences.habits("Anna").table == {}
    assert speaker_preferences.learn("Anna", [("dame", "turm")]).cost("dame", "turm") < NEVER_SEEN


def test_a_damaged_file_is_told_and_set_aside_before_something_new_is_kept(folder: Path) -> None:
    folder.mkdir()
    (folder / "players.json").write_text('{"Anna": {"volume": 4, ', "utf-8")
    (told,) = speaker_preferences.damaged()
    assert told.startswith(str(folder / "players.json"))
    for volume in (4, 8):
        speaker_preferences.keep("Bert", Voicing(volume=volume))
    assert speaker_preferences.damaged() == []
    assert speaker_preferences.kept("Bert") == Voicing(volume=8)
    (aside,) = folder.glob("players.damaged-*")
    assert aside.read_text("utf-8") == '{"Anna": {"volume": 4, '
    assert len(list(folder.iterdir())) == 2


def test_a_damaged_file_with_the_name_is_not_passed_over_when_a_player_is_forgotten(
    folder: Path,
) -> None:
    folder.mkdir()
    (folder / "misheard.json").write_text('{"Anna": [["dame"', "utf-8")
    with pytest.raises(ValueError, match=r"misheard\.json is damaged and still has the name"):
        speaker_preferences.forget("anna")
    assert not speaker_preferences.forget("Bert")
    speaker_preferences.learn("Anna", [("dame", "turm")])
    with pytest.raises(ValueError, match=r"misheard\.damaged-1 is damaged"):
        speaker_preferences.forget("Anna")
    assert not speaker_preferences.players()
    (folder / "misheard.damaged-1").unlink()
    assert not speaker_preferences.forget("Anna")


def test_what_cannot_be_read_for_another_reason_is_never_overwritten(folder: Path) -> None:
    (folder / "players.json").mkdir(parents=True)
    with pytest.raises(OSError, match=r"players\.json"):
        speaker_preferences.keep("Anna", Voicing(volume=4))
    assert speaker_preferences.kept("Anna") == Voicing()
    assert [path.name for path in folder.iterdir()] == ["players.json"]


@pytest.mark.parametrize("other", ["anna weiß", " Anna  WEISS ", "ANNA WEIß"])
def test_a_player_is_the_same_however_his_name_is_written(other: str, folder: Path) -> None:
    speaker_preferences.keep("Anna Weiß", Voicing(volume=4))
    speaker_preferences.learn("Anna Weiß", [("dame", "turm")])
    assert speaker_preferences.kept(other) == Voicing(volume=4)
    speaker_preferences.learn(other, [("dame", "turm")])
    assert speaker_preferences.habits("Anna Weiß") == speaker_preferences.habits(other)
    assert len(json.loads((folder / "misheard.json").read_text("utf-8"))) == 1
    assert (
        speaker_models.folder(other)
        == speaker_models.folder("Anna Weiß")
        != speaker_models.folder("Anna Weis")
    )
    assert (
        speaker_models.folder("Zoe\u0308")
        == speaker_models.folder("Zoë")
        != speaker_models.folder("Zoe")
    )
    assert speaker_preferences.forget(other) and not speaker_preferences.forget("Anna Weiß")
