"""Which table may add which fact: the table in docs/distant-table.md."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.opponents.distant.rights import permits
from blindplay.wording.pack_words import PackWords

from .two_tables import SETUP

BOTH, NOBODY = {"white", "black"}, set[str]()
WHITE, BLACK = {"white"}, {"black"}


def game(arbiter: str = "automatic") -> Game:
    """White waited, and is on move."""
    game = Game(PackWords())
    game.apply(replace(SETUP, arbiter=arbiter))
    game.apply(f.Start(t=0))
    return game


@pytest.mark.parametrize(
    ("fact", "alone", "presided"),
    [
        (f.Resign(by="white"), WHITE, WHITE),
        (f.Resign(by="black"), BLACK, BLACK),
        (f.Press(by="assistant:black"), BLACK, BLACK),
        (f.Query(by="black", about="time"), BLACK, BLACK),
        (f.Record(by="white", ply=1, text="e4"), WHITE, WHITE),
        (f.Lift(board="black", square="e7"), BLACK, BLACK),
        (f.Tick(), WHITE, WHITE),
        (f.Inspect(board="black", fulfils=()), WHITE, WHITE),
        (f.Arbiter(do="stop_clocks"), BOTH, WHITE),
        (f.Arbiter(do="start_clocks"), BOTH, WHITE),
        (f.Arbiter(do="declare", result="1-0"), NOBODY, WHITE),
        (f.Arbiter(do="set_clock", white=1), NOBODY, WHITE),
        (f.Arbiter(do="restore", ply=0), NOBODY, WHITE),
        (f.Arbiter(do="preside"), WHITE, WHITE),
        (f.Arbiter(by="table", do="stop_clocks"), BOTH, BOTH),
        (f.Irregular(by="white", what="reversed_colours"), NOBODY, NOBODY),
        (f.Irregular(by="white", what="displaced"), WHITE, WHITE),
        (f.Assistant(by="table", of="black"), BLACK, BLACK),
        (f.OpenEnvelope(), WHITE, WHITE),
        (SETUP, NOBODY, NOBODY),
    ],
    ids=lambda value: value.kind if isinstance(value, Fact) else "",
)
def test_each_fact_has_the_tables_that_may_add_it(
    fact: Fact, alone: set[str], presided: set[str]
) -> None:
    for arbiter, expected in (("automatic", alone), ("present", presided)):
        at = game(arbiter)
        found = {
            side
            for side in f.SIDES
            if permits(fact, at, side, waited=side == "white", training=False)
        }
        assert found == expected


def test_in_training_without_an_arbiter_both_may_take_back() -> None:
    fact = f.Arbiter(do="restore", ply=0)
    for side in f.SIDES:
        assert permits(fact, game(), side, waited=side == "white", training=True)
    assert not permits(fact, game("present"), "black", waited=False, training=True)
