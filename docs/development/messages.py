"""The catalogues of messages: ``make messages`` brings them up to date with the source.

A new message is added without a translation, and one that is gone is removed. A translator fills in
what is empty, by hand or with a program for .po files. ``python docs/development/messages.py
compile`` only makes the files that BlindPlay reads, as an installation does.
"""

import ast
import io
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

PACKAGE = Path(__file__).parents[2] / "blindplay"
FOLDER = PACKAGE / "translations"
_NOT_KEPT = re.compile(
    rb'^"(?:Project-Id|Report-Msgid|POT-Creation|PO-Revision|Last-Tr|Language-T|Gen).*\n', re.M
)
MARKS = {"_": 1, "_n": 2}
"""The functions that mark messages, and how many forms of it they take."""
OF_CLICK: tuple[str | tuple[str, str], ...] = (
    "Usage:",
    "Options",
    "Positional arguments",
    "Show this message and exit.",
    "default: {default}",
    "required",
    "Missing command.",
    "Missing argument",
    "Missing option",
    "Choose from:\n\t{choices}",
    "No such option {name!r}.",
    "No such command {name!r}.",
    ("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)"),
    "Invalid value: {message}",
    "Invalid value for {param_hint}: {message}",
    ("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
    ("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    "Option {name!r} does not take a value.",
    ("{value!r} is not {choice}.", "{value!r} is not one of {choices}."),
    "{value!r} is not a valid {number_type}.",
    "{value!r} is not a valid boolean. Recognized values: {states}",
    "{value} is not in the range {range}.",
)
"""The texts of click that the command line can give."""


def extracted() -> Catalog:
    """All messages, with the files that they are in."""
    catalogue = Catalog(fuzzy=False)
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE.parent).as_posix()
        for message in of_file(path):
            catalogue.add(message, locations=[(place, 1)])
    for message in OF_CLICK:
        catalogue.add(message, locations=[("click", 1)])
    return catalogue


@cache
def errors_with_sentences() -> frozenset[str]:
    """The names of the classes of errors whose text is a message."""
    classes = [
        (node.name, {ast.unparse(base).rpartition(".")[2] for base in node.bases})
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    found = {"SentenceError"}
    while more := {name for name, bases in classes if bases & found} - found:
        found |= more
    return frozenset(found)


def of_file(path: Path) -> Iterator[str | tuple[str, ...]]:
    """The messages of a module: those that are marked, those of errors, and the help of its
    commands."""
    tree = ast.parse(path.read_text("utf-8"))
    sentences = {
        node.args[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.args and _name(node.func) in errors_with_sentences()
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node in sentences:
            yield str(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            forms = tuple(
                one.value
                for one in node.args[: MARKS[node.func.id]]
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            )
            if len(forms) != MARKS[node.func.id]:
                raise ValueError(f"{path}, line {node.lineno}: a message is no plain text.")
            yield forms if len(forms) > 1 else forms[0]
        elif isinstance(node, ast.FunctionDef) and _is_command(node):
            for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
                yield " ".join(paragraph.split())


def _name(called: ast.expr) -> str:
    return ast.unparse(called).rpartition(".")[2]


def _is_command(node: ast.FunctionDef) -> bool:
    called = (ast.unparse(one).partition("(")[0] for one in node.decorator_list)
    return any(one.endswith((".command", ".group")) for one in called)


def catalogues() -> list[Path]:
    """The catalogues of all languages, as .po files."""
    return sorted(FOLDER.glob("*.po"))


def read(path: Path) -> Catalog:
    """The catalogue in a .po file."""
    with path.open("rb") as file:
        return read_po(file, locale=path.stem)


def write(catalogue: Catalog, path: Path) -> None:
    """Write a .po file with the messages in the order of the source. Its head has no dates and no
    names, which git knows."""
    written = io.BytesIO()
    write_po(written, catalogue, width=100, ignore_obsolete=True, include_lineno=False)
    head, _, entries = written.getvalue().partition(b"\n\n")
    path.write_bytes(_NOT_KEPT.sub(b"", head + b"\n") + b"\n" + entries)


def update() -> None:
    """Update the catalogues of all languages."""
    template = extracted()
    for path in catalogues():
        catalogue = read(path)
        catalogue.update(template, no_fuzzy_matching=True)
        write(catalogue, path)


def compile_changed() -> None:
    """Make the .mo file, which BlindPlay reads, of each .po file that is newer."""
    for path in catalogues():
        made = path.with_suffix(".mo")
        if not made.exists() or made.stat().st_mtime < path.stat().st_mtime:
            new = path.with_suffix(f".{os.getpid()}.new")  # workers of the tests do this at once
            with new.open("wb") as file:
                write_mo(file, read(path))
            new.replace(made)


if __name__ == "__main__":
    if sys.argv[1:] != ["compile"]:
        update()
    compile_changed()
