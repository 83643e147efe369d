"""The commands: what they print, and that bad input is one sentence and status 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def run(
    *arguments: str, stdin: str = "", home: Path | None = None
) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, PYTHONIOENCODING="utf-8")
    if home is not None:
        environment |= {"HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CACHE_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-m", "blindplay", *arguments],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=120,
        env=environment,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("announce", "--fen", "nonsense", "--move", "e2e4"),
        ("announce", "--fen", START, "--move", "e2e5"),
        ("announce", "--fen", START, "--move", "knight"),
        ("announce", "--fen", START, "--move", "e2e4", "--language", "xx"),
        ("announce", "--fen", START, "--move", "e2e4", "--edition", "fide-1800"),
        ("announce", "--fen", START),
        ("understand", "no-such-file.wav"),
        ("understand", "--text", "Eva vier", "--language", "xx"),
        ("understand", "--text", "Eva vier", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"),
        ("understand",),
        ("understand", "--batch", "no-such-file.jsonl"),
        ("understand", "--model", ".", __file__),
        ("understand", __file__),
        ("say", "Springer", "g1"),
        ("board", "--port", "no-such-port"),
        ("board", "--port", "carrier-pigeon://x"),
        ("replay", "no-such-file.jsonl"),
        ("replay", "--journal", "no-such-file.db"),
        ("replay", "--edition", "fide-1800"),
        ("play", "--time-control", "soon"),
        ("play", "--resume"),
        ("play", "--board", "no-such-port"),
        ("reconcile",),
        ("reconcile", "--white", "no-such-file.txt", "--black", "no-such-file.txt"),
        ("reconcile", "--white", __file__, "--black", __file__, "--white-board", "8/8"),
        ("reconcile", "--white", __file__, "--black", __file__, "--edition", "fide-1800"),
        ("reconcile", "--white", __file__, "--black", __file__, "--fen", "nonsense"),
        ("doctor", "--language", "xx"),
        ("bench", "--language", "xx"),
        ("no-such-command",),
        ("--no-such-option",),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*arguments, home=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_announce_prints_the_words_of_the_appendix() -> None:
    assert run("announce", "--fen", START, "--move", "g1f3").stdout == (
        "Springer Gustav eins Felix drei\n"
    )


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


def test_what_say_writes_is_understood(tmp_path: Path) -> None:
    sound = tmp_path / "move.wav"
    assert run("say", "Springer Gustav eins Felix drei", "--output", str(sound)).returncode == 0
    lines = tmp_path / "batch.jsonl"
    lines.write_text(json.dumps({"file": "move.wav", "fen": START, "language": "de"}) + "\n")
    told = json.loads(run("understand", "--json", "--batch", str(lines)).stdout)
    assert (told["file"], told["move"], told["decision"]) == ("move.wav", "g1f3", "accept")


def test_a_sound_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    sound, broken = tmp_path / "move.wav", tmp_path / "broken.wav"
    assert run("say", "Bauer Eva zwei Eva vier", "--output", str(sound)).returncode == 0
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
    assert done.returncode == 2 and done.stderr.startswith("5 lines of ")


def test_replay_reads_standard_input_and_names_the_faulty_line() -> None:
    done = run("replay", "-", stdin='{"t":0,"fact":"setup"}\n{"t":1,"fact":"dance"}\n')
    assert done.returncode == 2
    assert done.stderr.startswith("-:2: ")


def test_a_game_is_played_by_keys_left_and_gone_on_with(tmp_path: Path) -> None:
    game = str(tmp_path / "game.db")
    common = ("play", "--microphone", "none", "--silent", "--print", "all", "--journal", game)
    # The first line is an ä as a terminal of the last century sends it.
    typed = "L\udce4ufer\nBauer Eva zwei Eva vier\n\nEva fünf\n\nquit\n"
    first = run(*common, stdin=typed, home=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "ruled completed: by black; move e7e5; ply 2" in first.stdout
    second = run(*common, "--resume", stdin="Springer Felix drei\n\n", home=tmp_path)
    assert second.returncode == 0, second.stderr
    assert "ruled completed: by white; move g1f3; ply 3" in second.stdout
    assert "2. Nf3" in second.stdout
    replayed = run("replay", "--journal", game)
    assert sum('"completed"' in line for line in replayed.stdout.splitlines()) == 3


def test_a_journal_is_never_overwritten_by_a_new_game(tmp_path: Path) -> None:
    game = str(tmp_path / "game.db")
    common = ("play", "--microphone", "none", "--silent", "--journal", game)
    assert run(*common, stdin="e4\n", home=tmp_path).returncode == 0
    again = run(*common, stdin="d4\n", home=tmp_path)
    assert again.returncode == 2
    assert "--resume" in again.stderr


def test_doctor_says_what_is_there_and_what_is_missing(tmp_path: Path) -> None:
    done = run("doctor", "--json", home=tmp_path)
    assert done.returncode == 0
    about = {json.loads(line)["about"] for line in done.stdout.splitlines()}
    assert {"voices", "recogniser", "output", "microphone", "board", "journal"} <= about


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_table_has_lost_nothing_that_it_announced(tmp_path: Path) -> None:
    game = str(tmp_path / "game.db")
    common = ["play", "--microphone", "none", "--silent", "--print", "all", "--journal", game]
    table = subprocess.Popen(
        [sys.executable, "-m", "blindplay", *common],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=dict(os.environ, PYTHONIOENCODING="utf-8", HOME=str(tmp_path)),
    )
    assert table.stdin is not None and table.stdout is not None
    for line in ("e4", "", "e5", "", "Sf3"):
        table.stdin.write(f"{line}\n")
    table.stdin.flush()
    announced = []
    for line in table.stdout:
        if "ruled" in line:
            announced.append(line.split(" ", 1)[1].strip())
        if "ruled made: by white; move g1f3" in line:
            break
    table.kill()
    table.wait()
    table.stdin.close()
    table.stdout.close()
    replayed = run("replay", "--journal", game).stdout
    kinds = [json.loads(line)["ruling"].replace("_", " ") for line in replayed.splitlines()]
    said = [line.removeprefix("ruled ").split(":")[0] for line in announced]
    assert kinds[: len(said)] == said
    again = run(*common, "--resume", stdin="\n", home=tmp_path)
    assert "ruled completed: by white; move g1f3; ply 3" in again.stdout


def test_an_empty_line_before_any_move_is_no_press(tmp_path: Path) -> None:
    done = run("play", "--microphone", "none", "--silent", "--print", "all",
               "--journal", str(tmp_path / "g.db"),
               stdin="\n \nblah\n\nblah\n\n", home=tmp_path)  # fmt: skip
    assert "ruled not made" in done.stdout
    assert "illegal" not in done.stdout
    assert "game over" not in done.stdout


def test_what_a_silent_table_says_is_printed_as_it_is_and_nothing_else(tmp_path: Path) -> None:
    done = run("play", "--microphone", "none", "--silent", "--journal", str(tmp_path / "g.db"),
               stdin="Springer Gustav eins Felix drei\n\n", home=tmp_path)  # fmt: skip
    lines = done.stdout.splitlines()
    assert "Springer Gustav eins Felix drei" in lines
    game = lines[: lines.index("")]  # the record follows
    assert not [line for line in game if "ruled" in line or "said" in line or "Nf3" in line]


def test_play_keeps_both_scoresheets(tmp_path: Path) -> None:
    done = run("play", "--microphone", "none", "--silent", "--journal", str(tmp_path / "g.db"),
               stdin="E2 E4\n\ne5\n\nSf3\n\n", home=tmp_path)  # fmt: skip
    assert "1. Bauer Eva zwei Eva vier … Bauer Eva sieben Eva fünf" in done.stdout
    assert "Partieformular von Weiß:\n" in done.stdout
    assert "1. e4 … e5\n2. Sf3" in done.stdout


def test_replay_reads_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    facts = tmp_path / "facts.jsonl"
    facts.write_text('{"t":0,"fact":"setup"}\n', encoding="utf-8-sig")
    assert run("replay", str(facts)).returncode == 0


WALL = "8/1k6/1p1p1p1p/1P1P1P1P/8/8/8/K7 w - - 0 1"
ONE_MOVE = "k7/2P5/1K6/8/8/8/p7/8 w - - 0 1"


def test_mating_answers_for_both_sides() -> None:
    told = json.loads(run("mating", "--fen", ONE_MOVE, "--json").stdout)
    assert told["fen"] == ONE_MOVE
    assert told["white"] == {"verdict": "possible", "line": ["c7c8q"]}
    assert told["black"]["verdict"] == "possible" and told["black"]["line"]
    plain = run("mating", "--fen", WALL).stdout.splitlines()
    assert [line.split(": ")[:2] for line in plain] == [
        ["white", "impossible"],
        ["black", "impossible"],
    ]


def test_mating_answers_a_batch_up_to_the_line_that_is_no_position(tmp_path: Path) -> None:
    batch = tmp_path / "positions.txt"
    batch.write_text(f"{WALL}\n\n{ONE_MOVE}\nno position\n{WALL}\n", encoding="utf-8")
    done = run("mating", "--batch", str(batch))
    assert done.returncode == 2
    assert [json.loads(line)["fen"] for line in done.stdout.splitlines()] == [WALL, ONE_MOVE]
    assert json.loads(done.stdout.splitlines()[0])["white"]["reason"].endswith(".")
    assert done.stderr.startswith(f"{batch}:4: ") and done.stderr.count("\n") == 1
    assert run("mating", "--batch", "-", stdin=f"{WALL}\n").returncode == 0


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
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1


def test_reconcile_prints_lines_to_be_heard_or_one_object(tmp_path: Path) -> None:
    for side, knight in (("white", "Sf6"), ("black", "Nh6")):
        (tmp_path / side).write_text(f"1. e4 e5 2. {knight[0]}f3 {knight}", encoding="utf-8")
    sheets = ("--white", str(tmp_path / "white"), "--black", str(tmp_path / "black"))
    done = run("reconcile", *sheets, "--edition", "fide-1997", "--language", "en")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.splitlines()[:3] == [
        "The scoresheets no longer agree from move number two on. (fide-1997 F.8)",
        "White has written: Knight Gustav eight Felix six (Sf6). (fide-1997 F.8)",
        "Black has written: Knight Gustav eight Hector six (Nh6). (fide-1997 F.8)",
    ]
    told = json.loads(run("reconcile", *sheets, "--json").stdout)
    assert (told["stop"], told["ply"], told["boards"]) == ("parted", 4, {})


def test_what_goes_wrong_inside_is_one_line_without_a_traceback_and_without_names() -> None:
    program = """
import logging, sys
from blindplay import cli
sys.argv = ["blindplay", "version"]
try:
    cli.main()
except SystemExit:
    pass
try:
    raise RuntimeError("Anna Quist")
except RuntimeError:
    logging.getLogger("blindplay.table").exception("a callback failed")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", timeout=60
    )
    assert done.stderr == "a callback failed (RuntimeError in <string>, line 10)\n"
