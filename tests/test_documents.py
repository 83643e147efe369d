"""The documents: links, paths and commands in them exist, and examples of commands run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import click
import pytest

from benchmarks.__main__ import benchmarks
from blindplay.cli import TABLE
from blindplay.commands import service
from blindplay.laws.facts import Announce, Player, Setup, Start
from blindplay.record.journal import Journal
from models.__main__ import models
from tests import ROOT
from tests.command_line import run

PAGES = sorted(
    page
    for page in [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "hardware").rglob("*.md"),
        *ROOT.glob("models/*.md"),
        *ROOT.glob("models/*/*.md"),
    ]
    if ROOT / "hardware" / "build" not in page.parents  # of others, if it was built
)


@contextmanager
def about(page: Path) -> Iterator[None]:
    """Name the page with whatever is found wrong in it."""
    try:
        yield
    except Exception as error:
        error.add_note(f"In {page.relative_to(ROOT)}.")
        raise


COMMAND = "    blindplay "
READERS = {"announce", "mating", "understand", "reconcile", "score", "replay"}
"""Commands that only read files and print, so that a test can run their examples."""
LABORATORY = {"benchmarks": benchmarks, "models": models}
"""Modules with command lines of their own, for ``python -m``."""
BUILT = ("hardware/build/", "build/")
"""Folders that exist only after a build."""


@cache
def headings(page: Path) -> set[str]:
    """The anchors of a page."""
    return {
        re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in page.read_text("utf-8").splitlines()
        if line.startswith("#")
    }


def code_within_sentences(page: Path) -> set[str]:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    return {" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)}


def examples(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Each command that stands on lines of its own, and the output that follows it; without
    transcripts, which programs have printed."""
    command, output = "", list[str]()
    text = re.sub(r"```text\n.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for line in [*text.splitlines(), ""]:
        inside = line.startswith("    ")
        if command and (not inside or line.startswith(COMMAND)):
            yield command, output
            command, output = "", []
        if line.startswith(COMMAND):
            command = line.strip()
        elif inside and command.endswith("\\"):
            command = f"{command[:-1]} {line.strip()}"
        elif inside and command:
            output.append(line[4:])


def is_concrete(command: str) -> bool:
    """Whether a command has no placeholders such as FILE, and no language that is not there yet."""
    return not re.search(r"(?<![/\w])[A-Z]{3,}(?![/\w])| fo$", command)


def parse(words: list[str]) -> None:
    """Parse a command without running it. Raises :class:`click.UsageError` for a wrong one."""
    command: click.Command = TABLE
    name = "blindplay"
    while True:
        with command.make_context(name, words) as context:
            words = [*context._protected_args, *context.args]
        if not isinstance(command, click.Group) or not words:
            return
        command, name, words = subcommand(command, words[0]), words[0], words[1:]


def subcommand(group: click.Group, name: str) -> click.Command:
    found = group.get_command(click.Context(group), name)
    assert found is not None, f"{group.name} has no {name}"
    return found


def check_names(words: list[str], command: click.Command = TABLE) -> None:
    """Check that a command, possibly with placeholders, and its options exist."""
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        command, words = subcommand(command, words[0]), words[1:]
    if command in (service.add, service.run):  # what follows is for another command
        check_names([*service.KINDS[words[0]], *words[1:]])
        return
    known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    used = {word for word in words if word.startswith("--")}
    assert used <= known | {"--help"}, f"{command.name} has no {used - known}"


def test_every_link_leads_to_a_page_and_a_heading_that_exist() -> None:
    for page in PAGES:
        with about(page):
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
                if re.match(r"https?://", target):
                    continue
                file, _, heading = target.partition("#")
                there = page.parent / file if file else page
                assert there.exists(), target
                assert not heading or heading in headings(there), target


USERS = sorted((ROOT / "docs").glob("*.md"))
"""The pages for people at a table; docs/guides has those that are read aloud."""


def test_a_users_page_fits_on_three_screens() -> None:
    long = [page.name for page in USERS if len(page.read_text("utf-8").splitlines()) > 125]
    assert not long


@pytest.mark.parametrize(
    "name",
    ["analysis", "boards", "books", "broadcast", "certificate", "commands", "console",
     "distant-table", "drills", "following", "hall", "hall-arbiter", "hall-organiser",
     "hearing", "installing", "lichess", "limits", "pairings", "papers", "phone",
     "playing-alone", "reconcile", "record", "review",
     "settings", "talking"],
)  # fmt: skip
def test_a_page_for_players_assistants_and_arbiters_is_in_german_too(name: str) -> None:
    english, german = (ROOT / "docs" / f"{name}{end}.md" for end in ("", ".de"))
    assert f"({german.name})" in english.read_text("utf-8")
    assert f"({english.name})" in german.read_text("utf-8")


def test_the_page_about_talking_is_in_every_language_of_the_guides() -> None:
    guides = {page.name.split(".")[1] for page in (ROOT / "docs" / "guides").glob("player.*.md")}
    written = {page.name.split(".")[1] for page in (ROOT / "docs").glob("talking.??.md")}
    assert written | {"en"} == guides


@pytest.mark.parametrize("name", ["README.md", "README.de.md", "CHANGELOG.md"])
def test_what_everybody_reads_first_fits_on_two_screens(name: str) -> None:
    assert len((ROOT / name).read_text("utf-8").splitlines()) <= 100


def test_the_figures_of_the_models_fit_on_two_screens() -> None:
    lines = (ROOT / "models" / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 100 and max(map(len, lines)) <= 100


def test_every_path_that_is_named_exists() -> None:
    folders = ("benchmarks", "blindplay", "docs", "hardware", "locks", "models", "tests")
    for page in PAGES:
        with about(page):
            for code in code_within_sentences(page):
                path = re.match(rf"(?:{'|'.join(folders)})/[\w./-]*", code)
                if path and " " not in code and not code.startswith(BUILT):
                    assert (ROOT / path[0]).exists(), code


def test_every_command_exists_with_its_options() -> None:
    for page in PAGES:
        with about(page):
            for command, _ in examples(page):
                (parse if is_concrete(command) else check_names)(shlex.split(command)[1:])
            for code in code_within_sentences(page):
                words = code.split()
                if words[0] == "blindplay" and len(words) > 1:
                    check_names(words[1:])
                elif words[:2] == ["python", "-m"] and words[2] in LABORATORY:
                    check_names(words[3:], LABORATORY[words[2]])
                elif words[0] in TABLE.list_commands(click.Context(TABLE)) and "--" in code:
                    check_names(words)


def test_every_target_of_make_exists() -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for page in PAGES:
        with about(page):
            for code in code_within_sentences(page):
                named = re.match(r"make (\w[\w-]*)", code)
                assert not named or named[1] in targets, code


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the examples read."""
    path = tmp_path_factory.mktemp("examples")
    (path / "white.txt").write_text("1. e4 e5\n2. Nf3 Nc6\n", "utf-8")
    (path / "black.txt").write_text("1. e4 e5\n2. Nf3 Nf6\n", "utf-8")
    for name in ("study", "studie", "bulletin"):
        (path / f"{name}.pgn").write_text("1. e4 { gut } e5 ( 1... c5 ) 2. Nf3 *\n", "utf-8")
        run("score", f"{path / name}.pgn", "--format", "brf", "--output", f"{path / name}.brf")
    with Journal(path / "game.jsonl") as journal:
        player = Player(impaired=True)
        facts = [Setup(white=player), Start(t=1000), Announce(t=2000, by="white", move="e2e4")]
        journal.append(*facts)
    return path


@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param(command, output, id=f"{page.stem}: {command}"[:60])
        for page in PAGES
        for command, output in examples(page)
        if shlex.split(command)[1] in READERS and page.parent.name != "guides"
        if "tape" not in command and is_concrete(command)
    ],
)
def test_examples_of_commands_that_read_and_print_run(
    command: str, output: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    words = shlex.split(command)
    if "--output" in words:  # the example of another page may have written it
        Path(words[words.index("--output") + 1]).unlink(missing_ok=True)
    done = run(*words[1:], home=folder)
    assert (done.status, done.stderr) == (0, "")
    assert not output or done.stdout.splitlines() == output
