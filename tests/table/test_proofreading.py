"""A native speaker hears every sentence with its key, and what they think of it is kept."""

import io
import tomllib
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from blindplay.language import Command, languages, load
from blindplay.speech.synthesis import is_words
from blindplay.table.proofreading import examples, proofread


def read(file: Path, keys: str, code: str = "sv") -> str:
    out = io.StringIO()
    proofread(load(code), file, True, io.StringIO(keys), out)
    return out.getvalue()


def test_each_sentence_is_good_or_gets_a_better_one_and_the_rest_is_asked_next_time(
    tmp_path: Path,
) -> None:
    pack, file = load("sv"), tmp_path / "review-sv.toml"
    first, second, third, fourth = pack.sentences()[:4]
    yes, skip, end = (
        pack.command(Command.YES),
        pack.command(Command.SKIP),
        pack.typed("end")[0],
    )
    told = read(file, f"{yes}\n\nVälkomna till bordet.\n{skip}\n{end}\n")
    assert f"{first}: {pack.sentence(first)}" in told
    assert told.count(f"{second}: ") == 2  # Enter repeats it
    kept = tomllib.loads(file.read_text("utf-8"))
    assert (kept["language"], kept["good"]) == ("sv", [first])
    assert kept["better"] == {second: "Välkomna till bordet."}
    again = read(file, f"{yes}\n")
    assert f"\n{first}: " not in again and f"\n{third}: " in again
    kept = tomllib.loads(file.read_text("utf-8"))
    assert kept["good"] == sorted([first, third]) and kept["better"]
    assert fourth not in kept["good"]


def test_help_says_the_keys_and_is_no_better_sentence(tmp_path: Path) -> None:
    file = tmp_path / "review-sv.toml"
    told = read(file, "hjälp\n").splitlines()
    assert told.count(told[0]) == told.count(told[1]) == 2 and not file.exists()


def test_a_step_back_judges_the_sentence_before_anew(tmp_path: Path) -> None:
    pack, file = load("de"), tmp_path / "review-de.toml"
    first, second = pack.sentences()[:2]
    read(file, 'Anders\nzurück\nMit "Zeichen"\nja\nbeenden\n', "de")
    kept = tomllib.loads(file.read_text("utf-8"))
    assert kept["better"] == {first: 'Mit "Zeichen"'} and kept["good"] == [second]


def test_each_answer_is_kept_before_the_next_sentence_is_read(tmp_path: Path) -> None:
    file, kept = tmp_path / "review-de.toml", []

    def keys() -> Iterator[str]:
        for _ in range(3):
            yield "ja"
            kept.append(len(tomllib.loads(file.read_text("utf-8"))["good"]))

    proofread(load("de"), file, True, keys(), io.StringIO())
    assert kept == [1, 2, 3]


def test_a_file_that_is_something_else_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "notes.toml"
    file.write_text("no toml", "utf-8")
    with pytest.raises(ValueError, match=r"notes\.toml"):
        read(file, "ja\n")
    assert file.read_text("utf-8") == "no toml"


@pytest.mark.parametrize("code", languages())
def test_every_sentence_has_examples_that_can_be_said(code: str) -> None:
    pack = load(code)
    for key in pack.sentences():
        assert is_words(pack.sentence(key, **examples(pack, key)), code), key
    assert pack.announce(chess.Board(), chess.Move.from_uci("g1f3")) in pack.sentence(
        "announced", **examples(pack, "announced")
    )
