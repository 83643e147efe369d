"""``blindplay bench``: options become measurements, and figures become lines."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blindplay.bench import game, laws_and_words
from blindplay.hearing.evaluation import comparison, report
from tests.command_line import run


def test_everything_is_measured_with_the_given_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(pack: Any, positions: int, board_moves: int) -> Iterator[str]:
        yield f"{pack.code}, {positions}, {board_moves}"

    monkeypatch.setattr(laws_and_words, "measure", measure)
    assert run("bench").stdout == "de, 20000, 500\n"
    done = run("bench", "--language", "en", "--positions", "7", "--board-moves", "3")
    assert done.stdout == "en, 7, 3\n"


def test_only_wrong_boards_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws_and_words, "measure_reconciling", lambda pack, cases: [str(cases)])
    assert run("bench", "--reconcile", "12").stdout == "12\n"


def test_voices_and_conditions_reach_the_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[report.Options] = []

    def measured(pack: Any, options: report.Options) -> Iterator[str | dict[str, Any]]:
        given.append(options)
        yield "a line"
        yield {"figure": 1}

    monkeypatch.setattr(report, "bench", measured)
    common = ("bench", "voice", "--model", str(tmp_path), "--count", "8")
    assert run(*common, "--voices", "de+croak, de+fast").stdout == "a line\n"
    assert json.loads(run(*common, "--json", "--conditions", "10,room").stdout) == {"figure": 1}
    first, second = given
    assert (first.voices, second.voices) == (("de+croak", "de+fast"), ())
    assert (first.conditions, second.conditions) == (report.CONDITIONS, "10,room")
    assert dataclasses.astuple(first)[0] == (tmp_path,)


def test_writing_needs_measuring() -> None:
    done = run("bench", "voice", "--write")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == "--write and --diagram go with --measure: they show what was measured.\n"


@pytest.mark.parametrize("command", [("voice",), ("voice", "--measure"), ("models",)])
def test_an_unknown_condition_is_refused_before_anything_is_measured(
    command: tuple[str, ...],
) -> None:
    done = run("bench", *command, "--conditions", "garbage")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("There is no condition 'garbage'; name clean, room, phone, hum")


@pytest.mark.parametrize("command", [("voice",), ("voice", "--measure"), ("models",)])
@pytest.mark.parametrize(
    ("option", "said"), [("--recordings", "There is no "), ("--voices", "nobody")]
)
def test_what_cannot_be_heard_is_refused_before_a_model_is_loaded(
    command: tuple[str, ...], option: str, said: str, tmp_path: Path
) -> None:
    given = str(tmp_path / "nowhere") if option == "--recordings" else "nobody"
    done = run("bench", *command, option, given)
    assert (done.status, done.stdout) == (2, "")
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_models_are_compared_in_lines_or_json(monkeypatch: pytest.MonkeyPatch) -> None:
    def compared(*_: object, enrolled: bool) -> Iterator[Any]:
        yield f"enrolled: {enrolled}"
        yield {"model": "built-in"}

    monkeypatch.setattr(comparison, "compare", compared)
    assert run("bench", "models", "--enrol").stdout == "enrolled: True\n"
    assert json.loads(run("bench", "models", "--json").stdout) == {"model": "built-in"}


def test_a_game_is_played_as_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[game.GameOptions] = []

    def played(pack: Any, options: game.GameOptions) -> Iterator[str]:
        given.append(options)
        yield f"a game in {pack.code}"

    monkeypatch.setattr(game, "figures", played)
    assert run("bench", "game", "--language", "en").stdout == "a game in en\n"
    run("bench", "game", "--moves", "3", "--model", str(tmp_path), "--noise", "20", "--no-boards",
        "--full", "--seed", "5", "--voices", "de+f1,de+m1")  # fmt: skip
    usual, chosen = given
    assert usual == game.GameOptions()
    assert chosen == game.GameOptions(
        3, (tmp_path,), ("de+f1", "de+m1"), "20", boards=False, full=True, seed=5
    )


def test_a_game_in_an_unknown_noise_is_refused() -> None:
    done = run("bench", "game", "--noise", "thunder")
    assert (done.status, done.stdout) == (2, "")
    assert (
        done.stderr.startswith("There is no condition 'thunder'") and "Traceback" not in done.stderr
    )
