"""The search for a helpmate: its line, its limit, and its proof."""

from __future__ import annotations

import chess
import pytest

from blindplay.laws.mating import plans
from blindplay.laws.mating.positions import encode
from blindplay.laws.mating.search import SearchOrder, SearchResult, seek, too_little

ORDER = SearchOrder(64, 1)


def sought(fen: str, limit: int, aims: int | None = None) -> SearchResult:
    position, rooks = encode(chess.Board(fen), chess.WHITE)
    return seek(position, rooks, plans.corners(position)[0], limit, ORDER, aims)


def test_a_mate_in_one_is_found() -> None:
    found = sought("k7/8/1K6/8/8/8/8/7R w - - 0 1", 1_000)
    assert found.mate and found.line is not None
    assert not found.whole


def test_a_search_of_every_position_proves_that_there_is_no_mate() -> None:
    found = sought("8/1k6/1p1p1p1p/1P1P1P1P/8/8/8/K7 w - - 0 1", 100_000)
    assert (found.line, found.whole, found.mate) == (None, True, False)


@pytest.mark.parametrize("limit", [0, 1, 20])
def test_a_search_looks_at_no_more_positions_than_its_limit(limit: int) -> None:
    found = sought(chess.STARTING_FEN, limit)
    assert (found.line, found.whole, found.nodes) == (None, False, limit)


def test_a_capture_on_the_aims_ends_the_search() -> None:
    found = sought("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", 1_000, aims=1 << chess.D5)
    assert found.line is not None and not found.mate
    assert found.line[-1] >> 6 & 63 == chess.D5


@pytest.mark.parametrize(
    ("fen", "little"),
    [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", True),
        ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", True),
        ("4k1n1/8/8/8/8/8/8/4KN2 w - - 0 1", False),
        ("4kq2/8/8/8/8/8/8/4KN2 w - - 0 1", True),
        ("4k3/8/8/8/8/8/8/1NN1K3 w - - 0 1", False),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", False),
    ],
)
def test_material_that_can_never_mate(fen: str, little: bool) -> None:
    assert too_little(encode(chess.Board(fen), chess.WHITE)[0]) is little
