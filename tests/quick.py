"""Run the tests that a change touches, the nearest first, for half a minute.

    make quick                  # what differs from the last commit
    make quick BASE=main        # what differs from main

A test file is near if it, or what it imports, or what that imports, has changed. A data file counts
as the modules of its folder. Tests that take their time are left to ``make test``, as are those for
which the time does not suffice; a line says how many they are.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests import ROOT

SECONDS = 17
"""The time in which tests begin. Starting and collecting take some seconds more."""
MOST_FILES = 100
"""More files take longer to collect than their tests would have time."""
FARTHEST = 3
"""Imports between a change and a test that is still near."""


def changed(base: str) -> list[Path]:
    """Return the files that differ from ``base``, and those that git does not know yet."""
    names: list[str] = []
    for command in (("diff", "--name-only", base), ("ls-files", "--others", "--exclude-standard")):
        listed = subprocess.run(
            ["git", *command], cwd=ROOT, check=True, capture_output=True, text=True
        )
        names += listed.stdout.splitlines()
    return [ROOT / name for name in names]


def _modules() -> dict[str, Path]:
    """All modules of the package, of what stands beside it, and of the tests, by dotted names."""
    found = {}
    for part in ("blindplay", "benchmarks", "models", "tests"):
        for path in (ROOT / part).rglob("*.py"):
            if ".venv" in path.parts:  # that in which models are trained
                continue
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def _imported(name: str, path: Path) -> Iterator[str]:
    """The dotted names that a module imports anywhere, with the names that it takes from them."""
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = package.split(".")[: len(package.split(".")) + 1 - node.level]
            base = ".".join([*(up if node.level else []), *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def importers(modules: Mapping[str, Path]) -> Mapping[Path, set[Path]]:
    """Return for each file the files that import it. A test imports the conftest files above it."""
    found: dict[Path, set[Path]] = defaultdict(set)
    for name, path in modules.items():
        for used in _imported(name, path):
            if used in modules:
                found[modules[used]].add(path)
        if path.name.startswith("test_"):
            for folder in path.parents:
                found[folder / "conftest.py"].add(path)
    return found


def near(files: Iterable[Path]) -> list[Path]:
    """Return the test files that a change of ``files`` touches: those that are named after one,
    those of the same room, and the others, each the nearest first."""
    modules = _modules()
    by = importers(modules)
    begin = set[Path]()
    for file in files:
        if file.suffix == ".py":
            begin.add(file)
        else:  # data: its folder's modules read it, or the next folder's that has any
            folder = next((up for up in file.parents if any(up.glob("*.py"))), ROOT)
            begin |= set(folder.glob("*.py")) if folder != ROOT else set()
    reached, edge = dict.fromkeys(begin, 0), begin
    for steps in range(1, FARTHEST + 1):
        edge = {path for file in edge for path in by[file]} - reached.keys()
        reached |= dict.fromkeys(edge, steps)
    tests = [path for path in reached if path.name.startswith("test_") and path.exists()]
    names, rooms = {f"test_{file.stem}" for file in begin}, {_room(file) for file in begin}

    def order(path: Path) -> tuple[bool, bool, int, Path]:
        return not path.stem.startswith(tuple(names)), _room(path) not in rooms, reached[path], path

    return sorted(tests, key=order)


def _room(path: Path) -> str:
    """The folder of the package or beside it, or the one that tests it."""
    part, *rest = path.relative_to(ROOT).parts
    return rest[0] if part in ("blindplay", "tests") else part


def main() -> int:
    """Run them."""
    parser = argparse.ArgumentParser(prog="make quick", description=__doc__)
    parser.add_argument("--base", default="HEAD", help="the commit to compare with (HEAD)")
    tests = near(changed(parser.parse_args().base))
    if not tests:
        print("The change touches no test.")
        return 0
    if left := tests[MOST_FILES:]:
        print(
            f"{len(left)} more files with tests are farther away; make test runs them.", flush=True
        )
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "load"),
        *("-m", "not long and not realtime", f"--begin-within={SECONDS}"),
        *(str(path.relative_to(ROOT)) for path in tests[:MOST_FILES]),
    ]
    return subprocess.run(command, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
