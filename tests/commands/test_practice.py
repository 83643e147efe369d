"""``blindplay drill`` and ``review``."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import chess.pgn
import pytest

from blindplay.laws import facts as f
from blindplay.opponents import analysis, uci
from blindplay.record import Journal
from tests.command_line import run
from tests.opponents.test_analysis import FEW


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(["chess"], "'chess'"), (["--count", "0"], "--count"), (["--language", "xx"], "xx")],
)
def test_what_cannot_be_drilled_is_told(arguments: list[str], why: str, tmp_path: Path) -> None:
    done = run("drill", "--silent", *arguments, home=tmp_path)
    assert (done.status, done.stdout) == (2, "") and why in done.stderr


# --- ``blindplay review``: which game is taken, what is refused, and what is written


MOVES = (("white", "f2f3"), ("black", "e7e5"), ("white", "g2g4"), ("black", "d8h4"))
SETUP = f.Setup(boards=1, arbiter="automatic", white=f.Player(name="Anna"))
PUZZLE = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8;\n"


def facts(plies: int) -> list[f.Fact]:
    made = [
        fact
        for at, (side, move) in enumerate(MOVES[:plies])
        for fact in (f.Make(t=2 * at + 1, by=side, move=move), f.Press(t=2 * at + 2, by=side))
    ]
    return [SETUP, f.Start(), *made]


def journal(home: Path, plies: int = len(MOVES), name: str = "game") -> Path:
    """A game that is kept on this machine; with all its moves, it is over."""
    folder = home / "blindplay" / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    with Journal(folder / f"{name}.jsonl") as kept:
        kept.append(*facts(plies))
    return kept.path


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other engine is installed, and the built-in one looks at few positions."""
    monkeypatch.setattr(uci, "installed", lambda: None)
    monkeypatch.setattr(analysis, "BUILT_IN", FEW)


def test_the_game_that_ended_last_is_reviewed_and_written_with_annotations(tmp_path: Path) -> None:
    journal(tmp_path)
    journal(tmp_path, plies=1, name="unfinished")
    file = tmp_path / "annotated.pgn"
    done = run("review", "--silent", "--language", "en", "--output", str(file), home=tmp_path)
    said = done.stdout.splitlines()
    assert (done.status, done.stderr) == (0, "")
    assert said[0].startswith("No chess engine is installed.") and said[0].endswith("it sees less.")
    assert "Turning point one of one: move number two of White." in said
    assert f"The annotated game is in {file}." in said
    game = chess.pgn.read_game(io.StringIO(file.read_text("utf-8")))
    assert game is not None and game.headers["White"] == "Anna"
    marks = [(node.san(), node.comment) for node in game.mainline() if node.nags]
    assert marks == [("g4", "It allows mate in one move.")]


@pytest.mark.parametrize("given", [True, False], ids=["named", "another"])
def test_nothing_is_examined_while_a_table_plays_a_game(
    tmp_path: Path, given: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uci.UciEngine, "_started", lambda engine: pytest.fail("It was started."))
    over, playing = journal(tmp_path), journal(tmp_path, plies=1, name="playing")
    with Journal(playing, resume=True):
        named = [str(playing)] if given else [str(over)]
        done = run("review", "--silent", *named, home=tmp_path)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("A table is playing the game in ")
    assert done.stderr.endswith("a review comes after the game.\n")


def test_a_table_that_begins_ends_an_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over, playing = journal(tmp_path), journal(tmp_path, plies=1, name="playing")
    asked: list[uci.UciEngine] = []
    analyse = uci.UciEngine.analyse
    with Journal(tmp_path / "blindplay" / "unused.jsonl") as unused:
        tables = [unused]

        def counted(engine: uci.UciEngine, *given: object) -> object:
            asked.append(engine)
            if len(asked) == 2:
                tables.append(Journal(playing, resume=True))
            return analyse(engine, *given)  # type: ignore[arg-type]

        monkeypatch.setattr(uci.UciEngine, "analyse", counted)
        done = run("review", "--silent", str(over), home=tmp_path)
        tables[-1].close()
    assert done.status == 2 and "A table is playing the game in" in done.stderr
    assert len(asked) == 2 and asked[0]._running is None


def test_a_game_that_is_not_over_is_refused(tmp_path: Path) -> None:
    done = run("review", "--silent", str(journal(tmp_path, plies=2)), home=tmp_path)
    assert (done.status, done.stdout) == (2, "") and "is not over" in done.stderr


def test_a_table_without_an_engine_for_an_opponent_starts_no_process_at_all(tmp_path: Path) -> None:
    """Under the Laws nobody may have an engine: a table cannot even load what starts one."""
    script = (
        "import sys, subprocess, os\n"
        "subprocess.Popen = os.fork = None\n"
        "from blindplay.cli import main\n"
        "given = ['--microphone', 'none', '--silent', '--print', 'all', '--time-control', '-']\n"
        "status = main(['play', *given, '--journal', sys.argv[1]])\n"
        "loaded = {'blindplay.opponents.uci'} & set(sys.modules)\n"
        "print('loaded', *loaded, 'status', status)"
    )
    typed = "start\nf3\n\nbest move\ne5\n\nquit\n"
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "game.jsonl")],
        input=typed, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "loaded status 0", done.stderr
    assert "1. f3 e5" in done.stdout


@pytest.mark.parametrize(
    ("content", "more", "why"),
    [
        (PUZZLE, ["--number", "2"], "its last one is 1."),
        (PUZZLE, ["--output", "out.pgn"], "holds no game"),
        (PUZZLE, ["--port", "x"], "--port needs --board"),
        ("1. e4 1-0", ["--output", "given"], "exists already"),
        ("1. e4 1-0", ["--output", "none/out.pgn"], "There is no folder"),
        ("1. e4 1-0", ["--engine", "no-such-engine"], "is not a program"),
        ("Buy milk.", [], "holds no game and no position"),
    ],
)
def test_bad_input_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, more: list[str], why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("given").write_text(content, "utf-8")
    done = run("review", "--silent", "given", *more, home=tmp_path)
    assert (done.status, done.stdout) == (2, "") and done.stderr.count("\n") == 1
    assert why in done.stderr and Path("given").read_text("utf-8") == content


def test_a_file_is_replaced_only_when_that_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "given.pgn"
    file.write_text("1. f3 e5 2. g4 Qh4# *", "utf-8")
    more = ["--output", str(file), "--overwrite"]
    done = run("review", "--silent", str(file), *more, home=tmp_path)
    assert done.status == 0 and "$4" in file.read_text("utf-8")


def test_puzzles_are_asked_from_the_one_that_is_named(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.epd"
    file.write_text(PUZZLE * 3, "utf-8")
    said = run(
        "review", "--silent", "--language", "en", "--microphone", "none", str(file),
        "--number", "2",
        stdin="Ra8\nquit\n", home=tmp_path,
    ).stdout.splitlines()  # fmt: skip
    assert [line for line in said if line.startswith("Puzzle")] == ["Puzzle two.", "Puzzle three."]
    assert said[-1] == "Solved without help: one of one."


def test_a_bad_entry_at_the_beginning_refuses_nothing_else_and_introductions_count(
    tmp_path: Path,
) -> None:
    def chapter(name: str, fen: str, moves: str) -> str:
        return f'[Event "{name}"]\n[SetUp "1"]\n[FEN "{fen} w - - 0 1"]\n\n{moves} *\n\n'

    file, won = tmp_path / "study.pgn", "6k1/5ppp/8/8/8/8/8/R5K1"
    introduction = '[Event "Hello"]\n\n{ Nothing is played here. } *\n\n'
    bad = chapter("Bad", won, "1. Rb3")
    file.write_text(introduction + bad + introduction + chapter("Good", won, "1. Ra8#"), "utf-8")
    given = ("--silent", "--language", "en", "--microphone", "none", str(file))
    done = run("review", *given, stdin="Ra8\n", home=tmp_path)
    said = done.stdout.splitlines()
    assert [line for line in said if line.startswith("Puzzle")] == ["Puzzle four."]
    assert done.status == 2 and done.stderr.endswith("that cannot be read: 1.\n")
    assert "Number two cannot be read and is left out." in said
    done = run("review", *given, "--number", "4", stdin="Ra8\n", home=tmp_path)
    assert done.status == 0 and "Puzzle four." in done.stdout
    for number, why in (("2", "Game 2 in"), ("3", "it has no moves")):
        done = run("review", *given, "--number", number, home=tmp_path)
        assert (done.status, done.stdout) == (2, "") and why in done.stderr


THREE = f"{PUZZLE}6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra9;\n{PUZZLE}"


@pytest.mark.parametrize(
    ("number", "status", "asked"), [("1", 2, ["one", "three"]), ("3", 0, ["three"])]
)
def test_an_entry_that_cannot_be_read_is_named_and_the_next_one_follows(
    tmp_path: Path, number: str, status: int, asked: list[str]
) -> None:
    file = tmp_path / "puzzles.epd"
    file.write_text(THREE, "utf-8")
    given = ("review", "--silent", "--language", "en", "--microphone", "none", str(file))
    done = run(*given, "--number", number, stdin="Ra8\nRa8\n", home=tmp_path)
    said = done.stdout.splitlines()
    assert [line for line in said if line.startswith("Puzzle")] == [
        f"Puzzle {one}." for one in asked
    ]
    assert done.status == status
    assert ("Number two cannot be read and is left out." in said) is bool(status)
    assert any("line 2: 'Ra9' is not a move" in line for line in said) is bool(status)
    assert done.stderr.endswith("that cannot be read: 1.\n" if status else "")
    refused = run(*given, "--number", "2", home=tmp_path)
    assert (refused.status, refused.stdout) == (2, "") and "'Ra9'" in refused.stderr


def test_a_game_that_cannot_be_read_stays_in_the_annotated_file(tmp_path: Path) -> None:
    file, out = tmp_path / "games.pgn", tmp_path / "annotated.pgn"
    bad = '[Event "Cup"]\n[White "Berg, Cia"]\n\n1. Qh5 e5 0-1\n'
    file.write_text(f"{bad}\n1. f3 e5 2. g4 Qh4# 0-1\n", "utf-8")
    given = ("review", "--silent", str(file), "--output", str(out))
    done = run(*given, "--number", "2", home=tmp_path)
    assert done.status == 0 and bad not in out.read_text("utf-8")
    file.write_text(f"1. f3 e5 2. g4 Qh4# 0-1\n\n{bad}", "utf-8")
    done = run(*given, "--overwrite", home=tmp_path)
    assert done.status == 2 and out.read_text("utf-8").endswith(bad)
