"""The command lines of the benchmarks and the models."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from benchmarks import __main__ as benchmarks_main
from benchmarks import game, voice
from benchmarks.command_options import run
from models import __main__ as models_main
from models import confidence
from tests import ROOT


def printed(command: click.Command, *arguments: str) -> str:
    return CliRunner().invoke(command, arguments, catch_exceptions=False).stdout


def test_options_become_the_measurement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def measured(pack: Any, options: Any, *, learn_on: bool = False) -> list[str]:
        given.append(options)
        return [f"a line in {pack.code}"]

    monkeypatch.setattr(voice, "figures", measured)
    monkeypatch.setattr(game, "figures", measured)
    monkeypatch.setattr(confidence, "measure", measured)
    benchmarks = benchmarks_main.benchmarks
    common = ("voice", "--language", "en", "--model", str(tmp_path), "--count", "8")
    assert printed(benchmarks, *common, "--voices", "de+croak, de+fast") == "a line in en\n"
    assert given == [voice.Options((tmp_path,), 8, voices=("de+croak", "de+fast"))]
    printed(benchmarks, "game")
    printed(benchmarks, "game", "--no-boards", "--moves", "3", "--noise", "20", "--seed", "5")
    assert given[1:] == [game.GameOptions(), game.GameOptions(3, (), (), "20", False, seed=5)]
    CliRunner().invoke(models_main.models, ["confidence"])
    assert given[3] == voice.Options(conditions=confidence.CONDITIONS, as_many_others=True)


@pytest.mark.parametrize(
    ("option", "given", "said"),
    [
        ("--conditions", "garbage", "There is no condition 'garbage'; name clean, room, phone"),
        ("--recordings", "nowhere", "There is no nowhere"),
        ("--voices", "nobody", "nobody"),
    ],
)
@pytest.mark.parametrize("command", ["voice", "models"])
def test_what_cannot_be_measured_is_refused_in_one_sentence_before_a_model_is_loaded(
    command: str, option: str, given: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", command, option, given])
    with pytest.raises(SystemExit) as ended:
        run(benchmarks_main.benchmarks)
    assert said in str(ended.value.code) and "\n" not in str(ended.value.code)


@pytest.mark.parametrize("package", ["benchmarks", "models"])
def test_a_command_line_starts_from_the_repository(package: str) -> None:
    command = [sys.executable, "-m", package, "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"Usage: python -m {package} ")
