"""Every command with forty-three kinds of bad input: one sentence in the reader's language,
status 2, and no word of Python.

Whatever reads a parameter gets each kind, with the languages in turn; what the command needs
besides is right. So a text that a command reads itself gets all of them, and parameters that one
parser reads share them.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import click
import pytest

from blindplay import cli, translation
from blindplay.commands import host as host_command
from blindplay.commands import options
from blindplay.ctrl_c import CtrlC
from blindplay.hall import host_pages, hosting
from blindplay.laws.facts import Setup
from blindplay.table import demo
from blindplay.table import play as table_play
from tests.command_line import Ran, run
from tests.english_left import english_in

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

FILES: dict[str, bytes] = {
    "binary": bytes(range(256)) * 20,
    "latin": "Läufer schlägt\n".encode("latin-1"),
    "cut-off": '{"t":0,"fact":"setup","white":{"name":"Å'.encode()[:-1],
    "half-json": b'{"t": 0,\n',
    "list": b"[1, 2, 3]\n",
    "number": b"1" * 10_000,
    "nested": b"[" * 100_000,
    "braces": b"{" * 300_000,
    "long-line": b"x" * 300_000,
    "wrong-types": b'{"t":"soon","fact":["setup"]}\n',
    "no-fact": b'{"t":0,"fact":"dance"}\n',
    "no-game": b'{"n":2,"wall":0.0,"fact":{"t":0},"digest":"0"}\n',
    "dots": b".".join([b"k"] * 20_000) + b" = 1\n",
    "quotes": b'"' * 100_000,
    "prose": b"Buy milk and eggs.\n" * 200,
}
"""Contents of files that nobody should have given."""
TEXTS = (
    "", " ", ".", "..", "no-such-thing", "no/such/folder/file", "x" * 5000, "\x1b[2J\x1b[31mred",
    "a\nb", "a\x00b", "\u202egnp.exe", "\ud800", "nan", "inf", "1e999", "9" * 5000, "1,5", "0x10",
    "²", "None", "--", "'\"", "{}%s", "C:\\con", "♔♕",
)  # fmt: skip
HUGE, HUGE_BYTES = "huge", 1_500_000_000
"""A file that no command may read into memory. On Linux it takes no place on the disk."""
DEVICE, PIPE = "device", "pipe"
"""A file that never ends, and one that never begins, where the system has such files."""
MOST_MEMORY = 300_000_000
"""Bytes that a command may need besides what the process had before."""
KINDS = (HUGE, DEVICE, PIPE, *FILES, *TEXTS)

FREE = {
    "board", "sighted_board", "microphone", "model", "private_output", "public_output", "white",
    "black", "event", "site", "round", "host", "voice", "text", "words", "name", "family", "header",
}  # fmt: skip
"""Parameters that take any text, or that are only looked for when a table begins."""
FREE_OR_MANY = FREE | {"conditions", "noise", "voices", "recordings", "models"}
RIGHT = {
    ("play time_warnings", "1,5"),
    ("play remind", "1,5"),
    ("host play_options", "--"),
    ("certificate more", "\u202egnp.exe"),  # a name with a dot, once it is made harmless
}
"""What is bad elsewhere, but right here."""
FILES_TO_WRITE = {"output", "report", "journal"}
ASKS_THE_INTERNET = "models install names"
REPORTS = {"language check", "language add"}
"""Commands that print a report with all faults of a file, and status 2."""
SLOW = ("doctor", "voice", "review")
"""Commands that measure: they get no text that might be right."""
BASE: dict[str, tuple[str, ...]] = {
    "announce": ("--fen", START, "--move", "g1f3"),
    "say": ("--output", "said.wav", "Springer"),
    "understand": ("--text", "e4"),
    "mating": ("--fen", START),
    "score": ("right.jsonl",),
    "reconcile": ("--white", "right.txt", "--black", "right.txt"),
    "forget": ("right.jsonl",),
    "review": ("right.txt",),
    "settings set": ("language", "de"),
    "settings remove": ("language",),
    "language check": ("de",),
    "models adapt": ("right.txt",),
}
"""What makes a command right, so that one wrong value is all that is wrong."""

# Words that only programmers of Python know, and places in its source.
PYTHON = re.compile(
    r"Errno|codec|Traceback|PosixPath|WindowsPath|\bNoneType\b|\bstr\b|\bint\(|\bdict\b|\btuple\b"
    r"|Expecting |Value error|char \d|column \d|0x[0-9a-f]{6}|object at|__\w+__|\.py\b|unicode"
    r"|recursion|literal|iterable|attribute|Exception|Error:|UNSET|sentinel"
)

ENGLISH = re.compile(r"\b(the|there|cannot|with|without|must|which|this|check)\b", re.I)
"""Words that no other language of ours has, and that some message of each kind has."""


def leaves(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        assert command is not None
        if isinstance(command, click.Group):
            yield from leaves(command, f"{before}{word} ")
        else:
            yield f"{before}{word}", command


def parameters() -> Iterator[tuple[str, click.Parameter]]:
    """Each parameter that takes a value, after the name of its command."""
    for name, command in leaves(cli.TABLE):
        for parameter in command.params:
            if not getattr(parameter, "is_flag", False):
                yield name, parameter


PARAMETERS = {f"{name} {parameter.name}": (name, parameter) for name, parameter in parameters()}


def reads_a_file(parameter: click.Parameter) -> bool:
    """Return whether the command itself reads a file with this name."""
    return isinstance(parameter.type, click.Path) or (
        getattr(parameter.type, "parse", None) is options.a_file
    )


def reader_of(about: str) -> object:
    """What reads this parameter: a parser of many, or its own command."""
    parameter = PARAMETERS[about][1]
    kind = parameter.type
    if kind in (click.STRING, click.UNPROCESSED) or parameter.name in FREE_OR_MANY:
        return about
    return getattr(kind, "parse", type(kind))


READERS: dict[object, list[str]] = {}
for _about in PARAMETERS:
    READERS.setdefault(reader_of(_about), []).append(_about)
MOST_SHARES = 8
"""However many parameters have one parser, each gets at least an eighth of the kinds."""


def kinds_of(about: str) -> Iterator[tuple[str, str]]:
    """The kinds of this parameter, each with the language of the reader."""
    parameter, alike = PARAMETERS[about][1], READERS[reader_of(about)]
    shares = min(len(alike), MOST_SHARES)
    for number, kind in enumerate(TEXTS if parameter.name in FREE_OR_MANY else KINDS):
        own = number % shares == alike.index(about) % shares
        if own or (reads_a_file(parameter) and kind not in TEXTS):
            yield kind, translation.codes()[number % len(translation.codes())]


def arguments(name: str, parameter: click.Parameter, value: str) -> list[str]:
    """The command line that is right but for this value."""
    base = list(BASE.get(name, ()))
    if isinstance(parameter, click.Option):
        option = parameter.opts[0]
        if option in base:
            at = base.index(option)
            del base[at : at + 2]
        if name == "understand" and parameter.name == "batch":
            base = []
        if name == "mating" and parameter.name in ("batch", "fen"):
            base = []
        return [*name.split(), f"{option}={value}", *base]
    if name == "settings set":
        base = ["language", value] if parameter.name == "values" else [value, "de"]
        return [*name.split(), "--", *base]
    if name == "understand":
        base = []
    kept = base[: -1 if name in BASE else None]
    return [*name.split(), *kept, "--", value]


def check_refusal(done: Ran, about: str, language: str = "en") -> None:
    lines = done.stderr.splitlines()
    assert len(lines) == 1, f"{about}: {lines[:3]}"
    assert len(lines[0]) < 800, about
    assert lines[0].endswith((".", "--help")), f"{about}: {lines[0]}"
    assert not PYTHON.search(done.stderr + done.stdout), f"{about}: {lines[0]}"
    if language != "en":
        assert not ENGLISH.search(re.sub("'[^']*'|blindplay [a-z ]+--help", "", lines[0])), (
            f"{language} {about}: {lines[0]}"
        )
        assert not english_in(lines[0], language), f"{language} {about}: {lines[0]}"
    assert "\x1b" not in done.stderr + done.stdout and "\u202e" not in done.stderr + done.stdout


def most_memory() -> int:
    """The most bytes that this process has had in memory; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with the files of each kind. Nothing else lies beside it, where ``..`` leads."""
    made = tmp_path / "here"
    made.mkdir()
    for name, content in FILES.items():
        (made / name).write_bytes(content)
    with (made / HUGE).open("wb") as file:
        file.truncate(HUGE_BYTES)
    if sys.platform != "win32":
        (made / DEVICE).symlink_to("/dev/zero")
        os.mkfifo(made / PIPE)
    (made / "right.txt").write_text("1. e4 e5\n", "utf-8")
    yield made
    (made / HUGE).unlink()


class _Pressed(CtrlC):
    """Ctrl-C was pressed already."""

    def __enter__(self) -> Self:
        self.pressed = True
        return self


@pytest.fixture(autouse=True)
def nothing_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No table begins, no program is found, and every file of the commands lies in one folder."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", str(folder))
    ended = table_play.Ended(over=False, again=None, setup=Setup(t=0))
    monkeypatch.setattr(table_play, "run", lambda *given: ended)
    monkeypatch.setattr(demo, "demonstrate", lambda *given: None)
    monkeypatch.setattr(hosting, "HostedTables", lambda *given: io.StringIO())
    monkeypatch.setattr(host_pages.TablesHost, "start", lambda *given: "http://127.0.0.1/")
    monkeypatch.setattr(host_pages.TablesHost, "close", lambda *given: None)
    monkeypatch.setattr(host_command, "CtrlC", _Pressed)


def test_there_are_more_than_forty_kinds_of_bad_input() -> None:
    assert len(set(KINDS)) == 43


@pytest.mark.parametrize("about", PARAMETERS)
def test_bad_input_is_one_sentence_and_status_2(about: str, folder: Path) -> None:
    name, parameter = PARAMETERS[about]
    free = parameter.name in FREE_OR_MANY
    written = parameter.name in FILES_TO_WRITE
    if about == ASKS_THE_INTERNET or ((free or written) and name.startswith(SLOW)):
        return
    before = most_memory()
    is_line = name.startswith("board ") and parameter.name in ("port", "address")
    for kind, language in kinds_of(about):
        if is_line and kind in (DEVICE, PIPE):
            continue  # a board may come
        line = arguments(name, parameter, kind)
        done = run(*line, home=folder / "home", reader=language)
        told = f"{about} {kind[:30]!r}"
        if done.status == 2 and done.stdout and name in REPORTS:
            assert not PYTHON.search(done.stdout), told
        elif done.status == 2:
            check_refusal(done, told, language)
        else:
            assert free or written or (about, kind) in RIGHT, (
                f"{told}: status {done.status}, {done.stdout[:200]}"
            )
            assert (done.status, done.stderr) in ((0, ""), (1, "")), told
    assert most_memory() - before < MOST_MEMORY, about


@pytest.mark.parametrize(
    "line", [*(text for text in TEXTS if text.strip() and text != "\ud800"), "[" * 9000, "{}", "1"]
)
def test_bad_lines_on_standard_input_are_one_sentence(line: str, folder: Path) -> None:
    for command in (("replay",), ("mating", "--batch", "-")):
        done = run(*command, stdin=f"{line}\n", home=folder / "home")
        assert done.status == 2
        check_refusal(done, f"{command[0]} {line[:30]!r}")
