"""``blindplay mating`` and ``replay``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import run

WALL = "8/1k6/1p1p1p1p/1P1P1P1P/8/8/8/K7 w - - 0 1"
ONE_MOVE = "k7/2P5/1K6/8/8/8/p7/8 w - - 0 1"


def test_mating_answers_for_both_sides() -> None:
    told = json.loads(run("mating", "--fen", ONE_MOVE, "--json").stdout)
    assert told["fen"] == ONE_MOVE
    assert told["white"] == {"verdict": "possible", "line": ["c7c8q"]}
    assert told["black"]["verdict"] == "possible" and told["black"]["line"]


@pytest.mark.parametrize(
    ("language", "fen", "lines"),
    [
        ("en", ONE_MOVE, ["White can still mate: 1. c8=Q#.", "Black can still mate: 1. "]),
        ("de", ONE_MOVE, ["Weiß kann noch mattsetzen: 1. c8=D#.", "Schwarz kann noch mattsetzen:"]),
        ("nb", WALL, ["Hvit kan ikke sette matt lenger. Brikkene", "Svart kan ikke sette matt"]),
        # Black has been mated.
        (
            "en",
            "k1Q5/8/1K6/8/8/8/8/8 b - - 0 1",
            ["White has mated.", "Black cannot mate any more."],
        ),
    ],
)
def test_mating_is_told_in_the_language_and_notation_of_the_reader(
    language: str, fen: str, lines: list[str]
) -> None:
    told = run("mating", "--fen", fen, "--language", language).stdout.splitlines()
    assert len(told) == 2
    assert all(line.startswith(begin) for line, begin in zip(told, lines, strict=True))


def test_a_line_that_black_begins_has_the_dots_of_a_scoresheet() -> None:
    told = run("mating", "--fen", ONE_MOVE.replace(" w ", " b "), "--language", "en").stdout
    assert " 1... " in told


def test_mating_answers_a_batch_and_names_the_line_that_is_no_position(tmp_path: Path) -> None:
    batch = tmp_path / "positions.txt"
    batch.write_text(f"{WALL}\n\n{ONE_MOVE}\nno position\n{WALL}\n", encoding="utf-8")
    done = run("mating", "--batch", str(batch))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["fen"] for one in answers] == [WALL, ONE_MOVE, "no position", WALL]
    assert answers[0]["white"]["reason"].endswith(".") and "not a position" in answers[2]["error"]
    assert done.status == 2 and done.stderr.startswith("1 lines of ")
    assert run("mating", "--batch", "-", stdin=f"{WALL}\n").status == 0


@pytest.mark.parametrize(
    "given",
    [
        [],
        ["--fen", WALL, "--batch", "-"],
        ["--fen", "8/8/8/8/8/8/8/K7 w - - 0 1"],
        ["--fen", "8/8/8/8/8/8/8/KQk5 w - - 0 1"],
        ["--batch", "no-such-file"],
    ],
)
def test_mating_refuses_in_one_sentence(given: list[str]) -> None:
    done = run("mating", *given)
    assert done.status == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1


def test_replay_reads_standard_input_and_names_the_faulty_line() -> None:
    done = run("replay", "-", stdin='{"t":0,"fact":"setup"}\n{"t":1,"fact":"dance"}\n')
    assert done.status == 2
    assert done.stderr.startswith("-:2: ")


def test_replay_reads_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    facts = tmp_path / "facts.jsonl"
    facts.write_text('{"t":0,"fact":"setup"}\n', encoding="utf-8-sig")
    assert run("replay", str(facts)).status == 0
