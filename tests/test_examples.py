"""Every example that a reader may copy runs, and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import chess
import platformdirs
import pytest

from blindplay import facts, open_table, rulings
from blindplay.language import load
from blindplay.speech.synthesis import Synthesiser
from tests import ROOT
from tests.waiting import PATIENCE_S

PROGRAMS = re.findall(
    "```python\n(.*?)```", (ROOT / "docs/development/embedding.md").read_text("utf-8"), re.S
)
REFEREE, EAR, OPPONENT, BOARD, LANGUAGE, OVERLAY = PROGRAMS


def modules_with_examples() -> list[str]:
    found = [
        path for path in (ROOT / "blindplay").rglob("*.py") if ">>> " in path.read_text("utf-8")
    ]
    parts = [path.relative_to(ROOT).with_suffix("").parts for path in found]
    return sorted(".".join(part).removesuffix(".__init__") for part in parts)


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings_print_what_they_say(name: str, tmp_path: Path) -> None:
    module = importlib.import_module(name)
    given = {**vars(module), "facts": facts, "rulings": rulings, "folder": tmp_path}
    ran = doctest.testmod(module, extraglobs=given, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert ran.attempted and not ran.failed


@pytest.mark.parametrize("page", ["README.md", "docs/development/embedding.md"])
def test_examples_on_pages_are_short(page: str) -> None:
    for program in re.findall("```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.S):
        lines = [line for line in program.splitlines() if line]
        assert len(lines) <= (40 if "BoardDriver" in program else 25)


def run(program: str, *arguments: str, folder: Path, typed: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_readme_example_runs(tmp_path: Path) -> None:
    (program,) = re.findall("```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    assert run(program, folder=tmp_path)


def test_a_program_referees_a_stream_of_facts(tmp_path: Path) -> None:
    stream = [
        facts.Setup(white=facts.Player(impaired=True)),
        facts.Lift(board="white", square="g1"),
    ]
    typed = "\n".join(json.dumps(fact.to_json()) for fact in stream)
    told = [json.loads(line) for line in run(REFEREE, folder=tmp_path, typed=typed).splitlines()]
    assert ("touched", "fide-2023 D.2.2") in [(one["ruling"], one["article"]) for one in told]


def test_a_program_understands_a_recording(tmp_path: Path) -> None:
    pack, sound = load("de"), tmp_path / "move.wav"
    with Synthesiser("de", cache=tmp_path / "phrases", spellings=pack.spoken) as voice:
        sound.write_bytes(voice.render("Springer Gustav eins Felix drei").read_bytes())
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert run(EAR, str(sound), fen, folder=tmp_path) == "Nf3\n"


def test_a_program_plays_against_somebody(tmp_path: Path) -> None:
    move = chess.Move.from_uci(run(OPPONENT, folder=tmp_path).strip())
    board = chess.Board()
    board.push_san("e4")
    assert board.is_legal(move)


def test_a_program_uses_a_language_that_the_user_has_added(tmp_path: Path) -> None:
    packs = platformdirs.user_data_path("blindplay", appauthor=False) / "languages"
    packs.mkdir(parents=True)
    try:
        shutil.copy(ROOT / "blindplay/language/packs/da.toml", packs / "fo.toml")
        told = run(LANGUAGE, "fo", "e4", "e5", "Nf3", folder=tmp_path)
    finally:
        shutil.rmtree(packs)
    board, danish, words = chess.Board(), load("da"), []
    for san in ("e4", "e5", "Nf3"):
        words.append(danish.announce(board, board.parse_san(san)))
        board.push_san(san)
    assert told.splitlines() == words


def test_a_program_shows_a_running_game_in_a_stream(tmp_path: Path) -> None:
    journal, overlay = tmp_path / "game.jsonl", tmp_path / "overlay.txt"
    white, black = facts.Player(name="Ada", impaired=True), facts.Player(name="Ben")
    with open_table(journal, facts.Setup(white=white, black=black, time_control="900")) as table:
        table.submit(facts.Start())
        table.typed("white", "e4")
    run(OVERLAY, str(overlay), folder=tmp_path, typed=journal.read_text("utf-8"))
    assert overlay.read_text("utf-8").splitlines()[1:] == ["Ben: 15 min", "e4"]


def test_a_program_reads_its_own_board_on_a_serial_line(tmp_path: Path) -> None:
    told = run(BOARD, folder=tmp_path)
    assert told.startswith("g1 fide-2023 ")
    assert (tmp_path / "game.jsonl").is_file()
