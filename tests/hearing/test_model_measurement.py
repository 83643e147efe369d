"""Models are measured on the same utterances, alone and with the built-in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hearing import speaker_models
from blindplay.hearing.kept_recordings import SpeakerRecording
from blindplay.hearing.model_measurement import measure, of_player, teams
from blindplay.speech.audio import read_audio
from blindplay.speech.models.folders import BUILT_IN, built_in
from blindplay.speech.synthesis import Synthesiser
from tests.command_line import run
from tests.conversation.conversing import GERMAN

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def test_the_built_in_model_listens_with_every_team() -> None:
    assert list(teams(["a", "b", BUILT_IN])) == [
        (BUILT_IN,), (BUILT_IN, "a"), (BUILT_IN, "b"), (BUILT_IN, "a", "b"),
    ]  # fmt: skip
    assert list(teams(["a", "b"])) == [("a",), ("b",), ("a", "b")]


def test_a_players_own_moves_are_heard_by_each_team(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, folder = "Bauer Eva zwei Eva vier", built_in("de")
    assert folder is not None
    with Synthesiser("de", cache=tmp_path, spellings=GERMAN.spoken) as synthesiser:
        pcm = read_audio(synthesiser.render(words))
    said = [SpeakerRecording(words, START, pcm), SpeakerRecording("ja", None, pcm)]
    monkeypatch.setattr(speaker_models, "kept", lambda name, code: said)
    utterances = of_player(GERMAN, "Anna")
    assert [line.words for line, _ in utterances] == [words]
    heard: list[str] = []
    models = {"other": folder, BUILT_IN: folder}
    results = {one.names: one for one in measure(GERMAN, models, utterances, heard.append)}
    assert heard == ["other", BUILT_IN]
    alone = results[(BUILT_IN,)]
    assert (alone.moves, alone.at_once, alone.wrong, alone.cost) == (1, 1, 0, 0.0)
    assert alone.measured and not results[(BUILT_IN, "other")].measured


def test_the_command_names_the_models_that_are_best() -> None:
    done = run("models", "measure", "--language", "de", "--count", "4")
    hears, result, best = done.stdout.splitlines()
    assert hears == "built-in hears 6 utterances."
    assert result.startswith("built-in: of 4 moves ")
    assert best == "The models that listen now are the best of these."


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("--player", "Nobody"), "blindplay voice enrol Nobody."),
        (("german",), "blindplay models install vosk-model-small-de-0.15 --language de"),
    ],
)
def test_what_is_not_there_is_one_sentence_with_the_remedy(
    arguments: tuple[str, ...], remedy: str
) -> None:
    done = run("models", "measure", "--language", "de", *arguments)
    assert done.status == 2 and remedy in done.stderr and done.stderr.count("\n") == 1
