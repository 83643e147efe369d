"""Which names a board can keep, and its id."""

import pytest

from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.naming import checked_name, new_id


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Brett 3", "Brett 3"),
        ("  Klub  Nord ", "Klub Nord"),
        ("Cafe\u0301", "Caf\u00e9"),
        ("\u00d8st-Brett nr. 4", "\u00d8st-Brett nr. 4"),
        ("\u0428\u0430\u0445", "\u0428\u0430\u0445"),
        ("a" * 24, "a" * 24),
        ("7", "7"),
    ],
)
def test_letters_digits_spaces_hyphens_and_full_stops_make_a_name(given: str, kept: str) -> None:
    assert checked_name(given) == kept
    assert len(kept.encode()) <= peg.NAME_BYTES


@pytest.mark.parametrize(
    "name", ["", "  ", "-.", "a/b", "Brett\n3\x07", "caf\u00e9 \u265a", "a;b", "a:b"]
)
def test_other_signs_are_refused_in_one_sentence(name: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be a board's name: use letters, .* stops\.$"):
        checked_name(name)


@pytest.mark.parametrize(("name", "count"), [("a" * 25, 1), ("\u00e4" * 13, 1), ("\u00e4" * 20, 8)])
def test_a_name_that_is_too_long_is_refused_with_how_much(name: str, count: int) -> None:
    """24 bytes hold twelve letters such as \u00e4."""
    with pytest.raises(ValueError, match=rf"too long for a board: leave out {count} letters"):
        checked_name(name)


def test_ids_differ_and_none_is_0() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) > 990
    assert all(0 < one < 1 << 32 for one in ids)
