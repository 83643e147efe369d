"""Write build/articles.md: every article of the four texts, where it is implemented and tested.

    python docs/development/articles.py

``articles/EDITION.toml`` lists a text's articles down to the smallest item that has a number or a
letter. ``count`` is how many there are; each entry of ``[articles]`` has

- ``says``: what the article is about, in a sentence of our own; those that a ruling can cite have
  theirs in ``blindplay/console/articles/en.toml``;
- ``whose``: "program" (must be implemented and tested), "arbiter" (judgement, conduct),
  "organiser" (settled before the game), "definition" (what chess is, or a word of the texts),
  "heading" (no rule of its own, or the items below it are the rule);
- ``rules``: rules of ``blindplay/laws/editions/EDITION.toml`` that carry the article out though
  they cite another one, most often the one it is an item of. Those that cite it need no mention;
- ``code``: dotted names of what carries it out where no rule has a name for it;
- ``tests``: tests that cannot cite the article, because nothing is ruled: ``tests/…/x.py::test_y``
  or ``tests/…/x.jsonl::name of a scenario``.

The code behind a rule and the tests that cite an article are found in the sources.
"""

from __future__ import annotations

import ast
import functools
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "development" / "articles"
PAGE = ROOT / "build" / "articles.md"
LAWS = ROOT / "blindplay" / "laws"
CONSOLE = ROOT / "blindplay" / "console"
TESTS = ROOT / "tests"
EDITIONS = ("fide-2023", "basics-no", "fide-2014", "fide-1997")
REGIMES = ("_quickplay", "_supervised", "_rapid", "_blitz")
NOT_THE_PROGRAMS = "the arbiter's, not the program's"
SHOWN = 3  # how many tests a row names

INTRODUCTION = """\
# The articles of the four texts

Written by `python docs/development/articles.py`; edit `docs/development/articles/*.toml` instead.
The sentences are ours and only tell which article is meant. Functions are those of
`blindplay.laws` unless they say otherwise. Tests are scenarios (`file.jsonl: name`) or test
functions that cite the article, or the
article under which the program rules it.
"""


@dataclass(frozen=True)
class Article:
    """One article as the data has it; see the module's description."""

    number: str
    says: str
    whose: str
    rules: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


@functools.cache
def in_short() -> Mapping[str, str]:
    """What the pages say about the articles that a ruling can cite, by citations."""
    sentences = tomllib.loads((CONSOLE / "articles" / "en.toml").read_text("utf-8"))
    return {one: says for cited, says in sentences.items() for one in cited.split(", ")}


@functools.cache
def articles(edition: str) -> Mapping[str, Article]:
    """The articles of a text by their numbers, in the text's order."""
    data = tomllib.loads((DATA / f"{edition}.toml").read_text("utf-8"))
    return {
        number: Article(
            number,
            entry.get("says") or in_short()[f"{edition} {number}"],
            entry["whose"],
            *(tuple(entry.get(key, ())) for key in ("rules", "code", "tests")),
        )
        for number, entry in data["articles"].items()
    }


@functools.cache
def count(edition: str) -> int:
    """How many articles the text has, counted when the data was written."""
    wanted = tomllib.loads((DATA / f"{edition}.toml").read_text("utf-8"))["count"]
    assert isinstance(wanted, int)
    return wanted


@functools.cache
def cited(edition: str) -> Mapping[str, tuple[str, ...]]:
    """The articles that each rule of an edition's own table cites, without the edition's id."""
    data = tomllib.loads((LAWS / "editions" / f"{edition}.toml").read_text("utf-8"))
    return {
        rule: (named,) if isinstance(named, str) else tuple(named)
        for rule, named in data["articles"].items()
    }


def rules_of(edition: str, article: Article) -> list[str]:
    """The rules that carry ``article`` out: those that cite it, and those the data names."""
    own = [rule for rule, numbers in cited(edition).items() if article.number in numbers]
    return list(dict.fromkeys([*own, *article.rules]))


def plain(rule: str) -> str:
    """A rule's name without the kind of game that it is for; the code knows only this name."""
    for regime in REGIMES:
        rule = rule.removesuffix(regime)
    return rule


# --- where a rule is implemented -------------------------------------------------------------


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """The outermost functions and methods of a module, with their dotted names in it."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner


def _rule_positions(trees: Mapping[str, ast.Module]) -> dict[str, tuple[int, bool]]:
    """By name of a function or class: the place of its parameter ``rule`` or ``rules``, and
    whether that takes all arguments from there on. Many rules share their names with rulings and
    facts, so that the place of a word tells which is meant."""
    found = {}
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                given = [*node.args.posonlyargs, *node.args.args]
                names = [arg.arg for arg in given if arg.arg not in ("self", "cls")]
                if node.args.vararg is not None and node.args.vararg.arg == "rules":
                    found[node.name] = (len(names), True)
            elif isinstance(node, ast.ClassDef):
                fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
                names = [ast.unparse(item.target) for item in fields]
            else:
                continue
            for place, name in enumerate(names):
                if name in ("rule", "rules"):
                    found[node.name] = (place, False)
    return found


def _words(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def _rules_in(node: ast.AST) -> Iterator[str]:
    """The rules named where a rule is expected; ``f"{what}_too_late"`` is all that end so."""
    yield from _words(node)
    for inner in ast.walk(node):
        if isinstance(inner, ast.JoinedStr):
            pattern = "".join(
                re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+"
                for part in inner.values
            )
            for edition in EDITIONS:
                names = dict.fromkeys(plain(rule) for rule in cited(edition))
                yield from (rule for rule in names if re.fullmatch(pattern, rule))


def _named_rules(node: ast.AST, positions: Mapping[str, tuple[int, bool]]) -> Iterator[str]:
    """Words in a function that are certainly names of rules."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            callee = inner.func
            name = callee.attr if isinstance(callee, ast.Attribute) else ast.unparse(callee)
            if name in positions:
                place, rest = positions[name]
                for argument in inner.args[place:] if rest else inner.args[place : place + 1]:
                    yield from _rules_in(argument)
            for keyword in inner.keywords:
                if keyword.arg in ("rule", "rules"):
                    yield from _rules_in(keyword.value)
        elif isinstance(inner, ast.Assign) and ast.unparse(inner.targets[0]) in ("rule", "rules"):
            yield from _rules_in(inner.value)


@functools.cache
def implementations() -> Mapping[str, list[str]]:
    """By name of a rule: the functions of the Laws that rule by it, as ``module.function``."""
    trees = {
        ".".join(path.relative_to(LAWS).with_suffix("").parts): ast.parse(path.read_text("utf-8"))
        for path in sorted(LAWS.rglob("*.py"))
    }
    positions = _rule_positions(trees)
    certain: dict[str, list[str]] = defaultdict(list)
    mentioned: dict[str, list[str]] = defaultdict(list)
    for module, tree in trees.items():
        tables = {
            ast.unparse(node.targets[0]): list(_words(node.value))
            for node in tree.body
            if isinstance(node, ast.Assign)
        }
        for name, node in _functions(tree):
            used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
            listed = [word for table in sorted(used & tables.keys()) for word in tables[table]]
            for words, found in (
                (_named_rules(node, positions), certain),
                ([*_words(node), *listed], mentioned),
            ):
                for word in dict.fromkeys(words):
                    found[word].append(f"{module}.{name}")
    return {**mentioned, **certain}


def code_of(edition: str, article: Article) -> list[str]:
    """What carries ``article`` out: functions of the Laws, and dotted names of other code."""
    found = [*article.code]
    for rule in rules_of(edition, article):
        found += implementations().get(rule) or implementations().get(plain(rule), [])
    return list(dict.fromkeys(found))


# --- where an article is tested --------------------------------------------------------------


def _citations_in_scenarios() -> Iterator[tuple[str, str]]:
    """Citations with the scenario whose expectation has them (tests/laws/scenarios)."""
    for path in sorted((TESTS / "laws" / "scenarios").glob("*.jsonl")):
        name, editions = "", [EDITIONS[0]]
        for line in path.read_text("utf-8").splitlines():
            entry = json.loads(line) if line.strip() else {}
            if "scenario" in entry:
                name, editions = entry["scenario"], entry.get("editions", [])
            elif entry.get("fact") == "setup" and not editions:
                editions = [entry.get("edition", EDITIONS[0])]
            wanted = entry.get("expect", {}).get("article", [])
            for edition in editions:
                numbers = wanted.get(edition, []) if isinstance(wanted, dict) else wanted
                for number in [numbers] if isinstance(numbers, str) else numbers:
                    yield _citation(number, edition), f"{path.name}: {name}"


def _citation(number: str, edition: str) -> str:
    """``number`` as the data writes it, with its edition before it; a scenario need not name the
    edition, and may say which kind of appendix it means."""
    if number.split(" ")[0] in EDITIONS:
        edition, _, number = number.partition(" ")
    bare = re.sub("^(Guideline|Bilaga|Anhang) ", "", number)
    spellings = (number, bare, f"Guideline {bare}")
    return f"{edition} {next((one for one in spellings if one in articles(edition)), number)}"


_EDITION = re.compile("|".join(EDITIONS))


@functools.cache
def _article_of(edition: str) -> re.Pattern[str]:
    """Matches the longest number of an article of the text after the edition's name."""
    numbers = sorted(articles(edition), key=len, reverse=True)
    return re.compile(rf" ?({'|'.join(map(re.escape, numbers))})(?!\w|\.\d)")


def _citations_in(function: ast.FunctionDef) -> Iterator[str]:
    """Citations in a test function, also as a pair ("fide-2023", "D.2.2") in its parameters."""
    for node in ast.walk(function):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for match in _EDITION.finditer(node.value):
                if cited := _article_of(match[0]).match(node.value, match.end()):
                    yield f"{match[0]} {cited[1]}"
        elif isinstance(node, ast.Tuple):
            words = [
                item.value
                for item in node.elts
                if isinstance(item, ast.Constant) and isinstance(item.value, str)
            ]
            for edition in words:
                for number in words:
                    if edition in EDITIONS and number in articles(edition):
                        yield f"{edition} {number}"


def _citations_in_tests() -> Iterator[tuple[str, str]]:
    """Citations with the test function that has them."""
    for path in sorted(TESTS.rglob("test_*.py")):
        if path.name in ("test_game_scenarios.py", "test_articles.py"):
            continue  # what they cite are examples
        for name, node in _functions(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for citation in _citations_in(node):
                    yield citation, f"{path.relative_to(TESTS).as_posix()}::{name}"


@functools.cache
def tests() -> Mapping[str, list[str]]:
    """By citation ("fide-2023 D.2.4"): the scenarios and test functions that have it."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for source in (_citations_in_scenarios(), _citations_in_tests()):
        for citation, test in source:
            found[citation][test] = None
    return {citation: list(names) for citation, names in found.items()}


def tests_of(edition: str, article: Article) -> list[str]:
    """The tests of ``article``: those that cite it, those that the data names, and those that
    cite the article under which a rule of ``article.rules`` is given."""
    numbers = [article.number]
    for rule in article.rules:
        numbers += cited(edition).get(rule, ())
    found = [_shown(test) for test in article.tests]
    for number in dict.fromkeys(numbers):
        found += tests().get(f"{edition} {number}", [])
    return list(dict.fromkeys(found))


def _shown(test: str) -> str:
    """A test that the data names, as those that are found are shown."""
    path, _, name = test.partition("::")
    if path.endswith(".jsonl"):
        return f"{Path(path).name}: {name}"
    return test.removeprefix("tests/")


# --- the page --------------------------------------------------------------------------------


def _where(edition: str, article: Article) -> str:
    code = ", ".join(
        f"`{name.removeprefix('blindplay.laws.')}`" for name in code_of(edition, article)
    )
    if article.whose in ("arbiter", "organiser"):
        return f"{NOT_THE_PROGRAMS}; the program names it in {code}" if code else NOT_THE_PROGRAMS
    if article.whose == "program":
        return code or "nowhere yet"
    return f"{article.whose}: {code}" if code else article.whose


def _tested(edition: str, article: Article) -> str:
    found = tests_of(edition, article)
    shown = [test.replace("|", "\\|") for test in found[:SHOWN]]
    if len(found) > SHOWN:
        shown.append("and more")
    return "; ".join(shown)


def _section(edition: str) -> Iterator[str]:
    yield f"\n## {edition}\n"
    yield "| article | what it says | where | tested |\n|---|---|---|---|"
    for article in articles(edition).values():
        cells = (article.number, article.says, _where(edition, article), _tested(edition, article))
        yield f"| {' | '.join(cells)} |"


def page() -> str:
    """The page as Markdown."""
    lines = [INTRODUCTION]
    for edition in EDITIONS:
        lines += _section(edition)
    return "\n".join(lines) + "\n"


def lacking(what: Callable[[str, Article], list[str]]) -> list[str]:
    """The program's articles for which ``what`` (:func:`code_of`, :func:`tests_of`) finds
    nothing, as citations."""
    return [
        f"{edition} {article.number}"
        for edition in EDITIONS
        for article in articles(edition).values()
        if article.whose == "program" and not what(edition, article)
    ]


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), "utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written.")
    for name, what in (("implementation", code_of), ("test", tests_of)):
        print(f"without {name}: {', '.join(lacking(what)) or 'none'}")
