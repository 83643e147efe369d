"""``blindplay models``. What it installs and removes is tested with the store of models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blindplay.speech.confidence import confidence_of, is_measured
from blindplay.speech.models import folders
from tests.command_line import run
from tests.speech.adaptation.base_models import base_model


def test_the_list_names_the_models_of_a_language_and_those_that_are_recommended() -> None:
    done = run("models", "list", "--language", "de")
    first, second, *_ = done.stdout.splitlines()
    assert first.startswith("de, Deutsch: heard with ")
    assert second.startswith("  built-in: comes with the program, ")
    assert "To install the recommended models: " in done.stdout


def test_the_list_is_printed_as_one_object_per_model() -> None:
    rows = [json.loads(line) for line in run("models", "list", "--json").stdout.splitlines()]
    (built_in,) = [row for row in rows if row["language"] == "de" and row["built_in"]]
    assert built_in["there"] and built_in["bytes_on_disk"] > 0


def test_a_model_that_knows_every_word_is_good() -> None:
    done = run("models", "check", "--language", "de")
    assert done.status == 0 and done.stdout.startswith("de, built-in: good. ")


def test_a_damaged_model_is_bad_and_the_status_is_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object) -> None:
        raise folders.ModelError("A file is damaged.")

    monkeypatch.setattr(folders, "probe", damaged)
    done = run("models", "check", "--language", "de")
    assert done.status == 2
    assert done.stdout == "de, built-in: bad. A file is damaged.\n"
    assert done.stderr == "1 of 1 models cannot be relied upon; see above.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("install", "one", "two", "--from", "x.zip"), "With --from there is one model"),
        (("install", "--language", "xx"), "xx"),
        (("use", "no-such-model"), "no-such-model"),
        (("remove", "no-such-model"), "no-such-model"),
        (("adapt", "no-such-folder", "--language", "de"), "no-such-folder"),
        (("check", "--language", "nb"), "There is no model of nb; install one with: "),
    ],
)
def test_an_impossible_request_is_one_sentence(
    arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "built_in", lambda language: None)
    done = run("models", *arguments)
    assert (done.status, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


def test_a_model_that_was_measured_keeps_its_weights_wherever_it_is_adapted(tmp_path: Path) -> None:
    base, output, built_in = base_model("english"), tmp_path / "mine", folders.built_in("en")
    done = run("models", "adapt", str(base), "--language", "en", "--output", str(output))
    assert done.status == 0 and built_in is not None
    assert folders.verify(output) > 0
    assert is_measured(output, built_in)
    assert confidence_of(output, built_in).measured["models"] == ["built-in", "english"]
