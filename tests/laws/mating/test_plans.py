"""Plans: tables that tell the search where the pieces should stand."""

from __future__ import annotations

import chess

from blindplay.laws.mating import plans
from blindplay.laws.mating.positions import KING, PAWN, THEIRS, PackedPosition, encode


def packed(fen: str) -> PackedPosition:
    return encode(chess.Board(fen), chess.WHITE)[0]


def test_the_nearest_corner_comes_first_and_costs_nothing_there() -> None:
    tables = plans.corners(packed("k7/8/1K6/8/8/8/8/7R w - - 0 1"))
    assert len(tables) == 4
    assert tables[0][THEIRS + KING][chess.A8] == 0
    assert tables[0][THEIRS + KING][chess.H1] > tables[0][THEIRS + KING][chess.B7]


def test_a_pawn_becomes_cheaper_on_its_way_to_promotion() -> None:
    (stage,) = plans.promotion(packed("4k3/8/8/8/8/8/P7/4K3 w - - 0 1"))
    costs = [stage.table[PAWN][square] for square in range(chess.A2, 64, 8)]
    assert costs == sorted(costs, reverse=True)
    assert stage.aims == 0


def test_a_blocked_pawn_aims_at_the_pawn_that_blocks_it() -> None:
    stages = list(plans.promotion(packed("4k3/8/8/p7/P7/8/8/4K3 w - - 0 1")))
    assert stages[0].aims & chess.BB_A5


def test_only_one_kind_of_minor_piece_is_a_lone_minor_piece() -> None:
    assert plans.is_lone_minor(packed("4k3/p7/8/8/8/8/8/1N2K3 w - - 0 1"))
    assert not plans.is_lone_minor(packed("4k3/p7/8/8/8/8/8/1NB1K3 w - - 0 1"))
    assert not plans.is_lone_minor(packed("4k3/8/8/8/8/8/P7/1N2K3 w - - 0 1"))


def test_a_lone_piece_against_pawns_wants_a_pawn_to_become_a_knight() -> None:
    assert list(plans.blocker_wanted(packed("4k3/p7/8/8/8/8/8/2B1K3 w - - 0 1")))
    assert not list(plans.blocker_wanted(packed("4k1n1/p7/8/8/8/8/8/2B1K3 w - - 0 1")))
