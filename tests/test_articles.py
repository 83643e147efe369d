"""The page of articles: nothing of the four texts is missing, and what it says is so."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import re
import sys
from collections import defaultdict
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from tests import ROOT

ROMAN = ("I", "II", "III")


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "articles", ROOT / "docs" / "development" / "articles.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["articles"] = module  # its dataclass looks itself up there
    spec.loader.exec_module(module)
    return module


pages = _generator()
EDITIONS: tuple[str, ...] = pages.EDITIONS
_page = cache(pages.page)  # it reads every module and test: only where it is wanted
each_edition = pytest.mark.parametrize("edition", EDITIONS)


def _articles(edition: str, whose: str | None = None) -> list[Any]:
    return [
        article for article in pages.articles(edition).values() if whose in (None, article.whose)
    ]


def _exists(dotted: str) -> bool:
    """Whether there is such a module attribute, method or annotated attribute."""
    parts = dotted.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            declared = [
                vars(cls).get("__annotations__", {}) for cls in getattr(found, "__mro__", ())
            ]
            if not hasattr(found, name) and not any(name in names for names in declared):
                return False
            found = getattr(found, name, None)
        return True
    return False


def test_every_text_has_its_list() -> None:
    texts = {path.stem for path in (ROOT / "blindplay" / "laws" / "editions").glob("*.toml")}
    assert texts == set(EDITIONS)
    assert {path.stem for path in pages.DATA.glob("*.toml")} == texts


@each_edition
def test_every_article_is_on_the_page(edition: str) -> None:
    section = _page().partition(f"\n## {edition}\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in section.splitlines()[3:] if line]
    assert rows == [article.number for article in _articles(edition)]
    assert len(rows) == pages.count(edition)


@each_edition
def test_numbers_and_letters_have_no_gaps(edition: str) -> None:
    """Within each article: 1, 2, 3 …; a, b, c …; I, II, III. Appendices may be left out."""
    items: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for article in _articles(edition):
        *parent, last = re.split(r"[. ]", article.number)
        items[tuple(parent)].append(last)
        for depth in range(1, len(parent) + 1):  # 5.1.1 stands for 5.1 where that has no text
            *above, part = parent[:depth]
            if part not in items[tuple(above)]:
                items[tuple(above)].append(part)
    for parent_parts, found in items.items():
        of_a_kind = (
            [part for part in found if part.isdigit()],
            [part for part in found if re.fullmatch("[a-z]", part)],
            [part for part in found if part in ROMAN],
        )
        wanted = (
            [str(number + 1) for number in range(len(of_a_kind[0]))],
            [chr(ord("a") + place) for place in range(len(of_a_kind[1]))],
            list(ROMAN[: len(of_a_kind[2])]),
        )
        assert of_a_kind == wanted, f"{edition} {'.'.join(parent_parts)}: {found}"


@each_edition
def test_every_entry_says_what_and_whose(edition: str) -> None:
    for article in _articles(edition):
        assert article.says.strip() and "|" not in article.says, article.number
        assert article.whose in ("program", "arbiter", "organiser", "definition", "heading")


@each_edition
def test_every_article_that_a_rule_cites_is_in_the_text(edition: str) -> None:
    """So every rule belongs to an article, too."""
    for rule, numbers in pages.cited(edition).items():
        assert numbers, rule
        for number in numbers:
            assert number in pages.articles(edition), f"{rule} cites {edition} {number}"


@each_edition
def test_the_data_names_only_rules_and_code_that_exist(edition: str) -> None:
    for article in _articles(edition):
        for rule in article.rules:
            assert rule in pages.cited(edition), f"{edition} {article.number}: rule {rule}"
        for dotted in article.code:
            assert _exists(dotted), f"{edition} {article.number}: {dotted}"
        for test in article.tests:
            path, _, name = test.partition("::")
            assert name in _tests_in(path), f"{edition} {article.number}: {test}"


@cache
def _tests_in(path: str) -> frozenset[str]:
    """The names of the tests of a file: of its scenarios, or of the functions that pytest runs."""
    text = (ROOT / path).read_text("utf-8")
    if path.endswith(".jsonl"):
        lines = (json.loads(line) for line in text.splitlines() if line.strip())
        return frozenset(line["scenario"] for line in lines if "scenario" in line)
    found = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    return frozenset(name for name in found if name.startswith("test_"))


@each_edition
def test_every_article_that_a_ruling_may_cite_has_a_test(edition: str) -> None:
    """Whoever it is addressed to: what the program applies, it applies as some test says."""
    applied = {number for numbers in pages.cited(edition).values() for number in numbers}
    every = pages.articles(edition)
    assert [one for one in applied if not pages.tests_of(edition, every[one])] == []


def test_everything_that_is_the_programs_is_implemented() -> None:
    assert pages.lacking(pages.code_of) == []


def test_everything_that_is_the_programs_is_tested() -> None:
    assert pages.lacking(pages.tests_of) == []


@each_edition
def test_what_is_not_the_programs_says_so(edition: str) -> None:
    lines = _page().splitlines()
    for article in _articles(edition, "arbiter") + _articles(edition, "organiser"):
        row = f"| {article.number} | {article.says} | {pages.NOT_THE_PROGRAMS}"
        assert any(line.startswith(row) for line in lines), f"{edition} {article.number}"
