"""The distance between what was said and what was heard."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.speech.confusions import (
    NEVER_SEEN,
    NOTHING,
    Confusions,
    aligned,
    distance,
    least_costs,
)

WORDS = st.lists(st.sampled_from(["dame", "turm", "eva", "zwei", "drei"]), max_size=5)
TABLE = Confusions({"dame": {"turm": 2.0}, "eva": {NOTHING: 3.0}, NOTHING: {"drei": 4.0}})


def test_a_known_confusion_costs_what_was_measured_and_an_unknown_one_more() -> None:
    assert TABLE.distance(["dame", "eva", "zwei"], ["turm", "eva", "zwei"]) == 2.0
    assert TABLE.distance(["turm", "eva", "zwei"], ["dame", "eva", "zwei"]) == NEVER_SEEN
    assert TABLE.distance(["dame", "eva", "zwei"], ["turm", "zwei"]) == 5.0
    assert TABLE.distance(["zwei"], ["zwei", "drei"]) == 4.0


def test_the_table_counts_how_often_a_word_was_heard_as_another() -> None:
    pairs = [("dame", "dame")] * 14 + [("dame", "turm")] + [("eva", "eva")] * 3
    table = Confusions.measured(pairs).table
    assert table == {"dame": {"turm": pytest.approx(math.log(20))}}


@given(WORDS, WORDS)
def test_the_cheapest_way_is_the_sum_of_its_steps(said: list[str], heard: list[str]) -> None:
    pairs = TABLE.aligned(said, heard)
    assert [word for word, _ in pairs if word != NOTHING] == said
    assert [word for _, word in pairs if word != NOTHING] == heard
    assert TABLE.distance(said, heard) == pytest.approx(sum(TABLE.cost(*pair) for pair in pairs))


@given(WORDS, WORDS, WORDS)
def test_equal_words_cost_nothing_and_a_detour_never_costs_less(
    said: list[str], between: list[str], heard: list[str]
) -> None:
    assert TABLE.distance(said, said) == 0
    longest = max(len(said), len(heard))
    assert TABLE.distance(said, heard) <= 2 * NEVER_SEEN * longest
    assert Confusions().distance(said, heard) <= Confusions().distance(
        said, between
    ) + Confusions().distance(between, heard)


def test_credit_is_given_for_known_confusions_only() -> None:
    assert TABLE.credit(["dame", "eva"], ["turm", "eva"]) == pytest.approx(0.4 * 5)
    assert TABLE.credit(["turm", "eva"], ["dame", "eva"]) == 0
    assert TABLE.credit(["dame"], ["dame"]) == 0


LETTERS = st.text("abc", max_size=6)


def cost(said: str, heard: str) -> float:
    """Letters are dropped and inserted for 2, and an a is heard as b for a half."""
    if said == heard:
        return 0.0
    return 2.0 if NOTHING in (said, heard) else {"ab": 0.5}.get(said + heard, 1.0)


@given(LETTERS, LETTERS, LETTERS)
def test_the_pairs_of_every_beginning_cost_as_much_as_the_table_says(
    said: str, heard: str, more: str
) -> None:
    costs = least_costs(said, heard + more, cost)
    pairs = aligned(said, heard, cost, costs)
    assert "".join(one for one, _ in pairs) == said
    assert "".join(one for _, one in pairs) == heard
    assert sum(cost(*pair) for pair in pairs) == costs[len(said)][len(heard)]
    assert costs[-1][len(heard)] == distance(said, heard, cost)


@given(LETTERS, LETTERS, st.floats(0, 10))
def test_more_than_the_limit_is_infinite(said: str, heard: str, most: float) -> None:
    whole = distance(said, heard, cost)
    assert distance(said, heard, cost, most) == (whole if whole <= most else math.inf)
