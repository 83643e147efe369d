"""``blindplay follow`` from its command line: sources, the first game, and what is refused."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import run
from tests.opponents.public_server import (
    GAME_STREAM,
    ROUND,
    ROUND_PGN,
    ROUND_STREAM,
    PublicServer,
    described,
    pgn,
    positions,
)
from tests.waiting import PATIENCE_S

QUIETLY = ("--silent", "--microphone", "none")


def test_a_file_is_followed_in_the_readers_language(tmp_path: Path) -> None:
    file = tmp_path / "round.pgn"
    over = pgn("Anna", "Bert", "1. e4 e5", result="1/2-1/2")
    file.write_text(over + pgn("Carla", "Dirk", "1. d4", board=2), "utf-8")
    done = run(
        "follow", str(file), "--language", "de", *QUIETLY, stdin="bert\nletzter zug\nbeenden\n"
    )
    said = done.stdout.splitlines()
    assert (done.status, done.stderr) == (0, "")
    assert said[:2] == [
        "Partie eins: Anna gegen Bert. Die Partie ist remis.",
        "Partie zwei: Carla gegen Dirk. Gespielte Züge: eins.",
    ]
    assert said[-1] == "Letzter Zug, Schwarz: Bauer Eva sieben Eva fünf."


def test_a_game_at_a_server_is_followed_to_its_end() -> None:
    server = PublicServer()
    try:
        over = described(status="mate", winner="black")
        server.opening[GAME_STREAM] = [
            described(), *positions("f2f3", "e7e5", "g2g4", "d8h4"), over,
        ]  # fmt: skip
        done = run("follow", f"{server.url}{GAME_STREAM}", *QUIETLY)
    finally:
        server.close()
    assert (done.status, done.stderr) == (0, "")
    said = done.stdout.splitlines()
    assert said[0] == ("Game one: WGM Salma against Kenneth. The game is over. Black wins.")
    assert said[1] == "Last move, Black: Queen David eight Hector four checkmate."


def test_a_round_begins_with_the_game_that_is_named() -> None:
    server = PublicServer()
    try:
        games = [pgn("Anna", "Bert", "1. e4"), pgn("Carla", "Dirk", "1. d4", result="0-1", board=2)]
        server.texts[ROUND_PGN] = "".join(games)
        server.opening[ROUND_STREAM] = []
        address = f"{server.url}/broadcast/cup/round-1/{ROUND}"
        done = run("follow", address, "--game", "dirk", *QUIETLY)
    finally:
        server.close()
    assert done.status == 0
    assert done.stdout.startswith("Game two: Carla against Dirk. The game is over. Black wins.\n")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["missing.pgn"], "There is no file missing.pgn; check the name."),
        (["https://"], "https:// is not an address; copy it whole."),
        (["{prose}"], "holds no game; name a PGN."),
        (["."], ". is a folder; name a file in it."),
        (["{file}", "--port", "x"], "--port needs --board."),
        (["{file}", "--board", "--port", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], why: str, tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    file.write_text(pgn("A", "B", ""), "utf-8")
    prose = tmp_path / "prose.txt"
    prose.write_text("Buy milk and eggs.\n", "utf-8")
    done = run("follow", *(one.format(file=file, prose=prose) for one in arguments), *QUIETLY)
    assert (done.status, done.stdout) == (2, "")
    assert why in done.stderr and done.stderr.count("\n") == 1


def test_an_address_without_a_game_is_one_sentence() -> None:
    server = PublicServer()
    try:
        done = run("follow", f"{server.url}{GAME_STREAM}", *QUIETLY)
    finally:
        server.close()
    assert done.status == 2 and done.stderr.count("\n") == 1
    assert done.stderr.endswith("has nothing to follow (status 404); check the address.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process.")
def test_ctrl_c_ends_it_without_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    file.write_text(pgn("Anna", "Bert", ""), "utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "blindplay", "follow", str(file), "--language", "en", *QUIETLY],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline().startswith("Game one: Anna")
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130 and "Traceback" not in err
