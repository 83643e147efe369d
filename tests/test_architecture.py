"""Which way imports point: the house as the architecture draws it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

PACKAGE = ROOT / "blindplay"
ROOMS = (
    "commands", "bench", "hall", "table", "opponents", "console", "record", "hearing", "wording",
    "laws", "language", "speech", "boards",
)  # fmt: skip
"""The rooms of the house, the upper ones first. A room imports only from rooms below it."""
SEPARATE = {"laws", "language", "speech", "boards"}
"""The lowest rooms do not know each other."""
STANDARD_ONLY = {"laws": {"chess"}, "language": {"chess"}}
OUTSIDE = {
    "chess", "vosk", "pyttsx3", "espeakng_loader", "serial", "cobs", "miniaudio", "click",
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


def room_of(name: str) -> str | None:
    """The room that a dotted name lies in; None outside of all rooms."""
    words = name.split(".")
    inside = words[0] == "blindplay" and len(words) > 1 and (PACKAGE / words[1]).is_dir()
    return words[1] if inside else None


def test_every_room_has_its_place_in_the_house() -> None:
    found = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert found <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_downwards(room: str) -> None:
    below = set(ROOMS[ROOMS.index(room) :]) - (SEPARATE if room in SEPARATE else set())
    for path in (PACKAGE / room).rglob("*.py"):
        for name in imported(path):
            used = room_of(name)
            assert used in {None, room} | below, f"{path.name} imports {name}"


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
