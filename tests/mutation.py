"""Break the Laws in one place at a time and see whether a test notices.

    python -m tests.mutation [--minutes N] [--seed N] [--only MODULE …]

Each mutant is one change in ``blindplay/laws``: a condition negated, a comparison or a number
changed, ``and`` for ``or``, a statement left out. It runs in a copy of the tree, first against all
scenarios, then against the tests of the room. What no test notices is printed with its place. The
mutants come in a random order, so the first of them are a sample of all.
"""

from __future__ import annotations

import argparse
import ast
import math
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests import ROOT

LAWS = ROOT / "blindplay" / "laws"
SCENARIOS = """
from tests.laws.test_game_scenarios import SCENARIOS, play, scenarios
for path in sorted(SCENARIOS.glob("*.jsonl")):
    for scenario in scenarios(path):
        play(scenario)
"""
SLOW = ("test_game_machine.py", "test_unidentified_pieces.py", "test_game_interleaved.py")
ELSEWHERE = {"sheet_comparison": ("tests/record/test_disputes.py",)}
"""Tests of other rooms that hold a module to its word."""
MATING = ("tests/laws/mating", "tests/laws/test_mating.py")
OPPOSITES = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip


def sites(text: str) -> Iterator[tuple[int, int, str]]:
    """Each place of a module that can be broken: its number, its line, and how."""
    for number, node in enumerate(ast.walk(ast.parse(text))):
        kind = _kind(node)
        if kind:
            yield number, getattr(node, "lineno", 0), kind


def broken(text: str, number: int) -> str:
    """The module with that place broken."""
    tree = ast.parse(text)
    _change(next(node for n, node in enumerate(ast.walk(tree)) if n == number))
    return ast.unparse(ast.fix_missing_locations(tree))


def _kind(node: ast.AST) -> str:
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        return "negated condition"
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPPOSITES:
        return "other comparison"
    if isinstance(node, ast.BoolOp):
        return "and for or"
    if isinstance(node, ast.Constant) and type(node.value) in (int, bool):
        return "other number"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return "left out"
    return ""


def _change(node: ast.AST) -> None:
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Compare):
        node.ops[0] = OPPOSITES[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else int(str(node.value)) + 1
    elif isinstance(node, ast.Expr):
        node.value = ast.Constant(None)


def noticed(tree: Path, module: str) -> bool:
    """Whether a test of the room fails in ``tree``. A mutant that hangs is noticed."""
    python = [sys.executable, "-c", SCENARIOS]
    pytest = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-m",
        "not long",
        "-p",
        "no:cacheprovider",
    ]
    slow = [f"--ignore=tests/laws/{name}" for name in SLOW]
    ignored = [*slow, "--ignore=tests/laws/mating", "--ignore=tests/laws/test_mating.py"]
    runs = [python, [*pytest, *ignored, "tests/laws", *ELSEWHERE.get(module, ())]]
    if module.startswith("mating"):
        runs = [[*pytest, *MATING]]
    for run in runs:
        try:
            done = subprocess.run(run, cwd=tree, capture_output=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return True
        if done.returncode:
            return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=0, help="begin none after these; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], help="modules such as moving or mating")
    options = parser.parse_args()
    places: list[tuple[str, int, str, int]] = []
    originals: dict[str, str] = {}
    for path in sorted(LAWS.rglob("*.py")):
        module = path.relative_to(LAWS).with_suffix("").as_posix()
        originals[module] = path.read_text("utf-8")
        if not options.only or module.startswith(tuple(options.only)):
            found = sites(originals[module])
            places += [(module, line, kind, number) for number, line, kind in found]
    random.Random(options.seed).shuffle(places)
    until = time.monotonic() + 60 * options.minutes if options.minutes else math.inf
    counts: Counter[bool] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder)
        for name in ("blindplay", "tests", "docs"):
            shutil.copytree(ROOT / name, copied / name)
        shutil.copy(ROOT / "pyproject.toml", copied)
        for module, line, kind, number in places:
            if time.monotonic() > until:
                break
            target = copied / "blindplay" / "laws" / f"{module}.py"
            target.write_text(broken(originals[module], number), "utf-8")
            known = noticed(copied, module)
            target.write_text(originals[module], "utf-8")
            counts[known] += 1
            if not known:
                print(f"{module}.py:{line}: {kind}", flush=True)
    print(f"Of {len(places)} mutants {counts.total()} were run; {counts[False]} were not noticed.")


if __name__ == "__main__":
    main()
