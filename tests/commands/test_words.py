"""``blindplay announce``, ``say`` and ``understand``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blindplay.given import UTTERANCE
from blindplay.speech.audio import RATE, write_wav
from tests.command_line import run

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def test_announce_prints_the_words_of_the_appendix() -> None:
    for position in ((), ("--fen", START)):
        printed = run("announce", *position, "--move", "g1f3").stdout
        assert printed == "Springer Gustav eins Felix drei\n"


@pytest.mark.parametrize(
    ("edition", "file"), [("fide-2023", "Cäsar"), ("fide-2014", "Cesar"), ("fide-1997", "Cesar")]
)
def test_the_third_file_is_spelled_as_in_the_edition(edition: str, file: str) -> None:
    done = run("announce", "--fen", START, "--move", "c2c4", "--edition", edition)
    assert done.stdout == f"Bauer {file} zwei {file} vier\n"


def test_understand_prints_move_and_san_or_the_kind() -> None:
    done = run("understand", "--fen", START, "--text", "Springer Felix drei", "--json")
    told = json.loads(done.stdout)
    assert (told["kind"], told["move"], told["san"]) == ("move", "g1f3", "Nf3")
    assert json.loads(run("understand", "--text", "Turm Anna vier", "--json").stdout)["why"]
    assert run("understand", "--text", "Zeit").stdout == "command clock_mine\n"


@pytest.mark.parametrize("words", [("nf3",), ("Springer", "Felix", "drei"), ("Zeit",)])
def test_words_may_stand_where_files_do(words: tuple[str, ...]) -> None:
    done = run("understand", *words)
    assert done.stdout in ("move g1f3 Nf3\n", "command clock_mine\n")


def test_a_file_that_is_missing_is_no_words(tmp_path: Path) -> None:
    missing = str(tmp_path / "nf3.wav")
    done = run("understand", missing)
    assert (done.status, done.stdout) == (2, "")
    assert f"There is no file {missing}" in done.stderr and "--text" in done.stderr


def test_a_file_named_like_a_move_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nf3").write_bytes(b"no sound")
    assert run("understand", "nf3").status == 2


def test_what_say_writes_is_understood(tmp_path: Path) -> None:
    sound = tmp_path / "move.wav"
    assert (
        run("say", "Springer Gustav eins Felix drei", "--output", str(sound), reader="de").status
        == 0
    )
    lines = tmp_path / "batch.jsonl"
    lines.write_text(json.dumps({"file": "move.wav", "fen": START, "language": "de"}) + "\n")
    told = json.loads(run("understand", "--json", "--batch", str(lines)).stdout)
    assert (told["file"], told["move"], told["decision"]) == ("move.wav", "g1f3", "accept")


def test_a_sound_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    sound, broken = tmp_path / "move.wav", tmp_path / "broken.wav"
    assert run("say", "Bauer Eva zwei Eva vier", "--output", str(sound), reader="de").status == 0
    broken.write_bytes(b"no sound")
    names = ["broken.wav", "missing.wav", "move.wav"]
    lines = tmp_path / "batch.jsonl"
    entries = [json.dumps({"file": name, "fen": START}) for name in names]
    bad = ['{"file": "move.wav", "fen": "no position"}', '{"file": 5}', "no JSON"]
    lines.write_text("\n".join([*entries, *bad, entries[2]]))
    done = run("understand", "--json", "--batch", str(lines))
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["file"] for line in told] == [*names, "move.wav", None, None, "move.wav"]
    assert [line["move"] for line in told] == [None, None, "e2e4", None, None, None, "e2e4"]
    assert done.status == 2 and done.stderr.startswith("5 lines of ")


def test_a_sound_that_is_longer_than_any_move_is_refused_before_a_model_hears_it(
    tmp_path: Path,
) -> None:
    file = tmp_path / "long.wav"
    write_wav(file, bytes(2 * RATE * (UTTERANCE.seconds + 1)))
    done = run("understand", str(file), home=tmp_path)
    assert done.status == 2
    assert done.stderr == f"{file} lasts longer than {UTTERANCE.seconds} s; cut it.\n"
