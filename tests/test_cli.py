"""The command line: its table of commands, its errors, and how little it imports."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from blindplay import cli
from blindplay.commands import options
from tests import ROOT
from tests.command_line import run

ANNOUNCED = "Bauer Eva zwei Eva vier\n"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


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
        ("replay", "--journal", "no-such-file.jsonl"),
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
        ("no-such-command",),
        ("--no-such-option",),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*arguments, home=tmp_path)
    assert done.status == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def all_commands(group: click.Group, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Each command with its name, such as ``board setup``, and the groups themselves."""
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        assert command is not None
        yield f"{name}{word}", command
        if isinstance(command, click.Group):
            yield from all_commands(command, f"{name}{word} ")


COMMANDS = dict(all_commands(cli.TABLE))


def test_the_table_explains_a_command_as_its_own_help_does() -> None:
    for name, (_module, summary) in cli.COMMANDS.items():
        assert COMMANDS[name].name == name
        assert summary == options.summary_of(COMMANDS[name])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_and_all_its_options(name: str) -> None:
    done = run(*name.split(), "--help-all" if name == "play" else "--help")
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: blindplay {name}")
    for parameter in COMMANDS[name].params:
        text = getattr(parameter, "help", None)
        assert text and text.endswith("."), parameter.name
        if isinstance(parameter, click.Option):
            assert parameter.opts[0] in done.stdout


_IMPERATIVES = (
    "Use|Read|Write|Play|Print|Take|Answer|Announce|Say|Speak|Serve|Show|List|Name|Begin|Call|Keep|"
    "Continue|Apply|Add|Remove|Check|Measure|Run|Stop|Install|Adapt|Encrypt|Draw|Castle|Listen|"
    "Leave|End|Compare|Interpret|Emulate|Put|Try|Kill|Seed|Wait|Learn|Explain|Give|Choose|Offer|Look|Also|"
    "Only|Talk|Press"
)
_OTHER_VERBS = (
    "is|are|was|were|has|have|needs?|decides?|can|must|hears?|means|does|says?|stands|counts"
)


def test_every_help_is_in_complete_sentences() -> None:
    verb = re.compile(rf"^({_IMPERATIVES})\b|\b({_OTHER_VERBS})\b")
    for name, command in COMMANDS.items():
        for parameter in command.params:
            text = " ".join(str(getattr(parameter, "help", "")).split())
            assert text[0].isupper() or text.startswith("nano"), (name, parameter.name)
            for sentence in re.split(r"(?<=\.)\s+(?=[A-Z])", text):
                assert verb.search(sentence), f"{name} {parameter.name}: {sentence}"


def test_help_shows_what_a_newcomer_needs_and_help_all_every_command() -> None:
    for asked, names in (("--help", cli.FIRST), ("--help-all", tuple(cli.COMMANDS))):
        commands = run(asked).stdout.partition("Commands:\n")[2]
        assert tuple(re.findall(r"^  ([a-z]+) ", commands, re.MULTILINE)) == names
    assert "--help-all" in run("--help").stdout


def test_help_is_printed_without_arguments() -> None:
    assert run() == run("--help")
    assert run().stdout.startswith("Usage: blindplay [OPTIONS] COMMAND")


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("no-such-command",), "blindplay --help"),
        (("language",), "blindplay language --help"),
        (("announce", "--no-such-option"), "blindplay announce --help"),
        (("board", "decode", "--commit", "luck", "-"), "blindplay board decode --help"),
    ],
)
def test_a_mistyped_command_is_told_where_to_find_help(
    arguments: tuple[str, ...], remedy: str
) -> None:
    done = run(*arguments)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.endswith(f" For help: {remedy}\n") and done.stderr.count("\n") == 1


# --- imports -------------------------------------------------------------------------------------

LIGHT = {
    "blindplay", "blindplay.cli", "blindplay.commands", "blindplay.commands.options",
    "blindplay.commands.reader", "blindplay.commands.settings",
    "blindplay.commands.settings_file", "blindplay.ctrl_c", "blindplay.given", "blindplay.lazy",
    "blindplay.own_files", "blindplay.translation", "blindplay.version",
}  # fmt: skip
"""All modules of BlindPlay that ``--help`` may load."""
WORDS = {
    *LIGHT, "blindplay.commands.words",
    "blindplay.language", "blindplay.language.language",
    "blindplay.language.mixed_text", "blindplay.language.reader_language",
    "blindplay.language.lexicon", "blindplay.language.listening", "blindplay.language.move_index",
    "blindplay.language.pack", "blindplay.language.parsing", "blindplay.language.sentences",
    "blindplay.language.understanding",
    "blindplay.laws", "blindplay.laws.editions", "blindplay.laws.placement",
}  # fmt: skip
"""All modules of BlindPlay that ``announce`` may load."""
HEAVY = {
    "asyncio", "httpx", "jinja2", "miniaudio", "multiprocessing", "numpy", "pydantic", "rich",
    "segno", "serial", "soundfile", "sqlite3", "ssl", "starlette", "typer", "uvicorn", "vosk",
}  # fmt: skip
"""Modules that take long to load, and that no command needs which only prints words."""


def loaded_by(*arguments: str) -> set[str]:
    """The modules that a command imports in a new process."""
    program = (
        "import json, sys\n"
        "from blindplay.cli import main\n"
        "status = main(sys.argv[1:])\n"
        "print(json.dumps([status, *sys.modules]))\n"
    )
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    status, *names = json.loads(done.stdout.splitlines()[-1])
    assert status == 0, done.stderr
    return set(names)


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (("--help",), LIGHT),
        (("version",), LIGHT | {"blindplay.commands.help"}),
        (("announce", "--fen", START, "--move", "g1f3"), WORDS),
        (("announce", "--help"), WORDS),
    ],
)
def test_a_command_loads_no_more_than_it_needs(
    arguments: tuple[str, ...], allowed: set[str]
) -> None:
    names = loaded_by(*arguments)
    assert {name for name in names if name.split(".")[0] == "blindplay"} <= allowed
    assert not names & HEAVY
    if allowed is not WORDS:
        assert "chess" not in names


def test_the_help_of_play_loads_no_table() -> None:
    names = loaded_by("play", "--help")
    assert not names & HEAVY
    assert not names & {"blindplay.table.table", "blindplay.table.play", "blindplay.laws.game"}


# --- errors --------------------------------------------------------------------------------------


def test_an_inner_error_is_logged_as_one_line_without_traceback_and_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run("version")
    try:
        raise RuntimeError("Anna Quist")
    except RuntimeError:
        error = sys.exc_info()
    record = logging.LogRecord("x", logging.ERROR, "", 0, "a\nlistener failed", None, error)
    assert logging.lastResort is not None
    logging.lastResort.handle(record)
    line = capsys.readouterr().err
    assert line.startswith("a listener failed (RuntimeError in test_cli.py, line ")
    assert line.count("\n") == 1 and "Quist" not in line


def started(*arguments: str) -> subprocess.Popen[bytes]:
    posix = os.name == "posix"
    return subprocess.Popen(
        [sys.executable, "-m", "blindplay", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "LC_MESSAGES": "en"},
        # A shell starts what it runs in the background without Ctrl-C, tests included.
        preexec_fn=(lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) if posix else None,
    )


def test_it_is_no_error_if_nobody_reads_the_output() -> None:
    with started("mating", "--batch", "-") as running:
        assert running.stdin and running.stdout and running.stderr
        running.stdout.close()
        running.stdin.write(f"{START}\n".encode())
        running.stdin.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="its shell closes streams in another way")
@pytest.mark.parametrize(
    ("closed", "printed"),
    [("<&-", ANNOUNCED), ("2>&-", ANNOUNCED), (">&-", ""), ("<&- >&- 2>&-", "")],
)
def test_a_command_runs_without_the_streams_that_are_closed(closed: str, printed: str) -> None:
    script = f'"{sys.executable}" -m blindplay announce --fen "{START}" --move e2e4 {closed}'
    done = subprocess.run(["sh", "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends Ctrl-C to all of a console")
def test_ctrl_c_stops_a_command_with_status_130() -> None:
    with started("mating", "--batch", "-") as running:
        assert running.stdin and running.stdout and running.stderr
        running.stdin.write(f"{START}\n".encode())
        running.stdin.flush()
        running.stdout.readline()  # from here on, it waits for the next line
        os.kill(running.pid, signal.SIGINT)
        assert running.stderr.read() == b"Stopped.\n"
    assert running.returncode == 130
