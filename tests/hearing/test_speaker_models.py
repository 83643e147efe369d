"""What is kept of players' voices."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from blindplay.hearing import speaker_models, speaker_preferences
from blindplay.speech.models.folders import adapted_folder, origin
from tests.command_line import run

from .player import keep, put, recording


def test_a_players_model_is_not_used_when_its_base_has_become_another(
    model: Path, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    shutil.copytree(model, base)
    put(base)
    assert speaker_models.models("Anna", "de", [base]) != (base,)
    with (base / "graph" / "words.txt").open("a", encoding="utf-8") as words:
        words.write("neu 9999\n")
    assert speaker_models.models("Anna", "de", [base]) == (base,)


def test_a_players_model_keeps_the_odds_of_a_base_whose_folder_moves(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    shutil.copytree(model, before)
    monkeypatch.setattr(speaker_models, "built_in", lambda language: before)
    own = put(before)
    assert origin(own) == before
    before.rename(after)
    assert origin(own) == own
    monkeypatch.setattr(speaker_models, "built_in", lambda language: after)
    assert speaker_models.models("Anna", "de", [after]) == (own,)
    assert origin(own) == after


def test_a_players_model_that_is_damaged_is_told_and_the_models_own_is_used(model: Path) -> None:
    own = put(model)
    graph = own / "graph" / "HCLr.fst"
    graph.write_bytes(graph.read_bytes()[:1000])
    told: list[str] = []
    assert speaker_models.models("Anna", "de", [model], told.append) == (model,)
    assert len(told) == 1 and "blindplay voice learn" in told[0]


def test_a_short_session_does_not_replace_a_long_one() -> None:
    keep(recording("dame"), recording("turm"))
    place = keep(recording("bauer"))
    assert len((place / "index.jsonl").read_text().splitlines()) == 2


def test_what_was_recorded_before_the_power_failed_is_learned_from() -> None:
    def words() -> list[str]:
        return [one.words for one in speaker_models.kept("Anna", "de")]

    cut_off = speaker_models.Keeper("Anna", "de")
    for said in ("dame", "turm"):
        cut_off.add(recording(said))
        (index,) = speaker_models.folder("Anna").rglob("index.jsonl")
        assert json.loads(index.read_text("utf-8").splitlines()[-1])["words"] == said
    with index.open("a", encoding="utf-8") as half:
        half.write('{"file": "003.w')
    assert words() == ["dame", "turm"]
    # What is cut off sooner replaces nothing, and nor does one that nothing came of.
    speaker_models.Keeper("Anna", "de").add(recording("bauer"))
    assert words() == ["dame", "turm"]
    keep()
    assert words() == ["dame", "turm"]
    keep(*map(recording, ("ja", "nein", "vier")))
    assert words() == ["ja", "nein", "vier"]


def test_forgetting_a_player_forgets_his_wishes_and_his_voice() -> None:
    keep(recording("dame"))
    speaker_preferences.learn("Anna", [("dame", "turm")])
    assert "Nothing is kept of Anna any more." in run("voice", "forget", "Anna").stdout
    assert speaker_preferences.habits("Anna").table == {}
    assert "Nothing is kept of Anna" in run("voice", "forget", "Anna").stderr


def test_what_was_learned_for_a_model_goes_with_it_and_the_recordings_stay(
    model: Path,
) -> None:
    for name in ("other", "mine"):
        shutil.copytree(model, adapted_folder("de") / name)
        put(adapted_folder("de") / name)
    keep(recording("ja"))
    told = run("models", "remove", "mine").stdout
    assert "mine has been removed from de." in told
    assert "What it had learned of 1 voice" in told and "blindplay voice learn" in told
    other, mine = (adapted_folder("de") / name for name in ("other", "mine"))
    assert speaker_models.models("Anna", "de", [other]) != (other,)
    shutil.copytree(model, mine)
    lost: list[str] = []
    assert speaker_models.models("Anna", "de", [mine], lost.append) == (mine,) and not lost
    assert len(speaker_models.kept("Anna", "de")) == 1
