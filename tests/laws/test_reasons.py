"""The reasons are closed sets, and agree with the languages and with the facts."""

from __future__ import annotations

from typing import get_args

from blindplay.language import IllegalReason
from blindplay.laws.facts import IRREGULARITIES
from blindplay.laws.reasons import ArbiterReason, MoveReason, RefusalReason


def reasons(of: object) -> set[str]:
    """All values of a closed set of reasons."""
    found = set()
    for one in get_args(of):
        found |= {one} if isinstance(one, str) else reasons(one)
    return found - {""}


def test_reasons_of_moves_are_those_of_the_languages() -> None:
    assert reasons(MoveReason) - {"touched_piece", "claimed_move"} == {
        one.value for one in IllegalReason
    }
    assert reasons(MoveReason) < reasons(RefusalReason)


def test_whatever_people_notice_is_something_to_tell_the_arbiter() -> None:
    assert set(IRREGULARITIES) <= reasons(ArbiterReason)
