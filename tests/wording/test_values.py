"""Values of sentences are spoken in the words of the pack."""

from __future__ import annotations

from datetime import timedelta

import pytest

from blindplay.language import load
from blindplay.wording.values import Value, Written, in_words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Written("Kenneth 21"), "Kenneth two one"),
        ("knight", "knight"),
        (804, "eight hundred and four"),
        (timedelta(seconds=90), "one minute thirty seconds"),
    ],
)
def test_a_value_is_spoken_in_words(value: Value, words: str) -> None:
    assert in_words(value, load("en")) == words
