"""Before the game: boards, assistants, and the start."""

from __future__ import annotations

from tests.laws.table import Table, one


def test_deaf_opponent_needs_an_assistant() -> None:
    table = Table(white={"impaired": True}, black={"hearing_impaired": True})
    assert one(table.rulings, "arbiter_needed").articles == ("fide-2023 D.2.11",)
