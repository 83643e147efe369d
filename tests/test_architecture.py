"""Which way imports point: the house as the architecture draws it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "blindplay"
STANDARD_ONLY = {"laws": {"chess"}, "language": {"chess"}}
MAY_USE = {
    "laws": {"laws"},
    "language": {"language"},
    "speech": {"speech"},
    "boards": {"boards"},
    "record": {"record", "laws"},
    "console": {"console", "laws", "language"},
    "table": {"table", "laws", "language", "speech", "boards", "record", "console"},
}
OUTSIDE = {
    "chess", "vosk", "pyttsx3", "espeakng_loader", "serial", "cobs", "miniaudio", "typer",
    "platformdirs", "numpy", "soundfile", "starlette", "uvicorn", "jinja2", "segno", "httpx",
}  # fmt: skip


def imported(path: Path) -> set[str]:
    """The dotted names that a module imports, relative ones resolved, anywhere in the file."""
    here = ["blindplay", *path.relative_to(PACKAGE).with_suffix("").parts]
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level] if node.level else []
            names |= {
                ".".join([*base, *([node.module] if node.module else []), alias.name])
                for alias in node.names
            }
    return names


def modules(part: str) -> list[Path]:
    found = sorted((PACKAGE / part).rglob("*.py"))
    assert found
    return found


@pytest.mark.parametrize("part", sorted(MAY_USE))
def test_imports_point_one_way(part: str) -> None:
    for path in modules(part):
        for name in imported(path):
            words = name.split(".")
            if words[0] == "blindplay" and len(words) > 1 and (PACKAGE / words[1]).is_dir():
                assert words[1] in MAY_USE[part], f"{path.name} imports {name}"


def test_chapters_of_the_laws_import_each_other_in_one_direction() -> None:
    chapters = {path.stem: path for path in modules("laws") if path.parent.name == "laws"}
    uses = {
        name: {
            word.split(".")[2]
            for word in imported(path)
            if word.startswith("blindplay.laws.") and word.split(".")[2] in chapters
        }
        - {name, "__init__"}
        for name, path in chapters.items()
    }
    left = dict(uses)
    while left:
        free = [name for name, others in left.items() if not others & left.keys()]
        assert free, f"these import each other in a circle: {sorted(left)}"
        for name in free:
            del left[name]


@pytest.mark.parametrize("part", sorted(STANDARD_ONLY))
def test_pure_parts_import_only_chess(part: str) -> None:
    for path in modules(part):
        used = {name.split(".")[0] for name in imported(path)} & OUTSIDE
        assert used <= STANDARD_ONLY[part], f"{path.name} imports {used}"


def test_laws_do_no_input_or_output_and_ask_no_clock() -> None:
    forbidden = {"time", "datetime", "threading", "socket", "sqlite3", "random", "os", "asyncio"}
    for path in modules("laws"):
        assert not {name.split(".")[0] for name in imported(path)} & forbidden, path.name


def test_no_posix_module_is_needed_to_import_blindplay() -> None:
    """Many blind players run Windows: such modules are imported where they are used."""
    posix = {"pty", "tty", "termios", "fcntl", "grp", "pwd", "resource"}
    for path in sorted(PACKAGE.rglob("*.py")):
        top = ast.parse(path.read_text("utf-8")).body
        for node in top:
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
                assert not names & posix, path.name


def test_without_its_console_a_table_loads_no_web_server() -> None:
    script = (
        "import sys, blindplay.cli, blindplay.table.play; "
        "print(*{'starlette', 'uvicorn', 'jinja2', 'segno'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
