"""``blindplay analyse`` from its command line: where it begins, what is refused, what is kept."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import chess.pgn
import pytest

from blindplay.record import Journal
from tests.command_line import run
from tests.commands.test_practice import journal
from tests.waiting import PATIENCE_S

QUIETLY = ("analyse", "--silent", "--microphone", "none", "--language", "en", "--engine", "none")
GAME = '[White "Anna"]\n[Black "Bert"]\n\n1. e4 (1. d4 d5) 1... e5 2. Nf3 1-0\n'


def kept(home: Path) -> Path:
    """The only analysis that is kept on this machine."""
    (file,) = (home / "blindplay" / "analyses").iterdir()
    return file


def test_moves_are_tried_from_the_initial_position_and_kept(tmp_path: Path) -> None:
    done = run(*QUIETLY, stdin="e4\ne5\nquit\n", home=tmp_path)
    said = done.stdout.splitlines()
    assert (done.status, done.stderr) == (0, "")
    assert said[0].startswith("Analysis. Say or type moves for both sides.")
    assert "White: Pawn Eva two Eva four." in said
    assert said[-1] == f"The analysis is in {kept(tmp_path)}."
    assert kept(tmp_path).read_text("utf-8").endswith("\n1. e4 e5 *\n")


def test_nothing_is_kept_if_nothing_was_tried(tmp_path: Path) -> None:
    done = run(*QUIETLY, stdin="position\nquit\n", home=tmp_path)
    assert done.status == 0 and not (tmp_path / "blindplay" / "analyses").exists()


def test_a_game_is_walked_with_its_variations_and_goes_on_where_it_was_kept(tmp_path: Path) -> None:
    file, out = tmp_path / "games.pgn", tmp_path / "mine.pgn"
    file.write_text(f"1. c4 1-0\n\n{GAME}", "utf-8")
    begin = (*QUIETLY, str(file), "--number", "2", "--output", str(out))
    done = run(*begin, stdin="forward\nvariations\nback\nvariations\n2\nNf6\nquit\n", home=tmp_path)
    said = done.stdout.splitlines()
    assert (done.status, done.stderr) == (0, "")
    assert "one: Pawn Eva seven Eva five." in said and "two: Pawn David two David four." in said
    with out.open(encoding="utf-8") as text:
        game = chess.pgn.read_game(text)
    assert game is not None and (game.headers["White"], game.headers["Result"]) == ("Anna", "1-0")
    answers = [str(one.move) for one in game.variations[1].variations]
    assert answers == ["d7d5", "g8f6"] and file.read_text("utf-8").endswith(GAME)
    again = run(*QUIETLY, str(out), stdin="d4\nvariations\nquit\n", home=tmp_path)
    assert "two: Knight Gustav eight Felix six." in again.stdout.splitlines()


def test_a_position_is_given_in_fen_or_as_a_puzzle(tmp_path: Path) -> None:
    fen, file = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", tmp_path / "puzzle.epd"
    file.write_text("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8;\n", "utf-8")
    for given in (("--fen", fen), (str(file),)):
        done = run(*QUIETLY, *given, stdin="Ra8\nquit\n", home=tmp_path)
        assert "The game is over. White wins. Checkmate." in done.stdout.splitlines()


def test_a_game_of_ones_own_is_analysed_when_it_is_over(tmp_path: Path) -> None:
    over = journal(tmp_path)
    done = run(*QUIETLY, str(over), stdin="forward 3\nlast move\nquit\n", home=tmp_path)
    assert "Last move, White: Pawn Gustav two Gustav four." in done.stdout.splitlines()
    running = journal(tmp_path, plies=2, name="unfinished")
    done = run(*QUIETLY, str(running), home=tmp_path)
    assert (done.status, done.stdout) == (2, "") and "is not over" in done.stderr


def test_nothing_is_analysed_while_a_table_plays_a_game(tmp_path: Path) -> None:
    playing = journal(tmp_path, plies=1, name="playing")
    with Journal(playing, resume=True):
        done = run(*QUIETLY, stdin="e4\n", home=tmp_path)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("A table is playing the game in ")


@pytest.mark.parametrize(
    ("tags", "why"),
    [
        ('[Termination "Unterminated"]\n', "is not over"),
        ('[TimeControl "5400+30"]\n', "may not be over"),
        ('[Site "https://lichess.org/abcdefgh"]\n', "may not be over"),
    ],
)
def test_a_running_game_is_refused(tmp_path: Path, tags: str, why: str) -> None:
    file = tmp_path / "running.pgn"
    file.write_text(f"{tags}\n1. e4 e5 *\n", "utf-8")
    done = run(*QUIETLY, str(file), home=tmp_path)
    assert (done.status, done.stdout) == (2, "") and why in done.stderr
    file.write_text("1. e4 e5 *\n", "utf-8")  # moves of nobody: an opening to look at
    assert run(*QUIETLY, str(file), home=tmp_path).status == 0


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["missing.pgn"], "There is no file missing.pgn; check the name."),
        (["given.pgn", "--number", "2"], "its last one is 1."),
        (["--number", "2"], "--number needs a file."),
        (["given.pgn", "--fen", "8/8/8/8/8/4k3/8/4K3 w - - 0 1"], "but not both."),
        (["--output", "given.pgn"], "exists already"),
        (["given.pgn", "--output", "given.pgn", "--overwrite"], "is the file that is read"),
        (["--output", "none/out.pgn"], "There is no folder"),
        (["--engine", "no-such-engine"], "is not a program"),
        (["--port", "x"], "--port needs --board."),
        (["--board", "--port", "nowhere"], "nowhere"),
        (["--fen", "nonsense"], "is not a position"),
    ],
)
def test_bad_input_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str], why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("given.pgn").write_text(GAME, "utf-8")
    done = run(*QUIETLY, *given, home=tmp_path)
    assert (done.status, done.stdout) == (2, "") and done.stderr.count("\n") == 1
    assert why in done.stderr and Path("given.pgn").read_text("utf-8") == GAME


def test_an_analysis_never_replaces_a_journal(tmp_path: Path) -> None:
    played = journal(tmp_path / "game.jsonl")
    before = played.read_bytes()
    for given in ((), (str(played),)):
        done = run(*QUIETLY, *given, "--output", str(played), "--overwrite", home=tmp_path)
        assert (done.status, done.stdout) == (2, "") and "give another --output." in done.stderr
        assert played.read_bytes() == before


def test_an_analysis_begins_with_the_first_game_that_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(f'[Variant "Atomic"]\n[White "E"]\n[Black "F"]\n\n1. e4 *\n\n{GAME}', "utf-8")
    done = run(*QUIETLY, str(file), stdin="forward\nquit\n", home=tmp_path)
    assert done.status == 0 and "White: Pawn Eva two Eva four." in done.stdout
    assert "Game 1 in" in done.stderr and "E against F" in done.stderr
    assert run(*QUIETLY, str(file), "--number", "1", home=tmp_path).status == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process.")
def test_ctrl_c_ends_it_without_a_traceback_and_says_where_it_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "mine.pgn"
    process = subprocess.Popen(
        [sys.executable, "-m", "blindplay", *QUIETLY, "--output", str(out)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("e4\n")
    process.stdin.flush()
    while "Eva four" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    said, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130 and "Traceback" not in err
    assert said.endswith(f"The analysis is in {out}.\n") and "1. e4 *" in out.read_text("utf-8")
