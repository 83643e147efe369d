"""What touches a piece, and what does not."""

from __future__ import annotations

import pytest

from tests.laws.table import impaired, kinds, lift, one, place


@pytest.mark.parametrize(
    ("edition", "article"),
    [("fide-2023", "D.2.2"), ("fide-2014", "D.2.2"), ("fide-1997", "F.2")],
)
def test_touched_cites_the_article_of_the_edition(edition: str, article: str) -> None:
    table = impaired(edition=edition)
    assert one(table.feed(lift("e2")), "touched").articles == (f"{edition} {article}",)


def test_executing_the_opponents_move_on_the_own_board_is_no_touch() -> None:
    table = impaired()
    table.play("e2e4")
    table.feed(
        {"fact": "announce", "by": "black", "move": "d7d5"},
        {"fact": "make", "by": "black", "move": "d7d5"},
        {"fact": "press", "by": "black"},
    )
    got = table.feed(lift("d7"), place("d5", "p"))
    assert kinds(got) == ["executed"]
    assert "touched" in kinds(table.feed(lift("e4")))
