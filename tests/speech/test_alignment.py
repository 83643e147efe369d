"""The weighted edit distance."""

import math

from hypothesis import given
from hypothesis import strategies as st

from blindplay.speech.alignment import NOTHING, aligned, distance, least_costs

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
