"""Facts: exact to JSON and back, and one sentence for whatever is not a fact."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.laws import facts as f
from blindplay.laws.facts import FactError, dumps, loads, parse
from tests.sampling import examples

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SQUARE = st.sampled_from(chess.SQUARE_NAMES)
MOVE = st.builds(
    lambda squares, promotion: "".join(squares) + promotion,
    st.lists(SQUARE, min_size=2, max_size=2, unique=True),
    st.sampled_from(["", "q", "n"]),
)
PLACEMENTS = ["8/8/8/8/8/8/8/8", "k7/8/8/8/8/8/8/7K"]
SIDE = st.sampled_from(f.SIDES)
ACTING = st.sampled_from(f.PEOPLE[:4])
ANYONE = st.sampled_from(f.PEOPLE)
TIME = st.integers(0, 10**9)
PLAYER = st.builds(f.Player, TEXT, st.booleans(), st.booleans(), st.booleans(), TEXT)
SPOKEN = {"by": ACTING, "text": st.none() | TEXT, "move": MOVE}

FIELDS: dict[type[f.Fact], dict[str, st.SearchStrategy[Any]]] = {
    f.Setup: {
        "id": TEXT,
        "format": st.sampled_from([0, f.FORMAT]),
        "edition": st.sampled_from(["fide-2023", "fide-2014", "fide-1997", "basics-no"]),
        "mode": st.sampled_from(["standard", "rapid", "blitz"]),
        "supervised": st.booleans(),
        "variant": st.sampled_from(["chess", "chess960"]),
        "fen": st.sampled_from([chess.STARTING_FEN, "4k3/8/8/3p4/4P3/8/8/4K3 b - - 3 9"]),
        "boards": st.sampled_from([1, 2]),
        "time_control": st.sampled_from(["-", "900+10", "40/5400+30:1800+30", "0.5"]),
        "clock_mode": st.sampled_from(["increment", "delay", "bronstein"]),
        "announce_in": TEXT,
        "announce_check": st.booleans(),
        "quickplay_finish": st.booleans(),
        "arbiter": st.sampled_from(["present", "automatic"]),
        "default_time": st.none() | TIME,
        "event": TEXT,
        "site": TEXT,
        "round": TEXT,
        "date": TEXT,
        "white": PLAYER,
        "black": PLAYER,
    },
    f.TwoBoards: {"by": SIDE},
    f.Inspect: {
        "board": SIDE,
        "fulfils": st.sets(st.sampled_from(f.REQUIREMENTS)).map(
            lambda found: tuple(name for name in f.REQUIREMENTS if name in found)
        ),
    },
    f.Assistant: {"of": SIDE, "present": st.booleans()},
    f.Arrive: {"by": SIDE},
    f.RequestExtraTime: {"by": SIDE},
    f.CallArbiter: {"by": ACTING},
    f.Start: {"by": ANYONE},
    f.Lift: {"board": SIDE, "square": SQUARE},
    f.Place: {"board": SIDE, "square": SQUARE, "piece": st.sampled_from([None, *"PNBRQKpnbrqk"])},
    f.Position: {
        "board": SIDE, "placement": st.sampled_from(["8/8/8/8/8/8/8/8", "k7/8/8/8/8/8/8/7K"]),
    },
    f.BoardOwners: {"known": st.booleans()},
    f.Adjust: {"by": ACTING},
    f.Announce: SPOKEN,
    f.Repeat: SPOKEN,
    f.Correct: SPOKEN,
    f.Make: {"by": ACTING, "move": MOVE, "presumed": st.booleans()},
    f.Touch: {
        "by": SIDE, "square": SQUARE, "seen_by": st.none() | ANYONE,
        "ply": st.none() | st.integers(1, 20_000),
    },
    f.Press: {"by": ACTING, "late": TIME},
    f.Record: {"by": ACTING, "ply": st.integers(1, 20_000), "text": TEXT},
    f.OfferDraw: {"by": SIDE},
    f.AcceptDraw: {"by": SIDE},
    f.DeclineDraw: {"by": SIDE},
    f.Consent: {"by": SIDE, "given": st.booleans()},
    f.Resign: {"by": SIDE},
    f.ClaimDraw: {
        "by": SIDE,
        "rule": st.sampled_from(f.CLAIMS),
        "move": st.none() | MOVE,
    },
    f.ClaimTime: {"by": ANYONE},
    f.Adjourn: {"by": SIDE, "declined": st.booleans()},
    f.Query: {"by": ANYONE, "about": st.sampled_from(f.QUESTIONS)},
    f.Irregular: {"by": ANYONE, "what": st.sampled_from(f.IRREGULARITIES),
                  "player": st.none() | SIDE, "ply": st.none() | st.integers(1, 20_000)},
    f.Seal: {"by": ACTING, "text": TEXT, "absent": st.booleans()},
    f.Sign: {"by": SIDE, "result": st.sampled_from(f.RESULTS)},
    f.OpenEnvelope: {"by": ANYONE, "missing": st.booleans()},
    f.Arbiter: {
        "do": st.sampled_from(f.DECISIONS),
        "white": TIME,
        "black": st.none() | TIME,
        "player": st.none() | SIDE,
        "penalty": st.none() | TEXT,
        "ply": st.integers(0, 20_000),
        "result": st.sampled_from(f.RESULTS),
        "white_moves": st.none() | st.integers(0, 10_000),
        "black_moves": st.none() | st.integers(0, 10_000),
        "language": TEXT,
        "reason": TEXT,
    },
    f.Tick: {},
}  # fmt: skip
FOR_ALL = {
    "t": TIME, "who": TEXT, "request": TEXT, "table": st.just("") | SIDE,
    "wall": st.none() | st.integers(0, 10**14),
}  # fmt: skip
FACTS = st.one_of(*(st.builds(cls, **FOR_ALL, **fields) for cls, fields in FIELDS.items()))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = sorted({item.name for cls in FIELDS for item in dataclasses.fields(cls)} | {"kind"})


def test_the_round_trip_covers_every_kind_and_field() -> None:
    assert set(FIELDS) == set(f.KINDS.values())
    for cls, fields in FIELDS.items():
        names = {item.name for item in dataclasses.fields(cls)} - FOR_ALL.keys()
        assert names - set(fields) <= {"by"}, cls


@examples(400)
@given(FACTS)
def test_a_fact_comes_back_from_its_line_of_json(fact: f.Fact) -> None:
    line = dumps(fact)
    assert "\n" not in line
    assert loads(line) == fact
    assert parse(json.loads(json.dumps(fact.to_json()))) == fact


def _fact_or_a_sentence(value: Any) -> None:
    try:
        fact = parse(value)
    except FactError as error:
        assert str(error) and len(str(error)) < 600 and "\n" not in str(error)
        str(error).encode("utf-8")
    else:
        assert loads(dumps(fact)) == fact
        dumps(fact).encode("utf-8")


@given(JSON)
def test_any_json_is_a_fact_or_a_sentence(value: Any) -> None:
    _fact_or_a_sentence(value)


@examples(600)
@given(st.sampled_from(sorted(f.KINDS)), st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6))
def test_any_value_in_any_field_is_a_fact_or_a_sentence(kind: str, fields: dict[str, Any]) -> None:
    _fact_or_a_sentence({"t": 0, **fields, "fact": kind})


@examples(300)
@given(FACTS, st.sampled_from(NAMES), JSON)
def test_a_fact_with_one_field_spoilt_is_a_fact_or_a_sentence(
    fact: f.Fact, name: str, value: Any
) -> None:
    _fact_or_a_sentence(fact.to_json() | {name: value})


@examples(300)
@given(FACTS, st.sampled_from(NAMES), JSON | st.sampled_from([object(), {1: 2}, (1, 2), b"e4"]))
def test_a_value_given_in_python_meets_the_checks_of_json(
    fact: f.Fact, name: str, value: Any
) -> None:
    if not hasattr(fact, name) or name == "kind":
        return
    try:
        changed = dataclasses.replace(fact, **{name: value})
    except FactError as error:
        assert str(error) and len(str(error)) < 600 and "\n" not in str(error)
    else:
        assert loads(dumps(changed)) == changed


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("lift", {"board": "white", "square": "z9"}),
        ("make", {"by": "purple", "move": "e2e4"}),
        ("setup", {"mode": "bullet"}),
        ("setup", {"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}),
        ("setup", {"time_control": "soon"}),
        ("inspect", {"board": "white", "fulfils": ["holes"]}),
    ],
)
def test_a_fact_made_in_python_raises_the_error_of_json(kind: str, fields: dict[str, Any]) -> None:
    with pytest.raises(FactError) as in_python:
        f.KINDS[kind](**fields)
    with pytest.raises(FactError) as in_json:
        parse({"t": 0, "fact": kind, **fields})
    assert str(in_python.value) == str(in_json.value)


def test_a_player_checks_themselves() -> None:
    wrong: Any = 1
    with pytest.raises(FactError, match="impaired must be true or false"):
        f.Player(impaired=wrong)


@examples(300)
@given(st.text("pkQK12348/ wbq-~", max_size=30))
def test_any_text_as_a_position_is_a_position_or_a_sentence(text: str) -> None:
    _fact_or_a_sentence({"t": 0, "fact": "setup", "fen": text})
    _fact_or_a_sentence({"t": 0, "fact": "position", "board": "white", "placement": text})


@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_any_line_is_a_fact_or_a_sentence(line: str) -> None:
    with pytest.raises(FactError):
        loads(line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "is not a line of JSON"),
        ("[" * 100_000, "is not a line of JSON"),
        ('{"t":NaN,"fact":"tick"}', "is not a line of JSON"),
        ("7", "a fact must be a JSON object"),
        ('{"t":0,"fact":"jump"}', 'unknown fact "jump"'),
        ('{"fact":"tick"}', "tick needs t"),
        ('{"t":-1,"fact":"tick"}', "tick: t must be 0 to 1000000000 seconds"),
        ('{"t":true,"fact":"tick"}', "tick: t must be 0 to 1000000000 seconds"),
        ('{"t":1e999,"fact":"tick"}', "tick: t must be 0 to 1000000000 seconds"),
        ('{"t":' + "9" * 400 + ',"fact":"tick"}', "tick: t must be 0 to 1000000000 seconds"),
        ('{"t":0,"fact":"lift","board":"red","square":"e4"}', "must be one of white, black"),
        ('{"t":0,"fact":"lift","board":"white","square":"i9"}', "must be a square a1 to h8"),
        ('{"t":0,"fact":"make","by":"white","move":"0000"}', "must be a move in UCI"),
        ('{"t":0,"fact":"make","by":"white","move":"N@f3"}', "must be a move in UCI"),
        ('{"t":0,"fact":"make","by":"white","move":"e7e8k"}', "must be a move in UCI"),
        ('{"t":0,"fact":"make","by":"white","move":"e2e2"}', "must be a move in UCI"),
        ('{"t":0,"fact":"announce","by":"white"}', "announce needs text or move"),
        ('{"t":0,"fact":"announce","by":"white","text":"\\ud800"}', "whole characters"),
        ('{"t":0,"fact":"arbiter","do":"restore"}', "arbiter restore needs ply"),
        ('{"t":0,"fact":"setup","fen":"8/8/8/8/8/8/8/8 w - - 0 1"}', "one king of each colour"),
        ('{"t":0,"fact":"setup","fen":"4k3/8/8/8/8/8/8/4R1K1 w - - 0 1"}', "can be played on"),
        ('{"t":0,"fact":"setup","fen":"4k3/8/8/8/8/8/8/K3R3 w - - 0 1"}', "can be played on"),
        ('{"t":0,"fact":"setup","boards":3}', "must be a whole number 1 to 2"),
        ('{"t":0,"fact":"setup","white":{"impaired":1}}', "white player: impaired must be true"),
        ('{"t":0,"fact":"setup","time_control":"soon"}', "such as 900+10"),
    ],
)  # fmt: skip
def test_what_is_no_fact_is_said_in_one_sentence(line: str, said: str) -> None:
    with pytest.raises(FactError) as caught:
        loads(line)
    assert said in str(caught.value)


def test_a_newer_tables_field_does_not_stop_an_older_reader() -> None:
    assert loads('{"t":1.5,"fact":"tick","moon":"full"}') == f.Tick(t=1500)


def test_the_contracts_kind_of_a_penalty_is_kept() -> None:
    line = '{"t":1,"fact":"arbiter","do":"penalty","player":"white","kind":"warning"}'
    assert loads(line).to_json()["kind"] == "warning"


def test_the_number_of_a_round_may_be_a_number() -> None:
    setup = parse({"t": 0, "fact": "setup", "event": "Cup", "round": 3})
    assert isinstance(setup, f.Setup) and (setup.event, setup.round) == ("Cup", "3")
    assert loads(dumps(setup)) == setup
    with pytest.raises(FactError, match="round must be a text"):
        parse({"t": 0, "fact": "setup", "round": [3]})
