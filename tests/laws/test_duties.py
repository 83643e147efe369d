"""What the player on move is bound to."""

from __future__ import annotations

import chess

from blindplay.laws.duties import bound
from tests.laws.table import lift, one, place, started


def moves(table_bound: tuple[chess.Move, ...]) -> set[str]:
    return {move.uci() for move in table_bound}


def test_a_player_who_has_touched_nothing_is_free() -> None:
    assert bound(started().game).free


def test_a_touched_piece_binds_to_its_moves() -> None:
    table = started()
    table.feed(lift("g1"))
    assert moves(bound(table.game).moves) == {"g1f3", "g1h3"}


def test_a_king_released_two_squares_away_binds_to_castling() -> None:
    table = started(fen="4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    got = table.feed(lift("e1"), place("g1", "K"))
    assert moves(bound(table.game).moves) == {"e1g1"}
    assert bound(table.game).rule == "released_castling"
    assert "fide-2023 4.7.2" in got[-1].articles


def test_the_move_of_a_wrong_claim_must_be_played() -> None:
    table = started(arbiter="automatic")
    table.feed({"fact": "claim_draw", "by": "white", "rule": "repetition", "move": "e2e4"})
    assert moves(bound(table.game).moves) == {"e2e4"}
    refused = one(table.feed({"fact": "make", "by": "white", "move": "d2d4"}), "refused")
    assert refused.articles == ("fide-2023 9.5.3",)
