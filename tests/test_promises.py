"""Each promise names the tests that show it, and they are there."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

from tests import ROOT

TEXT = (ROOT / "docs" / "development" / "promises.md").read_text("utf-8")
PROMISES = dict(re.findall(r"^(\d+)\. (.+?)(?=^\d+\. |^#|^\S|\Z)", TEXT, re.MULTILINE | re.DOTALL))


@functools.cache
def functions_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_promises_are_numbered_from_one_on() -> None:
    assert list(map(int, PROMISES)) == list(range(1, len(PROMISES) + 1)) and len(PROMISES) > 20


def test_a_promise_is_shown_by_tests_that_are_there() -> None:
    for number, promise in PROMISES.items():
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", promise)
        assert named and promise.count("::") == len(named), number
        for file, test in named:
            path = ROOT / file
            assert path.is_file(), file
            assert test in functions_in(path), f"{file} has no {test}"
