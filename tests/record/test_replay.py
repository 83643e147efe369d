"""The contract's worked examples, through the command and in German words."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from blindplay.record import Journal
from blindplay.record.replay import ReplayError, read, read_from_journal, replay

_FACTS: list[dict[str, Any]] = [
    {"t": 0, "fact": "setup", "edition": "fide-2023", "fen": "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
     "white": {"impaired": True}, "black": {}, "time_control": "300"},
    {"t": 1, "fact": "start", "by": "arbiter"},
    {"t": 5, "fact": "lift", "board": "white", "square": "e4"},
    {"t": 6, "fact": "announce", "by": "white", "text": "Bauer Eva vier schlägt David fünf"},
    {"t": 7, "fact": "press", "by": "white"},
    {"t": 9, "fact": "lift", "board": "white", "square": "d5"},
    {"t": 10, "fact": "place", "board": "white", "square": "d5", "piece": "P"},
    {"t": 12, "fact": "press", "by": "white"},
]  # fmt: skip
EXAMPLE = "".join(json.dumps(fact, ensure_ascii=False) + "\n" for fact in _FACTS)


def rulings(lines: str, edition: str | None = None) -> list[dict[str, Any]]:
    facts = read(io.StringIO(lines), "facts")
    return [ruling.to_json() for ruling in replay(facts, edition)]


def of(kind: str, given: list[dict[str, Any]]) -> dict[str, Any]:
    found = [ruling for ruling in given if ruling["ruling"] == kind]
    assert found, kind
    return found[-1]


def test_first_worked_example_gives_its_rulings_in_order() -> None:
    given = rulings(EXAMPLE)
    wanted = ["clock", "touched", "obliged", "announced", "not_made", "made", "completed", "clock"]
    kinds = [ruling["ruling"] for ruling in given]
    rest = iter(kinds)
    assert all(kind in rest for kind in wanted), kinds
    assert of("announced", given)["words"] == "Bauer Eva vier schlägt David fünf"
    assert of("made", given)["san"] == "exd5"
    assert of("clock", given) == {
        "t": 12, "ruling": "clock", "running": "black", "white": 289, "black": 300,
        "article": "fide-2023 D.2.4",
    }  # fmt: skip


def test_a_slip_in_german_words_is_corrected() -> None:
    given = rulings(
        '{"t":0,"fact":"setup","white":{"impaired":true}}\n'
        '{"t":0,"fact":"start"}\n'
        '{"t":1,"fact":"announce","by":"white","text":"Springer Gustav eins Felix drei"}\n'
        '{"t":2,"fact":"correct","by":"white","text":"Springer Gustav eins Hector drei"}\n'
    )
    slip = of("slip_corrected", given)
    assert (slip["was"], slip["now"], slip["article"]) == ("g1f3", "g1h3", "fide-2023 D.2.8")


def test_an_illegal_announcement_is_refused_with_its_reason() -> None:
    given = rulings(
        '{"t":0,"fact":"setup","white":{"impaired":true}}\n'
        '{"t":1,"fact":"announce","by":"white","text":"Turm Anna eins Anna fünf"}\n'
    )
    assert of("refused", given)["why"] == "blocked"


def test_another_edition_can_be_asked_for() -> None:
    assert of("touched", rulings(EXAMPLE, "fide-1997"))["article"] == "fide-1997 F.2"


@pytest.mark.parametrize(
    "line",
    ["x", "[]", '{"t":1}', '{"t":1,"fact":"lift"}', '{"t":-1,"fact":"tick"}',
     '{"t":1,"fact":"lift","board":"white","square":"z9"}', '{"t":NaN,"fact":"tick"}',
     '{"t":true,"fact":"tick"}', '{"t":1,"fact":["tick"]}'],
)  # fmt: skip
def test_a_line_that_is_not_a_fact_is_named_and_the_rulings_before_it_stand(line: str) -> None:
    facts = read(io.StringIO(EXAMPLE + line + "\n"), "facts")
    given = []
    with pytest.raises(ReplayError, match=r"^facts:9: .+"):
        for ruling in replay(facts):
            given.append(ruling)
    assert [ruling.to_json() for ruling in given] == rulings(EXAMPLE)


def test_facts_survive_the_journal_and_replay_the_same(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.jsonl") as journal:
        for _, fact in read(io.StringIO(EXAMPLE), "facts"):
            journal.append(fact)
    kept = read_from_journal(tmp_path / "game.jsonl")
    assert [ruling.to_json() for ruling in replay(kept)] == rulings(EXAMPLE)
