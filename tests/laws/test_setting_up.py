"""Before the game: boards, assistants, and the start."""

from __future__ import annotations

from tests.laws.table import Table, impaired, kinds, one


def test_deaf_opponent_needs_an_assistant() -> None:
    table = Table(white={"impaired": True}, black={"hearing_impaired": True})
    assert one(table.rulings, "arbiter_needed").articles == ("fide-2023 D.2.11",)


def test_a_table_that_cannot_tell_which_board_is_whose_says_so_and_says_when_it_can() -> None:
    """D.1: each player has a board of their own."""
    table = impaired()
    for known in (False, True):
        owners = one(table.feed({"fact": "board_owners", "known": known}), "owners")
        assert owners.known is table.game.owners_known is known
        assert owners.articles == ("fide-2023 D.1",)
    assert "clock" not in kinds(table.rulings[1:])
