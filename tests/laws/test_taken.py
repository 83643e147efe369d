"""What listeners of a running table receive."""

from __future__ import annotations

import dataclasses

import pytest

from blindplay.laws import TABLE, Origin, Taken
from blindplay.laws.facts import Tick
from blindplay.laws.rulings import Announced


def test_a_fact_is_the_tables_own_unless_somebody_brought_it() -> None:
    assert Taken(Tick(t=0), ()).origin is TABLE
    console = Origin("console", reports=(Announced,))
    assert Taken(Tick(t=0), (), console).origin.reports == (Announced,)


def test_what_was_taken_never_changes() -> None:
    taken = Taken(Tick(t=0), ())
    with pytest.raises(dataclasses.FrozenInstanceError):
        taken.fact = Tick(t=1)  # type: ignore[misc]
