"""Rulings: the objects of the contract."""

from __future__ import annotations

import dataclasses
import json

import pytest

from blindplay.laws import TABLE, Origin, Taken
from blindplay.laws import rulings as r
from blindplay.laws.deviation import Slip, SlipKind
from blindplay.laws.facts import KINDS as FACTS
from blindplay.laws.facts import Tick
from tests import ROOT


def test_a_ruling_is_the_object_of_the_contract() -> None:
    made = r.Made(t=1500, articles=("fide-2023 D.2.3",), by="white", move="e2e4", san="e4")
    assert made.to_json() == {
        "t": 1.5, "ruling": "made", "by": "white", "move": "e2e4", "san": "e4",
        "article": "fide-2023 D.2.3",
    }  # fmt: skip
    assert json.loads(r.dumps(made)) == made.to_json()


def test_several_articles_are_a_list() -> None:
    touched = r.Touched(
        articles=("fide-2023 D.2.5", "fide-2023 4.3.1"), by="b", square="", piece=""
    )
    assert touched.to_json()["article"] == ["fide-2023 D.2.5", "fide-2023 4.3.1"]


def test_fields_with_their_default_value_are_left_out() -> None:
    penalty = r.Penalty(player="white", gives="black", seconds=120)
    assert penalty.fields == {"player": "white", "gives": "black", "seconds": 120}
    assert r.Penalty(player="white", penalty="warning").fields["kind"] == "warning"


def test_the_status_of_a_proposal_is_told_only_where_somebody_is_asked() -> None:
    assert "status" not in r.ArbiterNeeded(why="called").fields
    assert r.ArbiterNeeded(why="called", status="proposed").fields["status"] == "proposed"


def test_values_within_a_ruling_are_json_values() -> None:
    step = r.CorrectingStep("lift", "N", "g1")
    correct = r.CorrectBoard(board="white", placement="8/8/8/8/8/8/8/8", steps=(step,))
    assert correct.fields["steps"] == [{"do": "lift", "piece": "N", "square": "g1"}]
    slip = Slip(SlipKind.EXTRA, piece="N", square=6)
    told = r.Explained(board="white", explanations=((slip,),), words="")
    assert told.fields["explanations"] == [[{"what": "extra", "piece": "N", "square": "g1"}]]


def test_every_kind_is_described_in_the_contract() -> None:
    contract = (ROOT / "docs" / "development" / "facts-and-rulings.md").read_text("utf-8")
    assert not {kind for kind in (*r.KINDS, *FACTS) if f"`{kind}`" not in contract}


def test_a_fact_is_the_tables_own_unless_somebody_brought_it() -> None:
    assert Taken(Tick(t=0), ()).origin is TABLE
    console = Origin("console", reports=(r.Announced,))
    assert Taken(Tick(t=0), (), console).origin.reports == (r.Announced,)


def test_what_was_taken_never_changes() -> None:
    taken = Taken(Tick(t=0), ())
    with pytest.raises(dataclasses.FrozenInstanceError):
        taken.fact = Tick(t=1)  # type: ignore[misc]
