"""Scenarios of the Laws, written from the four texts: facts, and the rulings they must give.

A file ``scenarios/<topic>.jsonl`` holds many scenarios, one JSON object a line:

- ``{"scenario": "what it shows", "editions": [...]}`` begins one; with ``editions`` it is run once
  for each of them, else for the edition of its ``setup``;
- a fact of the contract; without ``t`` it happens at the time of the fact before;
- ``{"expect": {...}}``: among the rulings that the last fact caused, after those expected before,
  is one with these fields. Without ``ruling`` its kind is open;
- ``{"expect_no": {...}}``: no ruling of the last fact has all these fields;
- ``{"comment": "..."}``.

An object matches one that has at least its fields, ``null`` one that has not the field. ``moves``,
``missing`` and ``fulfils`` are sets. An ``article`` matches itself and its sub-articles; a list
must all be cited. One article for each edition is a table without the editions' names, which stand
before an article only where it is another edition's (basics-no is silent and takes fide-2023's).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from blindplay.laws import Game
from blindplay.laws.editions import names
from blindplay.laws.facts import parse
from blindplay.laws.rulings import KINDS
from blindplay.wording.pack_words import PackWords

SCENARIOS = Path(__file__).with_name("scenarios")
PATHS = sorted(SCENARIOS.glob("*.jsonl"))
DEFAULT_EDITION = "fide-2023"
SETS = ("moves", "missing", "fulfils")


@dataclass(frozen=True)
class Scenario:
    """One scenario in one edition; ``lines`` are its facts and expectations with their places."""

    name: str
    edition: str
    lines: tuple[tuple[str, Mapping[str, Any]], ...]


def scenarios(path: Path) -> Iterator[Scenario]:
    """The scenarios of a file, once for each edition."""
    heads: list[tuple[Mapping[str, Any], list[tuple[str, Mapping[str, Any]]]]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        value = json.loads(line)
        if "scenario" in value:
            heads.append((value, []))
        elif "comment" not in value:
            heads[-1][1].append((f"{path.name}:{number}", value))
    for head, lines in heads:
        own = lines[0][1].get("edition", DEFAULT_EDITION)
        for edition in head.get("editions", [own]):
            yield Scenario(f"{path.stem}:{head['scenario']}", edition, tuple(lines))


def cited(wanted: str, edition: str) -> str:
    """``wanted`` with its edition before it, and without the name of the appendix's kind."""
    if wanted.split(" ")[0] not in names():
        wanted = f"{edition} {wanted}"
    return re.sub(" (Guideline|Bilaga|Anhang) ", " ", wanted)


def cites(given: Any, wanted: str, edition: str) -> bool:
    """Whether one of the articles given is the wanted one or a part of it."""
    article = cited(wanted, edition)
    found = [cited(one, edition) for one in ([given] if isinstance(given, str) else given or [])]
    return any(one == article or one.startswith((f"{article}.", f"{article} ")) for one in found)


def matches(wanted: Any, given: Any) -> bool:
    """Whether ``given`` has everything that is ``wanted``."""
    if isinstance(wanted, dict):
        return isinstance(given, dict) and all(
            matches(value, given.get(key)) for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(given, list)
            and len(wanted) == len(given)
            and all(map(matches, wanted, given))
        )
    if isinstance(wanted, bool) or not isinstance(wanted, int | float):
        return bool(wanted == given)
    return isinstance(given, int | float) and given == pytest.approx(wanted)


def fulfils(ruling: Mapping[str, Any], wanted: Mapping[str, Any], edition: str) -> bool:
    for key, value in wanted.items():
        given = ruling.get(key)
        if key == "article":
            articles = value[edition] if isinstance(value, dict) else value
            articles = [articles] if isinstance(articles, str) else articles
            if not all(cites(given, article, edition) for article in articles):
                return False
        elif key in SETS and isinstance(value, list):
            if not isinstance(given, list) or sorted(given) != sorted(value):
                return False
        elif not matches(value, given):
            return False
    return True


def play(scenario: Scenario, game: Game | None = None) -> None:
    """Feed the facts and hold every expectation against the rulings of the fact before it."""
    game = Game(PackWords()) if game is None else game
    t: float = 0
    rulings: list[dict[str, Any]] = []
    after = 0
    for place, line in scenario.lines:
        if "fact" in line:
            t = line.get("t", t)
            edition = {"edition": scenario.edition} if line["fact"] == "setup" else {}
            rulings = [one.to_json() for one in game.apply(parse({"t": t, **line, **edition}))]
            after = 0
            continue
        told = "\n  ".join(json.dumps(one, ensure_ascii=False) for one in rulings) or "nothing"
        if "expect" in line:
            wanted = line["expect"]
            found = next(
                (
                    number
                    for number, one in enumerate(rulings[after:], after + 1)
                    if fulfils(one, wanted, scenario.edition)
                ),
                None,
            )
            assert found is not None, (
                f"{place}: expected {json.dumps(wanted, ensure_ascii=False)}\n  {told}"
            )
            after = found
        else:
            unwanted = line["expect_no"]
            assert not any(fulfils(one, unwanted, scenario.edition) for one in rulings), (
                f"{place}: unexpected {json.dumps(unwanted, ensure_ascii=False)}\n  {told}"
            )


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_scenario_gives_its_rulings(path: Path) -> None:
    failures = []
    for scenario in scenarios(path):
        try:
            play(scenario)
        except Exception as error:
            failures.append(f"{scenario.name}, {scenario.edition}: {error!r}")
    assert not failures, "\n".join(failures)


def _ruling(kind: str, *articles: str, **fields: Any) -> dict[str, Any]:
    return KINDS[kind](articles=articles, **fields).to_json()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_what_is_foretold_is_what_comes(path: Path) -> None:
    """Of every decision of the arbiter: foretelling it does what the decision does, to a copy."""
    for scenario in scenarios(path):
        game, t = Game(PackWords()), 0.0
        for place, line in scenario.lines:
            if "fact" not in line:
                continue
            t = line.get("t", t)
            edition = {"edition": scenario.edition} if line["fact"] == "setup" else {}
            fact = parse({"t": t, **line, **edition})
            decides = line["fact"] == "arbiter"
            foretold = game.foretell(fact) if decides else None
            rulings = game.apply(fact)
            if foretold is not None:
                then, told = foretold
                assert told == rulings, place
                assert then.clock.left == game.clock.left, place
                assert [ply.move for ply in then.history] == [ply.move for ply in game.history]


def test_a_scenario_that_is_not_fulfilled_fails() -> None:
    ruling = _ruling("obliged", "fide-2023 4.3.1", "fide-2023 D.2.2", by="white", moves=["a2a3"])
    right: tuple[dict[str, Any], ...] = (
        {"ruling": "obliged", "by": "white", "moves": ["a2a3"], "article": "fide-2023 4.3"},
        {"ruling": "obliged", "free": None},
        {"article": {"fide-2023": "D.2.2"}},
    )
    for wanted in right:
        assert fulfils(ruling, wanted, "fide-2023")
    wrong: tuple[dict[str, Any], ...] = (
        {"ruling": "touched"},
        {"by": "black"},
        {"moves": ["a2a3", "a2a4"]},
        {"free": True},
        {"article": "fide-2023 4.33"},
        {"article": "fide-2023 4.3.1.2"},
        {"article": ["fide-2023 4.3.1", "fide-2023 4.4"]},
    )
    for wanted in wrong:
        assert not fulfils(ruling, wanted, "fide-2023")


@pytest.mark.parametrize("edition", names())
def test_every_edition_has_scenarios(edition: str) -> None:
    assert any(scenario.edition == edition for path in PATHS for scenario in scenarios(path))
