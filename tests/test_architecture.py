"""Which way imports point: the house as the architecture draws it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from blindplay.version import VERSION
from tests import ROOT

PACKAGE = ROOT / "blindplay"
Node = TypeVar("Node", bound=ast.AST)
ROOMS = (
    "commands", "hall", "table", "opponents", "console", "record", "conversation", "hearing",
    "wording",
    "laws", "language", "speech", "boards", "braille",
)  # fmt: skip
"""The rooms of the house, the upper ones first. A room imports only from rooms below it."""
SEPARATE = {"laws", "language", "speech", "boards", "braille"}
"""The lowest rooms do not know each other."""
# The folder of the user's own languages is a matter of the system.
STANDARD_ONLY = {"laws": {"chess"}, "language": {"chess", "platformdirs"}}
OUTSIDE = {
    "chess", "vosk", "pyttsx3", "espeakng_loader", "serial", "cobs", "miniaudio", "click",
    "platformdirs", "numpy", "soundfile", "starlette", "uvicorn", "jinja2", "segno", "httpx",
    "paho", "cryptography", "spake2", "websockets",
}  # fmt: skip


@dataclass(frozen=True)
class Module:
    """A module of BlindPlay, parsed. ``name``: its place in the package."""

    name: str
    text: str
    tree: ast.Module
    every: Mapping[type[ast.AST], list[Any]]
    """All nodes of the tree, by their kind."""

    def nodes(self, kind: type[Node]) -> list[Node]:
        return self.every.get(kind, [])

    @property
    def imported(self) -> set[str]:
        """The dotted names that it imports, relative ones resolved, anywhere in the file."""
        here = ["blindplay", *Path(self.name).with_suffix("").parts]
        names = {alias.name for node in self.nodes(ast.Import) for alias in node.names}
        for node in self.nodes(ast.ImportFrom):
            base = here[: len(here) - node.level] if node.level else []
            names |= {
                ".".join([*base, *([node.module] if node.module else []), alias.name])
                for alias in node.names
            }
        return names


House = Sequence[Module]


@pytest.fixture(scope="module")
def house() -> House:
    """Every module of the package."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        tree, every = ast.parse(text), defaultdict[type[ast.AST], list[Any]](list)
        for node in ast.walk(tree):
            every[type(node)].append(node)
        found.append(Module(path.relative_to(PACKAGE).as_posix(), text, tree, every))
    return found


def modules(house: House, part: str) -> House:
    found = [module for module in house if module.name.startswith(f"{part}/")]
    assert found
    return found


def test_no_room_imports_what_stands_beside_the_package(house: House) -> None:
    beside = {"benchmarks", "models", "hardware", "tests"}
    for module in house:
        used = {name.split(".")[0] for name in module.imported} & beside
        assert not used, f"{module.name} imports {used}"


def test_benchmarks_need_no_models() -> None:
    for path in (ROOT / "benchmarks").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) models\b", path.read_text("utf-8"), re.M), path


def room_of(name: str) -> str | None:
    """The room that a dotted name lies in; None outside of all rooms."""
    words = name.split(".")
    inside = words[0] == "blindplay" and len(words) > 1 and (PACKAGE / words[1]).is_dir()
    return words[1] if inside else None


def test_every_room_has_its_place_in_the_house() -> None:
    found = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert found <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_downwards(house: House, room: str) -> None:
    below = set(ROOMS[ROOMS.index(room) :]) - (SEPARATE if room in SEPARATE else set())
    for module in modules(house, room):
        for name in module.imported:
            used = room_of(name)
            assert used in {None, room} | below, f"{module.name} imports {name}"


def test_modules_import_each_other_in_one_direction(house: House) -> None:
    """Counts imports within functions and for type checking, too."""
    dotted = {
        ".".join(["blindplay", *Path(module.name).with_suffix("").parts]).removesuffix(
            ".__init__"
        ): module.name
        for module in house
    }
    left = {
        module.name: {
            dotted.get(name) or dotted.get(name.rpartition(".")[0]) for name in module.imported
        }
        - {None, module.name}
        for module in house
    }
    while left:
        free = [name for name, used in left.items() if not used & left.keys()]
        if not free:
            # What only imports a circle is in none.
            free = [name for name in left if not any(name in used for used in left.values())]
        if not free:
            break
        for name in free:
            del left[name]
    assert not left, "these import each other in a circle"


@pytest.mark.parametrize("part", sorted(STANDARD_ONLY))
def test_pure_parts_import_little_more_than_chess(house: House, part: str) -> None:
    for module in modules(house, part):
        used = {name.split(".")[0] for name in module.imported} & OUTSIDE
        assert used <= STANDARD_ONLY[part], f"{module.name} imports {used}"


def test_laws_do_no_input_or_output_and_ask_no_clock(house: House) -> None:
    forbidden = {"time", "datetime", "threading", "socket", "sqlite3", "random", "os", "asyncio"}
    for module in modules(house, "laws"):
        assert not {name.split(".")[0] for name in module.imported} & forbidden, module.name


def test_no_posix_module_is_needed_to_import_blindplay(house: House) -> None:
    """Many blind players run Windows: such modules are imported where they are used."""
    posix = {"pty", "tty", "termios", "fcntl", "grp", "pwd", "resource"}
    for module in house:
        for node in module.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
                assert not names & posix, module.name


def test_without_its_console_a_table_loads_no_web_server() -> None:
    script = (
        "import sys, blindplay.cli, blindplay.table.play; "
        "print(*{'starlette', 'uvicorn', 'jinja2', 'segno'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


# --- names and callbacks -------------------------------------------------------------------------

SAME_MEANING = {
    "Game": "blindplay.Game is the game of the Laws with the words of the language packs",
    "Decoder": "each maker's protocol has one",
    "HostCommand": "each maker's protocol has one",
}
"""Class names that occur twice because they mean the same."""
THEIR_CALLBACKS = {
    "device.stop_callback": "miniaudio takes it no other way",
    "_espeak.Synth": "pyttsx3 gives espeak no flag that lets it read phonemes",
}
"""Callbacks that another library wants assigned."""


def test_a_class_name_has_one_meaning(house: House) -> None:
    count = Counter(node.name for module in house for node in module.nodes(ast.ClassDef))
    assert {name for name, times in count.items() if times > 1} <= SAME_MEANING.keys()


def test_no_callback_is_assigned_to_an_attribute_of_another_object(house: House) -> None:
    """A callback is given to a constructor or to a method that says what it subscribes to."""
    assigned = set()
    for module in house:
        functions = {node.name for node in module.nodes(ast.FunctionDef)}
        for node in module.nodes(ast.Assign):
            value = getattr(node.value, "attr", getattr(node.value, "id", None))
            calls = isinstance(node.value, ast.Lambda) or value in functions
            for target in node.targets:
                if (
                    calls
                    and isinstance(target, ast.Attribute)
                    and ast.unparse(target.value) != "self"
                ):
                    assigned.add(ast.unparse(target))
    assert assigned <= THEIR_CALLBACKS.keys()


def test_every_room_has_tests() -> None:
    assert {room for room in ROOMS if not any((ROOT / "tests" / room).rglob("test_*.py"))} == set()


def test_the_changelog_begins_with_the_present_version() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()
    assert next(line for line in lines if line.startswith("## ")).split()[1] == VERSION
