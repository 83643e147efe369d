"""The chain that holds the lines of a journal together."""

from __future__ import annotations

import json

import pytest

from blindplay.laws import facts as f
from blindplay.record.chain import FIRST, checked, digest_of, encoded

ONE, END = encoded(f.Setup(white=f.Player(name="Žofie")), (0, ""))
TWO, _ = encoded(f.Start(t=1500), END)


def test_a_line_holds_its_number_its_fact_and_the_digest_of_all_before_it() -> None:
    assert ONE.startswith(FIRST) and (1, digest_of(ONE)) == END
    value = checked(TWO[:-1], 2, digest_of(ONE))
    assert value["fact"] == {"t": 1.5, "fact": "start"}
    assert value == json.loads(TWO)


@pytest.mark.parametrize(
    ("line", "number", "before"),
    [
        (TWO[:-1], 3, digest_of(ONE)),
        (TWO[:-1], 2, ""),
        (TWO[:-2], 2, digest_of(ONE)),
        (TWO[:-1].replace(b"start", b"tick"), 2, digest_of(ONE)),
        (TWO[:-1].replace(b":1.5", b": 1.5"), 2, digest_of(ONE)),
        (b"[]", 1, ""),
        (b"\xff", 1, ""),
    ],
    ids=["number", "chain", "cut", "changed", "spaces", "list", "bytes"],
)
def test_a_line_that_is_not_as_it_was_written_is_refused(
    line: bytes, number: int, before: str
) -> None:
    with pytest.raises(ValueError):
        checked(line, number, before)
